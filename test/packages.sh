# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
#
# Installs what is missing from Debian packages. Sourced by ./check, ./demo and .ci/run, with the name
# of the caller in $self. What is there already is passed over without a word.

self=${self:-packages}

# What the build needs.
# shellcheck disable=SC2034 # used by those who source this
build_packages="gcc g++ libc6-dev make pkg-config libxapian-dev libgmime-3.0-dev libtalloc-dev
    libglib2.0-dev libxml2-dev zlib1g-dev libuchardet-dev libsexp-dev"
# What "make check" needs at least, and what some of its tests would be skipped for want of.
# shellcheck disable=SC2034
test_packages="perl python3"
# shellcheck disable=SC2034
more_test_packages="libcmocka-dev notmuch strace zstd gpg gpgsm gpg-agent gpgconf emacs-nox elpa-notmuch"

# Prints those of the packages that are not installed.
missing_packages ()
{
    for package; do
        case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
        *' installed') ;;
        *) printf '%s ' "$package" ;;
        esac
    done
}

# apt-get as root: by itself, or through sudo.
as_root ()
{
    if [ "$(id -u)" = 0 ]; then
        DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

install_now ()
{
    as_root apt-get install -y -q --no-install-recommends "$@" >"$apt_log" 2>&1
}

# install_missing PACKAGE...: false if some could not be had. Lists of packages are fetched where
# there are none, or where they turn out to be too old.
install_missing ()
{
    if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
        echo "$self: this is no Debian; nothing is installed, ./configure says what is missing"
        return 0
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
        echo "$self: missing, and neither root nor sudo to install them: $missing" >&2
        return 1
    fi
    echo "$self: installing $missing"
    apt_log=$(mktemp) || return 1
    # shellcheck disable=SC2086 # several packages
    { [ -n "$(find /var/lib/apt/lists -name '*Packages*' 2>/dev/null | head -n 1)" ] &&
        install_now $missing; } ||
        { as_root apt-get update -q >/dev/null 2>&1 && install_now $missing; } ||
        {
            cat "$apt_log" >&2
            echo "$self: could not install $missing" >&2
            rm -f "$apt_log"
            return 1
        }
    rm -f "$apt_log"
}

# build_configured: runs configure where it has not been, or was without what is there now.
build_configured ()
{
    if [ ! -e config.mk ]; then
        ./configure
    elif grep -q '^HAVE_CMOCKA = 0' config.mk && pkg-config --exists cmocka; then
        # With the same options as before.
        make --no-print-directory -W configure config.mk
    fi
}

jobs ()
{
    getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1
}
