#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# problems.t - what cannot be indexed: told once, remembered and listed, and forgotten when mended.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

root=$HOME/Mail
TZ=UTC-1
export TZ
hint="could not be indexed; see 'mail new --problems'"

# listed: reasons and paths, below the mail root.
listed ()
{
    $as "$MAIL" new --problems | cut -f 1,3 | sed "s|$root/||" | tr '\t' ' '
}

# told LABEL CODE TEXT: new exits so and says this on stderr, paths below the mail root.
told ()
{
    # shellcheck disable=SC2086
    runs "$1" "$2" $as "$MAIL" new
    is '... is told' "$(sed "s|$root/||" err)" "$3"
}

# silent LABEL CODE: new exits so and says nothing on stderr, in this run and in the next.
silent ()
{
    for again in '' ' again'; do
        # shellcheck disable=SC2086
        runs "$1$again" "$2" $as "$MAIL" new
        says '... nothing is told' ''
    done
}

as=
configure
runs '--problems without an index' 1 "$MAIL" new --problems
says '... is an error' "mail new: there is no index in '$root' yet: 'mail new' makes one"
ok '... and makes none' [ ! -e "$root/.mailindex" ]
message in/cur/1:2,S a@x one body
run "$MAIL" new
runs '--problems where there are none' 0 "$MAIL" new --problems
is '... prints nothing' "$(cat out err)" ''
is '... as json, an empty list' "$("$MAIL" new --problems --format=json)" '[]'

# ---- one of each kind

: >"$root/in/cur/empty"
echo 'no mail at all' >"$root/in/cur/junk"
ln -s ../../later "$root/in/cur/link"
mkfifo "$root/in/cur/pipe"
before=$(date +%s)
told 'four of them' 0 "in/cur/link: dangling-link (No such file or directory)
in/cur/pipe: special-file
Note: Ignoring non-mail file: in/cur/empty
Note: Ignoring non-mail file: in/cur/junk
4 files $hint"
four='empty in/cur/empty
not-mail in/cur/junk
dangling-link in/cur/link
special-file in/cur/pipe'
is '... are listed' "$(listed)" "$four"
run "$MAIL" new --problems
ok '... with the time' grep -Eq "^empty	20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+]0100	$root/in/cur/empty$" out
since=$(sed -n 's/^empty	\([^	]*\)	.*/\1/p' out)
ok '... of now' [ "$(date -d "$since" +%s)" -ge "$before" ]
silent 'the next run' 0
is '... they are still listed' "$(listed)" "$four"
message in/cur/2:2,S b@x two body
sleep 1.1
silent 'a delivery beside them' 0
runs '... --full-scan' 0 "$MAIL" new --full-scan
says '... says nothing' ''
is '... the mail is there' "$("$MAIL" count id:b@x)" 1
is '... they are still listed' "$(listed)" "$four"
run "$MAIL" new --problems
ok '... since then' grep -Fq "empty	$since	" out
is '... they are no messages' "$("$MAIL" count '*')" 2
mv "$root/in" "$root/moved"
silent 'the folder renamed' 0
is '... they are listed under the new name' "$(listed)" "$(echo "$four" | sed 's|in/|moved/|')"
mv "$root/moved" "$root/in"
run "$MAIL" new

run "$MAIL" new --problems --format=json
is 'json' "$(sed -e 's/"since": [0-9]*/"since": N/' -e "s|$root|ROOT|" out)" \
    '[{"reason": "empty", "since": N, "path": "ROOT/in/cur/empty"},
{"reason": "not-mail", "since": N, "path": "ROOT/in/cur/junk"},
{"reason": "dangling-link", "since": N, "path": "ROOT/in/cur/link"},
{"reason": "special-file", "since": N, "path": "ROOT/in/cur/pipe"}]'
is '... the same time' "$(sed -n 's/.*"empty", "since": \([0-9]*\),.*/\1/p' out)" "$(date -d "$since" +%s)"
is 'text0' "$("$MAIL" new --problems --format=text0 | tr '\0' '\n' | cut -f 1,3)" \
    "$("$MAIL" new --problems | cut -f 1,3)"
ls -lR --time-style=full-iso "$root/.mailindex" >before
message in/cur/9:2,S nine@x nine body
runs 'with other options' 0 "$MAIL" new --verbose --full-scan --problems
is '... prints the list and nothing else' "$(cut -f 1,3 out | sed "s|$root/||" | tr '\t' ' ')" "$four"
ls -lR --time-style=full-iso "$root/.mailindex" >after
ok '... and leaves the index alone' cmp before after
rm "$root/in/cur/9:2,S"
runs 'a format that is none' 1 "$MAIL" new --problems --format=xml

# ---- mended

message ../mended.junk c@x three body
cp "$HOME/mended.junk" "$root/in/cur/junk"
message later d@x four body
runs 'the junk is mail now, the target is there' 0 "$MAIL" new
says '... nothing is told' ''
is '... both are found' "$("$MAIL" count id:c@x) $("$MAIL" count id:d@x)" '1 1'
is '... behind the link, too' "$("$MAIL" search --output=files id:d@x | sort)" "$root/in/cur/link
$root/later"
is '... and listed no more' "$(listed)" 'empty in/cur/empty
special-file in/cur/pipe'
echo 'still no mail' >"$root/in/cur/empty"
told 'the empty one has something in it' 0 "Note: Ignoring non-mail file: in/cur/empty
1 file $hint"
is '... for another reason' "$(listed)" 'not-mail in/cur/empty
special-file in/cur/pipe'
rm "$root/in/cur/pipe"
silent 'the pipe is gone' 0
is '... from the list' "$(listed)" 'not-mail in/cur/empty'
rm "$root/in/cur/empty"
silent 'all gone' 0
is '... no list' "$(listed)" ''

ln -s "$HOME/outside" "$root/out"
told 'a link to a folder that is not there' 0 "out: dangling-link (No such file or directory)
1 file $hint"
mkdir "$HOME/outside"
cp "$HOME/mended.junk" "$HOME/outside/1"
silent 'the folder is there' 0
is '... and so is what is in it' "$("$MAIL" search --output=files id:c@x)" "$root/in/cur/junk
$root/out/1"
is '... no list' "$(listed)" ''
mv "$HOME/outside" "$HOME/away"
told 'the folder is away' 0 "out: dangling-link (No such file or directory)
1 file $hint"
silent '... for long' 0
is '... what it had is kept' "$("$MAIL" search --output=files id:c@x | wc -l)" 2
mv "$HOME/away" "$HOME/outside"
silent 'and back' 0
is '... no list' "$(listed)" ''

escape=$(printf 'esc\033[1m')
: >"$root/in/cur/$escape"
run "$MAIL" new --quiet
is '--quiet names it, and does not point to the list' "$(sed "s|$root/||" err)" \
    'Note: Ignoring non-mail file: in/cur/esc?[1m'
is 'a name with controls is exact in the list' "$("$MAIL" new --problems)" \
    "empty	$("$MAIL" new --problems | cut -f 2)	$root/in/cur/$escape"
ok '... escaped in json' grep -Fq 'esc\u001b[1m"' <<END
$("$MAIL" new --problems --format=json)
END
script -qec "\"$MAIL\" new --problems" /dev/null >terminal 2>/dev/null </dev/null &&
    is '... harmless on a terminal' "$(tr -d '\r' <terminal | cut -f 3)" "$root/in/cur/esc?[1m"
rm "$root/in/cur/$escape"
run "$MAIL" new

# ---- a path over PATH_MAX: 17 folders of 250 bytes
component=$(printf 'x%.0s' 0 1 2 3 4)
component=$(printf "$component%.0s" 0 1 2 3 4 5 6 7 8 9)
component=$(printf "$component%.0s" 0 1 2 3 4)
(
    cd "$root" || exit
    for _ in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        mkdir "$component"
        cd -P "$component" || exit
    done
    cp "$HOME/mended.junk" 1
)
runs 'a path that is too long' 0 "$MAIL" new
is '... is told once' "$(sed -e "s|$root/||" -e "s|$component|X|g" err)" \
    "X/X/X/X/X/X/X/X/X/X/X/X/X/X/X/X/X: name-too-long (File name too long)
1 file $hint"
silent '... and not again' 0
is '... and listed' "$(listed | sed "s|$component|X|g")" \
    'name-too-long X/X/X/X/X/X/X/X/X/X/X/X/X/X/X/X/X'
mv "$root/$component" "$root/x"
silent '... until it is shorter' 0
is '... then no more' "$(listed)" ''
is '... and found' "$("$MAIL" search --output=files id:c@x | grep -c '/x/.*x/1$')" 1
rm -rf "$root/x"
run "$MAIL" new

# ---- rights, which root has all of

if [ "$(id -u)" = 0 ]; then
    as='setpriv --reuid=65534 --regid=65534 --clear-groups'
fi
# theirs: all of it belongs to whom the program runs as.
theirs ()
{
    [ -z "$as" ] || chown -R 65534:65534 "$HOME"
}
theirs
if $as test -x "$MAIL" && $as test -r "$CONFIG"; then
    mkdir "$root/closed"
    cp "$HOME/mended.junk" "$root/closed/1"
    message in/cur/secret s@x secret body
    theirs
    # shellcheck disable=SC2086
    runs 'all can be read' 0 $as "$MAIL" new
    message in/cur/new w@x new body
    theirs
    chmod 0 "$root/in/cur/secret" "$root/in/cur/new" "$root/closed"
    told 'a file and a folder that cannot be read' 75 "closed: unreadable (Permission denied)
in/cur/new: Permission denied
2 files $hint"
    is '... are listed' "$(listed)" 'unreadable closed
unreadable in/cur/new'
    silent '... not told again, but the folder has not been looked into' 75
    is '... what it had is kept' "$("$MAIL" search --output=files id:c@x | grep -c /closed/)" 1
    chmod 700 "$root/closed"
    silent 'the folder can be read' 0
    is '... the file is still listed' "$(listed)" 'unreadable in/cur/new'
    is '... and no message' "$("$MAIL" count id:w@x)" 0
    chmod 600 "$root/in/cur/new"
    silent 'the file can be read' 0
    is '... no list' "$(listed)" ''
    is '... it is a message' "$("$MAIL" count id:w@x)" 1
    # shellcheck disable=SC2086
    runs 'a known file that cannot be read: --full-scan' 0 $as "$MAIL" new --full-scan
    chmod 600 "$root/in/cur/secret"
    echo more >>"$root/in/cur/secret"
    chmod 0 "$root/in/cur/secret"
    # shellcheck disable=SC2086
    runs '... when it has changed' 75 $as "$MAIL" new --full-scan
    is '... is listed' "$(listed)" 'unreadable in/cur/secret'
    is '... and keeps its message' "$("$MAIL" count id:s@x)" 1
    is '... which has:problem finds' "$("$MAIL" search --output=messages has:problem)" id:s@x
    is '... as S-expression' "$("$MAIL" search --query=sexp --output=messages '(has problem)')" id:s@x
    run "$MAIL" search --explain has:problem
    ok '... --explain: the tree' grep -qx '(has "problem")' err
    ok '... --explain: the look-up of its file' grep -q '^  state term ?→1 .* N[0-9]*:secret$' err
    chmod 600 "$root/in/cur/secret"
    silent '... and is read when it can be' 0
    is '... anew' "$("$MAIL" count id:s@x and more)" 1
    is '... no list' "$(listed)" ''
    is '... has:problem finds nothing' "$("$MAIL" count has:problem)" 0
else
    echo '# permissions do not count here'
fi

finish
