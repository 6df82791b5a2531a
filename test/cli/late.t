#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# late.t - libraries that take long to load are loaded by what needs them only (lib/late.c).
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

gmime=$(sed -n "s/^LATE_FLAGS =.*-DLATE_GMIME='\"\([^\"]*\)\"'.*/\1/p" "${TOP:?run it with test/run}/config.mk")
if [ -z "$gmime" ] || readelf -d "$(dirname "$MAIL")/libmailindex.so.0" 2>&1 | grep -q gmime; then
    echo '1..0 # SKIP libraries are not loaded late here'
    exit 0
fi

# loaded COMMAND...: the libraries that it loads, of those that can wait.
loaded ()
{
    set +f
    LD_DEBUG=files LD_DEBUG_OUTPUT=$HOME/loaded "$@" >out 2>err
    cat "$HOME"/loaded.* 2>/dev/null | sed -n 's/.*calling init: .*\/\(libgmime\|libgobject\|libxml2\|libuchardet\|libsexp\|libicuuc\)[-.].*/\1/p' |
        sort -u | tr '\n' ' '
    rm -f "$HOME"/loaded.*
}

configure
message in/cur/1:2,S a@x one body
from='=?utf-8?q?J=C3=B6rg?= M <jm@example.org>'
message in/cur/2:2,S b@x 'é =?utf-8?q?caf=C3=A9?=' 'Ünd'
run "$MAIL" new
for command in 'count *' 'search *' 'search --output=files body' 'count from:/a/' 'address --output=sender *' \
    'tag +x *' 'dump' 'config list' 'new' '--version'; do
    set -f
    # shellcheck disable=SC2086
    is "mail $command" "$(loaded "$MAIL" $command)" ''
    set +f
done
ok 'what is asked about can be seen' [ "$("$MAIL" count tag:x)" = 2 ]
loaded "$MAIL" show '*' >libraries
ok 'mail show loads GMime' grep -q libgmime libraries

message in/cur/3:2,S c@x three body
echo 'no library' >"$gmime"
run env LD_LIBRARY_PATH="$PWD" "$MAIL" show '*'
ok 'where GMime is no library, show fails' [ "$code" -ne 0 ]
ok '... the error names it' grep -q "$gmime" err
runs '... and what does without it works' 0 env LD_LIBRARY_PATH="$PWD" "$MAIL" count '*'

rm "$gmime"

finish
