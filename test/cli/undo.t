#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# undo.t - tag --undo takes back what the last command really did, and then the one before it.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
for i in 1 2 3 4; do
    message "$i" "m$i@x" "s$i" hello
done
tags ()
{
    "$MAIL" search --output=messages "tag:$1" | sort | tr '\n' ' '
}

"$MAIL" new --quiet
# The snapshot after the first import is where it ends.
runs 'nothing yet' 1 "$MAIL" tag --undo
ok '... says so' grep -q 'nothing to take back' err

"$MAIL" tag +a -- subject:s1
"$MAIL" tag +a '+two words' -inbox -- subject:s1 or subject:s2
"$MAIL" tag +b -- '*'
runs 'undo' 0 "$MAIL" tag --undo
ok '... says what' grep -q 'Took back the tag command of .*: 4 messages changed.' out
is '... nobody has it' "$(tags b)" ''
is '... the others stay' "$(tags a)" 'id:m1@x id:m2@x '
runs 'once more' 0 "$MAIL" tag --undo
is '... who had it before has it' "$(tags a)" 'id:m1@x '
is '... what was removed is back' "$("$MAIL" count tag:inbox)" 4
is '... the odd tag is gone' "$("$MAIL" count 'tag:"two words"')" 0
"$MAIL" tag +c -- subject:s3
runs 'undo of what came after' 0 "$MAIL" tag --undo
is '... of that only' "$(tags a)$(tags c)" 'id:m1@x '
runs 'the first command' 0 "$MAIL" tag --undo
is '... is taken back' "$(tags a)" ''
runs 'and then there is nothing' 1 "$MAIL" tag --undo

# Several commits of one command, and other commands in between.
printf '+x -- subject:s1\n+x -- subject:s2\n-x -- subject:s1\n+y -- *\n' | "$MAIL" tag --batch
message 5 m5@x s5 hello
"$MAIL" new --quiet
runs 'a list' 0 "$MAIL" tag --undo
is '... all of it' "$(tags x)$(tags y)" ''
is '... new mail keeps its tags' "$("$MAIL" count tag:inbox)" 5

# Six at once take back six commands.
for i in 1 2 3 4 5 6; do
    "$MAIL" tag "+at$i" -- '*'
done
for i in 1 2 3 4 5 6; do
    ("$MAIL" tag --undo >"undo$i" 2>&1 || echo "exits $?" >>"undo$i") &
done
wait
is 'six at once: each takes one back' "$(cat undo? | grep -c ': 5 messages changed')" 6
is '... none is left' "$("$MAIL" search --output=tags 'tag:/at./' | grep -c '^at')" 0

runs 'with anything else' 1 "$MAIL" tag --undo +a '*'
ok '... is refused' grep -q 'stands alone' err

finish
