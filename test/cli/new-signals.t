#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# new-signals.t - a run that is interrupted keeps what it has done, and the next one does the rest.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
n=1
while [ $n -le 1500 ]; do
    message "in/cur/$n:2," "m$n@x" "subject $n" "word$n $(printf 'filler%s ' 1 2 3 4 5 6 7 8 9)"
    n=$((n + 1))
done

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
    ok "$signal: not all was done ($done_by_then)" [ "$done_by_then" -lt 1500 ]
    runs "$signal: the next run" 0 "$MAIL" new --quiet
    is "$signal: does the rest" "$("$MAIL" count tag:inbox and tag:unread)" 1500
done

finish
