#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries made by rule (generate.py), in both languages, put to notmuch and to us, about real mail and about the
invented mail of test/mail/sample: 400 and 200, or 5,000 and 1,500 with MAIL_TEST_LONG=1, which also looks for 500
words of the real mail by their stems in three fields. Each answer is notmuch's, or differs by the rules of
doc/notmuch-differences.md. SEED=N draws others."""
import collections
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib'), os.path.join(HERE, '..', 'crash')]
import tap
import asking
import corpus
import differences
import generate
import pair
import preload
import sandbox

CHECKS = 7
TAGS = ['attachment', 'signed', 'flagged', 'replied', 'passed', 'draft', 'unread', 'inbox', 'seventh',
        '"two words"', 'sélect']


class Generated(asking.Asking):
    """kinds: for each kind of query [answered alike, by rule, not at all by notmuch, wrong]."""

    def __init__(self, both):
        super().__init__(both)
        self.kinds = collections.defaultdict(lambda: [0, 0, 0, 0])
        self.wrong, self.empty = [], 0

    def why(self, message_id, query):
        """The rule by which a simple query of this one has another answer for the message, or None."""
        for text, asked in query.leaves:
            peer, ours = self.both.ask(text, query.syntax)
            if isinstance(peer, str):  # refused by itself, but not here
                return None
            if isinstance(ours, str) or (message_id in peer) == (message_id in ours) or asked is None:
                continue
            extra = message_id in ours
            if asked.startswith('-'):  # what is left out there is found here
                extra, asked = not extra, asked[1:]
            thread, of = re.fullmatch(r'thread:"?\{(.*)\}"?', asked), re.search(r'\(of \(tag "?([^")]+)"?\)\)', text)
            if thread:
                name = self.thread_reason(message_id, thread.group(1))
            elif of and self.inner_reason('tag:"%s"' % of.group(1)):
                name = self.inner_reason('tag:"%s"' % of.group(1))
            else:
                name = differences.explain(self.facts_of(message_id), asked, 'extra' if extra else 'missing')
            if name:
                return name
        return None

    def inner_reason(self, inner):
        """Why the messages with which something is shared are others."""
        peer, ours = self.both.ask(inner)
        names = [self.reason(other, inner) for other in sorted(peer ^ ours)]
        return names[0] if names and all(names) else None

    def backwards(self, query, answer):
        """Whether ours is refused for a range of dates that ends before it begins, which for notmuch is nothing."""
        said = 'ends before it begins'
        return said in answer and any(
            isinstance(ours, str) and said in ours and peer == set()
            for peer, ours in (self.both.ask(text, query.syntax) for text, _ in query.leaves))

    def put(self, query):
        peer, ours = self.both.ask(query.text, query.syntax)
        sums = self.kinds[query.kind]
        if isinstance(peer, str):
            sums[2] += 1
            return
        if isinstance(ours, str) and self.backwards(query, ours):
            self.used['backwards'] = self.used.get('backwards', 0) + 1
            sums[1] += 1
            return
        if isinstance(ours, str):
            self.wrong.append('%s: %s: ours: %s' % (query.kind, query.text, ours))
            sums[3] += 1
            return
        self.empty += not peer
        self.found += len(peer)
        self.unlike += len(peer ^ ours)
        unexplained = []
        for message_id in sorted(peer ^ ours):
            name = self.why(message_id, query)
            self.used[name] = self.used.get(name, 0) + 1
            if name is None:
                unexplained.append(message_id)
        if unexplained:
            self.wrong.append('%s: %s: %d and %d, by no rule: %s' % (
                query.kind, query.text, len(peer), len(ours), unexplained[:2]))
        sums[3 if unexplained else 1 if peer != ours else 0] += 1


def prepare(both):
    both.ours.lines('new', '--quiet')
    pair.give_tags(both.ours)
    ours, peer = set(both.ours.ids()), set(both.peer.ids())
    mine = {i for i in ours - peer if i.startswith('notmuch-sha1-')}
    both.renamed = mine | {'<>'} if '<>' in peer - ours else set()
    tap.equal(sorted(ours ^ peer), sorted(both.renamed), 'the same messages, but for empty ids')


def compare(name, top, nth, count, stems):
    """Makes count queries of the mail and puts them to both."""
    both = pair.Pair(top, nth)
    try:
        prepare(both)
        both.set_clock(clock(), generate.CLOCK)
        made = generate.queries(both.sources, both.folders(), TAGS, count, int(os.environ.get('SEED', 0)))
        tap.equal(len(made), count, '%s: so many queries' % name)
        made += generate.stems(both.sources, stems) if stems else []
        run = Generated(both)
        for query in made:
            run.put(query)
        judge(name, run, len(made))
    finally:
        both.close()


def judge(name, run, count):
    for kind, (equal, ruled, refused, wrong) in sorted(run.kinds.items()):
        tap.diag('%-22s %4d alike %4d by rule %3d refused by notmuch %3d wrong' % (kind, equal, ruled, refused, wrong))
    sums = [sum(k[i] for k in run.kinds.values()) for i in range(4)]
    tap.diag('%s: of %d: %d alike, %d by rule, %d refused by notmuch; rules: %s' % (name, count, *sums[:3], run.used))
    tap.ok(not run.wrong, '%s: each answer is notmuch\'s but for the rules' % name, '\n'.join(run.wrong[:60]))
    tap.ok(sums[0] > count // 2, '%s: most are alike' % name, str(sums))
    tap.ok(sums[2] < count // 8, '%s: few are refused by notmuch' % name, str(sums))
    tap.ok(run.empty < count // 2, '%s: most find something' % name, str(run.empty))
    tap.ok(run.unlike <= run.found // 20, '%s: the rules concern few' % name, '%d of %d ids' % (run.unlike, run.found))


def clock():
    return preload.library(os.path.join(HERE, 'clock'))


def main():
    if not shutil.which('notmuch'):
        tap.skip_all('no notmuch', 2 * CHECKS)
    if clock() is None:
        tap.skip_all('no clock can be put in between here', 2 * CHECKS)
    given = int(os.environ.get('QUERIES', 0))
    compare('sample', pair.SAMPLE, 1, given or (1500 if tap.LONG else 200), 0)
    top = corpus.folder()
    if top:
        compare('corpus', top, 6, given or (5000 if tap.LONG else 400), 500 if tap.LONG else 0)
    for check in range(CHECKS if not top else 0):
        tap.skip('corpus: check %d' % (check + 1), 'no corpus')
    tap.done()


main()
