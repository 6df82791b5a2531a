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
import asking
import corpus
import draw
import differences
import pair
import sandbox

CHECKS = 17 + 3 * len(draw.KINDS)
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


class Kinds(asking.Asking):
    def kind(self, kind, queries):
        usable, wrong = 0, []
        self.found = self.unlike = self.equal = 0
        for query in queries:
            good, bad = self.query(query)
            usable += good
            wrong += bad[:5]
        tap.ok(usable >= 5, '%s: at least five queries find some messages and not all' % kind,
               '%d of %d' % (usable, len(queries)))
        tap.ok(not wrong, '%s: %d queries answered alike, but for the rules' % (kind, len(queries)),
               '\n'.join(wrong[:40]))
        tap.ok(self.unlike <= 25 + self.found // 10, '%s: the rules concern few: %d of %d ids; %d answers are equal'
               % (kind, self.unlike, self.found, self.equal))


def empty_ids(ours, peer):
    """Ids that differ because a Message-ID is "<>" (rule empty-ids): one message of notmuch's, named <>, one of
    ours for each such file."""
    mine = {i for i in ours - peer if i.startswith('notmuch-sha1-')}
    return mine | {'<>'} if mine and '<>' in peer - ours else set()


def without(ids, threads):
    return {t for t in threads if not t & ids}


def check_index(compare):
    both = compare.both
    done = both.ours.run('new')
    tap.ok(done.returncode == 0, 'new exits 0', done.stderr[-2000:])
    tap.ok(b'Processed %d total files' % len(both.names) in done.stdout, 'new processed all files',
           done.stdout[-500:])
    ours, peer = set(both.ours.ids()), set(both.peer.ids())
    both.renamed = empty_ids(ours, peer)
    tap.equal(sorted(ours ^ peer), sorted(both.renamed), 'the same message ids, but for empty ones')
    pair.give_tags(both.ours)
    for what in ('messages', 'threads', 'files'):
        more = len(both.renamed) - 2 if both.renamed and what != 'files' else 0
        tap.equal(both.ours.count('--output=' + what, '*'), both.peer.count('--output=' + what, '*') + more,
                  'the same count of ' + what)
    ours, peer = both.ours.tags(), both.peer.tags()
    tag = differences.Asked('tag:attachment')
    wrong = [(m, ours.get(m), peer[m]) for m in set(peer) - both.renamed if ours.get(m) != peer[m] and not (
        set(ours.get(m, ())) ^ set(peer[m]) == {'attachment'} and
        differences.RULES['attached-messages'](compare.facts_of(m), tag, 'extra'))]
    tap.ok(not wrong, 'the same tags', wrong[:20])
    ours, peer = set(both.ours.files()), set(both.peer.files())
    tap.ok(ours == peer, 'the same files',
           lambda: '\n'.join(sorted(ours ^ peer)[:20]))
    ours, peer = (without(both.renamed, box.threads()) for box in (both.ours, both.peer))
    tap.ok(ours == peer, 'the same threads', lambda: '%d differ' % len(ours ^ peer))


def any_subject(facts, timestamp):
    """Several messages have the date whose subject is shown, or a message has files with different subjects: which of
    them comes first is nobody's promise."""
    return sum(timestamp in f.dates for f in facts) > 1 or any(len(f.subjects) > 1 for f in facts)


def summary_rule(compare, ids, ours, peer):
    """Whether all that differs between two summaries of a thread comes under a rule."""
    fields = {k for k in peer if ours.get(k) != peer[k]}
    facts = [compare.facts_of(i) for i in ids]
    rules = differences.RULES
    if fields & {'subject', 'authors'}:
        fields -= {'subject', 'authors'} if any(f.odd_headers for f in facts) else set()
    if fields == {'subject'} and any_subject(facts, peer['timestamp']):
        fields = set()
    if set(ours.get('tags', ())) ^ set(peer['tags']) <= {'attachment'}:
        tag = differences.Asked('tag:attachment')
        fields -= {'tags'} if any(rules['attached-messages'](f, tag, 'extra') for f in facts) else set()
    return not fields


def known(both, entries):
    """Without threads of messages whose ids are not the same on both sides, or that have no date there."""
    odd = both.renamed | both.undated
    return [e for e in entries if not any(odd & set(sandbox.ids_of_terms(q)) for q in e['query'] if q)]


def check_summaries(compare):
    both = compare.both
    both.undated = set(both.peer.ids('0..0'))
    dated = both.undated - set(both.ours.ids('0..0')) - both.renamed
    wrong = [i for i in dated if not compare.facts_of(i).undated]
    tap.ok(not wrong, '%d of %d messages without a date were received' % (len(dated), len(both.undated)), wrong[:20])
    for sort, query in (('newest-first', '*'), ('oldest-first', 'tag:seventh'),
                        ('newest-first', 'subject:patch')):
        options = ['search', '--format=json', '--sort=' + sort, query]
        peer, ours = (known(both, box.json(*options)) for box in (both.peer, both.ours))
        tap.equal([e['timestamp'] for e in ours], [e['timestamp'] for e in peer],
                  'summaries of %s come in the same order' % query)
        peer, ours = by_ids(peer), by_ids(ours)
        unlike = [(k, ours.get(k, {}), peer[k]) for k in peer if ours.get(k) != peer[k]]
        wrong = [w for w in unlike if not summary_rule(compare, *w)]
        tap.ok(not wrong and len(unlike) < 1 + len(peer) // 50,
               'the same summaries of %s (%d threads, %d by rule)' % (query, len(peer), len(unlike)),
               lambda: '\n'.join('got:   %r\nright: %r' % w[1:] for w in wrong[:5]))


def main():
    if not shutil.which('notmuch'):
        tap.skip_all('no notmuch', CHECKS)
    top = corpus.folder_or_skip(CHECKS)
    both = pair.Pair(top, 1 if tap.LONG else 6)
    try:
        compare = Kinds(both)
        check_index(compare)
        check_summaries(compare)
        sample = both.sources if not tap.LONG else both.sources[::6]
        asked = written() + draw.queries(sample, both.folders(), TAGS)
        for kind in draw.KINDS:
            compare.kind(kind, [q for k, q in asked if k == kind])
        tap.diag('rules used: %s' % compare.used)
        tap.equal(sorted(differences.RULES), sorted(differences.documented(DOCUMENT)),
                  'the rules are those of the document')
    finally:
        both.close()
    tap.done()


main()
