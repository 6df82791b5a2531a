#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tag.t - tag, from the command line and from lists.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure '[search]' 'exclude_tags=spam'
message in/cur/1:2, a@x one body
message in/cur/2:2, b@x two body
message in/cur/3:2, 'q"c@x' three body
"$MAIL" new --quiet

tags () { "$MAIL" search --exclude=false --output=tags "$@" | tr '\n' ' '; }
revision () { "$MAIL" count --lastmod | cut -f3; }

runs 'add' 0 "$MAIL" tag +one id:a@x
is '... quietly' "$(cat out err)" ''
is '... that tag' "$(tags id:a@x)" 'inbox one unread '
is '... to that message only' "$(tags id:b@x)" 'inbox unread '
runs 'remove' 0 "$MAIL" tag -unread id:a@x
is '... that tag' "$(tags id:a@x)" 'inbox one '
runs 'several, and --' 0 "$MAIL" tag +two -one +three -- id:a@x
is '... all' "$(tags id:a@x)" 'inbox three two '
runs 'in order' 0 "$MAIL" tag +x -x -y +y id:a@x
is '... the last counts' "$(tags id:a@x)" 'inbox three two y '
runs 'a query of several words' 0 "$MAIL" tag -y id:a@x or id:b@x
runs 'all messages' 0 "$MAIL" tag +all '*'
is '... have it' "$("$MAIL" count tag:all)" 3
before=$(revision)
runs 'what is so already' 0 "$MAIL" tag +all '*'
is '... changes nothing' "$(revision)" "$before"
runs 'no match' 0 "$MAIL" tag +x nothing
is '... changes nothing' "$(revision)" "$before"
runs 'a query that begins with -' 0 "$MAIL" tag +neg -- '-tag:three'
is '... after --' "$("$MAIL" count tag:neg)" 2

for odd in 'two words' 'q"uote' "it's" 'per%cent' 'ünïcode' 'a:b' '(p)' '*' '#hash' "$(printf 'nl\nnl')"; do
    runs "odd tag $(echo "$odd" | tr '\n' ' ')" 0 "$MAIL" tag "+$odd" id:b@x
done
is 'odd tags are there' "$("$MAIL" search --output=tags --format=json id:b@x | tr '\n' ' ')" \
    '["#hash", "(p)", "*", "a:b", "all", "inbox", "it'"'"'s", "neg", "nl\nnl", "per%cent", "q\"uote", "two words", "unread", "ünïcode"] '
runs 'remove all' 0 "$MAIL" tag --remove-all id:b@x
is '... nothing is left' "$(tags id:b@x)" ''
runs 'remove all and add' 0 "$MAIL" tag --remove-all +only id:a@x
is '... one is left' "$(tags id:a@x)" 'only '
before=$(revision)
runs 'remove all and add what is there' 0 "$MAIL" tag --remove-all +only id:a@x
is '... changes nothing' "$(revision)" "$before"

runs 'no tag' 1 "$MAIL" tag id:a@x
says '... is an error' "Error: 'mail tag' requires at least one tag to add or remove."
runs 'nothing' 1 "$MAIL" tag
says '... is an error' "Error: 'mail tag' requires at least one tag to add or remove."
runs 'no query' 1 "$MAIL" tag +x
says '... is an error' 'Error: mail tag requires at least one search term.'
runs 'no query after --' 1 "$MAIL" tag +x --
says '... is an error' 'Error: mail tag requires at least one search term.'
runs 'an empty tag' 1 "$MAIL" tag + id:a@x
says '... is refused' 'Error: empty tag forbidden'
runs 'a tag that begins with -' 1 "$MAIL" tag +-x id:a@x
says '... is refused' "Error: tag starting with '-' forbidden"
runs 'a long tag' 1 "$MAIL" tag "+$(printf 'x%.0s' $(seq 201))" id:a@x
ok '... is refused' grep -q '^Error: ' err
runs '200 bytes' 0 "$MAIL" tag "+$(printf 'x%.0s' $(seq 200))" id:b@x
runs 'removing what could not be added' 0 "$MAIL" tag - --  id:b@x
runs 'a bad query' 2 "$MAIL" tag +x '('
is '... changes nothing' "$(tags tag:x)" ''
runs 'excluded messages' 0 "$MAIL" tag +spam id:b@x
runs '... are tagged too' 0 "$MAIL" tag +seen id:b@x
is '... with that tag' "$("$MAIL" count tag:seen and tag:spam)" 1

# Lists.
"$MAIL" tag --remove-all '*'
cat >list <<'LIST'
# a comment

+one +two%20words -- id:a@x
  +three id:b@x
-one +%c3%bc -- id:a@x
+four -- id:"q""c@x" or id:b@x
+many -- id:a@x
+many -- id:b@x
no tags at all
LIST
runs '--batch' 0 "$MAIL" tag --batch <list
is '... quietly' "$(cat out err)" ''
is '... first message' "$(tags id:a@x)" 'many two words ü '
is '... second message' "$(tags id:b@x)" 'four many three '
is '... third message' "$(tags 'id:"q""c@x"')" 'four '
"$MAIL" tag --remove-all '*'
runs '--input' 0 "$MAIL" tag --input=list
is '... does the same' "$(tags '*')" 'four many three two words ü '
runs '--remove-all --batch' 0 "$MAIL" tag --remove-all --input=list
is '... for each line' "$(tags id:a@x), $(tags id:b@x)" 'many , many '

# Operations on one message keep their order however they are collected.
printf '+p -- id:a@x\n-p -- id:b@x\n-p -- id:a@x\n+p -- id:b@x\n+p -- id:a@x\n' >list
runs 'the same message again' 0 "$MAIL" tag --input=list
is '... in order' "$("$MAIL" count tag:p)" 2
printf '+p2 -- id:a@x\n-p2 -- tag:p2\n+p2 -- id:a@x\n+p3 -- tag:p2\n' >list
runs 'queries that depend on lines before' 0 "$MAIL" tag --input=list
is '... see them' "$("$MAIL" count tag:p2 and tag:p3)" 1

cat >list <<'LIST'
+b1
+b2 --
+b3 -- id:a@x
+%zz -- id:a@x
+ -- id:a@x
+-x -- id:a@x
+b4 -- id:b@x
LIST
runs 'bad lines' 1 "$MAIL" tag --batch <list
says '... are warned of' 'Warning: no query string [+b1] (line 1)
Warning: no query string after -- [+b2 --] (line 2)
Warning: hex decoding of tag %zz failed [+%zz -- id:a@x] (line 4)
Warning: empty tag forbidden [+ -- id:a@x] (line 5)
Warning: tag starting with '"'-'"' forbidden [+-x -- id:a@x] (line 6)'
is '... and the others done' "$("$MAIL" count tag:b3 or tag:b4)" 2
printf '+c1 -- id:a@x\n+c2 -- (\n+c3 -- id:a@x\n' >list
runs 'a bad query in a list' 2 "$MAIL" tag --batch <list
ok '... and says where' grep -q '^(line 2)$' err
is '... ends it there' "$("$MAIL" count tag:c1) $("$MAIL" count tag:c3)" '1 0'
runs 'a list and a query' 1 "$MAIL" tag --batch +x id:a@x
says '... is refused' "Can't specify both cmdline and stdin!"
runs 'a list that is not there' 1 "$MAIL" tag --input=nofile
says '... is an error' 'Error opening nofile for reading: No such file or directory'

# What stands before a NUL may mean much more than the line.
printf '+cut -- *\0 and id:none@x\n+whole -- id:a@x\n' >list
runs 'a NUL in a list' 1 "$MAIL" tag --batch <list
ok '... is told' grep -q 'NUL byte.*line 1' err
is '... and not done' "$("$MAIL" count tag:cut) $("$MAIL" count tag:whole)" '0 1'

# Many lines are few commits.
seq -f '+batch -- id:none%.0f@x' 5000 >list
echo '+batch -- id:a@x' >>list
before=$(date +%s)
runs 'five thousand lines' 0 "$MAIL" tag --batch <list
is '... done' "$("$MAIL" count tag:batch)" 1
ok '... within ten seconds' [ $(($(date +%s) - before)) -le 10 ]

finish
