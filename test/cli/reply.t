#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# reply.t - to whom an answer goes, from which address, and what it begins with.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure 'other_email=second@example.net;third@host.example.com' '[show]' 'extra_headers=X-Extra'
mkdir -p "$HOME/Mail/in/cur"

# mail ID HEADER-LINE...: a mail with this header.
mail ()
{
    file=$HOME/Mail/in/cur/$1
    printf 'Message-ID: <%s@x>\n' "$1" >"$file"
    shift
    printf '%s\n' "$@" '' 'body' >>"$file"
}

mail plain 'From: "Ann, B." <ann@x>' 'To: Bob <bob@y>, test@example.org' 'Cc: =?utf-8?q?D=C3=B6ra?= <dora@y>' \
    'Bcc: hidden@y' 'Subject: =?utf-8?q?D=C3=B6ra?=' 'Date: Tue, 5 Mar 2024 10:20:30 +0100 (CET)' \
    'References: <one@x>' '	<two@x>' 'X-Extra: e'
mail mine 'From: TEST@example.org' 'To: second@example.net, bob@y' 'Cc: carl@y' 'Subject: RE: x'
mail only-cc 'From: test@example.org' 'Cc: carl@y' 'Subject: x'
mail alone 'From: test@example.org' 'To: third@host.example.com' 'Subject: x'
mail munged 'From: ann@x' 'Reply-To: list@y' 'To: list@y' 'Subject: x'
mail not-munged 'From: ann@x' 'Reply-To: list@y, ann@z' 'To: list@y' 'Subject: x'
mail groups 'From: ann@x' 'To: Team: "B, C" <b@y>, c@y;, undisclosed-recipients:;' 'Subject: x'
mail spelled 'From: ann@x' 'To: Me <Second@Example.NET>' 'Subject: x'
mail envelope 'From: ann@x' 'To: list@y' 'X-Original-To: somebody@z' 'Delivered-To: a@z' \
    'Delivered-To: <SECOND@example.net>' 'Subject: x'
mail for 'From: ann@x' 'To: list@y' 'Received: from a by mx.example.com for <second@example.net>; now' 'Subject: x'
mail by 'From: ann@x' 'To: list@y' 'Received: from example.net by z.org' \
    'Received: from b by mx.host.EXAMPLE.com with SMTP; now' 'Subject: x'
mail bare 'To: list@y'
mail 'control' "$(printf 'From: esc\033[1m <ann@x>')" 'To: =?utf-8?q?x=0ABcc:_evil=40x?= <bob@y>' \
    'Subject: =?utf-8?q?a=0D=0ABcc:_evil=40x?='
cat >"$HOME/Mail/in/cur/parts" <<'MESSAGE'
Message-ID: <parts@x>
From: ann@x
Subject: parts
Content-Type: multipart/mixed; boundary=b

--b

first

 third
--b
Content-Type: text/html
Content-Disposition: attachment; filename=page.html

<p>
--b
Content-Type: text/plain
Content-Disposition: attachment; filename=notes.txt

notes
--b
Content-Type: image/png

x
--b
Content-Type: application/pgp-signature

x
--b
Content-Type: message/rfc822

From: inner@x
To: bob@y
Subject: inner
Date: Tue, 05 Mar 2024 10:20:30 +0000

inner body
--b--
MESSAGE
"$MAIL" new --quiet

runs 'default' 0 "$MAIL" reply id:plain@x
compare '... header and body' reply-plain
runs 'headers only' 0 "$MAIL" reply --format=headers-only id:plain@x
compare '... without From and Subject' reply-headers-only
runs 'parts' 0 "$MAIL" reply id:parts@x
compare '... are quoted' reply-parts
for format in json sexp; do
    runs "$format" 0 "$MAIL" reply --format=$format id:plain@x
    compare "$format: headers and original" reply-$format
done

# who OPTION... QUERY: from whom and to whom the answer goes.
who ()
{
    "$MAIL" reply "$@" | sed -n '1,/^$/p' | grep -E '^(From|To|Cc|Bcc): ' | sed 's/^From: Test /From: /'
}
is 'all' "$(who id:plain@x)" 'From: <test@example.org>
To: "Ann, B." <ann@x>, Bob <bob@y>
Cc: =?iso-8859-1?b?RPZyYQ==?= <dora@y>
Bcc: hidden@y'
is 'the sender' "$(who --reply-to=sender id:plain@x)" 'From: <test@example.org>
To: "Ann, B." <ann@x>'
is 'own mail' "$(who id:mine@x)" 'From: <TEST@example.org>
To: bob@y
Cc: carl@y'
is 'own mail, the sender: to whom it went' "$(who --reply-to=sender id:mine@x)" 'From: <TEST@example.org>
To: bob@y'
is 'own mail, without To' "$(who --reply-to=sender id:only-cc@x)" 'From: <test@example.org>
Cc: carl@y'
is 'nobody but the user' "$(who id:alone@x)" 'From: <test@example.org>
To: test@example.org'
is 'Reply-To of a list' "$(who id:munged@x)" 'From: <test@example.org>
To: ann@x, list@y'
is 'Reply-To of a list, the sender' "$(who --reply-to=sender id:munged@x)" 'From: <test@example.org>
To: ann@x'
is 'Reply-To' "$(who --reply-to=sender id:not-munged@x)" 'From: <test@example.org>
To: list@y, ann@z'
is 'groups' "$(who id:groups@x)" 'From: <test@example.org>
To: ann@x, "B, C" <b@y>, c@y'
is 'the address as the mail has it' "$(who id:spelled@x)" 'From: <Second@Example.NET>
To: ann@x'
is 'the address of the envelope' "$(who id:envelope@x | head -n 1)" 'From: <second@example.net>'
is 'the address of Received: for' "$(who id:for@x | head -n 1)" 'From: <second@example.net>'
is 'the address of Received: by' "$(who id:by@x | head -n 1)" 'From: <third@host.example.com>'
is 'no sender' "$(who id:bare@x)" 'From: <test@example.org>
To: list@y'
is 'no subject' "$("$MAIL" reply id:bare@x | grep -c Subject)" 0
is 'a subject with Re' "$("$MAIL" reply id:mine@x | grep Subject)" 'Subject: RE: x'
mail odd-references 'From: ann@x' 'References: junk <one@x> <t wo@x> <> more, <three@x' 'Subject: x'
"$MAIL" new --quiet
is 'references that are none' "$("$MAIL" reply id:odd-references@x | grep References)" 'References: <one@x> <odd-references@x>'
mail "$(printf 'id\001\177')" 'From: ann@x' "$(printf 'References: <r\002@x> <one@x>')" 'Subject: odd id'
"$MAIL" new --quiet
"$MAIL" reply 'subject:"odd id"' >out
is 'ids with controls are not named' "$(grep -c In-Reply-To out) $(grep References out)" '0 References: <one@x>'
is '... and no control is written' "$(tr -d '\n' <out | tr -d '[:print:]' | wc -c)" 0

# The work grows with the number of recipients, not with its square (which took minutes).
{
    printf 'From: ann@x\nSubject: crowd\nMessage-ID: <crowd@x>\nTo: first@y,\n'
    seq 30000 | sed 's/.*/ Person & <p&@y>,/'
    printf '\nx\n'
} >"$HOME/Mail/in/cur/crowd"
"$MAIL" new --quiet
runs 'thirty thousand recipients' 0 timeout 60 "$MAIL" reply id:crowd@x
is '... are all there' "$(grep -o '<p[0-9]*@y>' out | wc -l)" 30000
rm "$HOME/Mail/in/cur/crowd"

runs 'what a sender may write' 0 "$MAIL" reply id:control@x
is '... makes no field' "$(grep -c '^Bcc' out)" 0
is '... has no controls' "$(tr -d '\n' <out | tr -d '[:print:]' | tr -d '\200-\377' | wc -c)" 0

is 'several, newest first' "$("$MAIL" reply id:mine@x or id:plain@x | grep -c '^In-Reply-To')" 2
runs 'json of several' 1 "$MAIL" reply --format=json id:mine@x or id:plain@x
says '... is refused' 'Error: search term did not match precisely one message (matched 2 messages).'
runs 'none' 0 "$MAIL" reply nothing
is '... is nothing' "$(cat out err)" ''
runs 'no query' 1 "$MAIL" reply
says '... is an error' 'Error: mail reply requires at least one search term.'
runs 'format version' 20 "$MAIL" reply --format-version=0 id:mine@x
runs 'version 2' 0 "$MAIL" reply --format=json --format-version=2 id:mine@x
ok '... has one file name' grep -q '"filename": "' out
rm "$HOME/Mail/in/cur/mine"
runs 'a file that is gone' 1 "$MAIL" reply id:mine@x
says '... is an error' "Error opening $HOME/Mail/in/cur/mine: No such file or directory"

finish
