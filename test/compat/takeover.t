#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody comes from notmuch: the first import has the tags, properties and settings of notmuch's
index, whichever way it is started, and leaves that index as it was."""
import hashlib
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

NTH = 4 if tap.LONG else 24
TAGS = ['work', 'two words', 'q"uote', 'ünï', 'inbox', 'unread', 'flagged', 'replied', 'a/b']
CHECKS = 14


def quoted(message_id):
    return 'id:"%s"' % message_id.replace('"', '""')


def lines(ids, rng):
    out = ['#notmuch-dump batch-tag:3 config,properties,tags', '#@ query.mine tag%3awork']
    for number, message_id in enumerate(sorted(ids)):
        tags = rng.sample(TAGS, rng.randrange(5))
        out.append(' '.join('+' + ''.join('%%%02x' % b for b in t.encode()) for t in tags)
                   + ' -- ' + quoted(message_id))
        if number % 9 == 0:
            hexed = ''.join('%%%02x' % b for b in message_id.encode('utf8', 'surrogateescape'))
            out.append('#= %s session-key=key%d' % (hexed, number))
    return ('\n'.join(out) + '\n').encode('utf8', 'surrogateescape')


def state(box):
    """Every file of notmuch's index with its content and time; of the lock, the content."""
    found = {}
    for where, _, names in os.walk(box.index):
        for name in names:
            path = os.path.join(where, name)
            with open(path, 'rb') as f:
                content = hashlib.sha1(f.read()).hexdigest()
            found[path] = content, name == 'flintlock' or os.stat(path).st_mtime_ns
    return found


def content(box, ids):
    """The lines of a dump about these ids, and the settings. What the two find out about a message
    by themselves (index.*) is not compared."""
    kept = []
    for line in box.lines('dump'):
        if line.startswith('#notmuch'):
            continue
        if line.startswith('#='):
            words = [w for w in line.split()[2:] if not w.startswith('index.')]
            line = ' '.join(line.split()[:2] + words) if words else ''
        elif not line.startswith('#@') and sandbox.ids_of_terms(line.split(' -- ', 1)[1])[0] not in ids:
            continue
        kept += [line] if line else []
    return sorted(kept)


def first_run(peer, program, env, path=None):
    """The first run of a program in the place of notmuch's box; notmuch's files are looked after."""
    box = sandbox.Sandbox(program, top=peer.top)
    box.index = os.path.join(box.root, '.mailindex')
    shutil.rmtree(box.index, ignore_errors=True)
    for variable in ('MAIL_CONFIG', 'NOTMUCH_CONFIG'):
        box.env.pop(variable)
    box.env.update(env, PATH=(path or '') + box.env['PATH'])
    before = state(peer)
    done = box.run('new')
    text = done.stdout.decode() + done.stderr.decode()
    tap.ok(done.returncode == 0 and 'were taken over from notmuch' in text, 'a first run', text)
    tap.ok(state(peer) == before, '... which leaves the index of notmuch as it was')
    return box


def main():
    if not shutil.which('notmuch'):
        tap.skip_all('no notmuch', CHECKS)
    top = corpus.folder_or_skip(CHECKS)
    with sandbox.Sandbox('notmuch') as peer:
        peer.configure(flags=False)
        corpus.make_tree(top, corpus.subset(top, NTH), peer.root, corpus.flagged)
        peer.lines('new', '--quiet')
        ids = peer.ids()
        peer.run('restore', '--format=batch-tag', input=lines(ids, random.Random(5)))
        with open(os.path.join(peer.top, 'config'), 'a') as f: # letters in names are no reason
            f.write('[maildir]\nsynchronize_flags=true\n')
        config = os.path.join(peer.top, 'config')
        shutil.copy(config, os.path.join(peer.top, '.notmuch-config'))
        place = os.path.join(peer.top, 'bin')
        os.mkdir(place)
        os.symlink(tap.MAIL, os.path.join(place, 'notmuch'))
        link = os.path.join(place, 'notmuch')
        for what, program, env, path in [
                ('mail, with ~/.notmuch-config', tap.MAIL, {}, None),
                ('mail, with $NOTMUCH_CONFIG', tap.MAIL, {'NOTMUCH_CONFIG': config}, None),
                ('notmuch, before the real one in $PATH', link, {}, place + ':'),
                ('notmuch, with $MAIL_CONFIG', link, {'MAIL_CONFIG': config}, place + ':')]:
            ours = first_run(peer, program, env, path)
            both = set(ids) & set(ours.ids())
            same = content(ours, both), content(peer, both)
            tap.ok(same[0] == same[1] and len(both) >= 0.99 * len(ids),
                   '%s: the dumps of %d messages are the same' % (what, len(both)),
                   sorted(set(same[0]) ^ set(same[1]))[:10])
        ours.lines('tag', '+ours', '--', '*')
        again = ours.run('new')
        tap.equal(again.stdout.decode(), 'No new mail.\n', 'a second run has nothing to do')
        tap.equal(ours.count('tag:ours'), ours.count('*'), '... and leaves tags alone')
    tap.done()


main()
