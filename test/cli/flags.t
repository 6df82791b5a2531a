#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# flags.t - tags in the names of files.
# shellcheck disable=SC2016 # commands for sh -c
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
mkdir -p "$HOME/Mail/in/cur" "$HOME/Mail/in/new" "$HOME/Mail/in/tmp"
message in/new/n1 n1@x one body
message in/new/n2 n2@x two body
message 'in/new/n3:2,S' n3@x three body
message in/cur/c1 c1@x four body
message 'in/cur/c2,U=7:2,FT' c2@x five body
message 'in/cur/c3:2,TS' c3@x six body
message other/o1:2, o1@x seven body
"$MAIL" new --quiet

names () { (cd "$HOME/Mail" && find . -type f ! -path '*/.mailindex/*' | sort | tr '\n' ' '); }
file () { "$MAIL" search --output=files "id:$1" | sed "s|$HOME/Mail/||"; }
quiet_new () { "$MAIL" new | grep -v '^Processed'; }
# What stands in the index is what lies on the disk.
agree () { is "$1" "$("$MAIL" search --output=files --exclude=false '*' | sort)" \
    "$(find "$HOME/Mail" -type f ! -path '*/.mailindex/*' | sort)"; }

before=$(names)
runs 'a tag that is no flag' 0 "$MAIL" tag +work id:n1@x
is '... leaves a file in new where it is' "$(file n1@x)" 'in/new/n1'
runs 'read' 0 "$MAIL" tag -unread id:n1@x
is '... moves it to cur' "$(file n1@x)" 'in/cur/n1:2,S'
runs 'flagged and replied' 0 "$MAIL" tag +flagged +replied id:n1@x
is '... in order' "$(file n1@x)" 'in/cur/n1:2,FRS'
runs 'a file in new with an info' 0 "$MAIL" tag +work id:n3@x
is '... moves at any change' "$(file n3@x)" 'in/cur/n3:2,S'
runs 'a file in cur without an info' 0 "$MAIL" tag +work id:c1@x
is '... gets one at any change' "$(file c1@x)" 'in/cur/c1:2,'
runs 'mbsync' 0 "$MAIL" tag -flagged id:c2@x
"$MAIL" tag -flagged -unread id:c2@x
is '... and letters of others stay' "$(file c2@x)" 'in/cur/c2,U=7:2,ST'
runs 'letters out of order' 0 "$MAIL" tag +flagged id:c3@x
is '... are left alone' "$(file c3@x)" 'in/cur/c3:2,TS'
runs 'no maildir' 0 "$MAIL" tag +flagged id:o1@x
is '... is left alone' "$(file o1@x)" 'other/o1:2,'
agree 'the index knows the new names'
is 'the scan finds nothing to do' "$(quiet_new)" 'No new mail.'
is '... and leaves the tags' "$("$MAIL" search --output=tags id:n1@x | tr '\n' ' ')" 'flagged inbox replied work '
[ "$before" != "$(names)" ] || is 'names have changed' same other

# shellcheck disable=SC2016 # the inner shell expands
runs 'a list' 0 sh -c 'printf -- "-unread -- id:n2@x\n+flagged -- id:n2@x\n" | "$MAIL" tag --batch'
is '... renames too' "$(file n2@x)" 'in/cur/n2:2,FS'
before=$(names)
runs 'what is so already' 0 "$MAIL" tag +flagged -unread id:n2@x
is '... renames nothing' "$(names)" "$before"

# The name is taken, the file is gone: the tag counts.
message in/new/t1 t1@x eight body
mkdir "$HOME/Mail/in/cur/t1:2,S"
message in/new/t2 t2@x nine body
"$MAIL" new --quiet
rm "$HOME/Mail/in/new/t2"
runs 'the new name is taken' 0 "$MAIL" tag -unread id:t1@x
is '... the file stays' "$(file t1@x)" 'in/new/t1'
runs 'the file is gone' 0 "$MAIL" tag -unread id:t2@x
is '... tags are changed' "$("$MAIL" count tag:unread and id:t1@x or id:t2@x and tag:unread)" 0
rmdir "$HOME/Mail/in/cur/t1:2,S"
"$MAIL" new --quiet

# A folder without cur.
message lone/new/l1 l1@x ten body
"$MAIL" new --quiet
runs 'no cur beside new' 0 "$MAIL" tag -unread id:l1@x
is '... leaves it in new' "$(file l1@x)" 'lone/new/l1'
mkdir "$HOME/Mail/lone/cur"
runs 'a cur that the index has not seen' 0 "$MAIL" tag +flagged id:l1@x
is '... is used' "$(file l1@x)" 'lone/cur/l1:2,FS'
is '... and folder: knows it' "$("$MAIL" count folder:lone)" 1
is 'the scan has nothing to do' "$(quiet_new)" 'No new mail.'

# All files of a message.
message in/cur/d1:2, d@x eleven body
message in/cur/d2:2, d@x eleven body
"$MAIL" new --quiet
"$MAIL" tag +flagged -unread id:d@x
is 'every file of a message' "$(file d@x | tr '\n' ' ')" 'in/cur/d1:2,FS in/cur/d2:2,FS '

# Switched off, and more letters.
configure '[maildir]' 'synchronize_flags=false'
before=$(names)
runs 'switched off' 0 "$MAIL" tag +draft '*'
is '... no name changes' "$(names)" "$before"
"$MAIL" tag -draft '*'
configure '[maildir]' 'flags=a:work;T:deleted'
runs 'a letter of Dovecot' 0 "$MAIL" tag +work -unread id:d@x
is '... for its tag' "$(file d@x | tr '\n' ' ')" 'in/cur/d1:2,FSa in/cur/d2:2,FSa '
mv "$HOME/Mail/in/cur/d1:2,FSa" "$HOME/Mail/in/cur/d1:2,FST"
mv "$HOME/Mail/in/cur/d2:2,FSa" "$HOME/Mail/in/cur/d2:2,FST"
"$MAIL" new --quiet
is '... and back' "$("$MAIL" search --exclude=false --output=tags id:d@x | tr '\n' ' ')" 'deleted flagged inbox '
for bad in 'work' 'aa:work' '1:work' 'S:seen' 'a:unread' 'a:x;a:y' 'a:-x'; do
    configure '[maildir]' "flags=$bad"
    runs "maildir.flags=$bad" 1 "$MAIL" tag +x id:d@x
    ok '... is refused' grep -q 'maildir.flags' err
done
configure '[maildir]' 'synchronize_flags=perhaps'
runs 'neither true nor false' 1 "$MAIL" tag +x id:d@x

finish
