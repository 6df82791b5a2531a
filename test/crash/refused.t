#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An index that may not be written, and mail that may not be read: a clear line, the documented exit
code, nothing changed, and the rest of the work done. As root, for whom permissions do not count, the
program runs as nobody."""
import errno
import hashlib
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import invent
import sandbox
import shim


def as_somebody():
    """A command prefix under which permissions count; None where there is none."""
    if os.geteuid() != 0:
        return []
    prefix = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
    try:
        works = subprocess.run(prefix + ['test', '-x', tap.MAIL]).returncode == 0
    except OSError:
        return None
    return prefix if works else None


def index_digest(box):
    """Of all files of the index but those that say who holds a lock."""
    digest = hashlib.sha1()
    for where, folders, names in sorted(os.walk(box.index)):
        folders.sort()
        for name in sorted(names):
            if 'lock' not in name:
                with open(os.path.join(where, name), 'rb') as f:
                    digest.update(name.encode() + f.read())
    return digest.hexdigest()


def open_to_all(box):
    """Lets nobody in: folders of the sandbox and all above that are ours."""
    for where, _, names in os.walk(box.top):
        os.chmod(where, 0o755)
        for name in names:
            path = os.path.join(where, name)
            if not os.path.islink(path):
                os.chmod(path, 0o644)
    place = os.path.dirname(box.top)
    while place != '/' and os.stat(place).st_uid == os.geteuid() and os.stat(place).st_mode & 1 == 0:
        os.chmod(place, os.stat(place).st_mode | 0o111)
        place = os.path.dirname(place)


def refused_writes(box, run, name, reason):
    """Commands that write are refused, those that read work."""
    before = index_digest(box)
    for command in (['tag', '+x', '--', '*'], ['new'], ['tag', '-inbox', '--', 'tag:flagged']):
        done = run(*command)
        text = done.stderr.decode('utf8', 'replace')
        tap.equal(done.returncode, 1, '%s: %s exits 1' % (name, ' '.join(command)))
        tap.ok(1 <= text.count('\n') <= 2 and 'index' in text and reason in text,
               '%s: %s says what cannot be written, and why' % (name, command[0]), text)
    tap.equal(index_digest(box), before, '%s: the index is as it was' % name)
    done = run('count', '*')
    tap.equal((done.returncode, done.stdout), (0, b'120\n'), '%s: count works' % name)
    done = run('search', '--output=messages', 'id:m7@example.org')
    tap.equal((done.returncode, done.stdout), (0, b'id:m7@example.org\n'), '%s: search works' % name)


def read_only_index(prefix):
    with sandbox.Sandbox() as box:
        invent.maildirs(box.root, 120)
        box.lines('new')
        invent.maildirs(box.root, 5, start=120)
        open_to_all(box)
        if prefix is None:
            tap.skip('an index of somebody else', 'permissions do not count here')
        else:
            subprocess.run(['chmod', '-R', 'a-w', box.index], check=True)
            refused_writes(box, lambda *a: box.run(*a, prefix=prefix), 'no permission',
                           'ermission denied')
            subprocess.run(['chmod', '-R', 'u+w', box.index], check=True)
        if shim.library() is None:
            tap.skip('a read-only file system', 'calls cannot be made to fail here')
        else:
            broken = shim.Shim(box, error=errno.EROFS)
            refused_writes(box, lambda *a: broken.run(1, *a), 'read-only file system',
                           'ead-only file system')
        box.lines('new')
        tap.equal(box.count('*'), 125, 'written again once it may be')
        if prefix is not None:
            time.sleep(0.1)
            box.lines('new')  # what the folders' times are is known now: there is nothing to do
            subprocess.run(['chmod', '-R', 'a-w', box.index], check=True)
            done = box.run('new', prefix=prefix)
            tap.ok(done.returncode == 1 and b'ermission denied' in done.stderr,
                   'new without new mail says that it could not be written, too', done)
            subprocess.run(['chmod', '-R', 'u+w', box.index], check=True)


def problem_lines(done, path):
    return [l for l in done.stderr.decode('utf8', 'surrogateescape').splitlines() if path in l]


def odd_entries(prefix):
    """One unreadable folder, one dangling link, one fifo, a path beyond PATH_MAX."""
    with sandbox.Sandbox() as box:
        invent.maildirs(box.root, 60)
        os.mkfifo(os.path.join(box.root, 'box0', 'cur', 'fifo'))
        os.symlink('/nowhere/at/all', os.path.join(box.root, 'box1', 'cur', 'dangling:2,S'))
        long_name = 'n' * 250 + ':2,S'
        with open(os.path.join(box.root, 'box2', 'cur', long_name), 'wb') as f:
            f.write(sandbox.message('longname@example.org'))
        deep_message(box.root)
        sandbox.maildir(os.path.join(box.root, 'closed'))
        with open(os.path.join(box.root, 'closed', 'cur', 'secret'), 'wb') as f:
            f.write(sandbox.message('closed@example.org'))
        open_to_all(box)
        if prefix:
            subprocess.run(['chown', '-R', '65534:65534', box.top], check=True)
        os.chmod(os.path.join(box.root, 'closed', 'cur'), 0)
        done = box.run('new', prefix=prefix)
        check_odd(box, done, prefix, long_name)
        subprocess.run(['chmod', '-R', 'u+rwX', box.root], check=True)
        again = box.run('new', prefix=prefix)
        tap.equal(again.returncode, 0, 'a later run, with all readable, exits 0')
        done = box.run('count', 'id:closed@example.org', prefix=prefix)
        tap.equal(done.stdout, b'1\n', 'and finds what could not be read before')
        remove_deep(box.root)


def check_odd(box, done, prefix, long_name):
    tap.equal(done.returncode, 75, 'new exits 75: something could not be read')
    found = problem_lines(done, 'box1/cur/dangling:2,S')
    tap.ok(len(found) == 1, 'a dangling link is named, once', done.stderr)
    found = problem_lines(done, 'closed/cur')
    tap.ok(len(found) == 1 and 'ermission denied' in found[0], 'an unreadable folder is named, with the '
           'reason', done.stderr)
    tap.ok(len(problem_lines(done, 'closed')) == 1, 'once', done.stderr)

    def count(query):
        asked = box.run('count', '--', query, prefix=prefix)
        return int(asked.stdout or -1)

    tap.ok(count('subject:topic') >= 59, 'the rest is indexed')
    tap.equal(count('id:closed@example.org'), 0, 'what is closed is not')
    tap.ok(count('id:longname@example.org') == 1 or problem_lines(done, long_name),
           'a name of 254 bytes is indexed or named')
    tap.ok(count('id:deep@example.org') == 1 or problem_lines(done, 'd' * 200),
           'a path of more than 4,096 bytes is indexed or named')


def deep_message(root):
    """A mail file under a path longer than PATH_MAX."""
    place = os.open(root, os.O_RDONLY)
    for _ in range(22):
        os.mkdir('d' * 200, dir_fd=place)
        place, old = os.open('d' * 200, os.O_RDONLY, dir_fd=place), place
        os.close(old)
    f = os.open('deep', os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=place)
    os.write(f, sandbox.message('deep@example.org'))
    os.close(f)
    os.close(place)


def remove_deep(root):
    subprocess.run(['rm', '-rf', os.path.join(root, 'd' * 200)])


def spoil_words(box):
    """Sixteen bytes in each file of words."""
    text = os.path.join(box.index, 'text')
    for path in (os.path.join(text, name) for name in os.listdir(text) if name != 'tmp'):
        with open(path, 'r+b') as f:
            f.seek(os.path.getsize(path) // 2)
            f.write(b'\xa5' * 16)


def unreadable_words(prefix):
    """Words that are to be made anew, of mail that cannot be read: named, remembered, made up for."""
    with sandbox.Sandbox() as box:
        folder = sandbox.maildir(os.path.join(box.root, 'in')) + '/cur/'
        for name, message_id, body in (('one:2,', 'one@x', 'apple'), ('two-a:2,', 'two@x', 'pear'),
                                       ('two-b:2,', 'two@x', 'plum'), ('three:2,', 'three@x', 'fig')):
            with open(folder + name, 'wb') as f:
                f.write(sandbox.message(message_id, body=body))
        box.lines('new')
        open_to_all(box)
        if prefix:
            subprocess.run(['chown', '-R', '65534:65534', box.top], check=True)

        def found(word):
            return int(box.run('count', word, prefix=prefix).stdout or -1)

        spoil_words(box)
        closed = [folder + 'one:2,', folder + 'two-b:2,']
        for path in closed:
            os.chmod(path, 0)
        done = box.run('check', '--repair', prefix=prefix)
        tap.equal(done.returncode, 75, 'a repair that cannot read all mail exits 75')
        for path in closed:
            tap.ok(len(problem_lines(done, path)) == 1, 'and names what it cannot read', done.stderr)
        tap.equal([found(w) for w in ('apple', 'pear', 'plum', 'fig')], [0, 1, 0, 1], 'the rest is found')
        done = box.run('check', prefix=prefix)
        tap.equal((done.returncode, done.stdout), (0, b'The index is in order.\n'), 'nothing is damaged')
        done = box.run('new', '--problems', prefix=prefix)
        tap.equal(sorted(l.split('\t')[::2] for l in done.stdout.decode().splitlines()),
                  [['unreadable', path] for path in sorted(closed)], 'and both are remembered')
        os.rename(folder + 'one:2,', folder + 'one-renamed:2,')
        box.run('new', prefix=prefix)
        subprocess.run(['chmod', '-R', 'u+rwX', box.root], check=True)
        done = box.run('new', prefix=prefix)
        tap.equal(done.returncode, 0, 'new reads them when they can be read')
        tap.equal([found(w) for w in ('apple', 'pear', 'plum', 'fig')], [1] * 4, 'all is found again')
        done = box.run('new', '--problems', prefix=prefix)
        tap.equal(done.stdout, b'', 'and nothing is left to do')

        # The words of one file come while another cannot be read.
        os.chmod(folder + 'two-a:2,', 0)
        with open(folder + 'two-c:2,', 'wb') as f:
            f.write(sandbox.message('two@x', body='cherry'))
        done = box.run('new', prefix=prefix)
        tap.equal((done.returncode, len(problem_lines(done, 'two-a:2,'))), (75, 1),
                  'another file of its message cannot be read: 75, and it is named')
        tap.equal([found(w) for w in ('plum', 'cherry')], [1, 1], 'what can be read is found')
        os.chmod(folder + 'two-a:2,', 0o644)
        done = box.run('new', prefix=prefix)
        tap.equal((done.returncode, [found('id:two@x and ' + w) for w in ('pear', 'plum', 'cherry')]),
                  (0, [1] * 3), 'and then all of it')


def main():
    prefix = as_somebody()
    read_only_index(prefix)
    if prefix is None:
        tap.skip('folders that may not be read', 'permissions do not count here')
    else:
        odd_entries(prefix)
        unreadable_words(prefix)
    tap.done()


main()
