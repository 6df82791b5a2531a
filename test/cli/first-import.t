#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# first-import.t - the first import does not fill the inbox with what is old or seen.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# plain [LINE...]: a configuration that says nothing of new.tags.
plain ()
{
    configure
    sed -i '/^\[new\]/d; /^tags=/d' "$CONFIG"
    for line; do
        printf '%s\n' "$line" >>"$CONFIG"
    done
}
tags () { "$MAIL" search --output=tags "id:$1" | tr '\n' ' '; }
anew () { rm -rf "$HOME/Mail/.mailindex"; }
ago () { date -u -R -d "$1 days ago"; }

plain
mkdir -p "$HOME/Mail/in/new" "$HOME/Mail/in/cur"
runs 'a run without any mail' 0 "$MAIL" new
date=$(ago 40)
message in/new/1 old-new@x old body
message in/cur/2:2, old-unseen@x old body
message in/cur/3:2,FS old-seen@x old body
date=$(ago 13)
message in/new/4 recent-new@x recent body
message in/cur/5:2, recent-unseen@x recent body
message in/cur/6:2,S recent-seen@x recent body
message plain/7 recent-plain@x recent body
date='no date at all'
message in/new/8 undated@x undated body
date=$(ago -3)
message in/new/9 future@x future body
# copies: what one file says holds
date=$(ago 5)
message in/cur/10:2, copies@x copies body
message in/cur/11:2,S copies@x copies body
# old ones, with other words: their second file comes in another transaction
date=$(ago 50)
message in/cur/12:2, old-copies@x copies body
message in/cur/13:2, old-copies@x copies 'other words'
runs 'the first run with mail' 0 "$MAIL" new
is '... says what it does, in one line' "$(sed -n 4,9p out)" "This is the first import: 6 of them, \
seen or older than 14 days, did not get the tags inbox and unread (see 'mail help new')."
is '... counts them all' "$(sed -n 3p out)" 'Added 11 new messages to the database.'
for id in old-new old-unseen recent-seen copies old-copies; do
    is "$id: neither" "$(tags $id@x)" ''
done
is 'other letters count' "$(tags old-seen@x)" 'flagged '
for id in recent-new recent-unseen recent-plain undated future; do
    is "$id: both" "$(tags $id@x)" 'inbox unread '
done

date=$(ago 400)
message in/new/20 later-old@x later body
message in/cur/21:2,S later-seen@x later body
runs 'a later run' 0 "$MAIL" new
is '... is as ever' "$(cat out)" 'Processed 2 total files in almost no time.
Added 2 new messages to the database.'
is '... old mail is news' "$(tags later-old@x)" 'inbox unread '
is '... seen mail, too' "$(tags later-seen@x)" 'inbox '
sed 's/old-new@x/inserted@x/' "$HOME/Mail/in/new/1" | "$MAIL" insert --folder=in --create-folder
is 'what is delivered is news' "$(tags inserted@x)" 'inbox unread '

# A repair makes the index anew, and is no first import once that was done.
rm -rf "$HOME/Mail/.mailindex/state"
runs 'a repair' 0 "$MAIL" check --repair
is '... quiet mail stays quiet' "$(tags old-new@x)$(tags old-unseen@x)$(tags recent-seen@x)" ''
is '... and news news' "$(tags later-old@x)$(tags recent-new@x)" 'inbox unread inbox unread '

# Settings.
anew
plain '[new]' 'recent=1'
runs 'new.recent' 0 "$MAIL" new
ok '... counts' grep -q "seen or older than 1 day, " out
is '... what is older is quiet' "$(tags recent-new@x)" ''
anew
plain '[new]' 'first_import=all'
runs 'new.first_import=all' 0 "$MAIL" new
ok '... says nothing' sh -c '! grep -q first out'
is '... tags all' "$(tags old-new@x)" 'inbox unread '
anew
plain '[new]' 'tags=inbox;unread;new'
runs 'new.tags' 0 "$MAIL" new
ok '... says nothing' sh -c '! grep -q first out'
is '... holds for all' "$(tags old-new@x)" 'inbox new unread '
anew
plain '[new]' 'tags='
runs 'new.tags, empty' 0 "$MAIL" new
is '... holds, too' "$(tags recent-unseen@x)" 'unread '
anew
plain '[maildir]' 'synchronize_flags=false'
runs 'letters that set no tags' 0 "$MAIL" new
is '... tell what is seen' "$(tags recent-seen@x)$(tags old-seen@x)$(tags recent-new@x)" 'inbox unread '
anew
plain
runs '--quiet' 0 "$MAIL" new --quiet
is '... says nothing of it' "$(cat out err)" ''
is '... and does it' "$(tags old-new@x)" ''
plain '[new]' 'first_import=some'
runs 'another word' 1 "$MAIL" new
says '... is an error' "mail new: 'some' is not allowed for new.first_import: it is auto or all"
plain '[new]' 'recent=soon'
runs 'no number' 1 "$MAIL" new
ok '... is an error' grep -q "'soon' is not allowed for new.recent" err

# A first run that is stopped and continued is one. The names are long, so that what --verbose
# prints does not fit into the pipe: with nobody reading the run cannot come to its end.
anew
plain
rm -rf "$HOME/Mail"
mkdir -p "$HOME/Mail/in/cur"
awk -v folder="$HOME/Mail/in/cur" -v old="$(ago 30)" -v recent="$(ago 1)" 'BEGIN {
    for (i = 0; i < 220; i++)
        long = long "x"
    for (i = 1; i <= 3000; i++) {
        file = folder "/" i long ":2,"
        printf "From: a@x\nSubject: %d\nDate: %s\nMessage-ID: <m%d@x>\n\nword%d\n", i,
            i % 2 ? old : recent, i, i >file
        close (file)
    }
}'
mkfifo fifo
env --default-signal=INT "$MAIL" new --verbose >fifo 2>err &
pid=$!
{
    read -r _
    read -r _
    kill -INT $pid
    cat >out
} <fifo
code=0
wait $pid || code=$?
is 'a first run that is stopped' "$code" 1
some=$("$MAIL" count '*')
ok "... has done a part ($some)" [ "$some" -lt 3000 ]
printf 'From: a@x\nSubject: between\nDate: %s\nMessage-ID: <between@x>\n\ndelivered meanwhile\n' "$(ago 99)" |
    "$MAIL" insert --folder=in --create-folder
is '... what is delivered then is news' "$(tags between@x)" 'inbox unread '
runs '... and continued' 0 "$MAIL" new
is '... is still the first' "$("$MAIL" count 'subject:/^[0-9]/ and tag:inbox')" 1500
is '... for old mail' "$("$MAIL" count 'date:..20d and (tag:inbox or tag:unread)')" 1
is '... and leaves what it has found' "$(tags between@x)" 'inbox unread '

# Two at once.
anew
"$MAIL" new --quiet 2>err1 &
first=$!
"$MAIL" new --quiet 2>err2 &
code=0
wait $! || code=$?
wait $first || code=$?
is 'two first runs at once' "$code" 0
is '... are both first' "$("$MAIL" count tag:inbox)" 1500
is '... and find all' "$("$MAIL" count '*')" 3001

finish
