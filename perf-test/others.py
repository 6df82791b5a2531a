# SPDX-License-Identifier: GPL-3.0-or-later
"""mu and mairix on the same mail: what they do that compares (first index, nothing new, more mail)."""
import os
import shutil
import sys

import measure
import trees

MAIRIX = '''base=%(root)s
maildir=*...
mfolder=%(top)s/found
database=%(index)s/database
'''


class Other:
    """A program that only indexes, with a tree and an index of its own."""

    def __init__(self, name, work):
        self.name = name
        self.top = os.path.join(work, name)
        self.root = os.path.join(self.top, 'Mail')
        self.index = os.path.join(self.top, 'index')
        for folder in (self.root, self.index, os.path.join(self.top, 'found')):
            os.makedirs(folder)
        self.env = {'PATH': os.environ['PATH'], 'HOME': self.top, 'TZ': 'UTC', 'LC_ALL': 'C.UTF-8'}

    def run(self, *command, sample=False):
        return measure.timed([shutil.which(command[0])] + list(command[1:]), self.env, sample)

    def prepare(self):
        """Whatever comes before the first index."""
        if self.name == 'mu':
            self.run('mu', 'init', '--quiet', '--maildir=' + self.root, '--muhome=' + self.index)
        else:
            with open(os.path.join(self.top, 'rc'), 'w') as file:
                file.write(MAIRIX % {'root': self.root, 'top': self.top, 'index': self.index})

    def bring(self, mail, names):
        """Puts mail into the tree. mairix takes a folder for a maildir that has all three in it."""
        trees.put(mail, names, self.root)
        for where, folders, _ in os.walk(self.root):
            if 'cur' in folders or 'new' in folders:
                for folder in ('cur', 'new', 'tmp'):
                    os.makedirs(os.path.join(where, folder), exist_ok=True)

    def look(self, sample=False):
        """What "new" is to us."""
        if self.name == 'mu':
            return self.run('mu', 'index', '--quiet', '--muhome=' + self.index, sample=sample)
        return self.run('mairix', '-f', os.path.join(self.top, 'rc'), sample=sample)

    def version(self):
        found = self.run(*(['mu', '--version'] if self.name == 'mu' else ['mairix', '--version']))
        return found.output.decode(errors='replace').split('\n')[0]


def go_through(program, mail, first, batch):
    """[(step, CPU, wall, peak PSS or None)], and the bytes of its index."""
    program.bring(mail, first)
    program.prepare()
    found = [('first index', program.look(sample=True))]
    size = measure.bytes_of(program.index)
    if size == 0:
        raise measure.Failed('%s has indexed nothing' % program.name)
    found.append(('nothing new', program.look()))
    program.bring(mail, batch)
    found.append(('add %d' % len(batch), program.look()))
    return [(step, result.cpu, result.wall, result.pss) for step, result in found], size


def compare(mail, first, batch, work):
    """{name: steps}, {name: bytes of its index}, of those that are installed and do not fail on this mail."""
    steps, sizes = {}, {}
    for name in ('mu', 'mairix'):
        if not shutil.which(name):
            continue
        program = Other(name, work)
        try:
            steps[name], sizes[name] = go_through(program, mail, first, batch)
        except measure.Failed as failed:
            print('%s is left out: %s' % (name, failed), file=sys.stderr)
        shutil.rmtree(program.top)
    return steps, sizes
