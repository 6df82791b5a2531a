#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# copies.t - copies of a message with the same and with other words: names exchanged, replaced, gone.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Times of folders are believed when they are older than the clock's grain.
settle () { sleep 0.1; }
afresh ()
{
    rm -rf "$HOME/Mail"
    configure
}

afresh
message 1 a@x s apple
cp -p "$HOME/Mail/1" "$HOME/Mail/2"
"$MAIL" new --quiet
settle
mv "$HOME/Mail/1" "$HOME/Mail/t"
mv "$HOME/Mail/2" "$HOME/Mail/1"
mv "$HOME/Mail/t" "$HOME/Mail/2"
settle
runs 'two copies exchange their names' 0 "$MAIL" new
is '... both are files of the message' "$("$MAIL" search --output=files '*' | wc -l)" 2
settle
runs '... and nothing is left for the next run' 0 "$MAIL" new
is '... to do' "$(cat out)" 'No new mail.'
mv "$HOME/Mail/2" "$HOME/Mail/1"
settle
"$MAIL" new --quiet
is 'one copy moved over the other' "$("$MAIL" search --output=files '*')" "$HOME/Mail/1"

afresh
message 1 m5@x s apricot
message 2 m5@x s banana
"$MAIL" new --quiet
is 'copies with other words: the first' "$("$MAIL" count apricot)" 1
is '... the second' "$("$MAIL" count banana)" 1
is '... one message' "$("$MAIL" count '*')" 1
cp "$HOME/Mail/1" "$HOME/Mail/3"
message 4 m9@x s cherry
settle
"$MAIL" new --quiet
mv "$HOME/Mail/4" "$HOME/Mail/1"
message 5 m5@x s damson
settle
runs 'a copy replaced by another message' 0 "$MAIL" new
is '... its words are in a further copy' "$("$MAIL" count apricot)" 1
is '... a new copy' "$("$MAIL" count damson)" 1
is '... and the other message' "$("$MAIL" count 'cherry and id:m9@x')" 1

afresh
message 1 m5@x s apricot
"$MAIL" new --quiet
cp "$HOME/Mail/1" "$HOME/Mail/3"
settle
"$MAIL" new --quiet
rm "$HOME/Mail/1"
message 5 m5@x s damson
settle
runs 'a copy goes while another comes' 0 "$MAIL" new
is '... the new words' "$("$MAIL" count damson)" 1
is '... the old ones' "$("$MAIL" count apricot)" 1

# One copy lies on a disk that is not there: the others are read all the same.
afresh
mkdir -p disk/archive
message 1 m5@x s apricot
mv "$HOME/Mail/1" disk/archive/1
ln -s "$PWD/disk/archive" "$HOME/Mail/archive"
"$MAIL" new --quiet
mv disk unmounted
settle
"$MAIL" new --quiet 2>/dev/null
message 2 m5@x s banana
settle
runs 'a copy while another is out of reach' 75 "$MAIL" new
is '... has its words' "$("$MAIL" count banana)" 1
is '... the other is remembered' "$("$MAIL" new --problems | cut -f 1 | tr '\n' ' ')" 'dangling-link unreadable '
mv unmounted disk
settle
runs '... and read when it is there again' 0 "$MAIL" new
is '... with its words' "$("$MAIL" count apricot) $("$MAIL" count banana)" '1 1'
is '... and nothing is left' "$("$MAIL" new --problems)" ''

finish
