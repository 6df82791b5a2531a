#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs that break mail indexers, with the right answers, from outside the tree: run where they are."""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib')]
import tap

CASES = ('01 02 03 04 05 08 10 11 13 14 15 17 18 20 21 23 24 26 27 28 29 30 32 34 35 36 37 39 41 42 43 44 45 47 48 51 53 54 56 58 '
         '63 65 67 69 70 74 75 77 78 80 81 82').split()
CHECKS = 155


def main():
    runner = os.path.join(tap.TOP, '..', 'shared', 'cases', 'run-cases')
    if not os.path.exists(runner):
        tap.skip_all('no cases', CHECKS)
    if ' ' in tap.MAIL:
        tap.skip_all('a blank in the path of the program', CHECKS)
    done = subprocess.run([sys.executable, runner, '--nm', tap.MAIL] + CASES, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors='replace')
    checks = [line for line in done.stdout.splitlines() if line.startswith(('ok ', 'WRONG'))]
    for line in checks:
        tap.ok(line.startswith('ok '), line[6:])
    tap.ok(len(checks) >= CHECKS - 10, '%d checks were made' % len(checks), done.stderr[-2000:])
    tap.done()


main()
