#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# new-signals.t - a run that is interrupted keeps what it has done, and the next one does the rest.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
# The names are long, so that what --verbose prints does not fit into the pipe and the buffer: with
# nobody reading the run cannot come to its end.
mkdir -p "$HOME/Mail/in/cur"
awk -v folder="$HOME/Mail/in/cur" 'BEGIN {
    for (i = 0; i < 220; i++)
        long = long "x"
    for (i = 1; i <= 3000; i++) {
        file = folder "/" i long ":2,"
        printf "From: a@x\nSubject: subject %d\nMessage-ID: <m%d@x>\n\nword%d\n", i, i, i >file
        close (file)
    }
}'

for signal in INT TERM; do
    rm -rf "$HOME/Mail/.mailindex"
    # --verbose tells when the work has begun. (A shell starts what is in the background with INT
    # ignored: env sets it right.)
    mkfifo "fifo-$signal"
    env --default-signal=INT "$MAIL" new --verbose >"fifo-$signal" 2>err &
    pid=$!
    {
        read -r _
        read -r _
        kill -$signal $pid
        cat >out
    } <"fifo-$signal"
    code=0
    wait $pid || code=$?
    is "$signal: exit code" "$code" 1
    says "$signal: says so" 'Stopping...'
    ok "$signal: prints what was done" grep -Eq '^(Added [0-9]+ new messages|No new mail)' out
    done_by_then=$("$MAIL" count '*')
    ok "$signal: not all was done ($done_by_then)" [ "$done_by_then" -lt 3000 ]
    runs "$signal: the next run" 0 "$MAIL" new --quiet
    is "$signal: does the rest" "$("$MAIL" count tag:inbox and tag:unread)" 3000
done

finish
