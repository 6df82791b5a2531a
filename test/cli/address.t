#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# address.t - the people of messages, in each format, and the options.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure '[search]' 'exclude_tags=spam'
mkdir -p "$HOME/Mail/in/cur"

# mail ID DAY HEADER-LINE...: a mail of that day.
mail ()
{
    file=$HOME/Mail/in/cur/$1
    printf 'Message-ID: <%s@x>\nDate: %s Mar 2024 10:20:30 +0000\n' "$1" "$2" >"$file"
    shift 2
    printf '%s\n' "$@" '' 'body' >>"$file"
}
mail a 9 'From: Ann Example <ann@x>' 'To: Team: "Be, Bo" <bo@y>, cy@y;' 'Cc: dora@Y' 'Bcc: hidden@z'
mail b 8 'From: ANN <Ann@X>' 'To: =?utf-8?q?D=C3=B6ra?= <dora@y>, Dora <dora@Y>'
mail c 7 'From: Ann Example <ann@x>' 'To: =?utf-8?q?x=40y=2C_z=40y?=, undisclosed-recipients:;' 'Cc: Dora <dora@Y>'
mail d 6 "$(printf 'From: esc\033[1m <e@x>')" 'To: =?utf-8?q?a=0Ab?= <f@x>'
mail e 5 'From: spam@x' 'To: Nobody'
mail f 4 'From: g@x' 'To: one@z' 'To: two@z'
"$MAIL" new --quiet
"$MAIL" tag +spam id:e@x
rm -r "$HOME/Mail/in" # no file is needed

address () { "$MAIL" address "$@"; }
is 'senders' "$(address not from:g@x)" 'Ann Example <ann@x>
ANN <Ann@X>
"esc?[1m" <e@x>'
is 'oldest first' "$(address --sort=oldest-first not from:g@x)" '"esc?[1m" <e@x>
Ann Example <ann@x>
ANN <Ann@X>'
is 'recipients' "$(address --output=recipients not from:g@x)" '"Be, Bo" <bo@y>
cy@y
dora@Y
hidden@z
Döra <dora@y>
Dora <dora@Y>
a b <f@x>'
is 'both' "$(address --output=recipients --output=sender id:b@x)" 'ANN <Ann@X>
Döra <dora@y>
Dora <dora@Y>'
is 'addresses' "$(address --output=address id:a@x or id:b@x)" 'ann@x
Ann@X'
is 'counts' "$(address --output=count not from:g@x)" '2	Ann Example <ann@x>
1	ANN <Ann@X>
1	"esc?[1m" <e@x>'
is 'each time' "$(address --deduplicate=no from:ann)" 'Ann Example <ann@x>
ANN <Ann@X>
Ann Example <ann@x>'
is 'by address' "$(address --deduplicate=address from:ann)" 'Ann Example <ann@x>'
is 'by address, as most often' "$(address --deduplicate=address --output=recipients --output=count '*' | grep -i dora)" '4	Dora <dora@Y>'
is 'excluded' "$(address from:spam)" ''
is '--exclude=false' "$(address --exclude=false from:spam)" 'spam@x'
is 'a field given twice' "$(address --output=recipients from:g@x)" 'one@z
two@z'
is 'no match' "$(address nothing)" ''
for format in text0 json sexp; do
    address --format=$format --output=sender --output=recipients --output=count id:a@x or id:b@x | tr '\0' '|' >out
    compare "$format" address-$format
done
is 'json, no match' "$(address --format=json nothing)" '[]'
is 'json has no count unless asked for' "$(address --format=json id:b@x)" '[{"name": "ANN", "address": "Ann@X", "name-addr": "ANN <Ann@X>"}]'
is 'text0 has all bytes' "$(address --format=text0 id:d@x | tr '\0\033' '|!')" '"esc![1m" <e@x>|'
runs 'counting each time' 1 "$MAIL" address --output=count --deduplicate=no '*'
says '... is refused' 'Error: --output=count is not applicable with --deduplicate=no'
runs 'no query' 1 "$MAIL" address
says '... is an error' 'Error: mail address requires at least one search term.'
runs 'format version' 21 "$MAIL" address --format-version=6 '*'

finish
