# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
#
# What every test may rely on, whoever runs it and wherever. Sourced by test/run, which sets TOP (the
# tree) and BUILD (the build folder), both absolute. A test gets besides:
#
#   MAIL       absolute path of the program under test
#   HOME       an empty folder of its own, removed afterwards; TMPDIR is another
#   CORPUS     the corpus of real mail (a folder of maildirs or a .tar.zst); unset where there is none
#   TZ, LC_ALL pinned; no setting of the user's for mail or notmuch; umask 022

for name in $(env | sed -n 's/^\(\(XDG\|NOTMUCH\|MAIL\|XAPIAN\|CMOCKA\|PERL\)_[A-Z_]*\)=.*/\1/p'); do
    case $name in
    MAIL_TEST_*) ;;
    *) unset "$name" ;;
    esac
done
unset MAILDIR MAILRC EMAIL NAME DEBUG POSIXLY_CORRECT CDPATH GREP_OPTIONS

MAIL=${MAIL_TEST_PROGRAM:-$BUILD/mail}
TZ=UTC
LC_ALL=C.UTF-8
LANG=C.UTF-8
export TOP BUILD MAIL TZ LC_ALL LANG
unset LANGUAGE
umask 022

if [ -n "${MAIL_TEST_CORPUS:-}" ]; then
    CORPUS=$MAIL_TEST_CORPUS
elif [ -e "$TOP/../shared/corpus/lists.tar.zst" ]; then
    CORPUS=$(cd "$TOP/../shared/corpus" && pwd)/lists.tar.zst
else
    unset CORPUS
fi
[ -z "${CORPUS:-}" ] || export CORPUS

# cmocka's output as TAP, for prove.
CMOCKA_MESSAGE_OUTPUT=TAP
export CMOCKA_MESSAGE_OUTPUT

# Leaks count too, but in what strace follows. Errors end the program with a code that no test expects; GLib's slices would hide them. Xapian's
# check of a database frees one of its own classes with the size of another.
ASAN_OPTIONS=exitcode=99:abort_on_error=0:new_delete_type_mismatch=0:detect_stack_use_after_return=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}
UBSAN_OPTIONS=print_stacktrace=1:exitcode=99${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}
LSAN_OPTIONS=suppressions=$TOP/test/leaks-not-ours:print_suppressions=0
export ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS
G_SLICE=always-malloc
export G_SLICE
