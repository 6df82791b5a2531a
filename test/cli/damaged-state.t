#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# damaged-state.t - a state that lacks a file is damage, never an empty index: tags are in it.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
for i in 1 2 3; do
    message "$i" "m$i@x" s hello
done
"$MAIL" new --quiet
"$MAIL" tag +keep '*'
state=$HOME/Mail/.mailindex/state
for file in iamglass postlist.glass docdata.glass termlist.glass; do
    mv "$state/$file" aside
    runs "without $file: new" 1 "$MAIL" new
    ok '... says so' grep -q 'damaged\|cannot open\|no index' err
    mv aside "$state/$file"
    is '... and has spoilt nothing' "$("$MAIL" count tag:keep)" 3
done

# A creation that could not finish (a full disk) is no damage: nothing is in it yet.
rm -r "$HOME/Mail/.mailindex"
mkdir -p "$state"
touch "$state/docdata.glass" "$state/postlist.glass" "$state/termlist.glass" "$state/flintlock"
printf 'x' >"$state/v.tmp"
runs 'an unfinished creation: new begins anew' 0 "$MAIL" new --quiet
is '... and indexes' "$("$MAIL" count)" 3

finish
