#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# search.t - each output in each format, and the options.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
message in/cur/1:2,S a@x first body
cp "$HOME/Mail/in/cur/1:2,S" "$HOME/Mail/in/cur/1b:2,S"
from='"Bo" <bob@example.net>' date='Wed, 06 Mar 2024 10:20:30 +0100'
message in/cur/2:2, b@x 'Re: first' body 'In-Reply-To: <a@x>'
from=carl@example.org date='Thu, 07 Mar 2024 10:20:30 +0000'
message in/cur/3:2,F c@x 'Re: first' body 'In-Reply-To: <b@x>'
from='=?utf-8?q?D=C3=B6ra?= <dora@example.org>' date='Fri, 08 Mar 2024 10:20:30 +0000'
message in/cur/4:2, 'd"q@x' 'other' body
"$MAIL" new --quiet
"$MAIL" tag +spam id:b@x

for output in summary threads messages files tags; do
    for format in text json sexp text0; do
        [ $output-$format != summary-text0 ] || continue
        runs "$output, $format" 0 "$MAIL" search --output=$output --format=$format '*'
        tr '\0' '|' <out >readable
        compare "$output, $format: the result" search-$output-$format readable
        runs "$output, $format, no match" 0 "$MAIL" search --output=$output --format=$format nothing
        case $format in
        json) is "$output, $format, no match: the result" "$(cat out)" '[]' ;;
        sexp) is "$output, $format, no match: the result" "$(cat out)" '()' ;;
        *) is "$output, $format, no match: nothing" "$(cat out)" '' ;;
        esac
    done
done
runs 'summary, text0' 1 "$MAIL" search --format=text0 '*'
says '... is refused' 'Error: --format=text0 is not compatible with --output=summary.'
runs 'an unknown format' 1 "$MAIL" search --format=nosuch '*'
says '... is refused' 'Unknown keyword argument "nosuch" for option "format".
Unrecognized option: --format=nosuch'

# The subject and the date of a thread depend on the order.
runs 'oldest first' 0 "$MAIL" search --sort=oldest-first '*'
compare 'oldest first: the result' search-oldest
runs 'oldest first, json' 0 "$MAIL" search --sort=oldest-first --format=json id:b@x or id:c@x
compare 'oldest first, json: the result' search-oldest-json

ids () { "$MAIL" search --output=messages "$@" '*' | tr '\n' ' '; }
is 'all' "$(ids)" 'id:"d""q@x" id:c@x id:b@x id:a@x '
is 'newest first' "$(ids --sort=newest-first)" 'id:"d""q@x" id:c@x id:b@x id:a@x '
is 'oldest first' "$(ids --sort=oldest-first)" 'id:a@x id:b@x id:c@x id:"d""q@x" '
is 'what is printed can be asked for' "$("$MAIL" search --output=messages 'id:"d""q@x"')" 'id:"d""q@x"'
is 'limit' "$(ids --limit=2)" 'id:"d""q@x" id:c@x '
is 'limit 0' "$(ids --limit=0)" ''
is 'a negative limit is none' "$(ids --limit=-1)" "$(ids)"
is 'offset' "$(ids --offset=3)" 'id:a@x '
is 'offset and limit' "$(ids --offset=1 --limit=2)" 'id:c@x id:b@x '
is 'offset beyond the end' "$(ids --offset=99)" ''
is 'offset from the end' "$(ids --offset=-2)" 'id:b@x id:a@x '
is 'offset from the end, and limit' "$(ids --offset=-3 --limit=1)" 'id:c@x '
is 'offset from beyond the start' "$(ids --offset=-99 --limit=1)" 'id:"d""q@x" '
is 'a huge offset' "$(ids --offset=9223372036854775807)" ''
is 'a huge negative offset' "$(ids --offset=-9223372036854775808 --limit=1)" 'id:"d""q@x" '
is 'offset of files counts messages' "$("$MAIL" search --output=files --offset=-1 '*' | wc -l)" 2

threads () { "$MAIL" search --output=threads "$@" '*' | wc -l; }
is 'threads: limit' "$(threads --limit=1)" 1
is 'threads: offset' "$(threads --offset=1)" 1
is 'threads: offset from the end' "$(threads --offset=-1)" 1
is 'threads: offset from beyond the start' "$(threads --offset=-5)" 2
is 'summary: offset and limit' "$("$MAIL" search --offset=1 --limit=1 '*' | wc -l)" 1
is 'summary: offset from the end' "$("$MAIL" search --offset=-1 '*' | grep -c 'first')" 1

is 'duplicate: second files' "$("$MAIL" search --output=files --duplicate=2 '*')" "$HOME/Mail/in/cur/1b:2,S"
is 'duplicate: first files' "$("$MAIL" search --output=files --duplicate=1 '*' | wc -l)" 4
is 'duplicate: messages with two files' "$("$MAIL" search --output=messages --duplicate=2 '*')" id:a@x
runs 'duplicate with another output' 1 "$MAIL" search --duplicate=2 '*'
says '... is refused' 'Error: --duplicate=N is only supported with --output=files and --output=messages.'

runs 'format version 1' 0 "$MAIL" search --format-version=1 --format=json id:a@x
ok '... has no query' sh -c '! grep -q \"query\" out'
runs 'format version 5' 0 "$MAIL" search --format-version=5 --format=json id:a@x
ok '... has one' grep -q '"query": \["id:a@x", "id:b@x id:c@x"\]' out
runs 'format version 0' 20 "$MAIL" search --format-version=0 id:a@x
ok '... is too old' grep -q 'version 0, which is no longer supported' err
runs 'format version 6, in text too' 21 "$MAIL" search --format-version=6 --format=text id:a@x
ok '... is too new' grep -q 'version 6, but the installed mail' err
is '... and nothing is printed' "$(cat out)" ''

configure '[search]' 'exclude_tags=spam;junk'
shown () { "$MAIL" search "$@" id:b@x or id:c@x | sed 's/.*\[/[/; s/].*/]/'; }
is 'exclude' "$(shown)" '[1/3(4)]'
is 'exclude=true' "$(shown --exclude=true)" '[1/3(4)]'
is 'exclude=false' "$(shown --exclude=false)" '[2/3(4)]'
is 'exclude=flag' "$(shown --exclude=flag)" '[1/3(4)]'
is 'exclude=all' "$(shown --exclude=all)" '[1/2(3)]'
runs 'exclude=all, json' 0 "$MAIL" search --exclude=all --format=json id:b@x or id:c@x
compare 'exclude=all, json: the result' search-exclude-all
runs 'exclude=flag, json' 0 "$MAIL" search --exclude=flag --format=json id:b@x or id:c@x
compare 'exclude=flag, json: the result' search-exclude-flag
is 'a tag asked for is not excluded' "$("$MAIL" search --output=messages tag:spam)" id:b@x
is '... nor one asked not to be there' "$("$MAIL" search --output=messages not tag:spam or id:b@x | grep -c b@x)" 1
is 'messages are excluded' "$("$MAIL" search --output=messages '*' | grep -c b@x)" 0
is 'all tags are listed' "$("$MAIL" search --output=tags '*' | grep -c spam)" 1
is '... but not those of excluded messages' "$("$MAIL" search --output=tags from:bob or from:carl | grep -c spam)" 0
runs 'exclude=flag where it cannot be shown' 0 "$MAIL" search --exclude=flag --output=messages id:b@x
says '... warns' 'Warning: this output format cannot flag excluded messages.'
is '... and excludes nothing' "$(cat out)" id:b@x

runs 'no query' 1 "$MAIL" search
says '... is an error' 'Error: mail search requires at least one search term.'
runs 'an empty query' 1 "$MAIL" search ''
says '... is one too' 'Error: mail search requires at least one search term.'
is 'words are joined' "$("$MAIL" search --output=messages -- id:a@x or id:c@x | wc -l)" 2
runs '--explain' 0 "$MAIL" search --explain id:a@x
ok '... on stderr' grep -q '^total: 1' err

configure '[search]' 'authors_separator=\s&\s' 'authors_matched_separator=\s/\s'
is 'separators of authors' "$("$MAIL" search --format=json id:a@x or id:b@x | grep -o '"authors": "[^"]*"')" '"authors": "Ann Example & Bo / carl@example.org"'

finish
