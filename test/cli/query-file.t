#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# query-file.t - queries from a file or the standard input.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
n=1
while [ $n -le 5 ]; do
    message "in/cur/$n:2," "m$n@x" "subject $n" body
    n=$((n + 1))
done
"$MAIL" new --quiet
printf 'id:m1@x\nor id:m2@x \n\n' >query

is 'count' "$("$MAIL" count --query-file=query)" 2
is 'before the command' "$("$MAIL" --query-file=query count)" 2
is 'from the standard input' "$("$MAIL" count --query-file=- <query)" 2
is 'search' "$("$MAIL" search --output=messages --query-file=query | wc -l)" 2
is 'show' "$("$MAIL" show --query-file=query | grep -c 'message{')" 2
runs 'tag' 0 "$MAIL" tag --query-file=query +x
is '... both' "$("$MAIL" count tag:x)" 2
# More than an argument can hold.
{
    seq -f 'id:none%.0f@example.org or' 10000
    echo 'id:m3@x'
} >long
is 'a very long one' "$("$MAIL" count --query-file=long)" 1
: >empty
is 'an empty one counts all' "$("$MAIL" count --query-file=empty)" 5
runs 'an empty one' 1 "$MAIL" search --query-file=empty
says '... is no query' 'Error: mail search requires at least one search term.'
runs 'with a query' 1 "$MAIL" search --query-file=query tag:x
says '... is refused' 'Error: --query-file and a query are not compatible.'
runs 'with --batch' 1 "$MAIL" count --query-file=query --batch
says '... is refused' '--batch and query string are not compatible'
runs 'with a list of tags' 1 "$MAIL" tag --query-file=query --batch
says '... is refused' "Can't specify both cmdline and stdin!"
runs 'a file that is not there' 1 "$MAIL" count --query-file=nofile
says '... is an error' "mail count: cannot read the query from 'nofile': No such file or directory"
runs 'a folder' 1 "$MAIL" count --query-file=/
says '... is an error' "mail count: cannot read the query from '/': Is a directory"
printf 'tag:x and\n\tform:y' >query
runs 'an error' 2 "$MAIL" count --query-file=query
is '... is marked' "$(sed -n '2,3p' err)" '  tag:x and  form:y
             ^^^^^'
printf 'one\0two' >query
runs 'a NUL' 2 "$MAIL" count --query-file=query
says '... is told' "mail count: error in the query: there is a NUL byte in 'query'"

finish
