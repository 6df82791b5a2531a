#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Workers that die, loop, lie or do what they must not: only the message that made them do it is left
out, and remembered. Workers and their parent killed from outside: nothing is lost. Every character set
of the C library converts inside a worker."""
import ctypes
import os
import random
import signal
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap

import invent
import preload

import sandbox

ENDS = ['abort', 'segfault', 'exit', 'loop', 'memory', 'stack', 'lie long', 'lie flood']
ENDS += ['lie kind %d' % n for n in range(12)]
FILES = ['read-secret', 'read-passwd', 'read-memory', 'read-state', 'list', 'create', 'overwrite',
         'truncate', 'unlink', 'rename', 'mkdir', 'symlink', 'link']
CALLS = ['socket', 'connect', 'execve', 'chmod', 'fchmod', 'kill', 'kill-all', 'tgkill', 'sigqueue', 'pidfd',
         'ptrace', 'vm-read', 'prlimit', 'uring', 'other-numbers', 'namespace', 'fork']
PLAIN = 300
CHECKS = len(ENDS) + 20


def slug(what):
    return what.replace(' ', '-')


def put(box, folder, name, what):
    data = sandbox.message('%s@example.org' % slug(name), 'about %s' % slug(name),
                           'misbehave: %s\nvivid text' % what)
    path = os.path.join(box.root, folder, 'tmp', slug(name))
    with open(path, 'wb') as f:
        f.write(data)
    os.rename(path, os.path.join(box.root, folder, 'cur', slug(name) + ':2,S'))


def misbehaving(box, library):
    """Puts mail into place; returns the environment."""
    secret = os.path.join(box.top, 'secret')
    victim = sandbox.maildir(os.path.join(box.root, 'victims'))
    for path in (secret, os.path.join(victim, 'victim')):
        with open(path, 'w') as f:
            f.write('From: a\n\nprivate\n')
    os.chmod(os.path.join(victim, 'victim'), 0o644)
    for what in ENDS + ['once']:
        put(box, 'box%d' % (len(what) % 5), what, what)
    for what in FILES + CALLS:
        put(box, 'box%d' % (len(what) % 5), what, 'call ' + what)
    return {'LD_PRELOAD': library, 'WORKER_SECONDS': '1', 'WORKER_SECRET': secret, 'WORKER_FOLDER': victim,
            'WORKER_STATE': os.path.join(box.index, 'state', 'iamglass')}


def folder_state(place):
    """Names, modes and contents."""
    found = []
    for name in sorted(os.listdir(place)):
        path = os.path.join(place, name)
        if os.path.isfile(path):
            with open(path, 'rb') as f:
                found.append((name, os.lstat(path).st_mode, f.read()))
        else:
            found.append((name, os.lstat(path).st_mode))
    return found


def check_ends(box, done, said):
    for what in ENDS:
        lines = [l for l in said if '/%s:2,S' % slug(what) in l]
        tap.ok(box.count('id:%s@example.org' % slug(what)) == 0 and len(lines) == 1 and 'died' in lines[0],
               '%s: that message is left out, and named once' % what, lines or said[-20:])
    tap.equal(box.count('id:once@example.org'), 1, 'a worker that somebody else ends: its message is read again')
    tap.equal(box.count('subject:topic'), PLAIN, 'all other messages are indexed')
    tap.equal(done.returncode, 0, 'new exits 0')


def check_calls(box, said, names, can, why):
    for name in names:
        if not can:
            tap.skip('%s is refused' % name, why)
            continue
        lines = [l for l in said if l.startswith('misbehave: %s: ' % name)]
        refused = lines and not any('NOT REFUSED' in l or 'no such call' in l for l in lines)
        tap.ok(refused and box.count('id:%s@example.org and vivid' % name) == 1,
               '%s is refused, and its message indexed' % name, lines)


def check_remembered(box, env):
    """What took a worker down is not tried again until it changes."""
    for options in ([], ['--full-scan']):
        again = box.run('new', *options, env=env)
        tap.ok(again.returncode == 0 and b'No new mail' in again.stdout and not again.stderr,
               'the next run %stries none of them again' % ''.join(o + ' ' for o in options),
               again.stdout + again.stderr)
    for number in range(5):
        put(box, 'box%d' % number, 'later%d' % number, 'no')
    again = box.run('new', env=env)
    tap.ok(b'Added 5 new' in again.stdout and not again.stderr, 'nor does one that lists their folders',
           again.stdout + again.stderr)
    time.sleep(0.1)
    box.run('new', env=env)  # a time that is a moment old is not trusted
    put(box, 'box%d' % (len('abort') % 5), 'abort', 'no more')
    again = box.run('new', env=env)
    tap.equal((box.count('id:abort@example.org and vivid'), again.stderr), (1, b''),
              'a message that was mended is indexed')


def bad_behaviour():
    library = preload.library('worker-misbehave')
    if library is None:
        tap.skip('workers that misbehave', 'calls cannot be put in between here')
        return
    with sandbox.Sandbox() as box:
        invent.maildirs(box.root, PLAIN, size=60)
        env = misbehaving(box, library)
        before = folder_state(env['WORKER_FOLDER'])
        done = box.run('new', env=env)
        said = done.stderr.decode('utf8', 'replace').splitlines()
        check_ends(box, done, said)
        check_calls(box, said, FILES, preload.landlock() >= 1, 'the kernel has no Landlock')
        check_calls(box, said, CALLS, preload.seccomp(), 'calls are not filtered here')
        tap.equal(folder_state(env['WORKER_FOLDER']), before, 'no file was changed')
        check_remembered(box, env)


def main():
    bad_behaviour()
    tap.done()


main()
