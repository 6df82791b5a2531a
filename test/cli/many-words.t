#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# many-words.t - a mail of very many different words, after small ones in the same block.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
i=0
while [ $i -lt 12 ]; do
    message "s$i" "s$i@x" s "hi number$i"
    i=$((i + 1))
done
{
    printf 'From: a@x\nSubject: large\nMessage-ID: <large@x>\n\n'
    seq -f 'w%.0f' 900000
} >"$HOME/Mail/z"
runs 'new' 0 "$MAIL" new --quiet
is 'all are there' "$("$MAIL" count '*')" 13
is 'the first of its words' "$("$MAIL" count w120000)" 1
is '... as a phrase' "$("$MAIL" count '"w5 w6"')" 1
is 'and a small one' "$("$MAIL" count number7)" 1

finish
