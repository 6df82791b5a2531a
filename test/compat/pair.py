# SPDX-License-Identifier: GPL-3.0-or-later
"""The same mail indexed by notmuch and by us, and the same question put to both.

Each program has a tree of its own (hard links). notmuch's is
kept in $BUILD from run to run, since it takes longest; ours is made anew each time.
"""
import hashlib
import inspect
import os
import shutil
import subprocess
import zlib

import corpus
import differences
import sandbox
import tap


def tag_lines(ids):
    """Lines for tag --batch that give tags by a fixed rule."""
    lines = []
    for message_id in sorted(ids):
        rule = zlib.crc32(message_id.encode('utf8', 'surrogateescape'))
        quoted = 'id:"%s"' % message_id.replace('"', '""')
        if rule % 7 == 0:
            lines.append('+seventh -- %s' % quoted)
        if rule % 11 == 0:
            lines.append('+two%%20words -unread -- %s' % quoted)
        if rule % 13 == 0:
            lines.append('+flagged -inbox +s%%c3%%a9lect -- %s' % quoted)
    return ('\n'.join(lines) + '\n').encode('utf8', 'surrogateescape')


def give_tags(box):
    """Tags without a change of file names."""
    box.configure(flags=False)
    box.lines('tag', '--batch', input=tag_lines(box.ids()))
    box.configure()


SAMPLE = os.path.join(tap.TOP, 'test', 'mail', 'sample')


def _fingerprint(top, nth):
    """Changes when the tree that notmuch has indexed would be another."""
    digest = hashlib.sha1(subprocess.run(['notmuch', '--version'], capture_output=True).stdout)
    for function in (corpus.topic, corpus.subset, corpus.flagged, tag_lines, give_tags):
        digest.update(inspect.getsource(function).encode())
    if top == SAMPLE:
        for name in corpus.files(top):
            with open(os.path.join(top, name), 'rb') as f:
                digest.update(name.encode() + b'\0' + hashlib.sha1(f.read()).digest())
        return 'sample-' + digest.hexdigest()[:16]
    source = os.environ.get('MAIL_TEST_CORPUS') or corpus.folder()
    return '%s-%d-%s' % (corpus.key(source), nth, digest.hexdigest()[:8])


def _notmuch(top, names, nth):
    place = os.path.join(tap.BUILD, 'corpus', 'notmuch-' + _fingerprint(top, nth))
    with corpus.locked('notmuch'):
        if not os.path.exists(os.path.join(place, 'done')):
            shutil.rmtree(place, ignore_errors=True)
            box = sandbox.Sandbox('notmuch', top=place)
            corpus.make_tree(top, names, box.root, corpus.flagged)
            box.lines('new', '--quiet')
            give_tags(box)
            with open(os.path.join(place, 'done'), 'w'):
                pass
    return sandbox.Sandbox('notmuch', top=place)


class Pair:
    """top: a corpus, of which one of nth files is taken; or SAMPLE. peer: notmuch's sandbox, mail and tags ready. ours: the program's, with the same files."""

    def __init__(self, top, nth):
        self.names = corpus.files(top) if nth == 1 else corpus.subset(top, nth)
        self.sources = [os.path.join(top, n) for n in self.names]
        self.peer = _notmuch(top, self.names, nth)
        place = os.path.join(tap.BUILD, 'corpus', 'compat-%d-%d' % (0 if top == SAMPLE else nth, os.getpid()))
        self.ours = sandbox.Sandbox(top=place)
        self.ours.own = True
        corpus.make_tree(top, self.names, self.ours.root, corpus.flagged)
        self.renamed = set()  # ids that only one side has, by a rule
        self._asked = {}

    def close(self):
        self.ours.close()

    def folders(self):
        """Maildirs, as relative paths."""
        return sorted({os.path.dirname(os.path.dirname(n)) for n in self.names})

    def set_clock(self, library, seconds):
        """Both programs take it to be that time."""
        for box in (self.peer, self.ours):
            box.env.update(LD_PRELOAD=library, TEST_CLOCK=str(seconds))

    def ask(self, query, syntax='infix'):
        """Message-IDs that the query finds here and there: (peer's, ours), each a set, or the text
        of the error."""
        if (query, syntax) not in self._asked:
            answers = _answer(self.peer, query, syntax), _answer(self.ours, query, syntax)
            if all(isinstance(a, set) for a in answers):
                answers = tuple(a - self.renamed for a in answers)
            self._asked[query, syntax] = answers
        return self._asked[query, syntax]

    def facts(self, message_id):
        """What the rules want to know of a message."""
        facts = differences.Facts(self.peer_files(message_id))
        shown = self.peer.run('show', '--format=json', '--entire-thread=false', '--', _id(message_id))
        facts.empty_multipart = b'"content": []' in shown.stdout
        return facts

    def peer_files(self, message_id):
        """Absolute paths of a message's files."""
        return self.peer.json('search', '--exclude=false', '--output=files', '--format=json', '--',
                              _id(message_id))


def _id(message_id):
    return 'id:"%s"' % message_id.replace('"', '""')


def _answer(box, query, syntax):
    try:
        return set(box.ids(query, '--query=' + syntax))
    except RuntimeError as error:
        return str(error)
