#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages with more than the limits let through: what is within them is found, and what was left out is
said once, listed with its reason, and gone from the list when the file is another one."""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import tap
import sandbox

DEPTH, PARTS, WORDS, HEADER, TEXT, COPIES = 1024, 10000, 150000, 1 << 20, 32 << 20, 250


def head(name, subject='s', more=''):
    return 'From: a@example.org\nSubject: %s\nMessage-ID: <%s@x>\n%s\n' % (subject, name, more)


def nested(depth):
    text = head('deep', more='Content-Type: multipart/mixed; boundary=b0\n')
    for i in range(depth):
        text += '--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n' % (i, i + 1)
    return text + '--b%d\n\ninnermost\n' % depth


def many_parts(count):
    text = head('parts', more='Content-Type: multipart/mixed; boundary=b\n')
    return text + ''.join('--b\n\nfirstpart\n' for _ in range(count)) + '--b--\n'


def words(count):
    return head('words') + '\n'.join('word%dq' % i for i in range(count)) + '\n'


def long_text(size):
    line = 'the same few words again and again\n'
    return head('text') + 'firstline\n' + line * (size // len(line) + 1) + 'lastline\n'


# What each of them is, and the reason; None where it is just within the limit.
MAIL = [
    ('deep', nested(DEPTH + 1), 'too-deep'),
    ('parts', many_parts(PARTS + 5), 'too-big'),
    ('words', words(WORDS + 5), 'too-big'),
    ('text', long_text(TEXT), 'too-big'),
    ('header', head('header', subject='early ' + 'x ' * (HEADER // 2) + 'late') + 'body\n', 'truncated'),
    ('shallow', nested(DEPTH - 10).replace('<deep@', '<shallow@'), None),
    ('some', many_parts(PARTS - 10).replace('<parts@', '<some@'), None),
    ('fewer', words(WORDS - 500).replace('<words@', '<fewer@'), None),
]
FOUND = [('deep', 'subject:s'), ('parts', 'firstpart'), ('words', 'word7q'), ('text', 'firstline'),
         ('header', 'subject:early'), ('shallow', 'innermost'), ('fewer', 'word%dq' % (WORDS - 600))]


def listed(box):
    rows = [line.split('\t') for line in box.lines('new', '--problems')]
    return sorted((os.path.basename(row[2]), row[0]) for row in rows)


def copies():
    """More files of one id, with words of their own, than go into one message."""
    with sandbox.Sandbox() as box:
        sandbox.maildir(box.root)

        def bring(first, count):
            for i in range(first, first + count):
                with open(os.path.join(box.root, 'cur', 'm%d' % i), 'w') as f:
                    f.write(head('same') + 'own%dword\n' % i)
            done = box.run('new')
            found = {i for i in range(first + count) if box.count('own%dword' % i) == 1}
            return done, found

        done, found = bring(0, COPIES)
        tap.equal((done.returncode, done.stderr, len(found)), (0, b'', COPIES), 'as many copies as fit: all are found')
        done, found = bring(COPIES, 2)
        tap.equal((done.returncode, done.stderr.count(b'too-many-copies')), (0, 1), 'two more: said')
        tap.ok({COPIES, COPIES + 1} <= found and len(found) == COPIES, 'the newest are found', len(found))
        tap.ok('too-many-copies' in {reason for _, reason in listed(box)}, 'listed', listed(box)[:2])
        tap.equal(len(box.lines('search', '--output=files', 'id:same@x')), COPIES + 2, 'all files are there')


def main():
    copies()
    with sandbox.Sandbox() as box:
        folder = os.path.join(box.root, 'cur')
        sandbox.maildir(box.root)
        for name, text, _ in MAIL:
            with open(os.path.join(folder, name), 'w') as f:
                f.write(text)
        done = box.run('new')
        right = sorted((name, reason) for name, _, reason in MAIL if reason)
        tap.equal(done.returncode, 0, 'new: exit code')
        said = sorted(tuple(line.split(': ')[:2]) for line in done.stderr.decode().splitlines())
        tap.equal([(os.path.basename(path), why) for path, why in said], right, 'said of each')
        tap.equal(listed(box), right, 'listed, each with its reason')
        tap.equal(box.count('*'), len(MAIL), 'all are messages')
        for name, query in FOUND:
            tap.ok('%s@x' % name in box.ids(query), '%s: found by %s' % (name, query), box.ids(query))
        tap.equal(sorted(box.ids('property:index.limit=too-big')), ['parts@x', 'text@x', 'words@x'], 'a property tells')
        tap.equal(sorted(box.ids('has:problem')), [i + '@x' for i, _ in right], 'so does has:problem')

        again = box.run('new')
        tap.equal((again.returncode, again.stderr), (0, b''), 'not said again')
        os.rename(os.path.join(folder, 'words'), os.path.join(folder, 'other:2,S'))
        box.lines('new')
        tap.ok(('other:2,S', 'too-big') in listed(box), 'a renamed one is listed under its name', listed(box))
        os.remove(os.path.join(folder, 'text'))
        with open(os.path.join(folder, 'deep'), 'w') as f:
            f.write(head('deep') + 'mended\n')
        box.lines('new', '--full-scan')
        tap.equal(listed(box), sorted([('header', 'truncated'), ('other:2,S', 'too-big'), ('parts', 'too-big')]),
                  'mended and removed ones are not')
        tap.equal(box.ids('mended'), ['deep@x'], 'and the mended one is found')
        tap.equal(sorted(box.ids('has:problem')), ['header@x', 'parts@x', 'words@x'], 'has:problem finds them')
        tap.equal(box.count('not has:problem'), box.count('*') - 3, '... and not has:problem the others')
    tap.done()


main()
