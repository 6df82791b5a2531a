#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mail is deleted and other mail of the same size delivered between two runs, a thousand times: the new
file gets the inode of the old one, and is nevertheless a stranger. Every message is indexed, none
inherits the tags of another. Some come with the very time stamp (in whole seconds) of the one deleted,
some under its very name."""
import os
import random
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import sandbox

KEPT = 150
PAIRS = 50
RUNS = 20
SIZE = 900


class Folder:
    """Mail that comes and goes: {number: path}."""

    def __init__(self, root, mh):
        self.mh, self.files = mh, {}
        self.place = os.path.join(root, 'mh') if mh else os.path.join(sandbox.maildir(root + '/in'), 'cur')
        os.makedirs(self.place, exist_ok=True)

    def deliver(self, number, path=None, times=None):
        head = sandbox.message('m%d@example.org' % number, 'about %d' % number, 'word%d filler ' % number)
        path = path or os.path.join(self.place, '%d' % number if self.mh else '%d.stranger:2,S' % number)
        with open(path, 'wb') as f:
            f.write(head.rstrip() + b'x' * (SIZE - len(head.rstrip()) - 1) + b'\n')
        if times:
            os.utime(path, ns=times)
        self.files[number] = path
        return os.stat(path).st_ino


def exchange(folder, chance, number):
    """Deletes one and delivers another. Returns (the number that went, whether the inode was used again)."""
    old = chance.choice(sorted(folder.files))
    path = folder.files.pop(old)
    st = os.stat(path)
    os.unlink(path)
    same_time = (st.st_atime_ns, st.st_mtime_ns // 10**9 * 10**9) if number % 3 == 0 and not folder.mh else None
    same_name = path if folder.mh else None
    inode = folder.deliver(number, same_name, same_time)
    return old, inode == st.st_ino


def check(box, folders, name):
    right = {'m%d@example.org' % n for folder in folders for n in folder.files}
    ids = set(box.ids())
    tap.ok(ids == right, name + 'every message that is there is indexed, and no other',
           lambda: 'missing %s; too many %s' % (sorted(right - ids)[:5], sorted(ids - right)[:5]))
    paths = sorted(os.path.relpath(p, box.root) for folder in folders for p in folder.files.values())
    tap.equal(box.files(), paths, name + 'each under the name of its file')


def one_run(box, folders, chance, run):
    """PAIRS exchanges, then new. What was there before has the tag "mine"."""
    box.lines('tag', '+mine', '-inbox', '--', '*')
    time.sleep(0.03)
    new, reused = set(), 0
    for pair in range(PAIRS):
        number = KEPT + run * PAIRS + pair
        old, same = exchange(folders[pair % 4 == 3], chance, number)
        new = new - {'m%d@example.org' % old} | {'m%d@example.org' % number}
        reused += same
    done = box.run('new')
    name = 'run %d: ' % run
    tap.ok(done.returncode == 0 and not done.stderr, name + 'new exits 0', done.stderr[-500:])
    check(box, folders, name)
    tap.equal(set(box.ids('not tag:mine')), new, name + 'no stranger inherits a tag')
    tap.equal(set(box.ids('tag:inbox')), new, name + 'all strangers are new mail')
    return reused


def junk_in_its_place(box, folder):
    """What is no mail takes the name of a message: the message is gone."""
    number, path = sorted(folder.files.items())[0]
    ids = box.count('*')
    time.sleep(0.03)
    os.unlink(path)
    with open(path, 'w') as f:
        f.write('this is no mail, though it may be longer than what was here\n' * 30)
    box.run('new')
    tap.equal((box.count('id:m%d@example.org' % number), box.count('*')), (0, ids - 1),
              'a message whose name is taken by what is no mail is gone')
    again = box.run('new')
    tap.equal((again.returncode, again.stderr), (0, b''), 'and that is told once')
    del folder.files[number]
    os.unlink(path)
    folder.deliver(999999, path)
    box.run('new')
    tap.equal(box.ids('word999999'), ['m999999@example.org'], 'mail that takes the name back is found')


def main():
    chance = random.Random(int(os.environ.get('MAIL_TEST_SEED', '3')))
    with sandbox.Sandbox() as box:
        folders = [Folder(box.root, False), Folder(box.root, True)]
        for number in range(KEPT):
            folders[number % 4 == 3].deliver(number)
        box.lines('new')
        check(box, folders, 'at first ')
        reused = sum(one_run(box, folders, chance, run) for run in range(RUNS))
        tap.diag('%d of %d inodes were used again' % (reused, RUNS * PAIRS))
        words = [n for folder in folders for n in folder.files]
        tap.equal(box.count('word*'), len(words), 'words of all that is there, and of nothing else')
        lost = [n for n in chance.sample(words, 25) if box.ids('word%d' % n) != ['m%d@example.org' % n]]
        tap.equal(lost, [], 'each at its own message')
        junk_in_its_place(box, folders[1])
    tap.done()


main()
