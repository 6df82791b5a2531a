# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of test/crash share: the state of an index in one value, and a watch on commits."""
import hashlib
import os
import threading
import time

import corpus
import invent
import tap


def snapshot(box):
    """All that an index answers which must not depend on how it came about: ids with tags, files,
    and the partition into threads."""
    return {'tags': box.tag_lines(), 'files': box.files(), 'threads': sorted(map(sorted, box.threads()))}


def unlike(got, right):
    """Words about how two snapshots differ; '' when they do not."""
    text = ''
    for what in got:
        a, b = {str(x) for x in got[what]}, {str(x) for x in right[what]}
        if len(got[what]) != len(right[what]) or a != b:
            text += '%s: got %d, right %d; only got %s; only right %s\n' % (
                what, len(got[what]), len(right[what]), sorted(a - b)[:3], sorted(b - a)[:3])
    return text


def make_mail(root, count):
    """Puts count mail files below root: of the corpus where there is one, else invented."""
    top = corpus.folder()
    if top is None:
        invent.maildirs(root, count)
        return 'invented mail'
    nth = max(1, 29000 // count)
    names = corpus.subset(top, nth)
    if len(names) < count:
        names = sorted(set(names) | set(corpus.files(top)[:count]))
    chosen = sorted(names, key=lambda n: hashlib.sha1(n.encode('utf8', 'surrogateescape')).digest())
    corpus.make_tree(top, sorted(chosen[:count]), root, corpus.flagged)
    return 'mail of the corpus'


def state_file(box):
    """The file whose change is a commit."""
    return os.path.join(box.index, 'xapian' if box.is_notmuch() else 'state', 'iamglass')


class Watch:
    """Notes when the state's iamglass is replaced, by looking every half millisecond."""

    def __init__(self, box):
        self.path = state_file(box)
        self.start = time.monotonic()
        self.commits = []
        self._last = self._look()
        self._stop = False
        self._thread = threading.Thread(target=self._poll)
        self._thread.start()

    def _look(self):
        try:
            st = os.stat(self.path)
        except OSError:
            return None
        return (st.st_ino, st.st_mtime_ns)

    def _poll(self):
        while not self._stop:
            seen = self._look()
            if seen is not None and seen != self._last:
                self._last = seen
                self.commits.append(time.monotonic() - self.start)
            time.sleep(0.0005)

    def stop(self):
        """Ends the watch; returns the moments of commits in seconds from the start."""
        self._stop = True
        self._thread.join()
        return self.commits


def survivors(pid):
    """Processes of the group that pid leads which still run, after up to three seconds."""
    for _ in range(60):
        found = []
        for name in os.listdir('/proc'):
            if name.isdigit():
                try:
                    with open('/proc/%s/stat' % name) as f:
                        fields = f.read().rpartition(')')[2].split()
                except OSError:
                    continue
                if int(fields[2]) == pid and fields[0] != 'Z':
                    found.append(int(name))
        if not found:
            return []
        time.sleep(0.05)
    tap.diag('still running: %s' % found)
    return found
