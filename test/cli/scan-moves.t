#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# scan-moves.t - files and folders renamed, passed on, hidden and put behind links: tags follow.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# where ID: the files of the message, below ~/Mail.
where ()
{
    "$MAIL" search --output=files "id:$1" | sed "s|$HOME/Mail/||"
}

# new: times have settled, and new finds what there is.
new ()
{
    sleep 0.05
    run "$MAIL" new
}

configure
for i in 1 2 3 4 5 6; do
    message mh/$i m$i@x "number $i" "body $i"
done
new
for i in 1 2 3 4 5 6; do
    "$MAIL" tag +tag$i -inbox id:m$i@x
done

# tags_kept LABEL: every message still has its tag, and no file is two messages'.
tags_kept ()
{
    is "$1" "$(for i in 1 2 3 4 5 6; do "$MAIL" count id:m$i@x and tag:tag$i and not tag:inbox; done |
        tr -d '\n')" "${2:-111111}"
}

# file_is ID FILE: what the index has for the message is that, and it is its file.
file_is ()
{
    is "... $1 is $2" "$(where "$1")" "$2"
    ok '... which is right' grep -qF "<$1>" "$HOME/Mail/$2"
}

cd "$HOME/Mail/mh" || exit 1
mv 1 t && mv 3 1 && mv 2 3 && mv t 2
cd - >/dev/null || exit 1
new
tags_kept 'an MH folder sorted'
is '... nothing was read' "$(cat out)" 'No new mail. Detected 3 file renames.'
file_is m1@x mh/2
file_is m2@x mh/3
file_is m3@x mh/1

cd "$HOME/Mail/mh" || exit 1
rm 2 && mv 3 2 && mv 4 3 && mv 5 4 && mv 6 5
cd - >/dev/null || exit 1
message mh/6 m7@x 'number 7' 'body 7'
new
tags_kept 'a message removed, the folder packed, another delivered' 011111
file_is m2@x mh/2
file_is m6@x mh/5
file_is m7@x mh/6
new
is '... and then nothing' "$(cat out)" 'No new mail.'

# Drafts are written beside the old one and renamed over it.
message mh/draft m6@x 'number 6' 'body draftword'
mv "$HOME/Mail/mh/draft" "$HOME/Mail/mh/5"
new
is 'a draft saved again' "$("$MAIL" count draftword)" 1
tags_kept '... with its tags' 011111

mv "$HOME/Mail/mh" "$HOME/Mail/other"
new
is 'a folder renamed' "$(cat out)" 'No new mail.'
file_is m2@x other/2
mkdir -p "$HOME/Mail/deep/er"
mv "$HOME/Mail/other/2" "$HOME/Mail/deep/er/x"
mv "$HOME/Mail/other" "$HOME/Mail/deep/mh"
new
is 'files and folders moved into new ones' "$(cat out)" 'No new mail. Detected 6 file renames.'
file_is m2@x deep/er/x
file_is m3@x deep/mh/1
tags_kept '... with their tags' 011111

# A copy with whole seconds, as tar and rsync make them, under another name.
touch -d '2024-01-01 00:00:00' "$HOME/Mail/deep/er/x"
new
run "$MAIL" new --full-scan
mv "$HOME/Mail/deep/er/x" "$HOME/Mail/deep/er/y"
new
is 'a file renamed, with a time of whole seconds' "$(sed '1d' out)" \
    'No new mail. Detected 1 file rename.'
file_is m2@x deep/er/y
tags_kept '... with its tags' 011111

mkdir "$HOME/out"
mv "$HOME/Mail/deep" "$HOME/out/deep"
ln -s ../out/deep "$HOME/Mail/linked"
new
tags_kept 'a folder moved out, a link in its place' 011111
file_is m2@x linked/er/y
mv "$HOME/out/deep" "$HOME/out/away"
run "$MAIL" new
is 'the link leads nowhere' "$(cat err)" "$HOME/Mail/linked: dangling-link (No such file or directory)
1 file could not be indexed; see 'mail new --problems'"
tags_kept '... what lay there is kept' 011111
mv "$HOME/out/away" "$HOME/out/deep"
new
tags_kept '... and there again' 011111
is '... quietly' "$(cat err)" ''

configure '[new]' 'ignore=er;/mh\/[15]$/'
message linked/mh/9 m9@x 'number 9' 'body 9'
message linked/er/9 m10@x 'number 10' 'body 10'
new
is 'what is ignored is not looked for' "$("$MAIL" count id:m9@x)$("$MAIL" count id:m10@x)" 10
is '... and goes where its folder is listed' "$("$MAIL" count id:m3@x)$("$MAIL" count id:m6@x)" 00
configure '[new]' 'ignore=/mh'
runs 'a pattern without end' 1 "$MAIL" new
ok '... is an error' grep -qF "Malformed pattern '/mh' in new.ignore" err
finish
