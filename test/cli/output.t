#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# output.t - errors of the standard output, terminals, and bytes that are not text.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
n=1
while [ $n -le 300 ]; do
    message "in/cur/$n:2," "m$n@x" "subject $n" body
    n=$((n + 1))
done
"$MAIL" new --quiet

# A reader that goes away. (The shell's own pipes would hide the exit code.)
for arguments in 'search *' 'search --format=json *' 'search --output=files *' 'show *'; do
    mkfifo fifo
    set -f
    # shellcheck disable=SC2086 # words
    "$MAIL" $arguments >fifo 2>err &
    set +f
    head -n 1 <fifo >first
    code=0
    wait $! || code=$?
    rm fifo
    # What fits into the pipe before the reader goes may be all there is.
    ok "$arguments | head: ends" [ $code -le 1 ]
    says "$arguments | head: quietly" ''
    ok "$arguments | head: with a line" [ -s first ]
done
mkfifo fifo
"$MAIL" show '*' >fifo 2>err &
: <fifo
code=0
wait $! || code=$?
is 'a reader that is gone from the start: exit code' "$code" 1
says 'a reader that is gone from the start: quiet' ''

# More than the buffer at once.
printf 'From: a@x\nMessage-ID: <long@x>\n\n' >"$HOME/Mail/in/cur/long"
head -c 3000000 /dev/zero | tr '\0' x >>"$HOME/Mail/in/cur/long"
"$MAIL" new --quiet
for arguments in '--format=raw' '--part=1' '--format=json' '--format=mbox'; do
    rm -f fifo && mkfifo fifo
    # shellcheck disable=SC2086 # words
    "$MAIL" show $arguments id:long@x >fifo 2>err &
    head -c 10 <fifo >first
    code=0
    wait $! || code=$?
    is "show $arguments | head, of much: exit code" "$code" 1
    says "show $arguments | head, of much: quietly" ''
done
rm "$HOME/Mail/in/cur/long"
"$MAIL" new --quiet

if [ -c /dev/full ]; then
    for arguments in 'search *' 'search --output=tags *' 'count' 'show *' 'config list' 'help' '--version' 'new' dump 'dump --format=sup'; do
        set -f
        # shellcheck disable=SC2086 # words
        code=0 && "$MAIL" $arguments >/dev/full 2>err || code=$?
        set +f
        is "$arguments > /dev/full: exit code" "$code" 75
        ok "$arguments > /dev/full: says why" \
            grep -q '^mail: cannot write to the standard output: No space left on device$' err
    done
fi
code=0 && "$MAIL" count >&- 2>err || code=$?
is 'no stdout: exit code' "$code" 1
says 'no stdout: says why' 'mail: cannot write to the standard output: Bad file descriptor'
code=0 && "$MAIL" tag +x '*' >&- 2>&- <&- || code=$?
is 'no streams at all, nothing to say: exit code' "$code" 0
is '... done' "$("$MAIL" count tag:x)" 300
ok '... and the index is whole' "$MAIL" search '*'

# Bytes that are not UTF-8, and controls, in what a sender or a file system chose.
rm -rf "$HOME/Mail"
odd=$(printf 'b\377d\033[1m')
message "in/cur/$odd" 'id@x' "$(printf 'tab\there \033]0;title\007 \302\233 \377 end')" body
from=$(printf '"N\033\377m" <n@x>')
message in/cur/2 "$(printf 'i\377\033d@x')" two body
"$MAIL" new --quiet
runs 'summary' 0 "$MAIL" search '*'
ok '... has no controls' sh -c '! LC_ALL=C grep -q "[[:cntrl:]]" out'
ok '... is UTF-8' iconv -f UTF-8 -t UTF-8 out
ok '... has the words' grep -q 'tab here ?\]0;title? ' out
for output in summary messages files tags threads; do
    runs "json, $output" 0 "$MAIL" search --format=json --output=$output '*'
    ok "json, $output: is UTF-8" iconv -f UTF-8 -t UTF-8 out
    ok "json, $output: has no controls" sh -c '! tr -d "\n" <out | LC_ALL=C grep -q "[[:cntrl:]]"'
    ! command -v python3 >/dev/null || ok "json, $output: is JSON" python3 -m json.tool out
done
runs 'names of files' 0 "$MAIL" search --output=files id:id@x
is '... are exact' "$(cat out)" "$HOME/Mail/in/cur/$odd"
runs 'names of files, text0' 0 "$MAIL" search --output=files --format=text0 id:id@x
is '... are exact' "$(tr '\0' '\n' <out)" "$HOME/Mail/in/cur/$odd"
if command -v script >/dev/null; then
    script -qec "'$MAIL' search --output=files id:id@x" /dev/null </dev/null >out
    ok 'names of files on a terminal are harmless' sh -c '! tr -d "\r\n" <out | LC_ALL=C grep -q "[[:cntrl:]]"'
fi
runs 'show' 0 "$MAIL" show '*'
ok '... has no controls but form feeds and tabs' sh -c '! tr -d "\n\f\t" <out | LC_ALL=C grep -q "[[:cntrl:]]"'
ok '... is UTF-8' iconv -f UTF-8 -t UTF-8 out

# What is said about it.
sed 's/^Subject/Content-Type: multipart\/signed; boundary=b; protocol="x'"$(printf '\033')"'[1m"\n&/' \
    "$HOME/Mail/in/cur/$odd" >"$HOME/Mail/in/cur/3"
printf -- '--b\n\nx\n--b\nContent-Type: application/pgp-signature\n\nx\n--b--\n' >>"$HOME/Mail/in/cur/3"
cp "$HOME/Mail/in/cur/3" "$HOME/Mail/in/cur/$odd"
"$MAIL" new --quiet
"$MAIL" show --verify id:id@x >out 2>said
rm "$HOME/Mail/in/cur/$odd" "$HOME/Mail/in/cur/3"
"$MAIL" show id:id@x >out 2>>said
ok 'what is wrong with a part, and with a file, is told' [ "$(wc -l <said)" -ge 2 ]
ok '... has no controls' sh -c '! tr -d "\n" <said | LC_ALL=C grep -q "[[:cntrl:]]"'
ok '... is UTF-8' iconv -f UTF-8 -t UTF-8 said
ok '... has the words' grep -q 'unregistered signature protocol .x?\[1m' said

finish
