#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk that is full from the nth writing call on (write, create, make a folder, rename, sync), for n
drawn over a whole run: `new` into nothing, `new` into an index, `tag`. The documented exit code, a
line that says why, nothing lost, and the next run completes the work.

Xapian (1.4.22) writes the last values of a commit from a destructor, which no exception may leave: such
a failure has to come out as any other (guard_commit). One in a hundred calls is such a one, so the long
form of this test, which takes every call of a `tag`, meets it for sure."""
import os
import random
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import invent
import rounds
import sandbox
import shim

OLD, NEW = 400, 250
ROUNDS = 80 if tap.LONG else 7
TEMPORARY = 75


class Scene:
    """A sandbox to copy, a command to disturb, and what the index is before and after it."""

    def __init__(self, name, command, prepare):
        self.name, self.command = name, command
        self.origin = sandbox.Sandbox()
        prepare(self.origin)
        self.tags_before = self.origin.tags() if os.path.isdir(self.origin.index) else {}
        with self.copy() as box:
            run = shim.Shim(box)
            done = run.run(0, *command)
            self.calls = run.calls()
            self.after = rounds.snapshot(box)
            self.tags_after = box.tags()
            tap.ok(done.returncode == 0 and self.calls > 3,
                   '%s: undisturbed (some calls)' % name, '%d calls, %r' % (self.calls, done.stderr))
        tap.diag('%s: %d calls' % (name, self.calls))

    def copy(self):
        box = sandbox.Sandbox()
        shutil.rmtree(box.root)
        shutil.copytree(self.origin.root, box.root, copy_function=self._copy_file)
        return box

    def _copy_file(self, source, target):
        """Mail keeps its inode, the index is copied."""
        if source.startswith(self.origin.index):
            return shutil.copy2(source, target)
        return os.link(source, target)


def lost(scene, box):
    """What the index had before, and the undisturbed command leaves, but is no more; '' for nothing."""
    now = box.tags()
    gone = [m for m, tags in scene.tags_before.items() if now.get(m) not in (tags, scene.tags_after.get(m))]
    return 'lost: %s\n' % [(m, scene.tags_before[m], now.get(m)) for m in gone[:3]] if gone else ''


def problems_of(scene, box, done):
    """What is wrong after a disturbed run; '' for nothing."""
    wrong = ''
    now = rounds.snapshot(box) if done.returncode == 0 else None
    if done.returncode not in (0, TEMPORARY):
        wrong += 'exit code %d\n' % done.returncode
    if done.returncode == 0:
        wrong += rounds.unlike(now, scene.after)
    elif b'space' not in done.stderr.lower():
        wrong += 'no word of space: %r\n' % done.stderr[-500:]
    if scene.tags_before:
        asked = box.run('count', '*')
        if asked.returncode != 0:
            wrong += 'the index cannot be read: %r\n' % asked.stderr
        else:
            wrong += lost(scene, box)
    again = box.run(*scene.command)
    if again.returncode != 0:
        return wrong + 'the next run exits %d: %r\n' % (again.returncode, again.stderr[-500:])
    return wrong + rounds.unlike(rounds.snapshot(box), scene.after)


def disturb(scene, chance):
    failed = 0
    firsts = sorted(chance.sample(range(1, scene.calls + 1), min(ROUNDS, scene.calls)))
    for first in [1] + firsts:
        with scene.copy() as box:
            done = shim.Shim(box).run(first, *scene.command)
            failed += done.returncode == TEMPORARY
            wrong = problems_of(scene, box, done)
            tap.ok(not wrong, '%s: full from call %d on (exit %d)' % (scene.name, first, done.returncode),
                   lambda: wrong + done.stderr.decode('utf8', 'replace')[-500:])
    tap.ok(failed > len(firsts) // 2, '%s: most of the runs had to give up' % scene.name, failed)


def first_mail(box):
    invent.maildirs(box.root, OLD)


def indexed(box):
    first_mail(box)
    box.lines('new')
    box.lines('tag', '+kept', '--', 'subject:topic')
    box.lines('tag', '+half', '-inbox', '--', 'tag:flagged')


def more_mail(box):
    indexed(box)
    names = invent.maildirs(box.root, NEW, start=OLD, seed=2)
    os.rename(os.path.join(box.root, names[0]), os.path.join(box.root, 'box0', 'cur', 'moved:2,S'))
    os.remove(os.path.join(box.root, box.files('id:m3@example.org')[0]))


def main():
    shim.library_or_skip(3 * (ROUNDS + 3))
    chance = random.Random(int(os.environ.get('MAIL_TEST_SEED', '11')))
    for name, command, prepare in (('first import', ['new'], first_mail),
                                   ('further mail', ['new'], more_mail),
                                   ('tag', ['tag', '+full', '-kept', '--', '*'], indexed)):
        scene = Scene(name, command, prepare)
        try:
            disturb(scene, chance)
        finally:
            scene.origin.close()
    tap.done()


main()
