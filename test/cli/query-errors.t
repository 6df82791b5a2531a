#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# query-errors.t - what is said of a query with an error, by every command that has one.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure '[search]' 'exclude_tags=spam'
message in/cur/1:2, a@x one body
"$MAIL" new --quiet

for command in 'search' 'search --output=tags' 'show' 'show --format=raw' 'count' 'count --output=threads' 'tag +x'; do
    # shellcheck disable=SC2086 # options
    runs "$command" 2 "$MAIL" $command 'tag:a and form:ann'
    is "$command: nothing on stdout" "$(cat out)" ''
    is "$command: the place is marked" "$(sed -n '2,3p' err)" '  tag:a and form:ann
            ^^^^^'
    ok "$command: the command is named" grep -q "^mail ${command%% *}: error in the query: " err
done

# The mark stands under the place whatever comes before it.
runs 'wide, combining and control characters' 2 "$MAIL" count "$(printf '"漢字" "e\314\201" "\033" \t form:x')"
is '... take their columns' "$(sed -n '2,3p' err)" "$(printf '  "漢字" "e\314\201" "?"   form:x
                   ^^^^^')"
runs 'a long query' 2 "$MAIL" count "$(seq -s ' ' 1000) form:x $(seq -s ' ' 1000)"
is '... is cut' "$(sed -n '2,3p' err)" '  ... 994 995 996 997 998 999 1000 form:x 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21...
                                   ^^^^^'
runs 'an error at the end' 2 "$MAIL" count 'one and'
ok '... is marked' grep -q '\^' err

finish
