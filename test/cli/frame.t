#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# frame.t - global options, help, unknown commands and options, exit codes.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# No manual page is found: help comes from the tables.
MANPATH=$HOME/no-manuals
export MANPATH

configure
runs 'new' 0 "$MAIL" new

runs '--version' 0 "$MAIL" --version
ok '--version names the program' grep -q '^mail [0-9]' out
runs '--version after a command' 0 "$MAIL" count --version
ok '... does nothing else' grep -q '^mail [0-9]' out
runs '--version=false does nothing' 0 "$MAIL" --version=false count
is '... and the command runs' "$(cat out)" 0

runs 'help' 0 "$MAIL" help
compare 'the overview' frame-help
runs '--help is the same' 0 "$MAIL" --help
compare '... overview' frame-help
for command in new search show count tag config help; do
    runs "help $command" 0 "$MAIL" help $command
    compare "help $command: text" "frame-help-$command"
done
runs 'COMMAND --help' 0 "$MAIL" search --help
compare '... is the same' frame-help-search
runs '--help COMMAND' 0 "$MAIL" --help search
compare '... too' frame-help-search
runs 'help needs no configuration' 0 env MAIL_CONFIG=/nonexistent "$MAIL" help count
runs 'help on what there is not' 1 "$MAIL" help nosuch
says '... names it' "Error: Unknown command or topic 'nosuch' (see \"mail help\")"
runs 'help on a topic without its page' 1 "$MAIL" help search-terms
says '... names the page' 'mail help: the manual page mail-search-terms(7) is not installed'

# Where man has the page, man shows it.
mkdir bin
cat >bin/man <<'MAN'
#!/bin/sh
[ "$1" = -w ] || echo "man shows $*"
case $* in
'-w mail-count') exit 16 ;;
-w*) exit 0 ;;
*) exit 5 ;;
esac
MAN
chmod +x bin/man
runs 'help from man' 5 env PATH="$PWD/bin:$PATH" "$MAIL" help search
is '... the page of the command' "$(cat out)" 'man shows mail-search'
for topic in hooks properties search-terms sexp-queries; do
    env PATH="$PWD/bin:$PATH" "$MAIL" help $topic >out
    is "help $topic" "$(cat out)" "man shows mail-$topic"
    ok '... has a page' test -f "$TOP/doc/man7/mail-$topic.7"
done
runs 'help on a topic from man' 5 env PATH="$PWD/bin:$PATH" "$MAIL" help search-terms
is '... the page of the topic' "$(cat out)" 'man shows mail-search-terms'
runs 'help on what man does not have' 0 env PATH="$PWD/bin:$PATH" "$MAIL" help count
compare '... comes from the tables' frame-help-count

runs 'no command is wrong usage' 1 "$MAIL"
is '... nothing on stdout' "$(cat out)" ''
ok '... the overview on stderr' grep -q '^Usage: mail' err
runs 'unknown command' 1 "$MAIL" nosuch
says '... names it' "Error: Unknown command 'nosuch' (see \"mail help\")"
runs 'unknown global option' 1 "$MAIL" --nosuch count
says '... names it' 'Unrecognized option: --nosuch'
runs 'unknown option of a command' 1 "$MAIL" count --nosuch
says '... names it' 'Unrecognized option: --nosuch'
runs '--config after the command' 1 "$MAIL" count --config=x
says '... is unknown' 'Unrecognized option: --config=x'

runs '--query=infix before' 0 "$MAIL" --query=infix count
runs '--query=infix after' 0 "$MAIL" count --query=infix
runs '--query=sexp' 0 "$MAIL" count --query=sexp '(tag x)'
runs '--query=other' 1 "$MAIL" --query=other count
says '... is unknown' 'Unknown keyword argument "other" for option "query".
Unrecognized option: --query=other'

uuid=$("$MAIL" count --lastmod | cut -f2)
runs '--uuid of this index' 0 "$MAIL" --uuid="$uuid" count
runs '--uuid of another' 1 "$MAIL" count --uuid=x
says '... is refused' "Error: requested database revision x does not match $uuid"

# What would have been an option is told when it comes too late.
runs 'an option after a word' 0 "$MAIL" count some --output=threads
says '... is told' "mail count: '--output=threads' is no option here: options come before all other words"
runs '... not one of another command' 0 "$MAIL" count some --remove-all
says '... nothing' ''
runs '... nor after a --' 0 "$MAIL" count -- some --output=threads
says '... nothing' ''
runs '... nor after a -- among the words' 0 "$MAIL" tag +x -- some --remove-all
says '... nothing' ''

runs '--debug' 0 "$MAIL" --debug count
ok '... tells of locks' grep -q '^mail count: waited [0-9]* ms for locks$' err
is '... on stderr only' "$(cat out)" 0

rm -rf "$HOME/Mail/.mailindex"
runs 'no index' 1 "$MAIL" count
says '... says what to do' "mail count: there is no index in '$HOME/Mail' yet: 'mail new' makes one"
is '... and makes none' "$(ls -A "$HOME/Mail")" ''

finish
