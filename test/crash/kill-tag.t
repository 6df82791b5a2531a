#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGKILL in the middle of `tag` and `tag --batch`: every message has its old tags or its new ones, and
nothing else has changed; done again, all have the new ones."""
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
import processes
import sandbox

COUNT = 1500
ROUNDS = 40 if tap.LONG else 8


def tags_of(box):
    return {message: set(tags) for message, tags in box.tags().items()}


def forms(box, number):
    """The two ways to give every message a tag and take another: lists of arguments."""
    new, old = 'r%d' % number, 'r%d' % (number - 1)
    yield ['tag', '+' + new, '-' + old, '--', '*']
    batch = os.path.join(box.top, 'batch')
    with open(batch, 'w') as f:
        f.writelines('+%s -%s -- id:%s\n' % (new, old, m) for m in box.ids())
    yield ['tag', '--batch', '--input=' + batch]


def length_of(box):
    """Seconds of an undisturbed change of all tags, and of a process that does nothing."""
    start = time.monotonic()
    box.lines('tag', '+r0', '--', '*')
    middle = time.monotonic()
    box.lines('count')
    return middle - start, time.monotonic() - middle


def one_round(box, number, command, moment):
    before = tags_of(box)
    new, old = 'r%d' % number, 'r%d' % (number - 1)
    process = box.start(*command, stdout=-3, stderr=-3)
    processes.ends(process, moment)
    process.send_signal(signal.SIGKILL)
    code = process.wait()
    now = tags_of(box)
    changed = {m: (tags - {old}) | {new} for m, tags in before.items()}
    wrong = [m for m in before if now.get(m) not in (before[m], changed[m])]
    done = sum(now.get(m) == changed[m] for m in before)
    name = 'kill %.0f ms after the start of %s (exit %d, %d of %d changed)' % (
        moment * 1000, ' '.join(command[:2]), code, done, len(before))
    tap.ok(not wrong and len(now) == len(before), name + ': old or new',
           lambda: [(m, before[m], now.get(m)) for m in wrong[:5]])
    again = box.run(*command)
    now = tags_of(box)
    wrong = [(m, sorted(now.get(m, ()))) for m in changed if now.get(m) != changed[m]]
    tap.ok(again.returncode == 0 and not wrong, 'and all new when done again', wrong[:5])
    return code == -signal.SIGKILL


def main():
    chance = random.Random(int(os.environ.get('MAIL_TEST_SEED', '5')))
    with sandbox.Sandbox() as box:
        invent.maildirs(box.root, COUNT, size=30)
        box.lines('new')
        length, least = length_of(box)
        tap.diag('undisturbed: %.3f s' % length)
        files = box.files()
        moments = processes.Moments(chance, length, ROUNDS, ROUNDS // 3, least / 2)
        for number, moment in moments:
            command = list(forms(box, number + 1))[number % 2]
            moments.tell(one_round(box, number + 1, command, moment))
        moments.ok('a third of the runs were killed before their end')
        tap.equal(box.files(), files, 'the same files as before')
    tap.done()


main()
