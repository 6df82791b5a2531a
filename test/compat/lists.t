#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same questions to notmuch and to us about real mail: a sixth of the corpus, or all of it with
MAIL_TEST_LONG=1. Answers may differ only by the rules of doc/notmuch-differences.md."""
import os
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import corpus
import draw
import differences
import pair
import sandbox

CHECKS = 12 + 2 * len(draw.KINDS)
DOCUMENT = os.path.join(tap.TOP, 'doc', 'notmuch-differences.md')
TAGS = ['attachment', 'signed', 'flagged', 'replied', 'passed', 'draft', 'unread', 'inbox', 'seventh',
        '"two words"', 'sélect']


def written():
    """Queries of queries.txt."""
    with open(os.path.join(HERE, 'queries.txt'), encoding='utf8') as f:
        lines = [line.rstrip('\n') for line in f if line.strip() and not line.startswith('#')]
    return [tuple(line.split('\t')) for line in lines]


def summary(entry):
    """A thread of search --format=json without what is ours to choose."""
    ids = [sandbox.ids_of_terms(q) for q in entry['query']]
    return dict(entry, thread=None, query=[sorted(ids[0]), sorted(ids[1])])


def by_ids(entries):
    return {frozenset(e['query'][0] + e['query'][1]): e for e in map(summary, entries)}


class Compare:
    def __init__(self, both):
        self.both = both
        self.facts = {}
        self.used = {}

    def reason(self, message_id, query):
        """Why a message is in one answer only: a rule, or None."""
        for leaf in differences.leaves(query):
            peer, ours = self.both.ask(leaf)
            if isinstance(peer, str) or isinstance(ours, str):
                return None
            if (message_id in peer) == (message_id in ours):
                continue
            if message_id not in self.facts:
                self.facts[message_id] = differences.Facts(self.both.peer_files(message_id))
            direction = 'extra' if message_id in ours else 'missing'
            name = differences.explain(self.facts[message_id], leaf, direction)
            if name:
                return name
        return None

    def query(self, query):
        """(usable, list of what no rule explains)."""
        peer, ours = self.both.ask(query)
        if isinstance(peer, str):
            return False, ['notmuch: ' + peer]
        if isinstance(ours, str):
            return True, ['%s: ours: %s' % (query, ours)]
        wrong = []
        for message_id in sorted(peer ^ ours):
            name = self.reason(message_id, query)
            self.used[name] = self.used.get(name, 0) + 1
            if name is None:
                wrong.append('%s: %s %s' % (query, 'extra' if message_id in ours else 'missing',
                                            message_id))
        return 0 < len(peer) < len(self.both.names), wrong

    def kind(self, kind, queries):
        usable, wrong = 0, []
        for query in queries:
            good, bad = self.query(query)
            usable += good
            wrong += bad[:5]
        tap.ok(usable >= 5, '%s: at least five queries find some messages and not all' % kind,
               '%d of %d' % (usable, len(queries)))
        tap.ok(not wrong, '%s: %d queries answered alike' % (kind, len(queries)),
               '\n'.join(wrong[:40]))


def check_index(both):
    done = both.ours.run('new')
    tap.ok(done.returncode == 0, 'new exits 0', done.stderr[-2000:])
    tap.ok(b'Processed %d total files' % len(both.names) in done.stdout, 'new processed all files',
           done.stdout[-500:])
    tap.equal(sorted(both.ours.ids()), sorted(both.peer.ids()), 'the same message ids')
    pair.give_tags(both.ours)
    for what in ('messages', 'threads', 'files'):
        tap.equal(both.ours.count('--output=' + what, '*'), both.peer.count('--output=' + what, '*'),
                  'the same count of ' + what)
    ours, peer = set(both.ours.tag_lines()), set(both.peer.tag_lines())
    tap.ok(ours == peer, 'the same tags', lambda: '\n'.join(sorted(ours ^ peer)[:20]))
    ours, peer = set(both.ours.files()), set(both.peer.files())
    tap.ok(ours == peer, 'the same files',
           lambda: '\n'.join(sorted(ours ^ peer)[:20]))
    ours, peer = both.ours.threads(), both.peer.threads()
    tap.ok(ours == peer, 'the same threads', lambda: '%d differ' % len(ours ^ peer))


def check_summaries(both):
    for sort, query in (('newest-first', '*'), ('oldest-first', 'tag:seventh'),
                        ('newest-first', 'subject:patch')):
        options = ['search', '--format=json', '--sort=' + sort, query]
        peer, ours = both.peer.json(*options), both.ours.json(*options)
        tap.equal([e['timestamp'] for e in ours], [e['timestamp'] for e in peer],
                  'summaries of %s come in the same order' % query)
        peer, ours = by_ids(peer), by_ids(ours)
        wrong = [(ours.get(k), peer[k]) for k in peer if ours.get(k) != peer[k]]
        tap.ok(not wrong, 'the same summaries of %s (%d threads)' % (query, len(peer)),
               lambda: '\n'.join('got:   %r\nright: %r' % w for w in wrong[:5]))


def main():
    if not shutil.which('notmuch'):
        tap.skip_all('no notmuch', CHECKS)
    top = corpus.folder_or_skip(CHECKS)
    both = pair.Pair(top, 1 if tap.LONG else 6)
    try:
        check_index(both)
        check_summaries(both)
        sample = both.sources if not tap.LONG else both.sources[::6]
        asked = written() + draw.queries(sample, both.folders(), TAGS)
        compare = Compare(both)
        for kind in draw.KINDS:
            compare.kind(kind, [q for k, q in asked if k == kind])
        tap.diag('rules used: %s' % compare.used)
        tap.equal(set(differences.RULES), differences.documented(DOCUMENT) & set(differences.RULES),
                  'every rule is in the document')
    finally:
        both.close()
    tap.done()


main()
