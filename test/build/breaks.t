#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines that doc/design/mutations.md breaks stand in the source, and the tests it names exist. (That the
tests notice is seen by test/long/mutations.t.)"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib')]
import breaks
import tap


def main():
    found = breaks.mutations()
    tap.ok(len(found) >= 10, 'ten breaks at least (%d)' % len(found))
    for mutation in found:
        tap.ok(mutation.read(tap.TOP) is not None, '%s: its lines stand in %s once' % (mutation.title, mutation.file))
        gone = [t for t in mutation.tests if not os.path.exists(os.path.join(tap.TOP, t))]
        tap.ok(mutation.tests and not gone, '%s: its tests are there' % mutation.title, gone)
    tap.done()


main()
