#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# setup.t - what setup asks, takes and writes.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

unset MAIL_CONFIG
NAME='Ann Example' EMAIL=ann@example.org
export NAME EMAIL
conf=$HOME/.config/mail/config
anew () { rm -rf "$HOME/.config" "$HOME/.notmuch-config" "$HOME/Mail/.mailindex"; }
# answer LINE...: setup gets these answers.
answers ()
{
    label=$1 wanted=$2
    shift 2
    code=0
    printf '%s\n' "$@" | "$MAIL" setup >out 2>err || code=$?
    is "$label" "$code" "$wanted"
}
message in/cur/1:2, a@x one body
message in/cur/2:2, b@x two body

# --yes.
runs '--yes' 0 "$MAIL" setup --yes
compare '... says what it takes, and what it means' setup-yes
is '... writes where the mail is, and no more' "$(cat "$conf")" "[database]
path=$HOME/Mail"
is '... for nobody else' "$(stat -c %a "$conf")" 600
cp "$conf" before
runs '--yes again' 0 "$MAIL" setup --yes
ok '... has nothing to write' grep -q '^There is nothing to write' out
ok '... and writes nothing' cmp before "$conf"
runs 'new' 0 "$MAIL" new
says '... finds the mail without a word' ''
"$MAIL" setup --yes >out
is 'then the last words are others' "$(tail -2 out | normal)" "The mail of Ann Example <ann@example.org> is in 'HOME/Mail', and indexed (messages: 2).
'mail search WORD...' finds some, 'mail help' tells of all commands."

# Questions.
anew
answers 'empty answers' 0 '' '' '' '' '' ''
compare '... to these questions' setup-questions
is '... are as --yes' "$(cat "$conf")" "$(cat before)"
anew
answers 'other answers' 0 'Bo; B.' bo@example.org b1@x 'b2@x' '' Mail/../Mail/in/ 'new  my-box' spam
is '... are written' "$(cat "$conf")" "[user]
name=Bo; B.
primary_email=bo@example.org
other_email=b1@x;b2@x;

[database]
path=$PWD/Mail/in

[new]
tags=new;my-box;

[search]
exclude_tags=spam"
is '... and are what config says' "$("$MAIL" config get user.other_email)" 'b1@x
b2@x'
answers 'what is the default' 0 'Ann Example' ann@example.org 'c@x' '' '' "$HOME/Mail" 'unread inbox' ''
is '... is taken out' "$(cat "$conf")" "[user]
other_email=c@x;b2@x;

[database]
path=$HOME/Mail

[new]

[search]
exclude_tags=spam"
printf '# my own\n[user]\nname = Cy # this\n\n[query]\nx=y\n' >"$conf"
answers 'a file with comments' 0 '' 'cy@x' '' '' '' ''
is '... keeps them' "$(cat "$conf")" "# my own
[user]
name = Cy # this
primary_email=cy@x

[query]
x=y

[database]
path=$HOME/Mail"
anew
answers 'the end of the input' 1 Ann
is '... ends it' "$(tail -1 out)" 'Exiting.'
ok '... and nothing is written' test ! -e "$HOME/.config"
answers 'an end at the last question' 1 '' '' '' '' ''
ok '... too' test ! -e "$HOME/.config"
runs 'no input' 1 "$MAIL" setup </dev/null
ok '... neither' test ! -e "$HOME/.config"
answers 'a folder that is not there' 0 '' '' '' /nonexistent/mail '' ''
ok '... is told' grep -q "^There is no '/nonexistent/mail' yet" out
is '... and taken' "$("$MAIL" config get database.path)" /nonexistent/mail

# Where the file is to be.
anew
runs '--config' 0 "$MAIL" --config="$HOME/elsewhere" setup --yes
ok '... makes that file' grep -q '^path=' "$HOME/elsewhere"
runs 'MAIL_CONFIG' 0 env MAIL_CONFIG="$HOME/named" "$MAIL" setup --yes
ok '... likewise' grep -q '^path=' "$HOME/named"
runs 'a profile' 0 env MAIL_PROFILE=work "$MAIL" setup --yes
ok '... has a file of its own' grep -q '^path=' "$HOME/.config/mail/work/config"
runs '--config with nothing' 1 "$MAIL" --config= setup --yes
says '... is an error' 'Error: there is no configuration file to write (--config is empty)'
printf 'broken\n' >"$conf"
runs 'a broken file' 1 "$MAIL" setup --yes
ok '... is told' grep -q 'bad line' err
runs 'a word' 1 "$MAIL" setup word
says '... is an error' 'Error: unexpected word: word'
anew
runs 'no mail anywhere' 1 env HOME="$HOME/none" "$MAIL" setup --yes
ok '... is told' grep -q 'there is none of ~/Maildir' err

# With a configuration of notmuch.
cat >"$HOME/.notmuch-config" <<EOF
# comments of notmuch's
[database]
path=$HOME/Mail
[user]
name=Nora
primary_email=ann@example.org
[new]
tags=unread;inbox;
ignore=.uidvalidity;
[search]
exclude_tags=
[maildir]
synchronize_flags=true
[query]
mine=tag:a or tag:b
EOF
cp "$HOME/.notmuch-config" nm
runs '--yes with the file of notmuch' 0 "$MAIL" setup --yes
ok '... says so' grep -q "^Take over the settings of '$HOME/.notmuch-config': yes" out
is '... writes what is no default' "$(cat "$conf")" "[database]
path=$HOME/Mail

[new]
ignore=.uidvalidity;

[query]
mine=tag:a or tag:b

[user]
name=Nora"
ok '... and leaves the other file' cmp nm "$HOME/.notmuch-config"
rm -r "$HOME/.config"
answers 'no settings of notmuch, please' 0 no '' '' '' '' '' ''
is '... and there are none' "$(cat "$conf")" "[database]
path=$HOME/Mail"

# Under the name notmuch that file is its own.
mkdir bin
ln -s "$MAIL" bin/notmuch
rm -r "$HOME/.config"
code=0
printf '%s\n' 'Nora N.' '' '' '' '' '' | bin/notmuch setup >out 2>err || code=$?
is 'setup as notmuch' "$code" 0
is '... changes that one' "$(diff nm "$HOME/.notmuch-config")" '5c5
< name=Nora
---
> name=Nora N.'
rm "$HOME/.notmuch-config"
printf '%s\n' '' '' '' '' '' '' | bin/notmuch >out 2>err
ok 'no command as notmuch, without a file' grep -q '^path=' "$HOME/.config/notmuch/default/config"
compare '... is setup' setup-notmuch

finish
