# SPDX-License-Identifier: GPL-3.0-or-later
"""TAP for the scripts under test/ that are written in python.

    import tap
    tap.ok (n == 3, 'three messages')
    tap.equal (got, right, 'what')
    tap.done ()

A script that stops with an exception, or that never comes to done(), has no plan and so fails.
"""
import os
import sys

_count = 0
_failed = 0

TOP = os.path.abspath(os.environ.get('TOP') or os.path.join(os.path.dirname(__file__), '..', '..'))
BUILD = os.path.abspath(os.environ.get('BUILD') or os.path.join(TOP, 'build'))
MAIL = os.path.abspath(os.environ.get('MAIL') or os.path.join(BUILD, 'mail'))
LONG = os.environ.get('MAIL_TEST_LONG', '') not in ('', '0')


def _say(line):
    sys.stdout.write(line + '\n')
    sys.stdout.flush()


def diag(text):
    """Prints text as comment lines."""
    for line in str(text).splitlines() or ['']:
        _say('# ' + line.encode('utf8', 'backslashreplace').decode())


def ok(right, name, more=None):
    """One check; more (anything) is shown where it fails. Returns whether it was right."""
    global _count, _failed
    _count += 1
    name = ' '.join(name.split()).replace('#', '\\#')
    _say('%s %d - %s' % ('ok' if right else 'not ok', _count, name))
    if not right:
        _failed += 1
        if more is not None:
            diag(more() if callable(more) else more)
    return bool(right)


def equal(got, right, name):
    """One check that got == right; both are shown where they differ."""
    return ok(got == right, name, lambda: 'got:   %.1500r\nright: %.1500r' % (got, right))


def skip(name, reason):
    """One check that cannot be made here."""
    global _count
    _count += 1
    _say('ok %d - %s # SKIP %s' % (_count, name, reason))


def skip_all(reason, checks):
    """Nothing can be checked here; checks says how many checks that leaves out. Does not return."""
    _say('1..0 # SKIP %s (%d checks)' % (reason, checks))
    sys.exit(0)


def done():
    """The plan, and the exit code. Does not return."""
    _say('1..%d' % _count)
    sys.exit(1 if _failed else 0)
