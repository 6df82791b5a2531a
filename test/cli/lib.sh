# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
#
# lib.sh - TAP from shell, for the tests of the command line. Sourced; a test ends with finish.
#
# The program is $MAIL, HOME is empty at the start. MAIL_TEST_UPDATE=1 writes the files in expected/
# anew from what the program says: look at the difference before you commit it.

: "${MAIL:?the program under test}"
EXPECTED=$(cd "$(dirname "$0")" && pwd)/expected
CONFIG=$HOME/config
MAIL_CONFIG=$CONFIG
export MAIL_CONFIG
tests=0
failures=0

# ok LABEL COMMAND...: the command succeeds.
ok ()
{
    label=$1
    shift
    tests=$((tests + 1))
    if "$@" >ok.out 2>&1; then
        echo "ok $tests - $label"
    else
        failures=$((failures + 1))
        echo "not ok $tests - $label"
        sed 's/^/# /' ok.out
    fi
}

# is LABEL GOT WANTED
is ()
{
    tests=$((tests + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $tests - $1"
    else
        failures=$((failures + 1))
        echo "not ok $tests - $1"
        printf '%s\n' "got: $2" "wanted: $3" | sed 's/^/# /'
    fi
}

# run COMMAND...: leaves stdout in out, stderr in err, and the exit code in $code.
run ()
{
    code=0
    "$@" >out 2>err || code=$?
}

# runs LABEL CODE COMMAND...: run, and the exit code is right. ("is" with stderr if it is not.)
runs ()
{
    label=$1 wanted=$2
    shift 2
    run "$@"
    [ "$code" = "$wanted" ] || sed 's/^/# stderr: /' err
    is "$label" "$code" "$wanted"
}

# says LABEL TEXT: stderr is TEXT.
says ()
{
    is "$1" "$(cat err)" "$2"
}

# Names of this run become the same in every run: HOME, thread ids in the order in which they
# come, UUIDs, form feeds (as @).
normal ()
{
    sed -e "s|$HOME|HOME|g" -e 's/[0-9a-f]\{8\}-[0-9a-f-]\{27\}/UUID/g' | tr '\f' '@' | awk '{
        line = ""
        while (match ($0, /(thread:|"thread": "|:thread "|^\["|^\("|^")[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]/)) {
            id = substr ($0, RSTART + RLENGTH - 16, 16)
            if (! (id in number))
                number[id] = ++last
            line = line substr ($0, 1, RSTART + RLENGTH - 17) "T" number[id]
            $0 = substr ($0, RSTART + RLENGTH)
        }
        print line $0
    }'
}

# compare LABEL NAME [FILE]: FILE (default: out), made normal, is expected/NAME.
compare ()
{
    normal <"${3:-out}" >normal.out
    [ -z "${MAIL_TEST_UPDATE:-}" ] || cp normal.out "$EXPECTED/$2"
    ok "$1" diff -u "$EXPECTED/$2" normal.out
}

# configure [LINE...]: a configuration for the mail in ~/Mail. Of several lines for a key the last
# counts; new.tags is set so that old mail gets them, too.
configure ()
{
    mkdir -p "$HOME/Mail"
    {
        printf '[database]\npath=%s/Mail\n[new]\ntags=unread;inbox\n' "$HOME"
        printf '[user]\nname=Test\nprimary_email=test@example.org\n'
        for line; do
            printf '%s\n' "$line"
        done
    } >"$CONFIG"
}

# message FILE ID SUBJECT BODY [HEADER-LINE...]: a mail in ~/Mail/FILE, from $from on $date.
from='Ann Example <ann@example.org>'
date='Tue, 05 Mar 2024 10:20:30 +0000'
message ()
{
    file=$HOME/Mail/$1 id=$2 subject=$3 body=$4
    shift 4
    mkdir -p "${file%/*}"
    [ -e "$file" ] || take_spare "$file"
    {
        printf 'From: %s\nTo: Bob Example <bob@example.net>\n' "$from"
        printf 'Subject: %s\nDate: %s\nMessage-ID: <%s>\n' "$subject" "$date" "$id"
        for line; do
            printf '%s\n' "$line"
        done
        printf '\n%s\n' "$body"
    } >"$file"
}

# New files of a folder are indexed in the order of their inodes, and an inode that has become free is
# used again. So that messages come in the order in which a test writes them, their files are made in
# advance and given out in that order.
SPARE=$HOME/spare
spare=0
take_spare ()
{
    [ -d "$SPARE" ] ||
        (mkdir "$SPARE" && cd "$SPARE" && seq 300 | xargs touch && stat -c '%i %n' -- * | sort -n | cut -d' ' -f2 >../spare.list)
    spare=$((spare + 1))
    [ $spare -gt 300 ] || mv "$SPARE/$(sed -n ${spare}p "$SPARE.list")" "$1"
}

finish ()
{
    echo "1..$tests"
    [ $failures -eq 0 ]
    exit
}
