#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Too few descriptors, or files of the index that may not be read, are no damage: a command does its work, or says
what it is short of, exits 75 and leaves the index as it was. A snapshot that cannot be read now is not thrown away."""
import errno
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import sandbox
import shim

LIMITS = range(4, 26)


def deliver(box, number):
    folder = sandbox.maildir(os.path.join(box.root, 'box'))
    with open(os.path.join(folder, 'cur', 'm%d:2,' % number), 'wb') as f:
        f.write(sandbox.message('m%d@x' % number, 's%d' % number, 'hello word%d' % number))


def short(box, *command, before=None):
    """With each number of descriptors."""
    wrong, seen = [], 0
    for limit in LIMITS:
        if before:
            before(limit)
        done = box.run(*command, prefix=('prlimit', '--nofile=%d:%d' % (limit, limit)))
        said = (done.stdout + done.stderr).decode()
        seen += done.returncode == 75
        if done.returncode not in (0, 75) or 'damage' in said or 'repair' in said:
            wrong.append((limit, done.returncode, said[:300]))
        if done.returncode == 75 and 'too many' not in said.lower():
            wrong.append((limit, 'does not say why', said[:300]))
    tap.ok(not wrong and seen, '%s: done, or told what it is short of' % ' '.join(command), (seen, wrong[:3]))


def limits(box):
    short(box, 'search', 'hello')
    short(box, 'count', '*')
    short(box, 'dump')
    short(box, 'tag', '+b', '--', 'subject:s2')
    short(box, 'check')
    short(box, 'check', '--repair')
    short(box, 'compact', '--quiet')
    short(box, 'new', '--quiet', before=lambda limit: deliver(box, limit))
    box.lines('new', '--quiet')
    tap.equal((box.count('hello'), box.count('tag:a'), box.count('tag:b')), (max(LIMITS), 1, 1), 'all is there')
    tap.equal(box.run('check').returncode, 0, '... and in order')


def rights(box):
    for place in ('state/', 'text/', 'backups/', 'journal'):
        run = shim.Shim(box, path='.mailindex/' + place, error=errno.EACCES, read=True)
        done = run.run(1, 'check')
        said = (done.stdout + done.stderr).decode()
        tap.ok(done.returncode == 1 and 'denied' in said.lower() + mail_text(said) and 'damage' not in said,
               'check without rights to %s' % place, (done.returncode, said))
    backups = os.path.join(box.index, 'backups')
    old = os.listdir(backups)
    box.lines('tag', '+c', '--', '*')
    os.utime(backups, (1, 1))
    run = shim.Shim(box, path='backups/' + old[0], error=errno.EMFILE, read=True)
    run.run(1, 'new', '--quiet')
    now = os.listdir(backups)
    tap.ok(old and len(now) == len(old) + 1 and set(old) < set(now), 'a snapshot that cannot be read stays', (old, now))


def mail_text(said):
    """What stands for EACCES where only the status is known."""
    return 'denied' if 'the index cannot be written' in said else ''


def main():
    with sandbox.Sandbox() as box:
        for number in (1, 2, 3):
            deliver(box, number)
        box.lines('new', '--quiet')
        box.lines('tag', '+a', '--', 'subject:s1')
        limits(box)
        if shim.library():
            rights(box)
        else:
            tap.skip('without rights', 'calls cannot be made to fail here')
    tap.done()


main()
