#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# scan-calls.t - what new asks of the kernel: one stat a folder and no listing where nothing is new,
# and after that as much as has changed.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

if ! strace -o trace true 2>/dev/null; then
    echo '1..0 # SKIP strace cannot be used here'
    exit 0
fi

# traced COMMAND...: leaves its system calls in trace, a line each, without those that were resumed.
traced ()
{
    # LeakSanitizer is a tracer itself, and there can be only one
    run env ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" strace -f -qq -y -e trace=%file,getdents64,getdents,readlinkat -o trace "$@"
    # The mail root, and not what .mailindex holds.
    grep -F "$HOME/Mail" trace | grep -vF .mailindex >mail-trace
}

# calls PATTERN: how many lines of the trace that have to do with the mail root match.
calls ()
{
    grep -cE "$1" mail-trace
}

# 20 folders of 50 maildirs: with the root, 3021 folders that count (tmp does not).
configure
mkdir "$HOME/Mail/g"
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
    for j in 0 1 2 3 4; do
        for k in 0 1 2 3 4 5 6 7 8 9; do
            echo "$HOME/Mail/g/$i/$j$k/cur" "$HOME/Mail/g/$i/$j$k/new" "$HOME/Mail/g/$i/$j$k/tmp"
        done
    done
done | xargs mkdir -p
message g/7/33/cur/1.a:2, a@x one body
message g/7/33/new/2.b b@x two body
message g/8/44/new/3.c c@x three body
folders=3022

run "$MAIL" new
is 'the first run' "$(cat err)" ''
sleep 0.1
run "$MAIL" new # times have settled by now
traced "$MAIL" new
is 'nothing new' "$(cat out)" 'No new mail.'
is '... one stat a folder' "$(calls '(fstatat|statx)[0-9]*[(][0-9]+<')" $folders
all=$(calls 'stat|access|readlink')
ok "... and next to nothing else: $all" [ "$all" -le $((folders + 5)) ]
is '... no listing' "$(grep -c getdents trace)" 0
is '... no mail file opened' "$(calls 'open.*O_RDONLY.*/(cur|new)/[^/]*[.]')" 0
few=$(calls open)
ok "... few folders opened: $few" [ "$few" -le 30 ]
run "$MAIL" new --debug
ok '... and --debug says so' grep -q "$folders folders known, $folders looked at, 0 listed" err

ln -s nothing "$HOME/Mail/g/9/11/cur/link"
: >"$HOME/Mail/g/9/11/cur/empty"
: >"$HOME/Mail/g/9/22/cur/empty"
run "$MAIL" new
sleep 0.1
run "$MAIL" new
traced "$MAIL" new
is 'three problems remembered' "$(cat out err)" 'No new mail.'
is '... a stat each, two for a link' "$(calls '(fstatat|statx)[0-9]*[(][0-9]+<')" $((folders + 4))
is '... no listing' "$(grep -c getdents trace)" 0
is '... one folder opened for all that are in it' "$(calls 'open.*g/[0-9]/[0-9]*/cur')" 2
is '... no mail file opened' "$(calls 'open.*O_RDONLY.*/empty')" 0

message g/9/00/new/4.d d@x four body
traced "$MAIL" new
is 'a delivery' "$("$MAIL" count id:d@x)" 1
is '... one listing' "$(calls 'getdents.*= 0')" 1
is '... of that folder' "$(calls 'getdents.*/g/9/00/new>.*= 0')" 1

sleep 0.1
run "$MAIL" new
mv "$HOME/Mail/g/7/33/new/2.b" "$HOME/Mail/g/7/33/cur/2.b:2,S"
mv "$HOME/Mail/g/8/44" "$HOME/Mail/g/8/renamed"
traced "$MAIL" new
is 'a file and a folder moved' "$(cat out)" 'No new mail. Detected 1 file rename.'
is '... no mail file opened' "$(calls 'open.*/[23][.][bc]')" 0
is '... four folders listed' "$(calls 'getdents.*= 0')" 4
is '... both found' "$("$MAIL" search --output=files 'id:b@x or id:c@x' | sort)" \
    "$HOME/Mail/g/7/33/cur/2.b:2,S
$HOME/Mail/g/8/renamed/new/3.c"

finish
