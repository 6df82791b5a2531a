#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of tags that rename files, killed or refused on the way: no file is lost or has two names,
and after `new` the index, the names and the tags agree. Deliveries killed on the way: a mail is there
as a whole or not at all."""
import os
import random
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import shim
import tap
import processes
import sandbox

COUNT = 600
ROUNDS = 30 if tap.LONG else 6


def fill(box):
    for n in range(COUNT):
        folder = os.path.join(box.root, 'f%d' % (n % 3))
        sandbox.maildir(folder)
        name = 'new/%d.host' % n if n % 2 else 'cur/%d.host,U=%d:2,' % (n, n)
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(sandbox.message('m%d@x' % n))
    box.lines('new', '--quiet')


def on_disk(box):
    found = []
    for where, folders, names in os.walk(box.root):
        folders[:] = [f for f in folders if f != '.mailindex']
        found += [os.path.relpath(os.path.join(where, name), box.root) for name in names]
    return sorted(found)


def stem(path):
    return os.path.basename(path).split(':2,')[0]


def agree(box, what):
    """Everything fits together, after a run of new."""
    new = box.run('new', '--quiet')
    files = on_disk(box)
    tap.equal(sorted(stem(f) for f in files if stem(f).endswith('.host') or ',U=' in f),
              sorted('%d.host%s' % (n, '' if n % 2 else ',U=%d' % n) for n in range(COUNT)),
              what + ': every file is there once')
    tap.ok(new.returncode == 0 and box.files() == files, 'the index knows their names',
           lambda: set(box.files()) ^ set(files))
    unread = set(box.files('tag:unread'))
    wrong = [f for f in files if ('S' in f.split(':2,')[-1] and ':2,' in f) == (f in unread)]
    tap.ok(not wrong, 'tags and letters say the same', wrong[:5])


def killed(box, chance):
    start = time.monotonic()
    box.lines('tag', '-unread', '--', '*')
    moments = processes.Moments(chance, time.monotonic() - start, ROUNDS, ROUNDS // 3)
    for number, moment in moments:
        change = '+unread' if number % 2 == 0 else '-unread'
        process = box.start('tag', change, '--', '*', stdout=-3, stderr=-3)
        processes.ends(process, moment)
        process.send_signal(signal.SIGKILL)
        moments.tell(process.wait() == -signal.SIGKILL)
        agree(box, 'killed')
        box.lines('tag', change, '--', '*')
        tap.equal(box.count('tag:unread'), COUNT if change == '+unread' else 0, 'done again, all have it')
    moments.ok('a third of the runs were killed before their end')


def refused(box):
    """Writes in the index fail from some call on: the names are the old ones again."""
    if shim.library() is None:
        tap.skip('writes that are refused', 'calls cannot be made to fail here')
        return
    io = shim.Shim(box)
    box.lines('tag', '-unread', '--', '*')
    before = on_disk(box)
    for first in (3, 6, 10, 20):
        done = io.run(first, 'tag', '+unread', '--', '*')
        if done.returncode == 0:
            break
        if box.count('tag:unread') == 0:
            tap.equal(on_disk(box), before, 'call %d fails: the names are as before' % first)
        agree(box, 'refused')
        box.lines('tag', '-unread', '--', '*')
        before = on_disk(box)


def delivered(box, chance):
    text = sandbox.message('delivered@x', body='x ' * 200000)
    whole = 0
    for number in range(ROUNDS):
        one = text.replace(b'delivered', b'delivered%d' % number)
        with open(os.path.join(box.top, 'mail'), 'wb') as f:
            f.write(one)
        with open(os.path.join(box.top, 'mail'), 'rb') as f:
            process = subprocess.Popen([box.program, 'insert', '--folder=f0'], stdin=f, env=box.env,
                                       stdout=-3, stderr=-3)
        time.sleep(chance.uniform(0, 0.06))
        process.kill()
        process.wait()
        box.run('new', '--quiet')
        there = [f for f in on_disk(box) if '/tmp/' not in f and not stem(f).endswith('.host')
                 and ',U=' not in f]
        sizes = {os.path.getsize(os.path.join(box.root, f)) for f in there}
        tap.ok(all(abs(size - len(one)) < 4 for size in sizes), 'what is there is whole', sizes)
        tap.equal(box.count('id:delivered%d@x' % number), len(there) - whole, '... and found')
        whole = len(there)


def main():
    chance = random.Random(int(os.environ.get('MAIL_TEST_SEED', '11')))
    with sandbox.Sandbox() as box:
        fill(box)
        killed(box, chance)
        refused(box)
        delivered(box, chance)
    tap.done()


main()
