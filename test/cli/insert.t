#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# insert.t - delivery.
# shellcheck disable=SC2016 # commands for sh -c
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
mkdir -p "$HOME/Mail/in/cur" "$HOME/Mail/in/new" "$HOME/Mail/in/tmp"
mkdir -p "$HOME/Mail/cur" "$HOME/Mail/new" "$HOME/Mail/tmp"
"$MAIL" new --quiet

# mail ID: a mail on stdout.
mail ()
{
    printf 'From: a@b\nSubject: s %s\nMessage-ID: <%s>\nDate: Tue, 05 Mar 2024 10:20:30 +0000\n\nbody\n' "$1" "$1"
}
# insert CODE LABEL ID OPTION...
insert ()
{
    wanted=$1 label=$2 id=$3
    shift 3
    mail "$id" >one
    run "$MAIL" insert "$@" <one
    [ "$code" = "$wanted" ] || sed 's/^/# stderr: /' err
    is "$label" "$code" "$wanted"
}
tags () { "$MAIL" search --exclude=false --output=tags "id:$1" | tr '\n' ' '; }
file () { "$MAIL" search --output=files "id:$1" | sed -e "s|$HOME/Mail/||" -e 's|[0-9]*\.M[0-9]*P[0-9]*\.[^:]*|NAME|'; }
left () { (cd "$HOME/Mail" && find . -path '*/tmp/*' -type f ! -path '*/.mailindex/*' | wc -l); }
all () { find "$HOME/Mail" -type f ! -path '*/.mailindex/*' | wc -l; }

insert 0 'insert' a@x
is '... quietly' "$(cat out err)" ''
is '... into new of the mail folder' "$(file a@x)" 'new/NAME'
is '... with the tags of new mail' "$(tags a@x)" 'inbox unread '
ok '... as it was' sh -c 'cmp one "$("$MAIL" search --output=files id:a@x)"'
is '... for its owner' "$(stat -c %a "$("$MAIL" search --output=files id:a@x)")" 600
is '... nothing is left in tmp' "$(left)" 0
is '... and is found' "$("$MAIL" count subject:a)" 1
insert 0 'a folder' b@x --folder=in +work -inbox
is '... and tags' "$(file b@x) $(tags b@x)" 'in/new/NAME unread work '
insert 0 'read and flagged' c@x --folder=in -unread +flagged
is '... in its name' "$(file c@x) $(tags c@x)" 'in/cur/NAME:2,FS flagged inbox '
insert 0 'after --' d@x -- +x
is '... there are tags' "$(tags d@x)" 'inbox unread x '
is 'the scan has nothing to do' "$("$MAIL" new | grep -v '^Processed')" 'No new mail.'
insert 0 'a known message' a@x --folder=in +not -unread
is '... keeps its tags' "$(tags a@x)" 'inbox unread '
is '... and has two files' "$("$MAIL" search --output=files id:a@x | wc -l)" 2

insert 1 'a folder that is not there' e@x --folder=none/at/all
ok '... is an error' grep -q "^Error: open '$HOME/Mail/none/at/all/tmp/.*': No such file or directory" err
insert 0 '--create-folder' e@x --folder=none/at/all --create-folder
is '... makes it' "$(file e@x) $(cd "$HOME/Mail/none/at/all" && echo *)" 'none/at/all/new/NAME cur new tmp'
is '... for its owner' "$(stat -c %a "$HOME/Mail/none" "$HOME/Mail/none/at/all/cur" | tr '\n' ' ')" '700 700 '
insert 0 '... or for all' f@x --folder=world --create-folder --world-readable
is '... makes it' "$(stat -c %a "$HOME/Mail/world/new" "$("$MAIL" search --output=files id:f@x)" | tr '\n' ' ')" '755 644 '
(umask 027; mail g@x | "$MAIL" insert --world-readable)
is '... as far as the umask goes' "$(stat -c %a "$("$MAIL" search --output=files id:g@x)")" 640
for folder in ../out in/../in ..; do
    insert 1 "the folder $folder" h@x "--folder=$folder"
    says '... is no folder' "Error: invalid folder name: '$folder'"
done
insert 0 'odd slashes' h@x --folder=/in//./
is '... do not matter' "$(file h@x)" 'in/new/NAME'
insert 0 'the empty folder' i@x --folder=
is '... is the mail folder' "$(file i@x)" 'new/NAME'

before=$(all)
insert 1 'a bad tag' j@x + ; says '... is refused' 'Error: empty tag forbidden'
insert 1 'a tag like an option' j@x +-x
insert 1 'a word' j@x +x word
says '... is refused' 'Error: unexpected query string: word'
runs 'nothing' 1 "$MAIL" insert </dev/null
says '... is told' 'Error: there is no mail: the input is empty'
echo 'no mail at all' >one
runs 'what is no mail' 1 "$MAIL" insert <one
ok '... is told' grep -q "^Error: delivery of non-mail file: '$HOME/Mail/new/" err
is '... nothing of it is left' "$(all) $(left)" "$before 0"
runs 'what is no mail, --keep' 0 "$MAIL" insert --keep <one
is '... is kept' "$(all)" $((before + 1))
printf 'From a@b Tue Mar  5 10:20:30 2024\nFrom: a@b\nSubject: s\nMessage-ID: <k@x>\n\nbody\n' >one
runs 'a line of an mbox' 0 "$MAIL" insert <one
is '... becomes a header' "$(head -1 "$("$MAIL" search --output=files id:k@x)")" 'X-Envelope-From: a@b Tue Mar  5 10:20:30 2024'
for value in true nostash auto false; do
    insert 0 "--decrypt=$value" "l$value@x" "--decrypt=$value"
done
insert 1 '--decrypt alone' m@x --decrypt
head -c 3000000 /dev/zero | tr '\0' 'x' | fold -w 70 >long
mail n@x >one
cat long >>one
runs 'three megabytes' 0 "$MAIL" insert <one
ok '... arrive' sh -c 'cmp one "$("$MAIL" search --output=files id:n@x)"'
runs 'in pieces' 0 sh -c '{ printf F; sleep 0.2; printf "rom: a@b\nMessage-ID: <o@x>\n\n"; sleep 0.2; echo x; } | "$MAIL" insert'
is '... arrives' "$("$MAIL" count id:o@x)" 1

# A lock that somebody holds.
configure '[database]' 'lock_timeout=0'
"$MAIL" config list >/dev/null
before=$(all)
flock --version >/dev/null 2>&1 && {
    mail p@x >one
    run python3 - "$HOME/Mail/.mailindex" "$MAIL" <<'PY'
import fcntl, struct, subprocess, sys
lock = open(sys.argv[1] + '/lock', 'r+')
fcntl.fcntl(lock, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
for options, code in (([], 75), (['--keep'], 0)):
    done = subprocess.run([sys.argv[2], 'insert'] + options, stdin=open('one'), stderr=subprocess.PIPE)
    if done.returncode != code:
        sys.exit('exits %d instead of %d: %s' % (done.returncode, code, done.stderr))
PY
    is 'who waits in vain tries again, or keeps the mail' "$code$(cat err)" 0
    is '... which is there once' "$(all)" $((before + 1))
}
configure
"$MAIL" new --quiet
is '... and found by new' "$("$MAIL" count id:p@x)" 1

# The hook.
mkdir -p "$HOME/Mail/.mailindex/hooks"
printf '#!/bin/sh\n"%s" tag +hooked id:q@x id:r@x or id:q@x\nexit 3\n' "$MAIL" >"$HOME/Mail/.mailindex/hooks/post-insert"
chmod +x "$HOME/Mail/.mailindex/hooks/post-insert"
insert 0 'post-insert' q@x
says '... what it says is told and does not count' 'Error: post-insert hook failed with status 3'
is '... it can change the index' "$(tags q@x)" 'hooked inbox unread '
insert 0 '--no-hooks' r@x --no-hooks
is '... runs none' "$(tags r@x)" 'inbox unread '
rm "$HOME/Mail/.mailindex/hooks/post-insert"

# Many at once, and while new runs.
for i in 1 2 3 4 5 6 7 8; do
    mail "many$i@x" | "$MAIL" insert --folder=in +many &
done
"$MAIL" new --quiet
wait
is 'eight at once' "$("$MAIL" count tag:many)" 8
is 'the scan has nothing to do' "$("$MAIL" new | grep -v '^Processed')" 'No new mail.'

# An index that is damaged, or being repaired: the mail server keeps the mail.
index=$HOME/Mail/.mailindex
before=$(all)
mv "$index/state" state
insert 75 'state is missing' damaged@x
is '... delivers nothing' "$(all) $(left)" "$before 0"
mv state "$index/state"
cp "$index/state/iamglass" iamglass
printf XXXX >"$index/state/iamglass"
insert 75 'state is damaged' damaged@x
is '... delivers nothing' "$(all) $(left)" "$before 0"
cp iamglass "$index/state/iamglass"

# until COMMAND...: waits until it succeeds.
until_so ()
{
    tries=0
    until "$@" >until.out 2>&1 || [ "$tries" -gt 600 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
mkfifo late
"$MAIL" insert <late 2>late.err &
pid=$!
exec 3>late
until_so sh -c 'ls "$HOME"/Mail/tmp/*' # it has opened the index
mv "$index/state" state
mail damaged@x >&3
exec 3>&-
code=0; wait $pid || code=$?
is 'state goes while the mail comes' "$code $(all) $(left)" "75 $before 0"
mv state "$index/state"
"$MAIL" new --quiet
is '... nothing of it is in the index' "$("$MAIL" count id:damaged@x)" 0

rm -rf "$index/state"
configure '[new]' 'memory=odd'
runs 'a repair that stops' 1 "$MAIL" check --repair --quiet
configure
insert 75 'a repair is not finished' damaged@x
ok '... is told' grep -q 'repair' err
is '... delivers nothing' "$(all) $(left)" "$before 0"
insert 0 '... and --keep keeps it' kept@x --keep
runs 'the repair goes on' 0 "$MAIL" check --repair --quiet
insert 0 '... and then it is delivered' damaged@x
is '... once' "$("$MAIL" search --output=files id:damaged@x | wc -l) $("$MAIL" count id:kept@x)" '1 1'

rm -rf "$HOME/Mail/.mailindex"
insert 1 'no index' s@x
is '... delivers nothing' "$(left)" 0
insert 0 'no index, --keep' s@x --keep

finish
