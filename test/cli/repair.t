#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# repair.t - check and check --repair where things are missing at the wrong moment.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

index=$HOME/Mail/.mailindex

# A new index of six messages in two folders; all have the tag x and no inbox.
begin ()
{
    chmod -R u+rwX "$HOME/Mail"
    rm -rf "$HOME/Mail"
    mkdir -p "$HOME/Mail/a/cur" "$HOME/Mail/b/cur"
    configure
    for i in 1 2 3; do
        message "a/cur/$i:2," "a$i@x" s hello
        message "b/cur/$i:2," "b$i@x" s hello
    done
    "$MAIL" new --quiet
    "$MAIL" tag +x -inbox '*'
}

begin
rm -rf "$index/state"
mv "$HOME/Mail/a" "$HOME/away"
runs 'a folder is away' 0 "$MAIL" check --repair --quiet
mv "$HOME/away" "$HOME/Mail/a"
"$MAIL" new --quiet
is '... its messages have their tags when it is back' "$("$MAIL" count tag:x):$("$MAIL" count tag:inbox)" 6:0

begin
"$MAIL" tag +mine id:a1@x
mv "$HOME/Mail/a/cur/1:2," "$HOME/away"
"$MAIL" new --quiet
rm -rf "$index/state"
"$MAIL" check --repair --quiet
mv "$HOME/away" "$HOME/Mail/a/cur/1:2,"
"$MAIL" new --quiet
is 'so has a message that was gone before' "$("$MAIL" search --output=messages tag:mine)" id:a1@x

begin
"$MAIL" tag +mine id:a1@x
mv "$HOME/Mail/a/cur/1:2," "$HOME/away"
"$MAIL" new --quiet
rm "$index"/backups/*.tags # so that "new" writes a snapshot
"$MAIL" tag +z '*'
"$MAIL" new --quiet
for _ in 1 2; do
    rm -rf "$index/state"
    "$MAIL" check --repair --quiet
done
mv "$HOME/away" "$HOME/Mail/a/cur/1:2,"
"$MAIL" new --quiet
is '... and one that was gone when the snapshot was written' "$("$MAIL" search --output=messages tag:mine)" id:a1@x

begin
printf 'From: a@b\nMessage-ID: <bare@x>\n\nx\n' | "$MAIL" insert --folder=a -inbox -unread
is 'a mail without tags' "$("$MAIL" search --output=tags id:bare@x)" ''
rm -rf "$index/state"
"$MAIL" check --repair --quiet
is '... has none after a repair' "$("$MAIL" search --output=tags id:bare@x)" ''

begin
mv "$HOME/Mail/a/cur/1:2," "$HOME/Mail/a/cur/1:2,FS"
rm -rf "$index/state"
"$MAIL" check --repair --quiet
is 'flags in names are newer' "$("$MAIL" search --output=messages tag:flagged)" id:a1@x
"$MAIL" tag +y '*'
ok '... and stay in them' test -e "$HOME/Mail/a/cur/1:2,FS"

begin
: >"$index/journal"
runs 'an empty journal' 1 "$MAIL" check
"$MAIL" tag +z '*'
runs '... is not forgotten' 1 "$MAIL" check
ok '... and named' grep -q 'journal: ' out
runs '... until there is a snapshot' 0 "$MAIL" new
runs '... then all is well' 0 "$MAIL" check
rm -rf "$index/state"
"$MAIL" check --repair --quiet
is '... and nothing is lost' "$("$MAIL" count tag:x and tag:z)" 6

begin
rm -rf "$index/state"
printf XXXXXX | dd of="$index/journal" bs=1 seek=80 conv=notrunc 2>dd.err
runs 'a damaged journal and no state' 0 "$MAIL" check --repair
ok '... is said' grep -q 'journal: a block is damaged' out

begin
"$MAIL" config set --database query.mine tag:x
"$MAIL" check --repair --quiet
: >"$index/journal" # so that "new" writes a snapshot
"$MAIL" tag +z '*'
"$MAIL" new --quiet
rm -rf "$index/state"
"$MAIL" check --repair --quiet
is 'settings in the index are back' "$("$MAIL" config get query.mine):$("$MAIL" count query:mine)" tag:x:6

begin
"$MAIL" compact --quiet --backup="$HOME/kept"
rm -rf "$index"
mv "$HOME/kept" "$index"
runs 'the backup of compact' 0 "$MAIL" check
rm -rf "$index/state"
"$MAIL" check --repair --quiet
is '... can be repaired itself' "$("$MAIL" count tag:x)" 6

begin
rm -rf "$index/text"
runs 'no words' 0 "$MAIL" check --repair --quiet
is '... they are back' "$("$MAIL" count hello)" 6

begin
text=$(echo "$index"/text/1-*)
printf XXXXXX | dd of="$text" bs=1 seek=3000 conv=notrunc 2>dd.err
mv "$HOME/Mail/a/cur/1:2," "$HOME/Mail/a/cur/1:2,S"
runs 'damaged words, a file with another name' 0 "$MAIL" check --repair --quiet
is '... all are found' "$("$MAIL" count hello)" 6

begin
for kept in "$index"/backups/*.tags; do mv "$kept" "$index/backups/4000000000-1.tags"; done
"$MAIL" tag +z '*'
"$MAIL" new --quiet
rm -rf "$index/state"
"$MAIL" check --repair --quiet
is 'a snapshot of a clock that was ahead is not the newest' "$("$MAIL" count tag:x and tag:z)" 6
"$MAIL" tag +last '*'
rm -rf "$index/state"
"$MAIL" check --repair --quiet
rm -rf "$index/state"
"$MAIL" check --repair --quiet
is '... nor one of the same second' "$("$MAIL" count tag:z and tag:last)" 6

begin
mv "$index/journal" "$index/journal.1"
runs 'a snapshot that was stopped right after its first step' 0 "$MAIL" check --quiet
"$MAIL" tag +z '*'
runs '... and then a change' 0 "$MAIL" check --quiet
: >"$index/backups/tmp-1234567890"
"$MAIL" new --quiet
is '... is made up for by new' "$(find "$index" -name 'journal.*' -o -name 'tmp-*' | wc -l)" 0
rm -rf "$index/state"
"$MAIL" check --repair --quiet
is '... and nothing is lost' "$("$MAIL" count tag:x and tag:z)" 6

begin
rm -rf "$index/text" "$index/state" "$index"/journal* "$index/backups"
mkdir -p "$index/text/tmp" "$index/state"
runs 'an index of which nothing is left' 1 "$MAIL" check
ok '... is none' grep -q 'there is no index' err
runs '... and begun anew' 0 "$MAIL" new --quiet

begin
rm "$index"/backups/*.tags
runs 'no snapshot' 1 "$MAIL" check
ok '... is named' grep -q '^backups/[0-9]*-[0-9]*\.tags: No such file' out
runs '... and made' 0 "$MAIL" check --repair --quiet
runs '... so that all is well' 0 "$MAIL" check --quiet
rm "$index"/backups/*.tags
runs 'new makes it, too' 0 "$MAIL" new --quiet
runs '... and all is well' 0 "$MAIL" check --quiet

finish
