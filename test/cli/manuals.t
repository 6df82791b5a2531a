#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# manuals.t - the manual pages name each command, each option and each of its words, and are clean.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

MANPATH=$HOME/no-manuals
export MANPATH


# has PAGE: each option that help tells of is in the page, and each word it can have.
has ()
{
    missing=
    # shellcheck disable=SC2013 # words are what is wanted
    for option in $(sed -n 's/^  --\(\[no-\]\)\?\([a-z-]*\).*/\2/p' out); do
        grep -q "Fl Fl \(no-\)\?$option\>" "$1" || missing="$missing $option"
    done
    for word in $(sed -n 's/^  --[a-z-]*=\([a-z|0-9-]*\).*/\1/p' out | tr '|' ' '); do
        grep -q "Cm $word\>" "$1" || missing="$missing $word"
    done
    echo "$missing"
}

for command in new search show count tag config; do
    page=$TOP/doc/man1/mail-$command.1
    "$MAIL" help $command | sed '/^Options of every command/,$d' >out
    is "mail-$command(1) has all options" "$(has "$page")" ''
    ok "mail(1) names $command" grep -q "^\.Xr mail-$command 1" "$TOP/doc/man1/mail.1"
done
"$MAIL" help | sed -n '/^Options of every command/,$p' >out
is 'mail(1) has the options of every command' "$(has "$TOP/doc/man1/mail.1")" ''
"$MAIL" --config= config list | sed '/^built_with/d; s/=.*//' >keys
is 'mail-config(5) has all keys' "$(while read -r key; do
    grep -q "^\.It Cm .*$key" "$TOP/doc/man5/mail-config.5" || echo "$key"
done <keys)" ''
# Examples of queries.
configure
"$MAIL" new --quiet
"$MAIL" config set squery.By '(macro (who) (and (from ,who) (tag inbox)))'
sed -n 's/^\.It Ql \((.*)\)$/\1/p' "$TOP/doc/man7/mail-sexp-queries.7" | sed 's/\\(dq/"/g' >queries
echo '(By alice)' >>queries
ok 'mail-sexp-queries(7) has examples' test "$(wc -l <queries)" -ge 6
is '... that can be asked' "$(while read -r query; do
    "$MAIL" count --query=sexp "$query" >/dev/null 2>&1 || echo "$query"
done <queries)" ''
if command -v mandoc >/dev/null; then
    for page in "$TOP"/doc/man[1-9]/*.[1-9]; do
        mandoc -Tlint "$page" | grep -v 'referenced manual not found' >lint
        is "${page##*/} is clean" "$(cat lint)" ''
    done
fi

finish
