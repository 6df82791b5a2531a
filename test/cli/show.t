#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# show.t - messages as text and raw, and the options.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure '[search]' 'exclude_tags=spam'
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
is '... is its text' "$(cat out)" 'café'
runs 'a part that is not there' 0 "$MAIL" show --part=99 id:e@x
is '... is nothing' "$(cat out err)" ''
runs '--body=false with a part' 0 "$MAIL" show --format=text --body=false --part=2 id:e@x
says '... is disabled' 'Warning: --body=false is incompatible with --part > 0. Disabling.'

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

runs 'no query' 1 "$MAIL" show
says '... is an error' 'Error: mail show requires at least one search term.'
runs 'format version' 21 "$MAIL" show --format-version=6 '*'

finish
