#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# dump.t - dump and restore.
# shellcheck disable=SC2016 # commands for sh -c
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
message in/cur/1:2, a@x one body
message in/cur/2:2, 'q"c(d)@x' two body
message in/cur/3:2, 'ü@x' three body
"$MAIL" new --quiet
"$MAIL" tag '+two words' '+p(q)' '+ü' '+per%c' id:a@x
"$MAIL" tag --remove-all 'id:"q""c(d)@x"'

tags () { "$MAIL" search --exclude=false --output=tags "$@" | tr '\n' ' '; }
cat >all <<'END'
#notmuch-dump batch-tag:3 config,properties,tags
#@ query.x a%20b%3bc
+inbox +p%28q%29 +per%25c +two%20words +unread +%c3%bc -- id:a@x
#= a@x foo=bar%20baz k=v=w
 -- id:"q""c(d)@x"
+inbox +unread -- id:"ü@x"
END
printf '#@ query.x a%%20b%%3bc\n#= a@x foo=bar%%20baz k=v=w\n' >extra
runs 'settings and properties come by restore' 0 "$MAIL" restore --input=extra
is '... quietly' "$(cat out err)" ''
runs 'dump' 0 "$MAIL" dump
ok '... is all of it' diff all out
is 'property:' "$("$MAIL" search --output=messages 'property:"foo=bar baz"') $("$MAIL" count 'property:"k=v=w"')" 'id:a@x 1'
runs 'sup' 1 "$MAIL" dump --format=sup
is '... has lines of its own' "$(grep -v '^#' out)" 'a@x (inbox per%c unread ü)
q"c(d)@x ()
ü@x (inbox unread)'
says '... without what cannot be said in them' "mail dump: the tag 'p(q)' cannot be written in the format sup (skipping)
mail dump: the tag 'two words' cannot be written in the format sup (skipping)"
is '... of what can be said nothing is lost' "$("$MAIL" restore --format=sup <out && "$MAIL" dump --format=sup)" "$(cat out)"
"$MAIL" restore --input=all
cp out whole
runs 'sup, a file' 1 "$MAIL" dump --format=sup --output=partly
ok '... is written' diff whole partly
is 'only tags' "$("$MAIL" dump --include=tags | grep -c '^#')" 1
is 'only properties' "$("$MAIL" dump --include=properties | tail -n +2)" '#= a@x foo=bar%20baz k=v=w'
is 'only settings' "$("$MAIL" dump --include=config)" '#notmuch-dump batch-tag:3 config
#@ query.x a%20b%3bc'
is 'two of them' "$("$MAIL" dump --include=tags --include=config | head -1)" '#notmuch-dump batch-tag:3 config,tags'
is 'none less' "$("$MAIL" dump --no-include=config | head -1)" '#notmuch-dump batch-tag:3 config,properties,tags'
is 'a query' "$("$MAIL" dump --include=tags -- tag:inbox and not id:a@x | tail -n +2)" '+inbox +unread -- id:"ü@x"'
runs 'a bad query' 2 "$MAIL" dump '('
is '... prints nothing' "$(cat out)" ''

runs 'a file' 0 "$MAIL" dump --output=file
ok '... has it' diff all file
is '... for nobody else' "$(stat -c %a file)" 600
ln -s file link
"$MAIL" dump --include=config --output=link
is 'a link is followed' "$(test -L link && wc -l <file)" 2
runs 'a pipe' 0 sh -c '"$MAIL" dump --output=/dev/stdout | cat'
ok '... is written to' diff all out
runs 'no such folder' 1 "$MAIL" dump --output=none/file
says '... is an error' 'Bad output file none/file: No such file or directory'
runs 'compressed' 0 "$MAIL" dump --gzip --output=file.gz
ok '... is a file for gzip' sh -c 'gzip -dc file.gz | diff all -'
ok '... also to a pipe' sh -c '"$MAIL" dump --gzip | gzip -dc | diff all -'
is 'nothing is left beside' "$(ls file* link)" "$(printf 'file\nfile.gz\nlink')"
runs 'a full disk' 75 "$MAIL" dump --output=/dev/full
runs 'a full disk, compressed' 75 "$MAIL" dump --gzip --output=/dev/full

# Restoring.
before=$("$MAIL" count --lastmod | cut -f3)
runs 'what is so already' 0 "$MAIL" restore --input=all
is '... writes nothing' "$("$MAIL" count --lastmod | cut -f3)" "$before"
"$MAIL" tag --remove-all +gone '*'
runs 'everything' 0 "$MAIL" restore --input=file.gz
ok '... is as it was' sh -c '"$MAIL" dump | diff all -'
"$MAIL" tag +mine id:a@x
"$MAIL" restore <all
ok 'from stdin' sh -c '"$MAIL" dump | diff all -'
"$MAIL" tag --remove-all +mine id:a@x
printf -- '+theirs -mine +inbox -- id:a@x\n#= a@x new=1\n' >add
"$MAIL" tag +mine id:a@x
runs '--accumulate' 0 "$MAIL" restore --accumulate <add
is '... adds and removes' "$(tags id:a@x)" 'inbox theirs '
is '... and keeps properties' "$("$MAIL" dump --include=properties | tail -n +2)" '#= a@x foo=bar%20baz k=v=w new=1'
runs '--include=tags' 0 "$MAIL" restore --include=tags <all
is '... leaves properties' "$("$MAIL" dump --include=properties | grep -c new=1)" 1
"$MAIL" tag --remove-all '*'
runs '--include=properties' 0 "$MAIL" restore --include=properties <all
is '... leaves tags' "$(tags '*')" ''
"$MAIL" restore --input=all
printf 'a@x (b c)\nno line\nzz@y (d)\n"q (e)\n' >sup
runs 'sup' 0 "$MAIL" restore --input=sup
is '... is told by its lines' "$(tags id:a@x)" 'b c '
says '... what is wrong is warned of' 'Warning: Ignoring invalid sup format line: no line (line 2)
Warning: cannot apply tags to missing message: zz@y
Warning: cannot apply tags to missing message: "q'
sed 1d all | tac >reversed
runs 'an id with a parenthesis first' 0 "$MAIL" restore --input=reversed
ok '... is no sup' sh -c '"$MAIL" dump | diff all -'
runs '--format=batch-tag' 0 "$MAIL" restore --format=batch-tag --input=sup
ok '... takes no sup' grep -q 'cannot parse query: a@x (b c) (skipping)' err
runs '--format=sup' 0 "$MAIL" restore --format=sup --input=all
is '... takes no batch-tag' "$(grep -c 'invalid sup' err)" 3

# What stands before a NUL may be another id than the line's.
printf '+cut -- id:a@x\0y\n+whole -- id:a@x\n' >nul
runs 'a NUL in a dump' 1 "$MAIL" restore --accumulate --input=nul
is '... is told' "$(cat err)" 'there is a NUL byte in the line (line 1)'
is '... and not done' "$("$MAIL" count tag:cut) $("$MAIL" count tag:whole)" '0 1'
"$MAIL" tag -whole '*'

cat >bad <<'END'
+t -- tag:inbox
+t -- (
+n%zz -- id:a@x
+t
+t --
+one id:"a@x"
+t -- id:none@x
END
runs 'bad lines' 0 "$MAIL" restore --input=bad
says '... are warned of' 'Warning: not an id query: tag:inbox (skipping) (line 1)
Warning: cannot parse query: ( (skipping) (line 2)
Warning: hex decoding of tag n%zz failed [+n%zz -- id:a@x] (line 3)
Warning: no query string [+t] (line 4)
Warning: no query string after -- [+t --] (line 5)
Warning: cannot apply tags to missing message: none@x'
is '... the others done' "$(tags id:a@x)" 'one '
printf '#= a@x tok k=v\n#= a@x k=%%zz\n#= none@x k=v\n#= a@x ok=1\n#@ a.b %%zz\n#@ query.x\n' >bad
runs 'bad properties' 1 "$MAIL" restore --input=bad
says '... are told' 'unparsable token tok (line 1)
hex decoding failure on value %zz (line 2)
hex decoding failure on line a.b (line 5)
Warning: cannot apply tags to missing message: none@x'
is '... the others done' "$("$MAIL" dump --include=properties --include=config | tail -n +2)" '#= a@x ok=1'
runs 'no such file' 1 "$MAIL" restore --input=nofile
says '... is an error' 'Error opening nofile for reading: No such file or directory'
runs 'a word too many' 1 "$MAIL" restore word
says '... is an error' 'Unused positional parameter: word'
head -c 40 file.gz >short.gz
runs 'a compressed file that ends early' 1 "$MAIL" restore --input=short.gz
ok '... is told' grep -q 'damaged or end early' err
"$MAIL" restore --input=all

# dump reads while restore holds the lock: a pipe from one to the other ends.
runs 'dump into restore' 0 timeout 20 sh -c '"$MAIL" dump | "$MAIL" restore'

# Flags follow.
"$MAIL" tag -unread +flagged id:a@x
is 'file names follow tag' "$("$MAIL" search --output=files id:a@x)" "$HOME/Mail/in/cur/1:2,FS"
"$MAIL" restore --input=all
is 'file names follow restore' "$("$MAIL" search --output=files id:a@x)" "$HOME/Mail/in/cur/1:2,"

# On a terminal an id has no control characters, and can be asked for.
printf 'From: a@b\nSubject: odd\nMessage-ID: <a\001%%\177\302\205b@x>\n\nbody\n' >"$HOME/Mail/odd"
"$MAIL" new --quiet
python3 - "$MAIL" dump subject:odd >terminal <<'PY'
import pty, sys
pty.spawn(sys.argv[1:], lambda fd: __import__('os').read(fd, 4096), lambda fd: b'')
PY
printable='id:%"a%01%25%7f%c2%85b@x"'
is 'on a terminal' "$(tr -d '\r' <terminal | tail -n 1)" "+inbox +unread -- $printable"
is '... not to a file' "$("$MAIL" dump subject:odd | tail -n 1)" "$(printf '+inbox +unread -- id:"a\001%%\177\302\205b@x"')"
is 'search prints it so, too' "$("$MAIL" search --output=messages subject:odd)" "$printable"
is '... and takes it back' "$("$MAIL" search --output=messages "$printable")" "$printable"
is '... json has the id' "$("$MAIL" search --output=messages --format=json "$printable")" "$(printf '["a\\u0001%%\177\302\205b@x"]')"
echo "+fed -- $printable" | "$MAIL" tag --batch
is '... so does a list' "$("$MAIL" search --output=messages tag:fed)" "$printable"
for text in 'id:%"a%0"' 'id:%"%zz"' 'id:%"%00"'; do
    runs "$text" 2 "$MAIL" count "$text"
done
ok '... is an error, with its place' grep -q 'two hexadecimal digits' err

finish
