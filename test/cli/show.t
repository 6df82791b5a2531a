#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# show.t - messages as text and raw, and the options.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure '[search]' 'exclude_tags=spam' '[show]' 'extra_headers=In-Reply-TO;x-none;cc;in-reply-to;message-id'
message in/cur/1:2,S a@x first 'body a'
cp "$HOME/Mail/in/cur/1:2,S" "$HOME/Mail/in/cur/1b:2,S"
echo 'second file' >>"$HOME/Mail/in/cur/1b:2,S"
from='"Bo" <bob@example.net>' date='6 Mar 2024 10:20 EST'
message in/cur/2:2, b@x 'Re: first' 'body b' 'In-Reply-To: <a@x>' 'Cc: cc@example.org'
from=carl@example.org date='Thu, 07 Mar 2024 10:20:30 +0000'
message in/cur/3:2,F c@x 'Re: first' 'body c' 'In-Reply-To: <b@x>'
date=
message in/cur/4:2,S d@x "$(printf 'esc\033[1m')" "$(printf 'esc\033[1m\r\nforged\n\fmessage}\nend')"
cat >"$HOME/Mail/in/cur/5:2,S" <<'MESSAGE'
Message-ID: <e@x>
To: someone@example.org
Content-Type: multipart/mixed; boundary=b

--b

plain, no newline at the end
--b
Content-Type: multipart/alternative; boundary=c

--c
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

caf=E9
--c
Content-Type: text/html

<p>caf&eacute;</p>
--c--
--b
Content-Type: message/rfc822
Content-Disposition: attachment; filename=forwarded.eml

From: inner@example.org
Subject: inner
Date: Tue, 05 Mar 2024 10:20:30 +0000

inner body
--b
Content-Type: application/pdf; name="=?utf-8?q?B=C3=BCro.pdf?="
Content-Disposition: attachment
Content-ID: <cid@x>
Content-Transfer-Encoding: base64

JVBERi0=
--b--
MESSAGE
"$MAIL" new --quiet
"$MAIL" tag +spam id:d@x

runs 'a thread' 0 "$MAIL" show id:a@x or id:b@x
compare 'a thread: the text' show-thread
runs 'an entire thread' 0 "$MAIL" show --entire-thread id:b@x
compare 'an entire thread: the text' show-entire-thread
runs '--entire-thread=false' 0 "$MAIL" show --entire-thread=false id:b@x
is '... shows what matches' "$(grep -c 'message{' out)" 1
runs 'depth counts what is shown' 0 "$MAIL" show id:a@x or id:c@x
is '... only' "$(grep -o 'id:.@x depth:.' out)" 'id:a@x depth:0
id:c@x depth:1'
runs '--unthreaded' 0 "$MAIL" show --unthreaded id:a@x or id:c@x
is '... has no depth, newest first' "$(grep -o 'id:.@x depth:.' out)" 'id:c@x depth:0
id:a@x depth:0'
runs 'parts' 0 "$MAIL" show id:e@x
compare 'parts: the text' show-parts
runs '--include-html' 0 "$MAIL" show --include-html id:e@x
ok '... has the source' grep -q '^<p>caf&eacute;</p>' out
runs '--body=false' 0 "$MAIL" show --body=false id:e@x
compare '... has headers only' show-headers
runs '--no-body' 0 "$MAIL" show --no-body id:e@x
compare '... is the same' show-headers

runs 'what a sender may write' 0 "$MAIL" show tag:spam
compare '... has no controls and forges no marker' show-controls
is 'no form feed but our own' "$(tr -d '\n' <out | tr '\f' '\n' | grep -c '^message}')" 1

runs 'excluded messages' 0 "$MAIL" show id:d@x
is '... are not shown' "$(cat out)" ''
runs '--exclude=false' 0 "$MAIL" show --exclude=false id:d@x
ok '... shows and marks them' grep -q 'match:1 excluded:1' out
runs 'no match' 0 "$MAIL" show nothing
is '... shows nothing' "$(cat out err)" ''

threads () { "$MAIL" show "$@" '*' | grep -o 'message{ id:.' | tr -d '\n' | sed 's/message{ id://g'; }
is 'newest first' "$(threads)" abce
is '--sort=oldest-first' "$(threads --sort=oldest-first)" eabc
is '--limit' "$(threads --limit=1)" abc
is '--limit=0' "$(threads --limit=0)" ''
is '--offset' "$(threads --offset=1)" e
is '--offset from the end' "$(threads --offset=-1)" e
is '--offset from beyond the start' "$(threads --offset=-9)" abce

runs 'raw' 0 "$MAIL" show --format=raw id:e@x
ok '... is the file' cmp out "$HOME/Mail/in/cur/5:2,S"
runs 'raw, excluded' 0 "$MAIL" show --format=raw id:d@x
ok '... too' cmp out "$HOME/Mail/in/cur/4:2,S"
runs 'part 0' 0 "$MAIL" show --part=0 id:e@x
ok '... is the file' cmp out "$HOME/Mail/in/cur/5:2,S"
runs 'raw of several' 1 "$MAIL" show --format=raw id:a@x or id:b@x
says '... is refused' 'Error: search term did not match precisely one message (matched 2 messages).'
runs 'raw of none' 1 "$MAIL" show --format=raw nothing
says '... is refused' 'Error: search term did not match precisely one message (matched 0 messages).'
runs 'raw and --body=false' 0 "$MAIL" show --format=raw --body=false id:a@x
ok '... warns' grep -q '^Warning: --body=false only implemented for' err
runs 'raw and --include-html' 0 "$MAIL" show --format=raw --include-html id:a@x
ok '... warns' grep -q '^Warning: --include-html only implemented for' err

runs 'a part as text' 0 "$MAIL" show --format=text --part=6 id:e@x
compare '... has its sub-parts' show-part
runs 'part 0 as text' 0 "$MAIL" show --format=text --part=0 id:a@x
is '... is the message' "$(grep -c 'message{' out)" 1
runs 'a part without a format' 0 "$MAIL" show --part=4 id:e@x
is '... is its bytes, without the transfer encoding' "$(od -An -tx1 out | tr -d ' ')" '636166e9'
runs 'an attachment' 0 "$MAIL" show --part=8 id:e@x
is '... is its bytes' "$(cat out)" '%PDF-'
runs 'a forwarded message' 0 "$MAIL" show --part=6 id:e@x
is '... is that message' "$(cat out)" 'From: inner@example.org
Subject: inner
Date: Tue, 05 Mar 2024 10:20:30 +0000

inner body'
runs 'a multipart' 0 "$MAIL" show --part=3 id:e@x
is '... has its header' "$(head -n 4 out)" 'Content-Type: multipart/alternative; boundary=c

--c
Content-Type: text/plain; charset=iso-8859-1'
is '... and its end' "$(tail -n 1 out)" '--c--'
runs 'the body' 0 "$MAIL" show --part=1 id:e@x
is '... has the fields that describe it' "$(head -n 5 out)" 'Content-Type: multipart/mixed; boundary=b

--b

plain, no newline at the end'
runs 'a part that is not there' 0 "$MAIL" show --part=99 id:e@x
is '... is nothing' "$(cat out err)" ''
runs '--body=false with a part' 0 "$MAIL" show --format=text --body=false --part=2 id:e@x
says '... is disabled' 'Warning: --body=false is incompatible with --part > 0. Disabling.'

# For programs.
for format in json sexp; do
    runs "$format: a thread" 0 "$MAIL" show --format=$format id:b@x
    compare "$format: ... has all of its messages" show-thread-$format
    runs "$format: matches only" 0 "$MAIL" show --format=$format --entire-thread=false id:b@x
    compare "$format: ... and null for others" show-matching-$format
    runs "$format: parts" 0 "$MAIL" show --format=$format id:e@x
    compare "$format: ... in each other" show-parts-$format
    runs "$format: a part" 0 "$MAIL" show --format=$format --part=6 id:e@x
    compare "$format: ... by itself" show-part-$format
    runs "$format: controls" 0 "$MAIL" show --format=$format --exclude=false tag:spam
    compare "$format: ... are escaped" show-controls-$format
done
json () { "$MAIL" show --format=json "$@"; }
is 'json: no match' "$(json nothing)" '[]'
is 'json: a part that is not there' "$(json --part=99 id:e@x)" ''
is 'json: part 0 is the message' "$(json --part=0 id:b@x | cut -c1-29)" '{"id": "b@x", "match": true, '
is 'json: a Nth file too' "$(json --duplicate=1 id:b@x | cut -c1-29)" '{"id": "b@x", "match": true, '
is 'json: unthreaded' "$(json --unthreaded --body=false id:b@x or id:c@x | grep -o '}}\]\].*{"id\|}}\]*$')" '}}]], [[{"id
}}]]]'
is 'json: no body' "$(json --body=false id:b@x | grep -c '"body"')" 0
is 'json: html is not shown' "$(json id:e@x | grep -c 'eacute')" 0
is 'json: but where it is asked for' "$(json --include-html id:e@x | grep -c '"content": "<p>caf&eacute;</p>')" 1
keys () { json --format-version="$1" --part=0 id:e@x | grep -o '"filename": .\|"crypto": {}\|"content-disposition"' | sort -u | tr '\n' ' '; }
is 'json: version 1' "$(keys 1)" '"content-disposition" "filename": " '
is 'json: version 2' "$(keys 2)" "$(keys 1)"
is 'json: version 3' "$(keys 3)" '"content-disposition" "filename": " "filename": [ '
is 'json: version 4' "$(keys 4)" '"content-disposition" "crypto": {} "filename": " "filename": [ '
is 'json: version 5' "$(keys 5)" "$(keys 4)"
is 'json: the option of others' "$(json --verify --decrypt=true id:b@x)" "$(json id:b@x)"

runs 'the first file' 0 "$MAIL" show --format=raw id:a@x
is '... has no second line' "$(grep -c 'second file' out)" 0
runs '--duplicate=2' 0 "$MAIL" show --duplicate=2 id:a@x
ok '... is the second file' grep -q '^second file' out
ok '... by its name' grep -q 'filename:.*/1b:2,S$' out
runs '--duplicate=3' 1 "$MAIL" show --duplicate=3 id:a@x
says '... is not there' "Error opening $HOME/Mail/in/cur/1:2,S: No such file or directory"
rm "$HOME/Mail/in/cur/1:2,S"
runs 'the first file gone' 0 "$MAIL" show id:a@x
ok '... the second one is shown' grep -q '^second file' out
rm "$HOME/Mail/in/cur/1b:2,S"
runs 'all files gone' 1 "$MAIL" show id:a@x or id:b@x
says '... is an error' "Error opening $HOME/Mail/in/cur/1:2,S: No such file or directory"
is '... the others are shown' "$(grep -c 'message{ id:b@x' out)" 1

runs 'json: a file is gone' 1 "$MAIL" show --format=json --body=false --entire-thread=false id:a@x
says 'json: ... is an error' "Error opening $HOME/Mail/in/cur/1:2,S: No such file or directory"
is 'json: ... and null' "$(cat out)" '[[[null, [[null, [[null, []]]]]]]]'

# A mailbox.
printf 'From: Q <q@x>\nSubject: quoted\nMessage-ID: <q@x>\n\nFrom here\n>From\n>>From there\nFro' >"$HOME/Mail/in/cur/6:2,S"
"$MAIL" new --quiet
runs 'mbox' 0 "$MAIL" show --format=mbox id:q@x or id:c@x
is '... quotes what looks like its own lines' "$(sed -n '/^From carl/p; /^From q/,$p' out)" 'From carl@example.org Thu Mar  7 10:20:30 2024
From q@x Thu Jan  1 00:00:00 1970
From: Q <q@x>
Subject: quoted
Message-ID: <q@x>

>From here
>From
>>>From there
Fro'
runs 'mbox of no match' 0 "$MAIL" show --format=mbox nothing
is '... is nothing' "$(cat out)" ''
runs 'mbox of a part' 1 "$MAIL" show --format=mbox --part=2 id:e@x
says '... is refused' 'Error: specifying parts is incompatible with mbox output format.'
gzip "$HOME/Mail/in/cur/6:2,S" && mv "$HOME/Mail/in/cur/6:2,S.gz" "$HOME/Mail/in/cur/6:2,S"
runs 'raw of a packed file' 0 "$MAIL" show --format=raw id:q@x
is '... is unpacked' "$(sed -n 2p out)" 'Subject: quoted'

runs 'no query' 1 "$MAIL" show
says '... is an error' 'Error: mail show requires at least one search term.'
runs 'format version' 21 "$MAIL" show --format-version=6 '*'

finish
