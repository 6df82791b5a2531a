#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# user-prefixes.t - index.header.NAME and index.stemmer: from the configuration to what is found, and
# what becomes of the index when they change.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

finds ()
{
    is "$1 $2" "$("$MAIL" search --output=messages "$@" 2>&1 | sort | tr '\n' ' ')" "$wanted"
}

# shows WANTED QUERY...
shows ()
{
    wanted=$1
    shift
    finds "$@"
}

configure '[index]' 'header.XLabel=X-Label' 'header.Via_2=received' 'header.Empty=' \
    'header.lower=X-Label' 'header.A-B=X-Label'
message in/cur/1:2, a@x one plain 'X-Label: red, =?utf-8?q?gr=C3=BCn?=' 'Received: from mx.example.org' \
    'Received: by relay.example.net; running late'
message in/cur/2:2, b@x two red 'X-Label: reddish things'
message in/cur/3:2, c@x XLabel plain
runs 'new' 0 "$MAIL" new --quiet
is '... names that are not allowed are told' "$(sed 's/^mail new: //' err)" \
    "warning: index.header.A-B is passed over: names are made of letters, digits and \"_\"
warning: index.header.lower is passed over: names that begin with a small letter are reserved"

shows 'id:a@x ' XLabel:red
shows 'id:a@x ' XLabel:grün
shows 'id:a@x ' XLabel:grun
shows 'id:b@x ' XLabel:thing
shows '' 'XLabel:"thing"'
shows 'id:b@x ' 'XLabel:"reddish things"'
shows 'id:a@x id:b@x ' 'XLabel:red*'
shows 'id:b@x ' 'XLabel:*ish'
shows 'id:b@x ' 'XLabel:(reddish and thing)'
shows '' 'XLabel:red XLabel:reddish'
shows 'id:c@x ' 'XLabel:""'
shows 'id:a@x id:b@x ' 'XLabel:*'
shows 'id:a@x ' Via_2:mx.example.org
shows 'id:a@x ' 'Via_2:example.net'
shows 'id:a@x ' 'Via_2:run'
shows '' 'subject:red'
# a word by itself is looked for there too, and the name is a word beside other things
shows 'id:a@x id:b@x ' red
shows 'id:b@x ' '*ddish'
shows 'id:a@x ' 'late running'
shows 'id:c@x ' 'xlabel'
shows 'id:a@x ' --query=sexp '(XLabel red)'
shows 'id:a@x id:b@x ' --query=sexp '(XLabel (starts-with red))'
shows 'id:a@x id:b@x ' --query=sexp '(XLabel *)'
shows 'id:b@x id:c@x ' --query=sexp '(not (XLabel "red"))'
runs 'a regular expression in it' 2 "$MAIL" count --query=sexp '(XLabel (rx red))'
runs 'of in it' 2 "$MAIL" count --query=sexp '(XLabel (of red))'
ok '... is told with its name' grep -q '"of" cannot stand in "XLabel"' err
runs 'nothing behind it' 2 "$MAIL" count 'foo XLabel:'
is '... is marked' "$(sed -n 3p err)" '      ^^^^^^^'

# Settings that change concern what is indexed from then on.
configure '[index]' 'header.XLabel=X-Label' 'header.Flavour=X-Flavour'
message in/cur/4:2, d@x four plain 'X-Label: red' 'X-Flavour: sweet' 'Received: by relay.example.net'
"$MAIL" new --quiet
shows 'id:a@x id:d@x ' XLabel:red
shows 'id:d@x ' Flavour:sweet
shows '' 'Via_2:relay' # no prefix any more: the phrase
configure '[index]' 'header.XLabel=X-Label' 'header.Via_2=received'
shows 'id:a@x ' Via_2:relay
configure '[index]' 'header.XLabel=X-Flavour'
shows 'id:a@x id:d@x ' XLabel:red
shows '' XLabel:sweet
mkdir "$HOME/away"
mv "$HOME/Mail/in/cur/4:2," "$HOME/away"
"$MAIL" new --quiet
printf 'more\n' >>"$HOME/away/4:2,"
mv "$HOME/away/4:2," "$HOME/Mail/in/cur/5:2,"
"$MAIL" new --quiet
shows 'id:d@x ' XLabel:sweet
shows 'id:a@x ' XLabel:red
runs 'all anew' 0 "$MAIL" reindex '*'
shows '' XLabel:red
shows 'id:d@x ' XLabel:sweet
configure '[index]' 'header.XLabel=X-Label'
runs 'and back' 0 "$MAIL" reindex '*'
shows 'id:a@x id:d@x ' XLabel:red
configure
"$MAIL" new --quiet
shows 'id:b@x ' red
runs 'a name that is no prefix' 0 "$MAIL" count Flavour:sweet

# Stems.
rm -r "$HOME/Mail/.mailindex"
configure '[index]' 'stemmer=german'
message in/cur/6:2, e@x six 'zwei Häuser, running'
"$MAIL" new --quiet
shows 'id:e@x ' haus
shows '' run
configure '[index]' 'stemmer=none'
shows '' hause
shows 'id:e@x ' running
configure
shows 'id:e@x ' häuser
runs 'all anew' 0 "$MAIL" reindex '*'
shows 'id:e@x ' run
shows '' haus
configure '[index]' 'stemmer=klingon'
runs 'an unknown stemmer' 1 "$MAIL" count '*'
says '... is named' "mail count: there is no stemmer 'klingon'"
runs 'an unknown stemmer' 1 "$MAIL" new

many=$(seq 60 | sed 's/.*/header.N&=X-&/')
configure '[index]' "$many"
runs 'too many prefixes' 1 "$MAIL" count '*'
says '... are told' 'mail count: there are more than 54 prefixes for header fields'
configure '[index]' "$(seq 54 | sed 's/.*/header.N&=X-&/')"
message in/cur/7:2, f@x seven plain 'X-54: last' 'X-1: first'
"$MAIL" new --quiet
shows 'id:f@x ' N54:last
shows 'id:f@x ' N1:first N54:*
shows '' N53:last

finish
