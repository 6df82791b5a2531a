#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sixteen random bytes over any file of the index, one at a time: either `check` names the damage and
`check --repair` mends it, or every answer is what it was. No tag is ever lost. Then a state that is gone,
and repairs that are killed."""
import os
import random
import shutil
import signal
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import rounds
import sandbox

MAIL = 200
ROUNDS = 500 if tap.LONG else 24
KILLS = 20 if tap.LONG else 4
QUERIES = '''*
the
linux
"in the"
"of the" and not linux
patch* or release*
subject:re
subject:"re"
from:com
from:/com/
to:list
attachment:patch
working
date:2004..2010
date:2001..2003
not the
a or b or c
tag:inbox
tag:inbox and mail
tag:flagged or tag:replied
tag:odd
not tag:odd
tag:"two words"
thread:{the}
folder:box0
path:**
mimetype:text/plain
lastmod:1..
lastmod:3..5
size:1..4000
x*
http
www example
2.6'''.splitlines()


def answers(box):
    """Everything that it says; None where it fails."""
    told = []
    for query in QUERIES:
        done = box.run('search', '--format=json', '--output=messages', '--', query)
        if done.returncode != 0:
            return None
        told.append(done.stdout)
    done = box.run('search', '--format=json', '--output=summary', '*')
    return told + [done.stdout] if done.returncode == 0 else None


def index_files(box):
    """Those with anything in them."""
    found = [os.path.join(where, name) for where, _, names in os.walk(box.index) for name in names]
    return sorted(path for path in found if os.path.getsize(path) >= 64)


def copy_of(origin):
    box = sandbox.Sandbox()
    shutil.rmtree(box.root)
    shutil.copytree(origin.root, box.root, symlinks=True,
                    copy_function=lambda a, b: shutil.copy2(a, b) if origin.index in a else os.link(a, b))
    return box


def spoil(path, chance):
    """Returns what was done."""
    size = os.path.getsize(path)
    offset = chance.randrange(0, size - 16)
    with open(path, 'r+b') as f:
        f.seek(offset)
        f.write(bytes(chance.randrange(256) for _ in range(16)))
    return '%s at %d of %d' % (os.path.basename(path), offset, size)


def prepare(box):
    rounds.make_mail(box.root, MAIL)
    box.lines('new')
    box.lines('tag', '+odd', '+two words', '--', 'subject:re')
    box.lines('tag', '-inbox', '--', 'tag:odd and the')
    for number in range(12):
        box.lines('tag', '+n%d' % number, '--', 'date:200%d..' % (number % 10))
    box.lines('tag', '-two words', '--', 'tag:n3')


def damage(origin, right, chance, tally, name=None):
    """name: of the file; any where it is None."""
    with copy_of(origin) as box:
        files = [path for path in index_files(box) if name in (None, os.path.basename(path))]
        what = spoil(chance.choice(files), chance)
        checked = box.run('check')
        before = answers(box) if checked.returncode == 0 else None
        tally[checked.returncode != 0] += 1
        wrong = ''
        if checked.returncode == 0:
            wrong = '' if before == right['answers'] else 'check says nothing, but answers differ'
        elif checked.returncode != 1 or not checked.stdout:
            wrong = 'check: exit %d, %r' % (checked.returncode, checked.stderr)
        else:
            mended = box.run('check', '--repair')
            if mended.returncode != 0:
                wrong = 'repair: exit %d, %r' % (mended.returncode, mended.stdout + mended.stderr)
            else:
                wrong = rounds.unlike(rounds.snapshot(box), right['snapshot'])
        tap.ok(not wrong, '%s: %s' % (what, 'named and mended' if checked.returncode else 'changes nothing'),
               lambda: '%s\n%r' % (wrong, checked.stdout[:300]))


def lost_state(origin, right):
    with copy_of(origin) as box:
        shutil.rmtree(os.path.join(box.index, 'state'))
        done = box.run('new')
        tap.ok(done.returncode != 0 and b'--repair' in done.stderr, 'without state, new does not begin anew',
               done.stderr)
        tap.equal(box.run('check').returncode, 1, 'check: exit code 1')
        tap.equal(box.run('check', '--repair').returncode, 0, 'repair')
        tap.equal(rounds.unlike(rounds.snapshot(box), right['snapshot']), '', 'every tag is back')
        tap.equal(box.run('check').returncode, 0, 'and it is in order')
        box.lines('tag', '+after', '--', '*')
        shutil.rmtree(os.path.join(box.index, 'state'))
        box.lines('check', '--repair')
        tap.equal(box.count('tag:after'), box.count('*'), 'once more: what was done since, too')


def killed_repair(origin, right, chance):
    """At any moment; the next repair finishes it."""
    with copy_of(origin) as box:
        shutil.rmtree(os.path.join(box.index, 'state'))
        for _ in range(3):
            process = box.start('check', '--repair', stdout=-3, stderr=-3)
            try:
                process.wait(chance.uniform(0, 0.5))
            except Exception:
                process.send_signal(signal.SIGKILL)
                process.wait()
        done = box.run('check', '--repair')
        tap.ok(done.returncode == 0, 'a repair that was killed is finished by the next', done.stdout + done.stderr)
        tap.equal(rounds.unlike(rounds.snapshot(box), right['snapshot']), '', 'and every tag is there')


def main():
    chance = random.Random(int(os.environ.get('MAIL_TEST_SEED', '5')))
    with sandbox.Sandbox() as origin:
        prepare(origin)
        right = {'answers': answers(origin), 'snapshot': rounds.snapshot(origin)}
        tap.ok(right['answers'] is not None and origin.run('check').returncode == 0, 'an index in order')
        lost_state(origin, right)
        for _ in range(KILLS):
            killed_repair(origin, right, chance)
        tally = {True: 0, False: 0}
        for _ in range(ROUNDS):
            damage(origin, right, chance, tally)
        for _ in range(ROUNDS // 6):  # Xapian may die of this one
            damage(origin, right, chance, tally, 'iamglass')
        tap.ok(tally[True] > ROUNDS / 3, 'much of it is damage', tally)
    tap.done()


main()
