#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# fuzz.t - the programs of test/fuzz over the inputs that were found with them, and some made of pieces.
# (make fuzz is for finding more.)
top=$(cd "$(dirname "$0")/../.." && pwd)
tests=0
failures=0

check ()
{
    label=$1
    shift
    tests=$((tests + 1))
    if "$@" >log 2>&1; then
        echo "ok $tests - $label"
    else
        failures=$((failures + 1))
        echo "not ok $tests - $label"
        tail -n 40 log | sed 's/^/# /'
    fi
}

for source in "$top"/test/fuzz/fuzz-*.c; do
    name=$(basename "$source" .c)
    check "$name: inputs found" "$BUILD/test/fuzz/$name" "$top/test/fuzz/$name.corpus"
    check "$name: inputs made" "$BUILD/test/fuzz/$name" 5000
done
echo "1..$tests"
[ $failures -eq 0 ]
