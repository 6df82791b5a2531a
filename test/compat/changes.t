#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random changes of tags and files played to notmuch and to us: the same tags, the same names.

Each round has mail of its own. A step changes tags (by id, by query, by a list, from a dump), or
files as a mail client or mbsync does (letters, moves, deletions, deliveries), or delivers through
insert; after each 50 both look for new mail, and everything is compared. The numbers of rounds and
steps are for minutes; check-long has more of both. $MAIL_TEST_SEED begins with another round.
"""
import os
import random
import re
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib')]
import sandbox
import tap

ROUNDS, STEPS = (100, 2000) if tap.LONG else (5, 400)
TAGS = ['flagged', 'replied', 'unread', 'draft', 'passed', 'inbox', 'work', 'two words', 'ü']
FOLDERS = ['in', 'lists/a', 'sent']
UNIQUE = re.compile(r'^\d+\.M\d+P\d+\.[^:,]*')


class Player:
    """Plays the same steps to both. What stands on the disk is the same but for names that insert
    has made, so a file is known by its folder, message and name without those."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.boxes = [sandbox.Sandbox('notmuch'), sandbox.Sandbox()]
        self.delivered = 0
        for box in self.boxes:
            for folder in FOLDERS:
                sandbox.maildir(os.path.join(box.root, folder))
            with open(os.path.join(box.top, 'config'), 'a') as f:
                f.write('[new]\ntombstone_days=0\n')

    def close(self):
        for box in self.boxes:
            box.close()

    def files(self, box):
        """{path: (message, folder, name)}"""
        found = {}
        for where, folders, names in os.walk(box.root):
            folders[:] = [f for f in folders if not f.startswith('.')]
            for name in names:
                path = os.path.join(where, name)
                with open(path, 'rb') as f:
                    message = re.search(rb'^Message-ID: <(.*)>', f.read(), re.M).group(1).decode()
                found[path] = (message, os.path.relpath(where, box.root), UNIQUE.sub('NAME', name))
        return found

    def both(self, *args, input=None):
        codes = [box.run(*args, input=input).returncode for box in self.boxes]
        if codes[0] != codes[1]:
            raise AssertionError('%r: exit codes %r' % (args, codes))

    # ---- steps ----

    def ids(self):
        return ['m%d@x' % n for n in range(1, self.delivered + 1)] or ['none@x']

    def operations(self):
        chosen = self.rng.sample(TAGS, self.rng.randrange(1, 4))
        return [self.rng.choice('+-') + tag for tag in chosen]

    def query(self):
        return self.rng.choice(['id:' + self.rng.choice(self.ids())] * 4 +
                               ['tag:flagged and not tag:work', 'folder:sent', 'subject:s3',
                                'tag:unread or tag:draft'])

    def tag(self):
        self.both('tag', *self.operations(), '--', self.query())

    def tag_list(self):
        lines = []
        for _ in range(self.rng.randrange(1, 8)):
            tags = [t[0] + t[1:].replace(' ', '%20').replace('ü', '%c3%bc') for t in self.operations()]
            lines.append(' '.join(tags) + ' -- ' + self.query())
        more = ['--remove-all'] if self.rng.random() < 0.1 else []
        self.both('tag', '--batch', *more, input=('\n'.join(lines) + '\n').encode())

    def restore(self):
        lines = ['+%s -- id:%s' % (self.rng.choice(['work', 'flagged', 'unread']), m)
                 for m in self.rng.sample(self.ids(), min(3, len(self.ids())))]
        more = ['--accumulate'] if self.rng.random() < 0.5 else []
        self.both('restore', *more, input=('\n'.join(lines) + '\n').encode())

    def deliver(self):
        """A new message, or a further copy of one."""
        again = self.rng.random() < 0.3 and self.delivered > 0
        self.delivered += not again
        number = self.rng.randrange(1, self.delivered + 1) if again else self.delivered
        text = sandbox.message('m%d@x' % number, 's%d' % (number % 7), 'body')
        folder = self.rng.choice(FOLDERS)
        unique = '%d.%s' % (self.rng.randrange(1 << 40), self.rng.choice(['host', 'host,U=7', 'host,S=9']))
        place = self.rng.choice(['new/' + unique, 'cur/' + unique + self.letters()])
        for box in self.boxes:
            with open(os.path.join(box.root, folder, place), 'wb') as f:
                f.write(text)

    def insert(self):
        again = self.rng.random() < 0.2 and self.delivered > 0
        self.delivered += not again
        number = self.rng.randrange(1, self.delivered + 1) if again else self.delivered
        text = sandbox.message('m%d@x' % number, 's%d' % (number % 7), 'body')
        self.both('insert', '--folder=' + self.rng.choice(FOLDERS), *self.operations(), input=text)

    def letters(self, may_lack=True):
        if may_lack and self.rng.random() < 0.2:
            return ''
        return ':2,' + ''.join(sorted(self.rng.sample('DFPRSTab', self.rng.randrange(4))))

    def pick(self):
        """The same file of both, as paths; None where they do not agree on any."""
        mine = [{key: path for path, key in sorted(self.files(box).items())} for box in self.boxes]
        keys = sorted(k for k in mine[0] if k in mine[1])
        key = self.rng.choice(keys) if keys else None
        return [files[key] for files in mine] if key else None

    def rename(self, folder=None):
        # To a name without any: notmuch then goes by the letters of the old one, which is not there
        # any more (notmuch-differences.md).
        paths = self.pick()
        letters = self.letters(may_lack=False)
        for box, path in zip(self.boxes, paths or []):
            base = os.path.basename(path).split(':2,')[0]
            where = os.path.join(box.root, folder, 'cur') if folder else \
                os.path.join(os.path.dirname(os.path.dirname(path)), 'cur')
            target = os.path.join(where, base + letters)
            if not os.path.exists(target):
                os.rename(path, target)

    def move(self):
        self.rename(self.rng.choice(FOLDERS))

    def remove(self):
        for path in self.pick() or []:
            os.remove(path)

    def step(self):
        kinds = [self.tag] * 8 + [self.tag_list] * 3 + [self.restore, self.insert] + \
            [self.deliver] * 3 + [self.rename] * 4 + [self.move, self.remove]
        self.rng.choice(kinds)()

    # ---- looking ----

    def look(self):
        """What there is, as each of the two sees it."""
        seen = []
        for box in self.boxes:
            box.lines('new', '--quiet')
            names = self.files(box)
            known = [names.get(os.path.join(box.root, f), f) for f in box.files()]
            seen.append((box.tag_lines(), sorted(known, key=str), sorted(names.values()),
                         box.count('*'), box.count('--output=files', '*')))
        return seen


def play(number):
    player = Player(number)
    try:
        for step in range(STEPS):
            player.step()
            if (step + 1) % 50 == 0:
                theirs, ours = player.look()
                for left, right, what in zip(theirs, ours, ('tags', 'names known', 'names on the disk',
                                                            'messages', 'files')):
                    if left != right:
                        left, right = (sorted(map(str, set(map(str, x)) - set(map(str, y))))
                                       if isinstance(x, list) else x
                                       for x, y in ((left, right), (right, left)))
                        return '%s after step %d\nnotmuch: %s\nours: %s' % (what, step + 1, left, right)
    finally:
        player.close()
    return None


def main():
    if not shutil.which('notmuch'):
        tap.skip_all('no notmuch', ROUNDS)
    first = int(os.environ.get('MAIL_TEST_SEED', '1'))
    for number in range(first, first + ROUNDS):
        difference = play(number)
        tap.ok(difference is None, 'round %d of %d steps' % (number, STEPS), difference)
    tap.done()


main()
