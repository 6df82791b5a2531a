#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the real mail that some tests use, and makes trees of it.

The corpus is $MAIL_TEST_CORPUS, a folder of maildirs or an archive of one (.tar.zst); else
shared/corpus/lists.tar.zst beside the source tree. An archive is unpacked once, below
$BUILD/corpus, under a lock, so that tests that run at the same time do not collide.

As a program: prints the folder, or nothing (exit 1) where there is no corpus.
"""
import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tap


@contextlib.contextmanager
def locked(name):
    """Holds the lock $BUILD/corpus/NAME.lock."""
    os.makedirs(os.path.join(tap.BUILD, 'corpus'), exist_ok=True)
    with open(os.path.join(tap.BUILD, 'corpus', name + '.lock'), 'w') as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def _source():
    given = os.environ.get('MAIL_TEST_CORPUS')
    path = given or os.path.join(tap.TOP, '..', 'shared', 'corpus', 'lists.tar.zst')
    return os.path.abspath(path) if os.path.exists(path) else None


def key(path):
    """A name for what lies at path, that changes with it."""
    st = os.stat(path)
    return '%08x' % zlib.crc32(('%s %d %d' % (path, st.st_size, st.st_mtime_ns)).encode())


def _unpack(archive):
    place = os.path.join(tap.BUILD, 'corpus', 'mail-' + key(archive))
    with locked('unpack'):
        if not os.path.isdir(place):
            work = place + '.tmp'
            shutil.rmtree(work, ignore_errors=True)
            os.makedirs(work)
            zstd = ['--zstd'] if archive.endswith('zst') else []
            subprocess.run(['tar'] + zstd + ['-xf', archive, '-C', work], check=True)
            os.rename(work, place)
    return place


def folder():
    """The folder of the corpus, or None."""
    source = _source()
    if source is None or os.path.isdir(source):
        return source
    return _unpack(source)


def folder_or_skip(checks):
    """The folder of the corpus; without one, the test ends as skipped."""
    found = folder()
    if found is None:
        tap.skip_all('no corpus', checks)
    return found


def files(top):
    """Relative paths (str) of all files of a corpus, in byte order."""
    found = []
    for where, folders, names in os.walk(top):
        folders[:] = [f for f in folders if f not in ('.notmuch', '.mailindex')]
        found += [os.path.relpath(os.path.join(where, n), top) for n in names]
    return sorted(found)


_subject = re.compile(rb'^subject:[ \t]*((?:[^\n]|\n[ \t])*)', re.I | re.M)
_reply = re.compile(rb'^(?:\s+|(?:re|aw|fwd?|sv|antw)(?:\[\d+\])?:|\[[^]]*\])+', re.I)


def topic(path):
    """The subject without what replies put in front of it: equal for most messages of a thread."""
    with open(path, 'rb') as f:
        head = f.read(1 << 15)
    found = _subject.search(head)
    text = found.group(1) if found else b''
    return b' '.join(_reply.sub(b'', text).lower().split())


def subset(top, nth):
    """A fixed sample, about one of nth files, that keeps the copies of a message and most threads
    together: those whose topic's checksum is divisible by nth."""
    return [f for f in files(top) if zlib.crc32(topic(os.path.join(top, f))) % nth == 0]


def _link(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def flagged(name):
    """The relative path under which a test tree has a file: of the corpus all are seen (":2,S"), so
    a fixed rule marks some as flagged, replied, passed or draft, or unseen, or puts them into new/."""
    folder_, base = os.path.split(name)
    stem = base.split(':2,')[0]
    if os.path.basename(folder_) != 'cur':
        return name
    rule = zlib.crc32(stem.encode('utf8', 'surrogateescape')) % 20
    if rule == 19:
        return os.path.join(os.path.dirname(folder_), 'new', stem)
    letters = {0: '', 1: 'FS', 2: 'RS', 3: 'PS', 4: 'D', 5: 'FRS', 6: 'ST', 7: 'F'}.get(rule, 'S')
    return '%s/%s:2,%s' % (folder_, stem, letters)


def make_tree(top, names, target, rename=lambda name: name):
    """Puts the named files of a corpus into target, as hard links where that can be (so they may be
    renamed and removed there, but never written to). Empty cur, new and tmp are made as well."""
    for name in names:
        place = os.path.join(target, rename(name))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        _link(os.path.join(top, name), place)
    for where, folders, _ in os.walk(target):
        if 'cur' in folders:
            for name in ('new', 'tmp'):
                os.makedirs(os.path.join(where, name), exist_ok=True)


if __name__ == '__main__':
    place = folder()
    if place is None:
        sys.exit(1)
    print(place)
