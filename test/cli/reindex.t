#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# reindex.t - reindex and compact.
# shellcheck disable=SC2016 # commands for sh -c
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
message in/cur/1:2, a@x one body
message in/cur/2:2, b@x two body
message in/cur/3:2, c@x three body
message in/cur/4:2, c@x three 'another body'
"$MAIL" new --quiet
tags () { "$MAIL" search --exclude=false --output=tags "$@" | tr '\n' ' '; }

runs 'no query' 1 "$MAIL" reindex
says '... is an error' 'Error: mail reindex requires at least one search term.'
runs 'a bad query' 2 "$MAIL" reindex '('
runs 'no match' 0 "$MAIL" reindex nothing
is '... changes nothing' "$(cat out err)" ''

# A file changed in place: plain new does not see it.
message in/cur/1:2, a@x changed 'other words' 'MIME-Version: 1.0' 'Content-Type: multipart/mixed; boundary=b'
cat >>"$HOME/Mail/in/cur/1:2," <<'END'

--b
Content-Type: text/plain

fresh text
--b
Content-Type: application/octet-stream
Content-Disposition: attachment; filename=x.bin

x
--b--
END
"$MAIL" tag +mine -inbox id:a@x
"$MAIL" tag +signed +attachment id:b@x
printf '#= b@x index.old=1 kept=1\n' | "$MAIL" restore
for value in true nostash auto false; do
    runs "--decrypt=$value" 0 "$MAIL" reindex "--decrypt=$value" nothing
done
runs 'reindex' 0 "$MAIL" reindex '*'
is '... quietly' "$(cat out err)" ''
is '... new words are found' "$("$MAIL" count fresh)" 1
is '... old ones are not' "$("$MAIL" count id:a@x and body)" 0
is '... and the subject' "$("$MAIL" count subject:changed) $("$MAIL" count subject:one)" '1 0'
is '... tags stay, but for those of the content' "$(tags id:a@x)/ $(tags id:b@x)" 'attachment mine unread / inbox unread '
is '... properties of the index go' "$("$MAIL" dump --include=properties | tail -n +2)" '#= b@x kept=1'
is 'a message of two files has the words of both' "$("$MAIL" count id:c@x and another) $("$MAIL" count id:c@x and body)" '1 1'
message in/cur/3:2, c@x fourth 'third text'
"$MAIL" reindex id:c@x
is '... headers are those of the first' "$("$MAIL" search --format=json id:c@x | grep -c 'fourth')" 1
is '... and words of both' "$("$MAIL" count another) $("$MAIL" count '"third text"')" '1 1'
rm "$HOME/Mail/in/cur/4:2,"
"$MAIL" reindex id:c@x
is 'a file that is gone goes' "$("$MAIL" search --output=files id:c@x | wc -l) $("$MAIL" count another)" '1 0'
rm "$HOME/Mail/in/cur/3:2,"
"$MAIL" reindex id:c@x
is '... and a message without any' "$("$MAIL" count '*')" 2
is 'the scan has nothing to do' "$("$MAIL" new --full-scan | grep -v '^Processed')" 'No new mail.'
configure '[index]' 'header.List=X-Mylist'
message in/cur/5:2, l@x five body 'X-Mylist: green'
"$MAIL" new --quiet
configure '[index]' 'header.List=X-Mylist' 'stemmer=none' 'header.Own=X-Own'
message in/cur/5:2, l@x five body 'X-Mylist: green' 'X-Own: blue'
"$MAIL" reindex id:l@x
is 'a header that is new in the settings' "$("$MAIL" count Own:blue)" 1
configure

# A file whose Message-ID has changed: its tags go with it.
message in/cur/6:2,S old@x six body
message in/cur/7:2,S two@x seven body
message in/cur/8:2,S two@x seven body
message in/cur/9:2,S known@x nine body
"$MAIL" new --quiet
"$MAIL" tag +keep +attachment -inbox -unread -- id:old@x or id:two@x or id:known@x
"$MAIL" tag -keep +known id:known@x
printf '#= old@x mine=1 index.limit=x\n' | "$MAIL" restore
message in/cur/6:2,S fresh@x six body
runs 'another Message-ID' 0 "$MAIL" reindex id:old@x
is '... has the tags' "$("$MAIL" count id:old@x) $(tags id:fresh@x)" '0 keep '
is '... and the properties' "$("$MAIL" dump --include=properties id:fresh@x | tail -n +2)" '#= fresh@x mine=1'
message in/cur/7:2,S part@x seven body
"$MAIL" reindex id:two@x
is 'one of two files: both have the tags' "$(tags id:part@x)/ $(tags id:two@x)" 'keep / keep '
message in/cur/8:2,S part@x seven body
"$MAIL" reindex id:two@x
is '... then the other' "$("$MAIL" count id:two@x) $(tags id:part@x)" '0 keep '
message in/cur/6:2,S known@x nine 'other body'
"$MAIL" reindex id:fresh@x
is 'the Message-ID of another message: both have said it' "$("$MAIL" count id:fresh@x) $(tags id:known@x)" '0 keep known '
is '... with the words of both' "$("$MAIL" search --output=files id:known@x and other | wc -l)" 2
is '... check finds nothing wrong' "$("$MAIL" check)" 'The index is in order.'

# What cannot be read: it is named, and what was known of it stays.
mv "$HOME/Mail/in/cur/9:2,S" saved
mkdir "$HOME/Mail/in/cur/9:2,S"
runs 'a file that cannot be read' 75 "$MAIL" reindex id:known@x
ok '... is named' grep -q '^/.*in/cur/9:2,S: ' err
is '... its message is there' "$("$MAIL" search --output=files id:known@x | wc -l)" 2
rmdir "$HOME/Mail/in/cur/9:2,S"
mv saved "$HOME/Mail/in/cur/9:2,S"
"$MAIL" new --quiet
is '... and new has nothing left to do' "$("$MAIL" new --problems; "$MAIL" count id:known@x and body and other)" 1

# Tags of content are those of all files, also where these do not come together.
configure '[new]' 'workers=1'
mkdir -p "$HOME/Mail/many/cur" "$HOME/Mail/more/cur"
for i in $(seq 1100); do
    printf 'From: a@x\nSubject: s\nMessage-ID: <many%s@x>\nMIME-Version: 1.0\nContent-Type: application/x\nContent-Disposition: attachment\n\nx\n' \
        "$i" >"$HOME/Mail/many/cur/$i:2,S"
    printf 'From: a@x\nSubject: s\nMessage-ID: <many%s@x>\n\nplain\n' "$i" >"$HOME/Mail/more/cur/$i:2,S"
done
"$MAIL" new --quiet
"$MAIL" tag -attachment path:more/cur
"$MAIL" reindex path:more/cur
is 'all files count for the tags of content' "$("$MAIL" count tag:attachment and path:more/cur)" 1100
rm -r "$HOME/Mail/many" "$HOME/Mail/more"
"$MAIL" new --quiet
configure

# compact
"$MAIL" dump >before
"$MAIL" search --format=json '*' >list
uuid=$("$MAIL" count --lastmod | cut -f2,3)
runs 'compact' 0 "$MAIL" compact
ok '... says what it does' grep -qx 'Done.' out
ok '... first' sh -c 'head -1 out | grep -qx "Compacting database..."'
is '... segments are one' "$(find "$HOME/Mail/.mailindex/text" -maxdepth 1 -type f | wc -l)" 1
is '... nothing is left' "$(find "$HOME/Mail/.mailindex" -name '*compact*')" ''
ok '... everything is there' sh -c '"$MAIL" dump | cmp before -'
ok '... in the same order' sh -c '"$MAIL" search --format=json "*" | cmp list -'
is '... UUID and revision stay' "$("$MAIL" count --lastmod | cut -f2,3)" "$uuid"
"$MAIL" tag +after id:a@x
is 'and changes go on' "$(tags tag:after)" 'after attachment mine unread '
runs '--quiet' 0 "$MAIL" compact --quiet
is '... prints nothing' "$(cat out err)" ''
runs '--backup' 0 "$MAIL" compact --backup=saved
ok '... says where' grep -qx 'The old database has been moved to saved.' out
mkdir other
mv saved other/.mailindex
printf '[database]\npath=%s/other\nmail_root=%s/Mail\n' "$PWD" "$HOME" >config2
is '... which is an index' "$("$MAIL" --config=config2 count '*') $("$MAIL" --config=config2 count fresh)" '5 1'
mkdir there
runs 'a backup that is there' 1 "$MAIL" compact --backup=there
says '... is refused' 'mail compact: path already exists: there'
runs 'a backup in no folder' 1 "$MAIL" compact --backup=none/there

# A reader that was there before goes on.
mkfifo pipe
"$MAIL" count --batch <pipe >answers &
exec 3>pipe
echo 'tag:after' >&3
sleep 0.3
"$MAIL" compact --quiet
"$MAIL" tag +after id:b@x
"$MAIL" compact --quiet
echo 'tag:after' >&3
echo 'fresh' >&3
exec 3>&-
wait
is 'a reader goes on' "$(tail -n 1 answers)" 1
ok '... with an answer of before or after' sh -c 'sed -n 2p answers | grep -qx "[12]"'

# A folder that is a file now: its mail cannot be looked at, which is told; the rest is read.
mkdir "$HOME/Mail/sub"
message sub/1 sub@x s inner
"$MAIL" new --quiet
rm -r "$HOME/Mail/sub"
message sub other@x s outer
runs 'a folder that is a file now' 75 "$MAIL" reindex '*'
is '... is told' "$(sed "s|$HOME/Mail/||" err)" 'sub/1: Not a directory'
is '... and its message is there until new looks' "$("$MAIL" count id:sub@x)" 1
"$MAIL" new --quiet
is '... which finds the other one' "$("$MAIL" count id:sub@x) $("$MAIL" count id:other@x)" '0 1'

# Files whose names have shifted, as MH does it, are not mail changed in place.
mkdir "$HOME/Mail/mh"
for number in 1 2 3; do
    message mh/$number mh$number@x s shifted
done
"$MAIL" new --quiet
for number in 1 2 3; do
    "$MAIL" tag +of$number id:mh$number@x
done
rm "$HOME/Mail/mh/1"
mv "$HOME/Mail/mh/2" "$HOME/Mail/mh/1"
mv "$HOME/Mail/mh/3" "$HOME/Mail/mh/2"
runs 'files whose names have shifted' 0 "$MAIL" reindex shifted
"$MAIL" new --quiet
is '... keep their own tags' "$("$MAIL" dump -- shifted | grep -o '+of.*' | sort | tr '\n' ' ')" \
    '+of2 +unread -- id:mh2@x +of3 +unread -- id:mh3@x '

finish
