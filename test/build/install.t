#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What "make install" puts where, and that it works there: the program without LD_LIBRARY_PATH, the
# library for a program that pkg-config gives its flags, and nothing left by "make uninstall".

: "${TOP:?run it with test/run}"
count=0
ok ()
{
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        [ ! -e log ] || sed 's/^/# /' log
    fi
}

unset LD_LIBRARY_PATH MAKEFLAGS MAKELEVEL MFLAGS
# Where this tree was configured to go.
setting ()
{
    sed -n "s/^$1 = //p" "$TOP/config.mk"
}
stage=$HOME/stage
bin=$stage$(setting BINDIR)/$(setting PROGRAM_NAME)
lib=$stage$(setting LIBDIR)
include=$stage$(setting INCLUDEDIR)
in_tree ()
{
    make --no-print-directory -C "$TOP" BUILD="$BUILD" SANITIZE="${SANITIZE:-0}" "$@" >log 2>&1
}

in_tree install DESTDIR="$stage"
ok $? "make install DESTDIR=…"

if [ -n "$(setting RPATH)" ]; then
    "$bin" --version >log 2>&1
    ok $? "the installed program finds its library"
else
    LD_LIBRARY_PATH=$lib "$bin" --version >log 2>&1
    ok $? "the installed program runs"
fi
cp "$BUILD/mail" "$BUILD/libmailindex.so.0" "$HOME" && "$HOME/mail" --version >log 2>&1
ok $? "the built program finds the library beside it"

[ -L "$lib/libmailindex.so" ] && [ -L "$lib/libmailindex.so.0" ] && [ -e "$lib/libmailindex.so" ] &&
    [ -e "$include/mailindex.h" ]
ok $? "header, library and its links"

cat >try.c <<'END'
#include <mailindex.h>
#include <talloc.h>
#include <stdio.h>
#include <string.h>

int
main (void)
{
    struct mail_open_options options;
    struct mail_index *index = NULL;
    char *error = NULL;
    void *ctx = talloc_new (NULL);

    memset (&options, 0, sizeof options);
    options.path = "/nonexistent";
    enum mail_status status = mail_index_open (ctx, &options, &index, &error);

    puts (mail_status_text (status));
    talloc_free (ctx);
    return status == MAIL_OK;
}
END
flags=
[ "${SANITIZE:-0}" = 0 ] || flags='-fsanitize=address,undefined'
# The file names the folders it will lie in; the stage is put before them.
for language in c c++; do
    PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs mailindex >flags 2>log &&
        sed -i "s|-\([IL]\)$(setting PREFIX)|-\1$stage$(setting PREFIX)|g" flags
    # shellcheck disable=SC2046,SC2086 # several flags
    cc $flags -Wall -Wextra -Werror -x $language -o try try.c -x none $(cat flags) -Wl,-rpath,"$lib" >log 2>&1 &&
        ./try >log 2>&1 && [ -s log ]
    ok $? "a $language program built with pkg-config's flags runs"
done

[ ! -e "${bin%/*}/notmuch" ]
ok $? "no notmuch comes by itself"
echo other >"${bin%/*}/notmuch"
! in_tree install-notmuch DESTDIR="$stage" && [ "$(cat "${bin%/*}/notmuch")" = other ]
ok $? "make install-notmuch leaves another program alone"
in_tree uninstall DESTDIR="$stage"
[ -e "${bin%/*}/notmuch" ]
ok $? "so does make uninstall"
rm "${bin%/*}/notmuch"
in_tree install DESTDIR="$stage" && in_tree install-notmuch DESTDIR="$stage" &&
    in_tree install-notmuch DESTDIR="$stage" && LD_LIBRARY_PATH=$lib "${bin%/*}/notmuch" --version >version
[ "$(cut -d ' ' -f 1 version)" = notmuch ]
ok $? "make install-notmuch makes a link, and again"

in_tree uninstall DESTDIR="$stage"
find "$stage" ! -type d >log
[ ! -s log ]
ok $? "make uninstall leaves no file"
echo "1..$count"
