#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# config.t - which configuration counts, and config get and list.
# shellcheck disable=SC2016 # commands for sh -c
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# get [VARIABLE=VALUE...] -- [WORD...]: the mail root that is used.
root ()
{
    env -u MAIL_CONFIG "$@" "$MAIL" config get database.mail_root 2>&1 | sed "s|$HOME|HOME|g"
}

is 'without any configuration or mail folder' "$(root)" ''
runs '... a command says so' 1 env -u MAIL_CONFIG "$MAIL" count
ok '... and what it looked for' grep -q 'none of ~/Maildir, ~/Mail, ~/mail' err
for folder in mail Mail Maildir other; do
    mkdir "$HOME/$folder"
done
is 'HOME/Maildir comes first' "$(root)" HOME/Maildir
is 'MAILDIR comes before it' "$(root "MAILDIR=$HOME/other")" HOME/other
is 'a MAILDIR that is not there is passed over' "$(root "MAILDIR=$HOME/none")" HOME/Maildir
rmdir "$HOME/Maildir"
is 'then HOME/Mail' "$(root)" HOME/Mail
rmdir "$HOME/Mail"
is 'then HOME/mail' "$(root)" HOME/mail

printf '[database]\npath=/from/home/file\n' >"$HOME/.notmuch-config"
is 'HOME/.notmuch-config' "$(root)" /from/home/file
mkdir -p "$HOME/.config/notmuch/default" "$HOME/.config/notmuch/work" "$HOME/.config/mail/work"
printf '[database]\npath=/from/nm/xdg\n' >"$HOME/.config/notmuch/default/config"
is 'HOME/.config/notmuch/default/config' "$(root)" /from/nm/xdg
printf '[database]\npath=/from/nm/env\n' >"$HOME/nm-env"
is 'NOTMUCH_CONFIG' "$(root "NOTMUCH_CONFIG=$HOME/nm-env")" /from/nm/env
printf '[database]\npath=/from/xdg\n' >"$HOME/.config/mail/config"
is 'HOME/.config/mail/config' "$(root "NOTMUCH_CONFIG=$HOME/nm-env")" /from/xdg
printf '[database]\npath=/from/profile\n' >"$HOME/.config/mail/work/config"
is 'MAIL_PROFILE' "$(root MAIL_PROFILE=work)" /from/profile
is 'XDG_CONFIG_HOME' "$(root "XDG_CONFIG_HOME=$HOME/.config/mail/work/..")" /from/home/file
printf '[database]\npath=/from/env\n' >"$HOME/env"
is 'MAIL_CONFIG' "$(root "MAIL_CONFIG=$HOME/env" MAIL_PROFILE=work)" /from/env
is 'MAIL_DATABASE' "$(root "MAIL_CONFIG=$HOME/env" MAIL_DATABASE=/from/variable)" /from/variable
printf '[database]\npath=relative\n' >"$HOME/option"
is '--config' "$(MAIL_CONFIG=$HOME/env "$MAIL" --config="$HOME/option" config get database.path)" "$HOME/relative"
is '--config= is none' "$(MAIL_CONFIG=$HOME/env "$MAIL" --config= config get database.path)" "$HOME/mail"

runs 'a profile that is not there' 1 env -u MAIL_CONFIG MAIL_PROFILE=none "$MAIL" config list
ok '... is an error' grep -q "no configuration for the profile 'none'" err
runs 'a file that is not there' 1 "$MAIL" --config="$HOME/none" config list
says '... is an error' "mail config: cannot read the configuration file '$HOME/none': No such file or directory"
printf '[a]\nb=c\nbad line\n' >"$HOME/bad"
runs 'a malformed file' 1 "$MAIL" --config="$HOME/bad" config list
ok '... is an error with its line' grep -q "^mail config: $HOME/bad:3: " err
if [ "$(id -u)" != 0 ]; then
    chmod 0 "$HOME/bad"
    runs 'an unreadable file' 1 "$MAIL" --config="$HOME/bad" config list
    says '... is an error' "mail config: cannot read the configuration file '$HOME/bad': Permission denied"
fi

configure '[new]' 'tags= a ;b;;' 'ignore=/\.bak$/' '[search]' 'exclude_tags=' '[query]' 'x=tag:a and b'
runs 'get' 0 "$MAIL" config get new.tags
is '... a list has a line for each value' "$(cat out)" 'a
b'
is 'get a default' "$("$MAIL" config get maildir.synchronize_flags)" true
is 'get keeps a backslash' "$("$MAIL" config get new.ignore)" '/\.bak$/'
runs 'get what is not set' 0 "$MAIL" config get no.such
is '... prints nothing' "$(cat out)" ''
runs 'get without a dot' 0 "$MAIL" config get nodot
is '... prints nothing either' "$(cat out)" ''
is 'get built_with' "$("$MAIL" config get built_with.field_processor)" true
is 'get built_with of what there is not' "$("$MAIL" config get built_with.nosuch)" false
is 'get user.primary_email' "$("$MAIL" config get user.primary_email)" test@example.org
printf '[a]\nb=c\n' >"$HOME/other-file"
is 'user.name from NAME' "$(NAME='Ann X' "$MAIL" --config="$HOME/other-file" config get user.name)" 'Ann X'
is 'user.primary_email from EMAIL' "$(EMAIL=a@x "$MAIL" --config="$HOME/other-file" config get user.primary_email)" a@x
runs 'list' 0 "$MAIL" config list
compare 'list' config-list
runs 'set without a name' 1 "$MAIL" config set
says '... is an error' 'Error: mail config set requires at least one argument.'
runs 'no argument' 1 "$MAIL" config
says '... is an error' 'Error: mail config requires at least one argument.'
runs 'an unknown argument' 1 "$MAIL" config nosuch
says '... is an error' 'Unrecognized argument for mail config: nosuch'
runs 'get without a name' 1 "$MAIL" config get
says '... is an error' 'Error: mail config get requires exactly one argument.'
runs 'get with two names' 1 "$MAIL" config get a.b c.d
says '... is an error' 'Error: mail config get requires exactly one argument.'

configure '[database]' 'lock_timeout=soon'
runs 'a bad value' 1 "$MAIL" new
says '... names the file and the key' "mail new: $CONFIG: 'soon' is not allowed for database.lock_timeout: it is a number from 0 to 1000000"

# Setting.
cat >"$CONFIG" <<END
# a comment
[database]
 path = $HOME/Mail

[new]
# tags of new mail
tags=a;b;
ignore=

[search]
exclude_tags=spam
END
chmod 640 "$CONFIG"
cp "$CONFIG" before
lines () { diff before "$CONFIG" | grep '^[<>]'; }
runs 'set' 0 "$MAIL" config set new.ignore '/\.bak$/'
is '... quietly' "$(cat out err)" ''
is '... changes that line only' "$(lines)" '< ignore=
> ignore=/\.bak$/'
is '... and not the mode' "$(stat -c %a "$CONFIG")" 640
cp "$CONFIG" before
runs 'a list' 0 "$MAIL" config set new.tags 'x;y' ' z' 'back\slash'
is '... is written with escapes' "$(lines)" '< tags=a;b;
> tags=x\;y;\sz;back\\slash;'
is '... is got as it was set' "$("$MAIL" config get new.tags)" 'x;y
z
back\slash'
cp "$CONFIG" before
"$MAIL" config set new.fresh value
is 'a new item comes at the end of its section' "$(sed -n '/fresh/{n;p}' "$CONFIG")" ''
"$MAIL" config set other.item value
is 'a new section at the end' "$(tail -3 "$CONFIG")" '
[other]
item=value'
"$MAIL" config set new.fresh
"$MAIL" config set other.item
is 'no value takes the line away' "$(lines)" '> 
> [other]'
runs 'an item that is not there' 0 "$MAIL" config set new.none
"$MAIL" config set database.path "$HOME/Mail"
is 'blanks around the name' "$(grep -c path "$CONFIG")" 1
# shellcheck disable=SC1003 # a backslash
for value in 'plain' 'a=b' '#no comment' '\n' 'a\tb' '\\' 'ünï' '[x]' '"q"' "it's" 'C:\new\s'; do
    "$MAIL" config set v.x "$value"
    is "byte for byte: $value" "$("$MAIL" config get v.x)" "$value"
done
"$MAIL" config set v.x "$(printf 'two\nlines')"
is 'a newline' "$("$MAIL" config get v.x)" "$(printf 'two\nlines')"
"$MAIL" config set v.x 'a;b'
is 'one value can be a list' "$("$MAIL" config get v.x)" 'a
b'
mv "$CONFIG" real
ln -s "$PWD/real" "$CONFIG"
"$MAIL" config set v.x link
ok 'a link stays one' test -L "$CONFIG"
is '... to what has changed' "$(grep -c '^x=link' real)" 1
rm "$CONFIG"
mv real "$CONFIG"
is 'nothing is left beside' "$(find "$HOME" -name 'config.*')" ''
for name in nodot .item section. 'a.b=c' '[a].b' 'a.#b'; do
    runs "the name '$name'" 1 "$MAIL" config set "$name" x
    says '... is no name' "Invalid configuration name: $name
(Should be of the form <section>.<item>)"
done
runs 'built_with' 1 "$MAIL" config set built_with.compact false
says '... cannot be set' 'Error: read only option: built_with.compact'
runs 'a name of a query' 1 "$MAIL" config set squery.lower x
says '... that is reserved' 'Prefix names starting with lower case letters are reserved: lower'
runs 'a name of a header' 1 "$MAIL" config set index.header.A-b x
says '... that is no word' 'Non-word character in prefix name: A-b'
runs 'a name that is empty' 1 "$MAIL" config set squery. x
runs 'no file' 1 "$MAIL" --config= config set a.b c

# Many at once: one after the other.
many ()
{
    pids=
    for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        "$MAIL" config set "many.item$n" "value$n" 2>>many.err &
        pids="$pids $!"
    done
    codes=0
    for pid in $pids; do
        wait "$pid" || codes=$?
    done
}
printf '# a comment\n[many]\nitem0 = stays\n' >real
ln -sf "$PWD/real" "$CONFIG"
many
is '20 at once' "$codes" 0
is '... none is lost' "$(grep -c '^item[0-9]*=value' real)" 20
is '... and nothing else' "$(sed 3q real)" '# a comment
[many]
item0 = stays'
ok '... and the link stays' test -L "$CONFIG"
is '... and nothing is left beside' "$(find . "$HOME" -name '*.lock')" ''
rm "$CONFIG"

# A lock that somebody else has: one who writes his name as we do.
cat >hold.py <<'EOF'
import fcntl, struct, sys
f = open(sys.argv[1], 'w')
fcntl.fcntl(f, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
f.write('%s somebody setup\n' % sys.argv[2])
f.flush()
print('held', flush=True)
sys.stdin.read()
EOF
printf '[database]\nlock_timeout=0\n' >"$CONFIG"
mkfifo hold.in hold.out
python3 hold.py "$CONFIG.lock" 4711 <hold.in >hold.out &
exec 5>hold.in
read -r _ <hold.out
runs 'a lock that is held' 75 "$MAIL" config set a.b c
says '... names the holder' "mail config: 'somebody setup' (process 4711) is changing '$CONFIG'"
is '... nothing is written' "$(cat "$CONFIG")" '[database]
lock_timeout=0'
is '... and reading waits for nobody' "$("$MAIL" config get database.lock_timeout)" 0
exec 5>&-
wait
ok 'a lock left behind by somebody who died' test -e "$CONFIG.lock"
runs '... stops nobody' 0 "$MAIL" config set a.b c
ok '... and goes' test ! -e "$CONFIG.lock"

# In the index.
mkdir -p "$HOME/Mail"
printf '[database]\npath=%s/Mail\n' "$HOME" >"$CONFIG"
message in/cur/1:2, a@x one body
"$MAIL" new --quiet
runs 'set --database' 0 "$MAIL" config set --database new.tags 'x;y'
is '... counts' "$("$MAIL" config get new.tags | tr '\n' ' ')" 'x y '
message in/cur/2:2, b@x two body
"$MAIL" new --quiet
is '... also for new' "$("$MAIL" search --output=tags id:b@x | tr '\n' ' ')" 'unread x y '
"$MAIL" config set --database query.mine 'subject:two'
is '... and for queries' "$("$MAIL" count query:mine)" 1
ok '... list has it' sh -c '"$MAIL" config list | grep -q "^new.tags=x;y$"'
"$MAIL" config set new.tags file
is 'the file comes first' "$("$MAIL" config get new.tags)" file
"$MAIL" config set --database new.tags
"$MAIL" config set new.tags
is 'no value takes it away' "$("$MAIL" config get new.tags | tr '\n' ' ')" 'unread inbox '
runs 'two values' 1 "$MAIL" config set --database new.tags x y
says '... are too many' 'mail config set: at most one value expected for new.tags'

# notmuch's file is read, and not written.
unset MAIL_CONFIG
rm -rf "$CONFIG" "$HOME/.config"
cp before "$HOME/.notmuch-config"
runs 'set with the file of notmuch' 0 "$MAIL" config set new.tags mine
says '... says where' "mail config: the configuration of notmuch, '$HOME/.notmuch-config', was copied to '$HOME/.config/mail/config' and changed there"
ok '... which stays' cmp before "$HOME/.notmuch-config"
is '... the copy counts' "$("$MAIL" config get new.tags)" mine
is '... with all of it' "$(diff before "$HOME/.config/mail/config" | grep -c '^[<>]')" 2
is '... for nobody else' "$(stat -c %a "$HOME/.config/mail/config")" 600
runs 'set again' 0 "$MAIL" config set new.tags other
is '... is quiet' "$(cat err)" ''
rm -r "$HOME/.config/mail" "$HOME/.notmuch-config"
cp before "$HOME/.notmuch-config"
rm -f many.err
many
is '20 at once with the file of notmuch' "$codes" 0
is '... none is lost' "$(grep -c '^item[0-9]*=value' "$HOME/.config/mail/config")" 20
is '... and one has copied it' "$(grep -c 'was copied to' many.err)" 1
rm -r "$HOME/.config/mail" "$HOME/.notmuch-config"
runs 'set without any file' 0 "$MAIL" config set new.tags first
is '... makes one' "$(cat "$HOME/.config/mail/config")" '[new]
tags=first'

finish
