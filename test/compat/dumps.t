#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A dump made by notmuch is restored here, and the other way round: real mail, tags at random."""
import os
import random
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib')]
import corpus
import sandbox
import tap

NAMES = ['work', 'two words', 'per%cent', 'p(q)', 'q"uote', 'ünïcode', '#hash', 'a:b', 'nl\nnl',
         'flagged', 'replied', "it's", 'tab\ttab', '*', '+plus', 'a/b', 'x' * 180]
NTH = 1 if tap.LONG else 12


def quoted(message_id):
    return 'id:"%s"' % message_id.replace('"', '""')


def encoded(text):
    return ''.join(chr(b) if chr(b).isalnum() and b < 128 or chr(b) in '+-_@=.,' else '%%%02x' % b
                   for b in text.encode('utf8', 'surrogateescape'))


def lines(ids, rng):
    """A dump with tags at random, and some properties."""
    out = ['#notmuch-dump batch-tag:3 properties,tags']
    for message_id in sorted(ids):
        tags = rng.sample(NAMES, rng.randrange(4))
        out.append(' '.join('+' + encoded(t) for t in tags) + ' -- ' + quoted(message_id))
        if rng.random() < 0.1:
            out.append('#= %s %s=%s' % (encoded(message_id), encoded('k%d' % rng.randrange(3)),
                                        encoded(rng.choice(NAMES))))
    return ('\n'.join(out) + '\n').encode('utf8', 'surrogateescape')


def content(box, ids, *options):
    """The lines of a dump about these ids, in order."""
    kept = []
    for line in box.lines('dump', *options):
        if line.startswith('#notmuch') or line.startswith('#@'):
            continue
        term = line.split(' -- ', 1)[1] if not line.startswith('#=') else line
        if line.startswith('#=') or sandbox.ids_of_terms(term)[0] in ids:
            kept.append(line)
    return sorted(kept)


def main():
    if not shutil.which('notmuch'):
        tap.skip_all('no notmuch', 8)
    top = corpus.folder_or_skip(8)
    names = corpus.subset(top, NTH)
    rng = random.Random(20)
    with sandbox.Sandbox('notmuch') as peer, sandbox.Sandbox() as ours:
        for box in (peer, ours):
            box.configure(flags=False)
            corpus.make_tree(top, names, box.root)
            box.lines('new', '--quiet')
        ids = set(peer.ids()) & set(ours.ids())
        tap.ok(len(ids) > 500 and len(ids) >= 0.99 * len(peer.ids()), '%d messages' % len(ids))
        peer.run('restore', '--format=batch-tag', input=lines(ids, rng))
        theirs = peer.run('dump').stdout
        done = ours.run('restore', input=theirs)
        tap.equal(done.returncode, 0, 'a dump of notmuch is restored')
        tap.equal(content(ours, ids), content(peer, ids), '... tags and properties are the same')
        done = ours.run('restore', input=lines(ids, rng))
        tap.equal(done.returncode, 0, 'other tags')
        mine = ours.run('dump').stdout
        done = peer.run('restore', '--format=batch-tag', input=mine)
        tap.equal(done.returncode, 0, 'a dump of ours is restored by notmuch')
        tap.equal(content(peer, ids), content(ours, ids), '... tags and properties are the same')
        for box in (ours, peer):
            box.lines('tag', '--remove-all', '*')
        packed = peer.run('dump', '--gzip', '--include=tags').stdout
        tap.equal(ours.run('restore', input=packed).returncode, 0, 'compressed')
        tap.equal(ours.count('tag:work'), 0, '... without any tag')
    tap.done()


main()
