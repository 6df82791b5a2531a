#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# config.t - which configuration counts, and config get and list.
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
runs 'set' 1 "$MAIL" config set a.b c
says '... is refused' "mail config: setting values is not supported yet: edit '$CONFIG'"
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

finish
