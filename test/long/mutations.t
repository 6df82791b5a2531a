#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Breaks the code on purpose, one line at a time, and sees the tests fail.

The breaks stand in doc/design/mutations.md, each with the file, the lines taken out (-) and put in (+),
and the tests that must notice. A copy of the tree is built and the tests must pass there; then with each
break in turn at least one check of each named test must fail. A build that fails is no catch.
"""
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib')]
import breaks
import tap

ONLY = os.environ.get('MAIL_TEST_MUTATION', '')


def copy_tree(place):
    """What makes up the source, without what git and builds leave beside it."""
    def leave(folder, names):
        return [n for n in names if folder == tap.TOP and (n == '.git' or n.startswith('build'))]
    shutil.copytree(tap.TOP, place, ignore=leave, symlinks=True)


def make(tree, targets):
    done = subprocess.run(['make', '-s', '-j2', 'BUILD=build', 'SANITIZE=0', 'TESTS=' + ' '.join(targets), 'tests'],
                          cwd=tree, capture_output=True, text=True, env=environment())
    return done.returncode == 0, done.stdout[-1500:] + done.stderr[-1500:]


def environment():
    env = {k: v for k, v in os.environ.items() if not k.startswith('MAKE') and k not in ('MFLAGS', 'SANITIZE')}
    shared = os.path.abspath(os.path.join(tap.TOP, '..', 'shared', 'corpus', 'lists.tar.zst'))
    if 'MAIL_TEST_CORPUS' not in env and os.path.exists(shared):
        env['MAIL_TEST_CORPUS'] = shared
    return dict(env, MAIL_TEST_LONG='')


def target(test):
    """test/unit/x.c and test/api/x.c are programs of the build folder."""
    return 'build/' + test[:-2] if test.endswith('.c') else test


def run(tree, test):
    """Whether a test passes, and what did not."""
    env = dict(environment(), BUILD=os.path.join(tree, 'build'), TOP=tree)
    env.pop('MAIL', None)
    try:
        done = subprocess.run(['prove', '--exec', 'test/run', target(test)], cwd=tree, capture_output=True,
                              text=True, errors='replace', env=env, timeout=900)
    except subprocess.TimeoutExpired:
        return False, 'timed out'
    return done.returncode == 0, done.stdout[-1500:]


def try_mutation(tree, mutation):
    before = mutation.apply(tree)
    if not tap.ok(before is not None, '%s: the line is there once' % mutation.title, mutation.file):
        return
    try:
        built, said = make(tree, [target(t) for t in mutation.tests])
        if not tap.ok(built, '%s: builds' % mutation.title, said):
            return
        for test in mutation.tests:
            passed, said = run(tree, test)
            tap.ok(not passed, '%s: %s notices' % (mutation.title, test), said)
    finally:
        mutation.undo(tree, before)


def main():
    all_of_them = [m for m in breaks.mutations() if ONLY in m.title]
    tree = os.path.join(os.environ.get('TMPDIR', '/tmp'), 'mutations.%d' % os.getpid())
    copy_tree(tree)
    try:
        tests = sorted({t for m in all_of_them for t in m.tests})
        built, said = make(tree, [target(t) for t in tests])
        if tap.ok(built, 'the copy builds', said):
            for test in tests:
                passed, said = run(tree, test)
                tap.ok(passed, '%s passes before anything is broken' % test, said)
            for mutation in all_of_them:
                try_mutation(tree, mutation)
        tap.ok(len(all_of_them) >= 10 or ONLY, 'ten breaks at least', len(all_of_them))
    finally:
        shutil.rmtree(tree, ignore_errors=True)
    tap.done()


main()
