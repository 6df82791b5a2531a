#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes side by side: `new` twice at once, `tag` in a loop beside `new`, two batches of tags, and
readers beside all of it. Nothing is lost, nothing doubled, no reader fails."""
import os
import shutil
import sys
import threading

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import invent
import rounds
import sandbox

COUNT = 4000 if tap.LONG else 800


class Reader(threading.Thread):
    """Asks in a loop until stopped; keeps the counts and the failures."""

    def __init__(self, box):
        super().__init__()
        self.box, self.stopped, self.counts, self.failures = box, False, [], []
        self.start()

    def run(self):
        while not self.stopped:
            done = self.box.run('count', '*')
            if done.returncode == 0:
                self.counts.append(int(done.stdout))
            else:
                self.failures.append(done.stderr[-200:])
            done = self.box.run('search', '--format=json', '--limit=30', '*')
            if done.returncode != 0:
                self.failures.append(done.stderr[-200:])

    def stop(self):
        self.stopped = True
        self.join()
        return self


def ended(processes):
    """Exit codes and what was said on stderr; whoever is not done in two minutes is killed (-9)."""
    timers = [threading.Timer(120, p.kill) for p in processes]
    for timer in timers:
        timer.start()
    texts = [p.communicate() for p in processes]
    for timer in timers:
        timer.cancel()
    return [p.returncode for p in processes], b''.join(t[1] for t in texts)


def undisturbed(mail):
    with sandbox.Sandbox() as box:
        shutil.copytree(mail, box.root, copy_function=os.link, dirs_exist_ok=True)
        box.lines('new')
        return rounds.snapshot(box)


def twice_at_once(mail, right):
    """Two, and then four, first imports of the same mail."""
    for count in (2, 4):
        with sandbox.Sandbox() as box:
            shutil.copytree(mail, box.root, copy_function=os.link, dirs_exist_ok=True)
            codes, said = ended([box.start('new', stdout=-1, stderr=-1) for _ in range(count)])
            tap.equal(codes, [0] * count, '%d times new at once: all exit 0 %s' % (count, said[-300:]))
            wrong = rounds.unlike(rounds.snapshot(box), right)
            tap.ok(not wrong, '%d times new at once: one index of it all' % count, wrong)
            again = box.run('new')
            tap.ok(again.returncode == 0 and b'No new mail' in again.stdout, 'and nothing is left to do',
                   again.stdout + again.stderr)


def tag_beside_new(mail):
    """Each message known before gets a tag of its own while new mail comes in and files move."""
    with sandbox.Sandbox() as box:
        shutil.copytree(mail, box.root, copy_function=os.link, dirs_exist_ok=True)
        box.lines('new')
        known = sorted(box.ids())[:60]
        invent.maildirs(box.root, COUNT, start=COUNT, seed=2)
        os.rename(os.path.join(box.root, 'box1'), os.path.join(box.root, 'renamed'))
        reader = Reader(box)
        running, bad = box.start('new', stdout=-1, stderr=-1), []
        for number, message in enumerate(known):
            done = box.run('tag', '+n%d' % number, '+loop', '--', 'id:' + message)
            if done.returncode != 0:
                bad.append((message, done.stderr))
        code, said = ended([running])
        reader.stop()
        tap.equal(code, [0], 'new beside a loop of tags exits 0 %s' % said[-300:])
        tap.equal(bad, [], 'each tag beside it exits 0')
        tap.equal(box.count('tag:loop'), len(known), 'every tag was kept')
        lost = [m for n, m in enumerate(known) if box.ids('tag:n%d' % n) != [m]]
        tap.equal(lost, [], 'each at its own message')
        tap.equal(box.count('*'), 2 * COUNT, 'every message is there, once')
        tap.equal(len(box.files()), files_below(box.root) - files_below(box.index),
                  'every file is there, once')
        tap.equal(reader.failures, [], 'no reader failed (%d questions)' % len(reader.counts))
        tap.ok(reader.counts == sorted(reader.counts) and reader.counts[0] >= COUNT,
               'the count never fell', reader.counts)


def files_below(place):
    return sum(len(names) for _, _, names in os.walk(place))


def two_batches(mail):
    """Two batches over the same messages, each with a tag of its own."""
    with sandbox.Sandbox() as box:
        shutil.copytree(mail, box.root, copy_function=os.link, dirs_exist_ok=True)
        box.lines('new')
        started = []
        for tag in ('odd', 'even'):
            path = os.path.join(box.top, tag)
            with open(path, 'w') as f:
                f.writelines('+%s -inbox -- id:m%d@example.org\n' % (tag, n) for n in range(COUNT))
            started.append(box.start('tag', '--batch', '--input=' + path, stdout=-1, stderr=-1))
        reader = Reader(box)
        codes, said = ended(started)
        reader.stop()
        tap.equal(codes, [0, 0], 'two batches at once exit 0 %s' % said[-300:])
        tap.equal([box.count('tag:' + t) for t in ('odd', 'even', 'inbox')], [COUNT, COUNT, 0],
                  'both have done all of theirs')
        tap.equal(reader.failures, [], 'no reader failed (%d questions)' % len(reader.counts))
        tap.equal(set(reader.counts), {COUNT}, 'and each saw all messages')


def main():
    with sandbox.Sandbox() as origin:
        mail = os.path.join(origin.top, 'original')
        os.makedirs(mail)
        invent.maildirs(mail, COUNT, size=60)
        twice_at_once(mail, undisturbed(mail))
        tag_beside_new(mail)
        two_batches(mail)
    tap.done()


main()
