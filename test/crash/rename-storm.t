#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A mail program marks, moves and files mail while `new` runs: no message and no tag is lost, and
nothing is taken for new mail. Twenty rounds; six in the short run."""
import os
import random
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import sandbox

COUNT = 300
COPIES = 30
FOLDERS = ['', 'lists', 'lists/old', 'archive', 'work']
ROUNDS = 20 if tap.LONG else 6
RUNS = 12 if tap.LONG else 6  # of new in a round, while the storm goes on


def make_mail(box):
    """Half is seen and in cur/, half in new/; some have a copy elsewhere."""
    for name in FOLDERS:
        sandbox.maildir(os.path.join(box.root, name))
    for number in range(COUNT):
        places = [FOLDERS[number % 5]] + ([FOLDERS[(number + 1) % 5]] if number < COPIES else [])
        for copy, folder in enumerate(places):
            below, flags = ('cur', ':2,S') if number % 2 else ('new', '')
            name = '%d.%d.storm%s' % (1700000000 + number, copy, flags)
            with open(os.path.join(box.root, folder, below, name), 'wb') as f:
                f.write(sandbox.message('m%d@example.org' % number, 'about %d' % number, 'word%d' % number))


def storm(root, seed):
    """Renames until it is ended; says how often. Runs in a process of its own."""
    chance, count = random.Random(seed), 0
    print('begun', flush=True)
    while not os.path.exists(os.path.join(root, '..', 'calm')):
        for folder in FOLDERS:
            for below in ('new', 'cur'):
                place = os.path.join(root, folder, below)
                for name in os.listdir(place):
                    if chance.random() < 0.6:
                        count += rename(root, os.path.join(place, name), folder, chance)
    print(count)


def rename(root, path, folder, chance):
    """From new to cur, other flags, another folder."""
    stem, _, flags = os.path.basename(path).partition(':2,')
    kind = chance.choice((0, 0, 0, 1, 2))
    if kind == 0:
        folder = chance.choice(FOLDERS)
    if kind == 1 and chance.random() < 0.2:
        target = os.path.join(root, folder, 'new', stem)
    else:
        letters = set(flags) ^ {chance.choice('FRSPD')} if kind > 1 else set(flags)
        target = os.path.join(root, folder, 'cur', '%s:2,%s' % (stem, ''.join(sorted(letters))))
    if target == path:
        return 0
    os.rename(path, target)
    return 1


def own_tags(box):
    """{id: the tags that nobody but us gives}. Each message is a thread of its own."""
    found = {}
    for thread in box.json('search', '--format=json', '*'):
        ids = sandbox.ids_of_terms(thread['query'][0]) + sandbox.ids_of_terms(thread['query'][1])
        tags = [t for t in thread['tags'] if t[0] == 't' or t in ('keep', 'inbox')]
        found.update({message: sorted(tags) for message in ids})
    return found


def flags_of(box):
    """{tag: the ids that have it}, as the names of the files say."""
    found = {tag: set() for tag in ('flagged', 'replied', 'passed', 'draft')}
    seen = set()
    for where, _, names in os.walk(box.root):
        for name in names if '.mailindex' not in where else []:
            message = 'm%d@example.org' % (int(name.split('.')[0]) - 1700000000)
            flags = name.partition(':2,')[2]
            for letter, tag in zip('FRPD', ('flagged', 'replied', 'passed', 'draft')):
                found[tag] |= {message} if letter in flags else set()
            seen |= {message} if 'S' in flags else set()
    found['unread'] = {'m%d@example.org' % n for n in range(COUNT)} - seen
    return found


def files_below(box):
    return sorted(os.path.relpath(os.path.join(where, name), box.root)
                  for where, _, names in os.walk(box.root) for name in names if '.mailindex' not in where)


def one_round(box, number, right):
    calm = os.path.join(box.top, 'calm')
    renamer = subprocess.Popen([sys.executable, os.path.abspath(__file__), 'storm', box.root, str(number)],
                               stdout=subprocess.PIPE)
    renamer.stdout.readline()
    codes, said, added = [], b'', 0
    for _ in range(RUNS):
        done = box.run('new')
        codes.append(done.returncode)
        said += done.stderr
        added += done.stdout.count(b'Added')
    with open(calm, 'w'):
        pass
    renames = int(renamer.communicate()[0])
    os.unlink(calm)
    time.sleep(0.05)
    done = box.run('new')
    name = 'round %d, %d renames: ' % (number, renames)
    tap.ok(set(codes) <= {0, 75} and done.returncode == 0, name + 'new exits 0 or 75, and 0 at the end',
           (codes, done.returncode, said[-500:], done.stderr))
    tap.ok(not added and b'Added' not in done.stdout, name + 'nothing is new mail', done.stdout)
    now = own_tags(box)
    tap.ok(now == right, name + 'no message and no tag is lost, none is given anew',
           lambda: [(m, right.get(m), now.get(m)) for m in set(right) | set(now) if right.get(m) != now.get(m)][:5])
    tap.equal(box.files(), files_below(box), name + 'the index has every file under its name')
    wrong = {tag: sorted(ids ^ set(box.ids('tag:' + tag)))[:5] for tag, ids in flags_of(box).items()
             if ids != set(box.ids('tag:' + tag))}
    tap.equal(wrong, {}, name + 'tags of flags are those of the names')
    return renames


def main():
    with sandbox.Sandbox() as box:
        make_mail(box)
        box.lines('new')
        box.lines('tag', '+keep', '-inbox', '--', '*')
        batch = ''.join('+t%d -- id:m%d@example.org\n' % (n, n) for n in range(COUNT))
        box.lines('tag', '--batch', input=batch.encode())
        right = {'m%d@example.org' % n: ['keep', 't%d' % n] for n in range(COUNT)}
        tap.equal(own_tags(box), right, 'every message has its tags')
        renames = sum(one_round(box, number, right) for number in range(ROUNDS))
        tap.ok(renames > 30 * ROUNDS, 'there was a storm', renames)
        lost = [n for n in range(0, COUNT, 10) if box.ids('word%d' % n) != ['m%d@example.org' % n]]
        tap.equal((box.count('word*'), lost), (COUNT, []), 'the words are found')
    tap.done()


if sys.argv[1:2] == ['storm']:
    storm(sys.argv[2], int(sys.argv[3]))
else:
    main()
