#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listings that are read slowly, 200 lines a second through a small pipe, while fifty commits and several
merges take place behind them: each shows the messages of its moment, in order, none twice and none
missing; only the tags may be newer."""
import fcntl
import json
import os
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import invent
import sandbox

COUNT = 1500
RATE = 200
COMMITS = 50
LISTINGS = [['--output=messages', '--format=text'], ['--output=messages', '--format=json'],
            ['--output=summary', '--format=json'], ['--output=files', '--format=text'],
            ['--output=summary', '--format=text', '--sort=oldest-first']]


class SlowReader(threading.Thread):
    """Reads what a listing prints, RATE lines a second; the last fifth when it is told to go on."""

    def __init__(self, box, options, length):
        super().__init__()
        self.text, self.hold, self.calm = b'', length * 4 // 5, threading.Event()
        read, write = os.pipe()
        fcntl.fcntl(write, 1031, 4096)  # F_SETPIPE_SZ
        self.process = box.start('search', *options, '*', stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        self.file = os.fdopen(read, 'rb', buffering=0)
        self.start()

    def run(self):
        start, lines = time.monotonic(), 0
        while True:
            piece = self.file.read(512)
            if not piece:
                break
            self.text += piece
            lines += piece.count(b'\n')
            if len(self.text) > self.hold:
                self.calm.wait(120)
            else:
                time.sleep(max(0, start + lines / RATE - time.monotonic()))
        self.said = self.process.communicate()[1]
        self.took = time.monotonic() - start


def essence(text, options):
    """What must not depend on the moment: all but tags."""
    text = text.decode()
    if '--format=json' not in options:
        lines = text.splitlines()
        return [l[:l.rindex('(')] for l in lines] if '--output=summary' in options else lines
    listed = json.loads(text)
    if '--output=summary' in options:
        return [(t['thread'], t['matched'], t['total'], t['query'], t['subject']) for t in listed]
    return listed


def long_ids(root):
    """Names of a hundred bytes, so that no listing fits into the pipe."""
    invent.maildirs(root, 20)
    for number in range(COUNT):
        data = sandbox.message('%s%d@example.org' % ('long' * 20, number), 'about %d' % number,
                               'word%d' % number)
        with open(os.path.join(root, 'box%d' % (number % 5), 'cur', 'x' * 60 + '%d:2,S' % number), 'wb') as f:
            f.write(data)


def segments(box):
    return set(os.listdir(os.path.join(box.index, 'text'))) - {'tmp'}


def disturb(box):
    """Commits and merges; returns how many of each."""
    commits = merges = 0
    for number in range(COMMITS):
        if number % 4:
            invent.maildirs(box.root, 4, start=10000 + 10 * number, seed=number)
            before = segments(box)
            box.lines('new')
            merges += bool(before - segments(box))
            commits += 1
        sign = '+-'[number // 5 % 2]
        box.lines('tag', sign + 'd%d' % (number % 5), '--', 'tag:unread or subject:about')
        commits += 1
    return commits, merges


def main():
    with sandbox.Sandbox() as box:
        long_ids(box.root)
        box.lines('new')
        before = [box.run('search', *options, '*').stdout for options in LISTINGS]
        right = [essence(text, options) for text, options in zip(before, LISTINGS)]
        readers = [SlowReader(box, options, len(text)) for text, options in zip(before, LISTINGS)]
        time.sleep(0.5)  # each has begun
        commits, merges = disturb(box)
        alive = sum(reader.is_alive() for reader in readers)
        for reader in readers:
            reader.calm.set()
        for reader in readers:
            reader.join()
        tap.diag('%d commits, %d merges; %d of %d readers still at it; they took %s s' % (
            commits, merges, alive, len(readers), ' '.join('%.1f' % r.took for r in readers)))
        tap.ok(commits >= COMMITS and merges >= 2, 'fifty commits and two merges', (commits, merges))
        tap.ok(alive == len(readers), 'while the listings were read', alive)
        for options, reader, before in zip(LISTINGS, readers, right):
            name = ' '.join(options) + ': '
            tap.equal((reader.process.returncode, reader.said), (0, b''), name + 'exits 0')
            now = essence(reader.text, options)
            tap.equal(len(now), len(set(map(str, now))), name + 'nothing comes twice')
            tap.ok(now == before, name + 'the same as before, in the same order',
                   lambda: [p for p in zip(now, before) if p[0] != p[1]][:3] or (len(now), len(before)))
        tap.ok(box.count('*') > COUNT + 20, 'there is new mail by now')
    tap.done()


main()
