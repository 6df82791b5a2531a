#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# count.t - count and its options.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure '[search]' 'exclude_tags=spam'
message in/cur/1:2,S a@x first body
cp "$HOME/Mail/in/cur/1:2,S" "$HOME/Mail/in/cur/1b:2,S"
message in/cur/2:2, b@x 'Re: first' body 'In-Reply-To: <a@x>'
message in/cur/3:2, c@x other body
message in/cur/4:2, d@x spam body
"$MAIL" new --quiet
"$MAIL" tag +spam id:d@x

count () { "$MAIL" count "$@"; }
is 'everything' "$(count)" 3
is 'an empty query is everything' "$(count '')" 3
is '*' "$(count '*')" 3
is 'messages' "$(count --output=messages '*')" 3
is 'threads' "$(count --output=threads '*')" 2
is 'files' "$(count --output=files '*')" 4
is 'nothing' "$(count nothing)" 0
is 'nothing, threads' "$(count --output=threads nothing)" 0
is 'words are joined' "$(count id:a@x or id:c@x)" 2
is '--exclude=false' "$(count --exclude=false)" 4
is '--no-exclude' "$(count --no-exclude --output=files '*')" 5
is '--exclude=true' "$(count --exclude=true body)" 3
is 'a tag asked for is not excluded' "$(count tag:spam)" 1
uuid=$(count --lastmod | cut -f2)
is '--lastmod' "$(count --lastmod tag:spam)" "1	$uuid	$(count --lastmod | cut -f3)"
before=$(count --lastmod | cut -f3)
"$MAIL" tag +x id:a@x
ok '--lastmod grows with a change' [ "$(count --lastmod | cut -f3)" -gt "$before" ]

printf 'id:a@x\n\ntag:spam\nnothing' >queries
is '--batch' "$(count --batch <queries | tr '\n' ' ')" '1 3 1 0 '
is '--input' "$(count --input=queries | tr '\n' ' ')" '1 3 1 0 '
is '--batch, threads, all' "$(count --batch --output=threads --exclude=false <queries | tr '\n' ' ')" '1 3 1 0 '
is '--batch of nothing' "$(count --batch </dev/null)" ''
runs '--batch with a query' 1 "$MAIL" count --batch id:a@x
says '... is refused' '--batch and query string are not compatible'
runs '--input that is not there' 1 "$MAIL" count --input=nofile
says '... is an error' 'Error opening nofile for reading: No such file or directory'
runs '--input that is a folder' 1 "$MAIL" count --input=/
says '... is an error' 'mail count: cannot read the input: Is a directory'
printf 'id:a@x\n(\nid:a@x\n' >queries
runs '--batch with a bad query' 2 "$MAIL" count --input=queries
is '... stops there' "$(cat out)" 1

# A script that ORs very many ids.
query=$(seq -f 'id:k%.0f@example.org' -s ' or ' 3000)
is 'three thousand ids' "$(count "$query or id:a@x")" 1

finish
