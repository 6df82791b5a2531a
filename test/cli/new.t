#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# new.t - what new prints, its options, problems and exit codes.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
message in/cur/1:2,S a@x one body
message in/cur/2:2, b@x two body
runs 'the first run' 0 "$MAIL" new
is '... counts' "$(cat out)" "Found 2 total files (that's not much mail).
Processed 2 total files in almost no time.
Added 2 new messages to the database."
says '... quietly' ''
runs 'nothing new' 0 "$MAIL" new
is '... says so' "$(cat out)" 'No new mail.'

message in/cur/3:2, c@x three body
runs 'one file' 0 "$MAIL" new
is '... is singular' "$(cat out)" 'Processed 1 file in almost no time.
Added 1 new message to the database.'
rm "$HOME/Mail/in/cur/3:2,"
runs 'a file gone' 0 "$MAIL" new
is '... is removed' "$(cat out)" 'No new mail. Removed 1 message.'
cp "$HOME/Mail/in/cur/1:2,S" "$HOME/Mail/in/cur/1b:2,S"
runs 'a second file of a message' 0 "$MAIL" new
is '... is no new message' "$(cat out)" 'Processed 1 file in almost no time.
No new mail.'
rm "$HOME/Mail/in/cur/1b:2,S"
runs 'the second file gone' 0 "$MAIL" new
is '... is a rename' "$(cat out)" 'No new mail. Detected 1 file rename.'
mv "$HOME/Mail/in/cur/2:2," "$HOME/Mail/in/cur/2:2,S"
runs 'a renamed file' 0 "$MAIL" new
is '... is a rename' "$(cat out)" 'No new mail. Detected 1 file rename.'
is '... and its tags follow' "$("$MAIL" search --output=tags id:b@x)" inbox

message in/cur/4:2, d@x four body
runs '--verbose' 0 "$MAIL" new --verbose
is '... names each file' "$(normal <out)" '1/1: HOME/Mail/in/cur/4:2,
Processed 1 file in almost no time.
Added 1 new message to the database.'
message in/cur/5:2, e@x five body
runs '--quiet' 0 "$MAIL" new --quiet
is '... says nothing' "$(cat out err)" ''
is '... and does its work' "$("$MAIL" count id:e@x)" 1
message in/cur/6:2, f@x six body
runs '--quiet wins over --verbose' 0 "$MAIL" new --verbose --quiet
is '... says nothing' "$(cat out err)" ''
runs '--no-hooks' 0 "$MAIL" new --no-hooks
runs '--hooks=false' 0 "$MAIL" new --hooks=false
runs 'words after the options' 1 "$MAIL" new some words
says '... are an error' 'Error: unexpected word: some'
runs '--debug' 0 "$MAIL" new --debug
ok '... tells what was looked at' grep -q '^mail new: [0-9]* folders known' err

# A change that no folder's time tells of.
printf 'From: a@x\nSubject: changed\nMessage-ID: <a@x>\n\nbody, now longer\n' >"$HOME/Mail/in/cur/1:2,S"
runs 'a file changed in place' 0 "$MAIL" new
is '... is not seen' "$(cat out)" 'No new mail.'
runs '--full-scan' 0 "$MAIL" new --full-scan
is '... sees it' "$("$MAIL" count longer)" 1

echo 'no mail at all' >"$HOME/Mail/in/cur/note"
runs 'what is not mail' 0 "$MAIL" new
says '... is noted' "Note: Ignoring non-mail file: $HOME/Mail/in/cur/note
1 file could not be indexed; see 'mail new --problems'"
is '... and counted as processed' "$(cat out)" 'Processed 1 file in almost no time.
No new mail.'
rm "$HOME/Mail/in/cur/note"
ln -s /nonexistent "$HOME/Mail/in/cur/dangling"
message in/cur/7:2, g@x seven body
runs 'a dangling link' 0 "$MAIL" new
ok '... is named' grep -q "^$HOME/Mail/in/cur/dangling: dangling-link" err
is '... and stops nothing' "$("$MAIL" count id:g@x)" 1
rm "$HOME/Mail/in/cur/dangling"
if [ "$(id -u)" != 0 ]; then
    mkdir "$HOME/Mail/closed"
    chmod 0 "$HOME/Mail/closed"
    runs 'a folder that cannot be read' 75 "$MAIL" new
    ok '... is named' grep -q "^$HOME/Mail/closed: unreadable" err
    chmod 700 "$HOME/Mail/closed"
    message in/cur/8:2, h@x eight body
    chmod 0 "$HOME/Mail/in/cur/8:2,"
    runs 'a file that cannot be read' 75 "$MAIL" new
    ok '... is named' grep -q "^$HOME/Mail/in/cur/8:2,: " err
    chmod 600 "$HOME/Mail/in/cur/8:2,"
fi
escape=$(printf 'esc\033[1m')
echo 'no mail at all' >"$HOME/Mail/in/cur/$escape"
runs 'a name with controls' 0 "$MAIL" new
says '... is made harmless' "Note: Ignoring non-mail file: $HOME/Mail/in/cur/esc?[1m
1 file could not be indexed; see 'mail new --problems'"

configure '[new]' 'tags=fresh;new' 'ignore=*.x;skip;/^spam/' '[maildir]' 'synchronize_flags=false'
message in/cur/20:2,FS t20@x twenty body
message in/cur/skip t21@x skipped body
message spam/cur/22 t22@x skipped body
runs 'new.tags, new.ignore, no flags' 0 "$MAIL" new
is '... tags' "$("$MAIL" search --output=tags id:t20@x)" 'fresh
new'
is '... ignored' "$("$MAIL" count id:t21@x or id:t22@x)" 0
configure '[new]' 'tags=good;-bad'
runs 'a bad tag in new.tags' 1 "$MAIL" new
says '... is an error' "Error: tag '-bad' in new.tags: tag starting with '-' forbidden"
configure '[maildir]' 'synchronize_flags=1'
runs 'a bad synchronize_flags' 1 "$MAIL" new
ok '... is an error' grep -q "'1' is not allowed for maildir.synchronize_flags" err
configure '[new]' 'ignore=/[/'
runs 'a bad pattern in new.ignore' 1 "$MAIL" new
ok '... is an error' grep -q 'new.ignore' err

# Without configuration.
rm -rf "$HOME/Mail/.mailindex"
runs 'without configuration' 0 env -u MAIL_CONFIG "$MAIL" new
ok '... says what it takes, and the others' \
    grep -q "^mail new: no mail folder is configured: taking '$HOME/Mail' (~/Mail; the others looked for are ~/Maildir, ~/mail)" err
ok '... and where to change it' grep -q "'$HOME/.config/mail/config'" err
runs '... search says nothing of it' 0 env -u MAIL_CONFIG "$MAIL" search tag:none
says '... nothing' ''
runs '--quiet says nothing of it' 0 env -u MAIL_CONFIG "$MAIL" new --quiet
says '... nothing' ''
MAIL_CONFIG=$HOME/gone.config
printf '[database]\npath=%s/gone\n' "$HOME" >"$MAIL_CONFIG"
runs 'a mail folder that is not there' 1 "$MAIL" new
ok '... is an error' grep -q "$HOME/gone" err

# A limit on the size of files, like a full disk, ends the run and blames no mail.
mkdir -p limited/cur
for number in 1 2 3 4 5 6 7 8 9; do
    printf 'From: a@x\nMessage-ID: <l%s@x>\nSubject: s\n\n' "$number"
    awk -v n="$number" 'BEGIN { for (i = 0; i < 20000; i++) printf "w%dx%d\n", n, i }'
done >all
csplit -q -z -f limited/cur/ all '/^From: /' '{*}'
printf '[database]\npath=%s/limited\n' "$PWD" >"$MAIL_CONFIG"
# shellcheck disable=SC2016
runs 'more than may be written' 75 sh -c 'ulimit -f 40; "$0" new' "$MAIL"
is '... blames nothing' "$("$MAIL" new --problems 2>&1)" ''
runs '... the next run reads it' 0 "$MAIL" new
is '... all' "$("$MAIL" count '*') $("$MAIL" count w9x19999)" '9 1'

finish
