#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# hooks.t - programs of the user's before and after new, and external commands.
# shellcheck disable=SC2016 # commands for sh -c
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"

configure
message in/cur/1:2, a@x one body
hooks=$HOME/Mail/.mailindex/hooks
# hook NAME TEXT
hook ()
{
    mkdir -p "$hooks"
    printf '#!/bin/sh\n%s\n' "$2" >"$hooks/$1"
    chmod +x "$hooks/$1"
}

mkdir -p "$hooks"
hook pre-new "mkdir -p '$HOME/Mail/in/cur'; cat >'$HOME/Mail/in/cur/2:2,' <<END
From: a@b
Message-ID: <b@x>

two
END"
hook post-new "\"$MAIL\" tag +seen-by-hook '*'; \"$MAIL\" count '*'; echo \"\$MAIL_CONFIG\"; pwd"
runs 'new with hooks' 0 "$MAIL" new
is 'pre-new comes before the scan' "$(grep Added out)" 'Added 2 new messages to the database.'
is 'post-new reads and writes the index, prints to our stdout' "$(tail -n 3 out)" "2
$CONFIG
$PWD"
is '... its tags are there' "$("$MAIL" count tag:seen-by-hook)" 2
"$MAIL" tag -seen-by-hook '*'
runs '--no-hooks' 0 "$MAIL" new --no-hooks
is '... runs none' "$("$MAIL" count tag:seen-by-hook)" 0
hook post-new "echo \"\$MAIL_CONFIG\""
is '--config goes to hooks' "$(cp "$CONFIG" other; "$MAIL" --config="$PWD/other" new --quiet)" "$PWD/other"

message in/cur/3:2, c@x three body
hook pre-new 'exit 3'
runs 'pre-new that fails' 1 "$MAIL" new
says '... is told' 'Error: pre-new hook failed with status 3'
is '... and ends the run' "$("$MAIL" count '*')" 2
# shellcheck disable=SC2016
hook pre-new 'kill -9 $$'
runs 'pre-new that is killed' 1 "$MAIL" new
says '... is told' 'Error: pre-new hook terminated with signal 9'
rm "$hooks/pre-new"
hook post-new 'exit 4'
runs 'post-new that fails' 1 "$MAIL" new
says '... is told' 'Error: post-new hook failed with status 4'
is '... after the work' "$("$MAIL" count '*')" 3
if [ "$(id -u)" = 0 ]; then
    mkdir "$hooks/pre-new" # nobody may run a folder
    runs 'a hook that cannot be run' 1 "$MAIL" new
    rmdir "$hooks/pre-new"
else
    hook pre-new true
    chmod -x "$hooks/pre-new"
    runs 'a hook that cannot be run' 1 "$MAIL" new
    rm "$hooks/pre-new"
fi
rm "$hooks/post-new"

mkdir "$HOME/myhooks"
configure 'x=y' '[database]' "hook_dir=$HOME/myhooks"
printf '#!/bin/sh\necho mine\n' >"$HOME/myhooks/post-new"
chmod +x "$HOME/myhooks/post-new"
is 'database.hook_dir' "$("$MAIL" new --quiet)" mine

# External commands.
mkdir bin
cat >bin/mail-hello <<'END'
#!/bin/sh
echo "$0 $# $1 $MAIL_CONFIG"
exit 7
END
chmod +x bin/mail-hello
PATH=$PWD/bin:$PATH
runs 'an external command' 7 "$MAIL" hello 'two words' --option
is '... gets its arguments' "$(cat out)" "$PWD/bin/mail-hello 2 two words $CONFIG"
runs 'with --config' 7 "$MAIL" --config="$PWD/other" hello
is '... which it sees' "$(sed 's/.* //' out)" "$PWD/other"
printf '#!/bin/sh\necho mine\n' >bin/mail-count
chmod +x bin/mail-count
is 'built-in commands come first' "$("$MAIL" count '*')" 3
runs 'no such command' 1 "$MAIL" nosuch
says '... is an error' "Error: Unknown command 'nosuch' (see \"mail help\")"
: >bin/mail-plain
runs 'a command that cannot be run' 1 "$MAIL" plain
says '... is told' "Error: Running external command 'mail-plain' failed: Permission denied"

finish
