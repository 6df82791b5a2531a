#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# notmuch-name.t - what differs when the program is called notmuch.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir bin
ln -s "$MAIL" bin/notmuch
ln -s "$MAIL" bin/other
notmuch=$PWD/bin/notmuch

configure
message in/cur/1:2, 'a"b@x' one body
"$MAIL" new --quiet

runs '--version' 0 "$notmuch" --version
ok '... has the name' grep -q '^notmuch [0-9]' out
runs 'a query error' 1 "$notmuch" search 'one or'
ok '... has the name' grep -q '^notmuch search: ' err
runs 'a query error in a list' 1 sh -c "echo '+x -- or' | '$notmuch' tag --batch"
for query in '(body' 'body)' 'body or query:nosuch' 'subject or body or date:' 'body or form:ann' 'body or date:2020..2019'; do
    is "no error: $query" "$("$notmuch" count "$query" 2>&1)" 1
    runs "$query is one under our name" 2 "$MAIL" count "$query"
done
is 'ids are as in notmuch' "$("$notmuch" search --output=messages '*')" 'id:a"b@x'
runs 'no command' 0 "$notmuch"
is '... is a greeting' "$(normal <out)" "The mail of Test <test@example.org> is in 'HOME/Mail', and indexed (messages: 1).
'notmuch search WORD...' finds some, 'notmuch help' tells of all commands."
runs 'no command, no index' 0 env NOTMUCH_DATABASE="$HOME" "$notmuch"
is '... says what is next' "$(normal <out)" "The mail in 'HOME' is not indexed yet: 'notmuch new' does that."
runs 'no command, no configuration' 1 env -u MAIL_CONFIG "$notmuch" </dev/null
ok '... is setup' grep -q '^Welcome' out
runs 'NOTMUCH_DEBUG_QUERY' 0 env NOTMUCH_DEBUG_QUERY=1 "$notmuch" count --exclude=false 'tag:a or one'
is '... tells of the query' "$(sed 's/^  *//' err | tr '\n' ' ')" 'Query string is: tag:a or one Exclude query is:  Final query is: (or (tag "a") one) '
runs '... empty' 0 env NOTMUCH_DEBUG_QUERY= "$notmuch" count one
says '... tells nothing' ''
runs '... under another name' 0 env NOTMUCH_DEBUG_QUERY=1 "$MAIL" count one
says '... tells nothing' ''
runs 'unknown command' 1 "$notmuch" nosuch
says '... has the name' "Error: Unknown command 'nosuch' (see \"notmuch help\")"
runs 'no query' 1 "$notmuch" search
says '... has the name' 'Error: notmuch search requires at least one search term.'

# shellcheck disable=SC2016 # a script
printf '#!/bin/sh\n[ "$1" = -w ] || echo "$*"\n' >bin/man
chmod +x bin/man
runs 'help' 0 env PATH="$PWD/bin:$PATH" "$notmuch" help search
is '... has the pages of this program' "$(cat out)" mail-search
for topic in hooks properties search-terms sexp-queries; do
    runs "help $topic" 0 env PATH="$PWD/bin:$PATH" "$notmuch" help $topic
    is '... has one, too' "$(cat out)" "mail-$topic"
done
rm bin/man

printf '[database]\npath=/of/notmuch\n' >"$HOME/nm"
get () { env "$@" config get database.path; }
is 'NOTMUCH_CONFIG comes first' "$(get NOTMUCH_CONFIG="$HOME/nm" "$notmuch")" /of/notmuch
is '... but not for others' "$(get NOTMUCH_CONFIG="$HOME/nm" "$MAIL")" "$HOME/Mail"
is 'NOTMUCH_DATABASE counts' "$(get NOTMUCH_DATABASE=/of/variable "$notmuch")" /of/variable
is '... but not for others' "$(get NOTMUCH_DATABASE=/of/variable "$MAIL")" "$HOME/Mail"
is 'MAIL_CONFIG counts too' "$("$notmuch" config get database.path)" "$HOME/Mail"
is 'the same index' "$("$notmuch" count)" 1

# Files and profiles, in notmuch's order.
unset MAIL_CONFIG
put () { mkdir -p "${1%/*}" && printf '[database]\npath=%s\n' "$2" >"$1"; }
put "$HOME/.config/mail/config" /of/mail
is 'the file of mail is the last' "$(get "$notmuch")" /of/mail
put "$HOME/.notmuch-config" /of/home
is '... before it ~/.notmuch-config' "$(get "$notmuch")" /of/home
put "$HOME/.config/notmuch/default/config" /of/xdg
is '... before it the one in ~/.config' "$(get "$notmuch")" /of/xdg
put "$HOME/xdg/notmuch/default/config" /of/variable
is '... or XDG_CONFIG_HOME' "$(get XDG_CONFIG_HOME="$HOME/xdg" "$notmuch")" /of/variable
is '... all before MAIL_CONFIG' "$(get MAIL_CONFIG="$HOME/nm" "$notmuch")" /of/xdg
is '... but mail has its own' "$(get "$MAIL")" /of/mail
put "$HOME/.config/notmuch/work/config" /of/work
put "$HOME/.notmuch-config.home" /of/profile
is 'NOTMUCH_PROFILE' "$(get NOTMUCH_PROFILE=work "$notmuch")" /of/work
is '... for ~/.notmuch-config' "$(get NOTMUCH_PROFILE=home "$notmuch")" /of/profile
runs '... that there is not' 1 env NOTMUCH_PROFILE=none "$notmuch" config list
ok '... is told with its variable' grep -q "the profile 'none' (NOTMUCH_PROFILE)" err
runs 'NOTMUCH_CONFIG that is not there' 1 env NOTMUCH_CONFIG="$HOME/none" "$notmuch" count
runs 'config set' 0 "$notmuch" config set a.b c
says '... changes its own file in place' ''
ok '... which is that one' grep -q '^b=c' "$HOME/.config/notmuch/default/config"

# Places. The file in force says whose rules count, so both names find one index.
rm -r "$HOME/.config" "$HOME"/.notmuch-config*
mkdir -p "$HOME/mail" "$HOME/Maildir" "$HOME/other"
is 'without a file: ~/mail' "$(get "$notmuch")" "$HOME/mail"
is '... MAILDIR before it' "$(get MAILDIR="$HOME/other" "$notmuch")" "$HOME/other"
is '... mail has its own order' "$(get "$MAIL")" "$HOME/Maildir"
rmdir "$HOME/mail"
is '... and then that of mail' "$(get "$notmuch")" "$HOME/Maildir"
printf '[user]\nname=x\n' >"$HOME/.notmuch-config"
mkdir "$HOME/mail"
is 'a file without a path: ~/mail' "$(get "$notmuch")" "$HOME/mail"
is '... for mail, too' "$(get "$MAIL")" "$HOME/mail"
mkdir -p "$HOME/.local/share/notmuch/default" "$HOME/data/notmuch/work"
runs 'a folder of data without a mail folder' 1 "$notmuch" new
ok '... is an error that says what to do' grep -q 'Set mail_root in the section' err
printf '[database]\nmail_root=%s/Mail\n' "$HOME" >"$HOME/.notmuch-config"
cp "$HOME/.notmuch-config" "$HOME/.notmuch-config.work"
is 'a folder of data' "$(get "$notmuch")" "$HOME/.local/share/notmuch/default"
is '... for mail, too' "$(get "$MAIL")" "$HOME/.local/share/notmuch/default"
is '... of a profile' "$(get XDG_DATA_HOME="$HOME/data" NOTMUCH_PROFILE=work "$notmuch")" "$HOME/data/notmuch/work"
runs '... holds the index' 0 "$notmuch" new
is '... of the mail' "$("$MAIL" count)$("$notmuch" config get database.mail_root)" "1$HOME/Mail"
ok '... in it' test -d "$HOME/.local/share/notmuch/default/.mailindex/state"
rm -r "$HOME/.local"

# Hooks.
hook ()
{
    mkdir -p "$1"
    # shellcheck disable=SC2016 # a script
    printf '#!/bin/sh\necho "%s $NOTMUCH_CONFIG"\n' "$2" >"$1/pre-new"
    chmod +x "$1/pre-new"
}
first () { "$@" new --quiet | sed -n 1p; }
printf '[database]\npath=%s/Mail\n' "$HOME" >"$HOME/.notmuch-config"
hook "$HOME/Mail/.mailindex/hooks" ours
is 'hooks of the index' "$(first "$notmuch")" "ours $HOME/.notmuch-config"
hook "$HOME/Mail/hooks" mail
is '... not of any folder of that name' "$(first "$notmuch")" "ours $HOME/.notmuch-config"
hook "$HOME/Mail/.notmuch/hooks" beside
is 'hooks in .notmuch' "$(first "$notmuch")" "beside $HOME/.notmuch-config"
is '... not for mail' "$(first "$MAIL")" "ours $HOME/.notmuch-config"
mkdir "$HOME/Mail/xapian"
is 'hooks beside xapian' "$(first "$notmuch")" "mail $HOME/.notmuch-config"
hook "$HOME/.config/notmuch/default/hooks" xdg
is 'hooks beside the usual file' "$(first "$notmuch")" "xdg $HOME/.notmuch-config"
hook "$HOME/.config/notmuch/work/hooks" work
is '... of a profile' "$(cp "$HOME/.notmuch-config" "$HOME/.notmuch-config.work" && NOTMUCH_PROFILE=work first "$notmuch")" "work $HOME/.notmuch-config.work"
hook "$HOME/named" named
printf 'hook_dir=%s/named\n' "$HOME" >>"$HOME/.notmuch-config"
is 'database.hook_dir' "$(first "$notmuch")" "named $HOME/.notmuch-config"

# Programs of one's own.
# shellcheck disable=SC2016 # a script
printf '#!/bin/sh\necho "$NOTMUCH_CONFIG: $*"\nexit 7\n' >bin/notmuch-own
chmod +x bin/notmuch-own
runs 'notmuch-NAME' 7 env PATH="$PWD/bin:$PATH" "$notmuch" --config="$HOME/nm" own a --b
is '... gets configuration and words' "$(cat out)" "$HOME/nm: a --b"
runs '... is none of mail' 1 env PATH="$PWD/bin:$PATH" "$MAIL" own

runs 'any other name' 2 bin/other search '('
ok '... is used in messages' grep -q '^other search: ' err

finish
