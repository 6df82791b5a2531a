#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# takeover.t - the first import of somebody who comes from notmuch, with a notmuch that is a script.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

unset MAIL_CONFIG
mkdir fake ours none
cat >fake/notmuch <<'EOF'
#!/bin/sh
[ ! -e "$HOME/hang" ] || case $* in *dump*) exec sleep 1000 ;; esac
echo "$NOTMUCH_DATABASE: $*" >>"$HOME/asked"
case $* in
--version) echo notmuch 0.37 ;;
'--config= config get '*) echo false ;;
'--config= dump --gzip') gzip -c <"$HOME/dump" && exit "$(cat "$HOME/code")" ;;
*) exit 9 ;;
esac
EOF
chmod +x fake/notmuch
ln -s "$MAIL" ours/notmuch
with=$PWD/ours:$PWD/fake:$PATH # as after "make install-notmuch"
tools=$PWD/tools               # a $PATH without any notmuch
mkdir "$tools"
for tool in env sh cat gzip grep sed; do
    ln -s "$(command -v $tool)" "$tools/$tool"
done
nm_config () { printf '[database]\npath=%s/Mail\n[new]\ntags=new\n' "$HOME" >"$HOME/.notmuch-config"; }
anew () { rm -rf "$HOME/Mail/.mailindex" "$HOME/asked"; echo 0 >"$HOME/code"; }
tags () { "$MAIL" search --output=tags "$1" | tr '\n' ' '; }

nm_config
mkdir -p "$HOME/Mail/.notmuch/xapian"
echo untouched >"$HOME/Mail/.notmuch/xapian/iamglass"
message in/cur/1:2,S a@x one body
message in/cur/2:2, b@x two body
message in/cur/3:2, b@x two 'another body'
message in/new/4 c@x three body
message in/cur/5:2,F d@x four body
cat >"$HOME/dump" <<'EOF'
#notmuch-dump batch-tag:3 config,properties,tags
#@ query.mine tag%3akept
#@ new.tags fresh
+kept +two%20words -- id:a@x
#= a@x index.decryption=success session-key=7%3aABC
 -- id:b@x
+inbox -- id:d@x
+gone +-odd -- id:gone@x
EOF
anew
runs 'new with the configuration of notmuch' 0 env PATH="$with" "$MAIL" new
ok '... says what it does' grep -q "^mail new: '$HOME/Mail' has an index of notmuch: its tags are taken over ('$PWD/fake/notmuch dump'), and it stays as it is" err
is '... asks for a dump' "$(grep dump "$HOME/asked")" "$HOME/Mail: --config= dump --gzip"
is '... says for how many' "$(tail -1 out)" 'The tags of 3 messages were taken over from notmuch.'
is '... tags, whatever the name says' "$(tags id:a@x)" 'kept two words '
is '... none, for several files' "$(tags id:b@x)" ''
is '... and no others' "$(tags id:d@x)" 'inbox '
ok '... a line with what is not allowed is told' grep -q "starting with '-' forbidden.*(line 8)" err
is '... what notmuch does not know is new' "$(tags id:c@x)" 'new unread '
is '... properties' "$("$MAIL" count property:session-key=7:ABC)" 1
is '... but not those about the other index' "$("$MAIL" count property:index.decryption=success)" 0
is '... settings' "$("$MAIL" config get query.mine) $("$MAIL" config get new.tags)" 'tag:kept new'
ok '... the dump is kept' grep -q kept <<EOF
$(gzip -dc "$HOME/Mail/.mailindex/notmuch.dump.gz")
EOF
is '... and the other index is as it was' "$(cat "$HOME/Mail/.notmuch/xapian/iamglass")" untouched
rm "$HOME/asked"
"$MAIL" tag +mine -kept id:a@x
"$MAIL" config set --database query.mine
runs 'new again' 0 env PATH="$with" "$MAIL" new
is '... says nothing of it' "$(cat out err)" 'No new mail.'
ok '... asks nobody' test ! -e "$HOME/asked"
is '... and changes nothing' "$(tags id:a@x)$("$MAIL" config get query.mine)" 'mine two words '

# Under the name notmuch.
anew
runs 'notmuch new' 0 env PATH="$with" ours/notmuch new
ok '... finds the other notmuch' grep -q "^notmuch new: .*'$PWD/fake/notmuch dump'" err
is '... and has its tags' "$(tags id:a@x)" 'kept two words '
anew
runs 'with a configuration of its own, too' 0 env PATH="$with" MAIL_CONFIG="$HOME/.notmuch-config" ours/notmuch new --quiet
says '... quietly' "Warning: tag starting with '-' forbidden [+gone +-odd -- id:gone@x] (line 8)"
is '... and has its tags' "$(tags id:a@x)" 'kept two words '

# Who has a configuration for us is not somebody who comes from notmuch.
anew
runs 'new with a configuration of its own' 0 env PATH="$with" MAIL_CONFIG="$HOME/.notmuch-config" "$MAIL" new
ok '... asks nobody' test ! -e "$HOME/asked"
is '... and tags all' "$(tags id:a@x)" 'new '

# No configuration at all.
anew
mv "$HOME/.notmuch-config" nm
runs 'new without any' 0 env PATH="$with" "$MAIL" new
is '... takes over' "$(tags id:a@x)" 'kept two words '
is '... new.tags of the database count' "$(tags id:c@x)" 'fresh unread '
mv nm "$HOME/.notmuch-config"

# setup has the dump made.
anew
PATH=$with "$MAIL" setup --yes >out
ok 'setup takes the tags over' grep -q "^The tags of notmuch are in '$HOME/Mail/.mailindex/notmuch.dump.gz', for 'mail new'" out
rm "$HOME/asked"
runs '... for new' 0 env PATH="$with" "$MAIL" new
ok '... which asks nobody' test ! -e "$HOME/asked"
is '... and has them' "$(tags id:a@x)" 'kept two words '
PATH=$with "$MAIL" setup --yes >out
ok '... once there is an index there is no talk of it' sh -c '! grep "index of notmuch" out'
anew
rm -r "$HOME/.config"
printf '%s\n' '' '' '' '' '' '' '' no | PATH=$with "$MAIL" setup >out
is 'no, thanks' "$("$MAIL" config get new.takeover)" false
ok '... and there is no dump' test ! -e "$HOME/Mail/.mailindex"
rm -r "$HOME/.config"

# Without notmuch, and with one that fails.
anew
runs 'new where there is no notmuch' 0 env PATH="$PWD/ours:$tools" "$MAIL" new
ok '... says how to do it' grep -q "'notmuch dump >FILE', and then here 'mail restore <FILE'" err
is '... and goes on' "$("$MAIL" count '*')" 4
anew
PATH="$PWD/ours:$tools" "$MAIL" setup --yes >out 2>err
ok '... so does setup' grep -q "'notmuch dump >FILE', and then here 'mail restore <FILE'" err
rm -r "$HOME/.config"
anew
echo 3 >"$HOME/code"
runs 'a notmuch that fails' 1 env PATH="$with" "$MAIL" new
ok '... is told' grep -q "fake/notmuch dump' failed: .*3" err
ok '... and how to go on' grep -q 'set takeover=false in' err
is '... nothing is indexed' "$("$MAIL" count '*')" 0
is '... and nothing left' "$(find "$HOME/Mail/.mailindex" -name 'notmuch*')" ''
printf '[new]\ntakeover=false\n' >>"$HOME/.notmuch-config"
runs 'new.takeover=false' 0 env PATH="$with" "$MAIL" new
is '... goes on without' "$(tags id:a@x)" 'new '
nm_config

# A run that is stopped and continued; what has been changed meanwhile stays. (The names are long, so
# that what --verbose prints does not fit into the pipe.)
anew
rm -r "$HOME/Mail/in"
mkdir -p "$HOME/Mail/in/cur"
awk -v folder="$HOME/Mail/in/cur" 'BEGIN {
    for (i = 0; i < 220; i++)
        long = long "x"
    for (i = 1; i <= 3000; i++) {
        file = folder "/" i long ":2,"
        printf "From: a@x\nSubject: s%d\nMessage-ID: <m%d@x>\n\nword%d\n", i, i, i >file
        close (file)
        printf "+kept +t%d -- id:m%d@x\n", i % 7, i
    }
}' >"$HOME/dump"
stopped () # SIGNAL
{
    rm -f fifo
    mkfifo fifo
    PATH=$with env --default-signal=INT "$MAIL" new --verbose >fifo 2>err &
    pid=$!
    {
        read -r _
        read -r _
        kill "-$1" $pid
        cat >out
    } <fifo
    wait $pid || :
}
stopped INT
some=$("$MAIL" count '*')
ok "a run that is stopped ($some)" [ "$some" -lt 3000 ]
is '... has the tags of what it has' "$("$MAIL" count tag:kept)" "$some"
"$MAIL" tag +mine -kept -- '*'
sed -i 's/+kept/+kept +later/' "$HOME/dump"
runs '... and continued' 0 env PATH="$with" "$MAIL" new
is '... has all' "$("$MAIL" count '*')" 3000
is '... what was changed meanwhile stays' "$("$MAIL" count 'tag:mine and not (tag:kept or tag:later)')" "$some"
is '... the rest comes as it is by now' "$("$MAIL" count 'tag:kept and tag:later')" $((3000 - some))
is '... each with its own' "$("$MAIL" count tag:t3)" 429

# notmuch has gone between the two.
anew
stopped INT
runs 'continued without notmuch' 0 env PATH="$PWD/ours:$tools" "$MAIL" new
says '... goes on with the dump' ''
is '... and has all' "$("$MAIL" count tag:kept and tag:later)" 3000

# Killed: what was published has its tags, the rest comes later.
anew
stopped KILL
some=$("$MAIL" count '*')
is "a run that is killed ($some) has the tags of what it has" "$("$MAIL" count tag:kept)" "$some"
[ "$some" = 0 ] || "$MAIL" tag +mine -kept -- '*'
runs '... and continued' 0 env PATH="$with" "$MAIL" new
is '... has all' "$("$MAIL" count '*') $("$MAIL" count 'tag:kept or tag:mine')" '3000 3000'
is '... and each tag once' "$("$MAIL" count 'tag:kept and tag:mine')" 0

# What it has made is lost: mending that is a first import, too, and the journal knows what came after.
anew
sed -i 's/ +later//' "$HOME/dump"
stopped INT
some=$("$MAIL" count '*')
"$MAIL" tag +mine -kept -- '*'
rm -r "$HOME/Mail/.mailindex/state"
runs 'a repair before the end of the first import' 0 env PATH="$with" "$MAIL" check --repair
is '... has the tags of notmuch' "$("$MAIL" count tag:kept)" $((3000 - some))
is '... and what was changed after' "$("$MAIL" count 'tag:mine and not tag:kept')" "$some"

# What a run that was killed has left goes; whoever is locked out is not waited for without limit.
anew
cd "$HOME" || exit 1
mkdir -p Mail/.mailindex
touch "Mail/.mailindex/notmuch.dump.gz.a1b2c3" "Mail/.notmuch/xapian/flintlock" hang
printf '[database]\npath=%s/Mail\nlock_timeout=1\n' "$HOME" >"$HOME/.notmuch-config"
sleep 1000 9<Mail/.notmuch/xapian/flintlock &
holder=$!
runs 'notmuch waits for its lock' 75 env PATH="$with" "$MAIL" new
ok '... who has it is told' grep -q "has done nothing for 1 s: process $holder has the database of notmuch locked" err
is '... nothing was indexed' "$("$MAIL" count '*')" 0
kill $holder
rm hang
runs 'and then' 0 env PATH="$with" "$MAIL" new
is '... nothing is left of runs that were killed' "$(echo Mail/.mailindex/notmuch.dump.gz*)" Mail/.mailindex/notmuch.dump.gz

finish
