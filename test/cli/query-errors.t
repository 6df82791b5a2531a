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

# marked QUERY MARK: exit code 2, and the mark stands there.
marked ()
{
    runs "$1" 2 "$MAIL" count "$1"
    is '... is marked' "$(sed -n 3p err)" "  $2"
}
marked 'one tag:' '    ^^^^'
marked 'one (two' '    ^'
marked '(one (two)' '^'
marked 'one) two' '   ^'
marked 'one and' '    ^^^'
marked 'or one' '^^'
marked 'one xor xor two' '    ^^^'
marked 'one not' '    ^^^'
marked 'subject:/[/' '        ^^^'
marked 'tag:/(/ or one' '    ^^^'
marked 'from:/one' '^^^^^^^^^'
marked 'date:2024-13' '     ^^^^^^^'
marked 'date:2024..foo' '           ^^^'
marked 'date:foo..2024' '     ^^^'
marked 'date:2024..2023' '^^^^^^^^^^^^^^^'
marked 'size:2M..1k' '^^^^^^^^^^^'
marked '20..10' '^^^^^^'
marked 'date:"2 years ago".."last month"' '                  ^^'
for day in date:tomorrow date:..next_week since:tomorrow; do
    runs "$day" 2 "$MAIL" count "$day"
    ok '... is told what to write' grep -q 'of those to come write the date' err
done
marked 'thread:{tag:x' '^^^^^^^^^^^^^'
marked 'thread:{tag:x and}' '              ^^^'
marked 'sexp:"(tag x"' '      ^'
marked 'one sujbect:two' '    ^^^^^^^^'
ok '... and the nearest is named' grep -q 'did you mean "subject:"' err
marked 'one TAG:two' '    ^^^^'
marked 'query:nosuch' '^^^^^^^^^^^^'
marked 'lastmod:x..' '^^^^^^^^^^^'
marked "$(printf 'one tw\351')" '      ^'

runs 'a quote that is never closed' 0 "$MAIL" count 'one "two three'
is '... is one at the end' "$(cat out)" 0
says '... with a warning' 'mail count: warning: this quote is never closed; it is taken to be at the end
  one "two three
      ^'
runs '... which is none where it is closed' 0 "$MAIL" count 'one "two three"'
says '... ' ''

marked 'tag:/((a{1,200}){1,200}){1,200}/' '                ^'
marked 'subject:/x{9999}/' '          ^'
marked 'from:"/ (a+b{2,3000}) /"' '            ^'
marked 'tag:/(a{1,1500})(b|c{1,1500})/' '                    ^'
for regex in '[{9999}]' '[]{9999}]' '[[:alpha:]{9999}]' 'a\{9999}' '(foo|ba?r)+[a-z]{2,40}'; do
    runs "$regex" 0 "$MAIL" count "tag:/$regex/"
done

# What is too much is refused, and at once.
big ()
{
    runs "$1" 2 timeout 60 "$MAIL" count --query="$2" --query-file=big
    ok '... is marked' grep -q '\^' err
}
printf '%20000s' '' | tr ' ' '(' >big
big 'twenty thousand parentheses' infix
big 'twenty thousand parentheses' sexp
{
    printf '%20000s' '' | tr ' ' '('
    printf one
    printf '%20000s' '' | tr ' ' ')'
} >big
big '... that are closed' infix
big '... that are closed' sexp
for piece in 'one ' 'one or ' 'tag:x ' '"' '(one) '; do
    yes "$piece" | tr -d '\n' | head -c 10000000 >big
    runs "10 MB of '$piece'" 2 timeout 60 "$MAIL" count --query-file=big
done

finish
