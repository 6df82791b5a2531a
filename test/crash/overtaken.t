#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commits come in between at one read: at each opening and read of state and of the words that a command makes
without the lock, somebody else changes the tags of all messages there and back, so often that nothing of what the
command reads is left, or compacts. The command must go on as if nothing had been: the same answer, the same
effect; also when it is so at each of the next reads, as if a million messages were read while somebody changes one
every millisecond. Some of the reads each; all of them in the long form."""
import os
import random
import re
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import invent
import preload
import sandbox

COUNT = 150
DRAWN = 1  # reads of each command that a commit comes in between
EACH = 50 if tap.LONG else 12  # before each of so many, from a read on
TAGS = 'printf "%%s -- *\\n" +noise -noise +noise -noise | %(mail)s tag --batch; '
# a merge, and another folder for state
COMPACT = TAGS + '%(mail)s compact --quiet; '


def prepare(box):
    """Messages in several segments and folders, a message of two files, properties, problems."""
    invent.maildirs(box.root, COUNT, size=12)
    box.lines('new', '--quiet')
    invent.maildirs(box.root, 20, start=COUNT, seed=3, size=12)
    with open(os.path.join(box.root, 'box2', 'cur', 'second:2,'), 'wb') as f:
        f.write(sandbox.message('m9@example.org', body='otherwise'))
    with open(os.path.join(box.root, 'box2', 'cur', 'no-mail:2,'), 'wb') as f:
        f.write(b'nothing\n')
    box.run('new', '--quiet')
    box.lines('tag', '+kept', '--', 'subject:topic')
    box.lines('tag', '+first', '-unread', '--', 'id:m1@example.org or id:m2@example.org')
    box.run('restore', '--accumulate', input=b'#= m4@example.org key=value\n')


def more_mail(box):
    """For a run of new: new, moved, gone, and renamed."""
    names = invent.maildirs(box.root, 12, size=12, start=1000, seed=2)
    os.rename(os.path.join(box.root, names[0]), os.path.join(box.root, 'box0', 'cur', 'moved:2,S'))
    os.rename(os.path.join(box.root, 'box1'), os.path.join(box.root, 'box1-renamed'))
    os.remove(os.path.join(box.root, box.files('id:m3@example.org')[0]))
    with open(os.path.join(box.root, 'box3', 'cur', 'other:2,S'), 'wb') as f:
        f.write(sandbox.message('m10@example.org', body='otherwise'))


class Scene:
    """A command, and what is left of it."""

    def __init__(self, command, input=b'', change=None, changes=True):
        self.command, self.input, self.changes = command, input, changes
        self.origin = sandbox.Sandbox()
        prepare(self.origin)
        if change:
            change(self.origin)

    def copy(self):
        """Mail keeps its inodes and times; all that changes nothing may use the same."""
        box = sandbox.Sandbox(top=self.origin.top + '.copy')
        box.own = True
        shutil.rmtree(box.root)
        subprocess.run(['cp', '-a', self.origin.root, box.root], check=True)
        return box

    def run(self, at=0, disturb='', times=1):
        """Exit code, output and index afterwards; how many reads there were."""
        with self.copy() as box:
            count = os.path.join(box.top, 'reads')
            with open(count, 'wb') as f:
                f.write(bytes(8))
            env = {'LD_PRELOAD': preload.library('overtake'), 'OVERTAKE_INDEX': box.index, 'OVERTAKE_COUNT': count,
                   'OVERTAKE_AT': str(at), 'OVERTAKE_TIMES': str(times),
                   'OVERTAKE_RUN': disturb % {'mail': box.program} + ': >>%s/came' % box.top}
            done = box.run(*self.command, input=self.input, env=env)
            with open(count, 'rb') as f:
                reads = struct.unpack('=Q', f.read(8))[0]
            came = at == 0 or os.path.exists(os.path.join(box.top, 'came'))
            after = self.left(box) if self.changes else None
        return (done.returncode, self.essence(done.stdout), self.essence(done.stderr), after), reads, came

    def left(self, box):
        """Files, tags and properties, line by line; what insert names is the time's."""
        check = box.run('check')
        files = ['file ' + re.sub(r'\d+\.M\d+P\d+\.[^:,]*', 'inserted', name) for name in box.files()]
        return set(files + box.lines('dump')), check.returncode, check.stdout

    @staticmethod
    def essence(text):
        """Without tags that come and go, what takes time, and the lines that say where one is."""
        text = text.decode('utf8', 'replace').replace('"noise", ', '').replace('"noise"', '').replace(' noise', '')
        return re.sub(r' in (\S*s|almost no time)( \(.*\))?\.|lastmod:.*|\d+ ms|(state|text): .*\n', '', text.replace('noise ', '').replace('noise\n', ''))


def scenes():
    """Readers, then what changes something."""
    search = ['search', '--sort=oldest-first']
    for query in ('*', 'topic and not tag:kept', 'thread:{subject:topic}', 'subject:/topic.*/ or from:/a/', 'bod*',
                  '"invented body" or date:2000..2030', 'path:box1/** or folder:box2/cur', 'property:key=value'):
        yield Scene(search + ['--output=messages', query], changes=False)
    for kind in ('threads', 'summary', 'files', 'tags'):
        yield Scene(search + ['--format=json', '--output=' + kind, 'subject:topic or tag:inbox'], changes=False)
    yield Scene(['count', '--output=threads', 'subject:topic'], changes=False)
    yield Scene(['count', '--batch'], b'*\nsubject:topic\ntag:kept\n', changes=False)
    yield Scene(['count', '--output=files', '*'], changes=False)
    yield Scene(['show', '--format=json', '--entire-thread=true', '--body=false', 'subject:topic'], changes=False)
    yield Scene(['address', '--output=count', '--output=recipients', '*'], changes=False)
    yield Scene(['reply', 'id:m4@example.org'], changes=False)
    yield Scene(['dump'], changes=False)
    yield Scene(['dump', '--', 'subject:topic'], changes=False)
    yield Scene(['config', 'list'], changes=False)
    yield Scene(['new', '--problems'], changes=False)
    yield Scene(['check'], changes=False)
    yield Scene(['new'], change=more_mail)
    yield Scene(['new', '--full-scan'], change=more_mail)
    yield Scene(['insert', '--folder=box0', '+mine', '+flagged'], sandbox.message('new@example.org'))
    yield Scene(['insert', '--folder=box0', '+mine'], sandbox.message('m8@example.org', body='another one'))
    yield Scene(['tag', '+new', '-kept', '--', 'subject:topic or tag:inbox'])
    yield Scene(['tag', '+flagged', '-unread', '--', '*'])
    yield Scene(['tag', '--batch'], b'+a -- subject:topic\n-a +b -- tag:a and tag:kept\n')
    yield Scene(['tag', '--remove-all', '+only', '--', 'tag:kept'])
    yield Scene(['restore'], b'+new +kept -- id:m5@example.org\n#= m6@example.org key=other\n')
    yield Scene(['reindex', 'subject:topic or id:m9@example.org'])
    yield Scene(['compact'])
    yield Scene(['config', 'set', '--database', 'query.some', 'tag:kept'])


def words(got, right):
    """Where they differ."""
    text = ['%.300s\n  not %.300s' % (a, b) for a, b in zip(got[:3], right[:3]) if a != b]
    if got[3] != right[3]:
        text += ['left: only %s, missing %s, check %s' % (sorted(got[3][0] - right[3][0])[:5],
                                                        sorted(right[3][0] - got[3][0])[:5], got[3][1:])]
    return '\n'.join(text)


def main():
    preload.library_or_skip('overtake', 36)
    chance = random.Random(int(os.environ.get('MAIL_TEST_SEED', '7')))
    only = sys.argv[1:]
    for scene in scenes():
        name = ' '.join(scene.command)
        if only and scene.command[0] not in only:
            scene.origin.close()
            continue
        right, reads, _ = scene.run()
        tap.ok(right[0] == 0 and reads > 3, name + ': undisturbed', (reads, right))
        wrong = came = 0
        for at in chance.sample(range(1, reads + 1), reads):
            if came >= DRAWN and not tap.LONG:
                break
            disturb, times = chance.choice([(TAGS, 1), (TAGS, 3), (COMPACT, 1), (TAGS, EACH)])
            got, _, was = scene.run(at, disturb, times)
            came += was
            wrong += got != right
            if got != right:
                tap.diag('%s: overtaken at read %d of %d (%d times, %s):\n%.2000s' % (
                    name, at, reads, times, 'compact' if disturb == COMPACT else 'tags', words(got, right)))
        tap.ok(wrong == 0 and came > 0, '%s: overtaken at %d reads of %d' % (name, came, reads), (wrong, came))
        scene.origin.close()
    tap.done()


main()
