#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# configure: what it writes, what it refuses, what it says of what is missing.

: "${TOP:?run it with test/run}"
cp "$TOP/configure" . || exit 1
unset CC CXX AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS PKG_CONFIG PKG_CONFIG_PATH PKG_CONFIG_LIBDIR
count=0
ok ()
{
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        sed 's/^/# /' log
        [ ! -e config.mk ] || sed 's/^/# /' config.mk
    fi
}
configured ()
{
    rm -f config.mk
    ./configure "$@" >log 2>&1
}
# has LINE: a line of config.mk.
has ()
{
    grep -qxF "$1" config.mk
}

configured && has 'PREFIX = /usr/local' && has 'RPATH = ../lib' && has 'CFLAGS = -O2 -g' &&
    grep -q 'wrote config.mk' log
ok $? "without options: /usr/local, -O2 -g"

configured --prefix=/usr && has 'LIBDIR = /usr/lib' && has 'RPATH = '
ok $? "where the dynamic linker looks anyway, no run path"

configured --prefix=/opt/mail --libdir=/opt/mail/lib/x --bindir=/opt/bin && has 'RPATH = ../mail/lib/x'
ok $? "the run path leads from bindir to libdir"

configured --program-name=nail --sanitize --werror 'CFLAGS=-O0 -g' && has 'PROGRAM_NAME = nail' &&
    has 'SANITIZE = 1' && has 'WERROR = 1' && has 'CFLAGS = -O0 -g' && has 'CXXFLAGS = -O0 -g' &&
    has "CONFIGURE_OPTIONS = '--program-name=nail' '--sanitize' '--werror' 'CFLAGS=-O0 -g'"
ok $? "options, and they are remembered"

CC=gcc configured && has "CONFIGURE_OPTIONS = 'CC=gcc'"
ok $? "a compiler from the environment is remembered too"

# shellcheck disable=SC2016 # the dollar is the point
for wrong in --no-such-option --prefix=relative --program-name=a/b '--prefix=/with$(dollar)'; do
    configured "$wrong"
    [ $? -eq 1 ] && [ ! -e config.mk ] && grep -q '^configure: ' log
    ok $? "refused: $wrong"
done

configured CC=no-such-compiler
[ $? -eq 1 ] && grep -q 'Debian package gcc' log
ok $? "no compiler: the package is named"

PKG_CONFIG_LIBDIR=/nonexistent configured
[ $? -eq 1 ] && grep -q 'xapian-core.*Debian package libxapian-dev' log &&
    grep -q 'apt-get install .*libgmime-3.0-dev .*libuchardet-dev' log && [ ! -e config.mk ]
ok $? "no libraries: each package is named, and one command to install them"

configured PKG_CONFIG=no-such-pkg-config
[ $? -eq 1 ] && grep -q 'Debian package pkg-config' log
ok $? "no pkg-config: the package is named"

./configure --help >log && grep -q -- --program-name log
ok $? "--help"
echo "1..$count"
