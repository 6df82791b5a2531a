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
runs 'a query error' 1 "$notmuch" search '('
ok '... has the name' grep -q '^notmuch search: ' err
runs 'a query error in a list' 1 sh -c "echo '+x -- (' | '$notmuch' tag --batch"
is 'ids are as in notmuch' "$("$notmuch" search --output=messages '*')" 'id:a"b@x'
runs 'no command' 0 "$notmuch"
ok '... is help' grep -q '^Usage: notmuch ' out
runs 'unknown command' 1 "$notmuch" nosuch
says '... has the name' "Error: Unknown command 'nosuch' (see \"notmuch help\")"
runs 'no query' 1 "$notmuch" search
says '... has the name' 'Error: notmuch search requires at least one search term.'

printf '[database]\npath=/of/notmuch\n' >"$HOME/nm"
get () { env "$@" config get database.path; }
is 'NOTMUCH_CONFIG comes first' "$(get NOTMUCH_CONFIG="$HOME/nm" "$notmuch")" /of/notmuch
is '... but not for others' "$(get NOTMUCH_CONFIG="$HOME/nm" "$MAIL")" "$HOME/Mail"
is 'NOTMUCH_DATABASE counts' "$(get NOTMUCH_DATABASE=/of/variable "$notmuch")" /of/variable
is '... but not for others' "$(get NOTMUCH_DATABASE=/of/variable "$MAIL")" "$HOME/Mail"
is 'MAIL_CONFIG counts too' "$("$notmuch" config get database.path)" "$HOME/Mail"
is 'the same index' "$("$notmuch" count)" 1

runs 'any other name' 2 bin/other search '('
ok '... is used in messages' grep -q '^other search: ' err

finish
