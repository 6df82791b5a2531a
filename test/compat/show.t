#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What show, reply, address and search say of messages, byte by byte and value by value, notmuch's and ours: invented
mail, inputs that break mail programs, and some hundred real messages (thousands with MAIL_TEST_LONG=1)."""
import collections
import email
import email.header
import email.policy
import json
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.setrecursionlimit(30000)
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import corpus
import sandbox
import shown

CHECKS = 46
REAL = 3000 if tap.LONG else 300
MORE = '[show]\nextra_headers=X-Mailer;Message-ID;subject\n'


def id_query(message_id):
    return 'id:"%s"' % message_id.replace('"', '""')


def sources():
    """(absolute path, relative path in the mail root) of all mail."""
    sample = os.path.join(tap.TOP, 'test', 'mail', 'sample')
    cases = os.path.join(tap.TOP, '..', 'shared', 'cases')
    found = [(os.path.join(sample, n), os.path.join('sample', n)) for n in corpus.files(sample)]
    if os.path.isdir(cases):
        found += [(os.path.join(cases, n), os.path.join('cases', 'cur', n.replace('/', '_')))
                  for n in corpus.files(cases) if n.endswith('.eml')]
    top = corpus.folder()
    if top:
        names = corpus.files(top)
        found += [(os.path.join(top, n), os.path.join('real', n)) for n in names[::max(1, len(names) // REAL)]]
    return found


class Both:
    """The same mail indexed by both; ours is called as programs for notmuch call it."""

    def __init__(self):
        self.peer = sandbox.Sandbox('notmuch')
        self.ours = sandbox.Sandbox()
        for box in (self.peer, self.ours):
            for source, name in sources():
                place = os.path.join(box.root, name)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copyfile(source, place)
            with open(os.path.join(box.top, 'config')) as f:
                text = f.read()
            with open(os.path.join(box.top, 'config'), 'w') as f:
                f.write(text.replace('[new]', 'other_email=robin@example.org;ann@example.org\n[new]') +
                        MORE.replace(';subject', '' if box is self.peer else ';subject'))
            box.lines('new', '--quiet')
        os.symlink(tap.MAIL, os.path.join(self.ours.top, 'notmuch'))
        self.ours.program = os.path.join(self.ours.top, 'notmuch')
        ours, peer = set(self.ours.ids()), set(self.peer.ids())
        self.ids = sorted(ours & peer)
        self.unlike = sorted(ours ^ peer)
        self._facts = {}

    def close(self):
        self.peer.own = self.ours.own = True
        self.peer.close()
        self.ours.close()

    def out(self, box, *args):
        """(stdout, exit code), the mail root as ROOT."""
        done = box.run(*args)
        return done.stdout.replace(box.root.encode(), b'ROOT'), done.returncode

    def ask(self, *args):
        return self.out(self.peer, *args), self.out(self.ours, *args)

    def json(self, *args):
        return [json.loads(data.decode('utf8', 'replace') or 'null') for data, _ in self.ask(*args)]

    def facts(self, message_id):
        if message_id not in self._facts:
            paths = self.peer.json('search', '--exclude=false', '--output=files', '--format=json', '--',
                                   id_query(message_id))
            self._facts[message_id] = shown.Facts(paths)
        return self._facts[message_id]


class Test:
    def __init__(self, both):
        self.both = both
        self.used = collections.Counter()
        self.equal = set()  # messages that are equal without a rule

    def compare(self, message_id, peer, ours, key='message'):
        """What no rule explains."""
        if peer == ours:
            return []
        comparison = shown.Comparison(self.both.facts(message_id))
        comparison.values(key, peer, ours)
        self.used.update(comparison.used)
        return ['%s: %s' % (message_id, wrong) for wrong in comparison.wrong]

    def rule(self, message_id, key, peer, ours):
        comparison = shown.Comparison(self.both.facts(message_id))
        found = comparison.explained(key, peer, ours)
        self.used.update(comparison.used)
        return found

    # ---- show ----

    def threads(self, *options):
        """{ids: nodes} of all threads that are the same there and here, from notmuch and from us."""
        lists = self.both.json('show', '--format=json', *options, '*')
        by_ids = [{frozenset(m['id'] for m, _ in shown.nodes(t)): t for t in forest} for forest in lists]
        odd = set(self.both.unlike)
        same = [{k: v for k, v in d.items() if not k & odd} for d in by_ids]
        tap.ok(set(same[0]) == set(same[1]) and len(same[0]) > 50, 'the same %d threads' % len(same[0]),
               lambda: sorted(map(sorted, set(same[0]) ^ set(same[1])))[:5])
        return same

    def show_threads(self):
        peer, ours = self.threads('--include-html')
        wrong, trees, messages = [], [], 0
        for ids in peer:
            here, there = ({m['id']: m for m, _ in shown.nodes(t[ids])} for t in (ours, peer))
            messages += len(ids)
            for i in sorted(ids):
                bad = self.compare(i, there[i], here[i])
                wrong += bad
                if there[i] == here[i]:
                    self.equal.add(i)
            lists = shown.children(peer[ids]), shown.children(ours[ids])
            if lists[0] != lists[1] and not any(self.rule(i, 'tree', *lists) for i in ids):
                trees.append(sorted(ids)[:3])
        tap.ok(not wrong, 'show --format=json: %d messages, but for the rules' % messages, '\n'.join(wrong[:40]))
        tap.ok(not trees, 'show --format=json: trees', trees[:5])
        tap.ok(len(self.equal) > messages * 0.85, 'show --format=json: %d are equal' % len(self.equal))
        return peer

    def show_sexp(self):
        for options in (['--include-html'], ['--body=false', '--format-version=2']):
            data = [d for d, _ in self.both.ask('show', '--format=sexp', *options, '*')]
            peer, ours = ({shown.ids_in_sexp(t): t for t in shown.threads_of_sexp(d)} for d in data)
            quoted = {('"%s"' % i.replace('\\', '\\\\').replace('"', '\\"')).encode() for i in self.equal}
            asked = [k for k in peer if k in ours and k <= quoted and len(k) == 1]
            wrong = [(peer[k], ours[k]) for k in asked if peer[k] != ours[k]]
            tap.ok(len(asked) > 40 and not wrong, 'show --format=sexp %s: the bytes of %d threads'
                   % (options[0], len(asked)), lambda: '\n'.join('%.600r\n%.600r' % w for w in wrong[:3]))

    def show_versions(self):
        for version in '12345':
            wrong = []
            for i in sorted(self.equal)[::max(1, len(self.equal) // 12)]:
                peer, ours = self.both.ask('show', '--format=json', '--entire-thread=false',
                                           '--format-version=' + version, '--', id_query(i))
                wrong += [(i, peer, ours)] if peer != ours and not self.same_but_order(peer, ours) else []
            tap.ok(not wrong, 'show: version %s, the bytes of single messages' % version,
                   lambda: '\n'.join('%s\n%.600r\n%.600r' % w for w in wrong[:3]))

    @staticmethod
    def same_but_order(peer, ours):
        """The same messages and nulls, where equal dates let siblings change places."""
        return peer[1] == ours[1] and sorted(peer[0]) == sorted(ours[0])

    def parts(self, threads):
        """Every part: as an object, and by its bytes."""
        objects, leaves, multiparts, count = [], [], [], 0
        messages = [m for t in threads.values() for m, _ in shown.nodes(t) if m['id'] in self.equal]
        for message in messages if tap.LONG else messages[::3]:
            for part in list(self.walk(message['body']))[:30]:
                args = ['--part=%d' % part['id'], '--', id_query(message['id'])]
                count += 1
                peer, ours = self.both.ask('show', '--format=json', *args)
                objects += [(message['id'], peer, ours)] if peer != ours else []
                peer, ours = self.both.ask('show', '--format=raw', *args)
                multipart = part['content-type'].lower().startswith('multipart/')
                if peer != ours and not (multipart and re.sub(rb'\s', b'', peer[0]) == re.sub(rb'\s', b'', ours[0])):
                    (multiparts if multipart else leaves).append((message['id'], part['id'], peer, ours))
        tap.ok(not objects and count > 80, 'show --part: the objects of %d parts' % count, objects[:2])
        tap.ok(not leaves, 'show --part: the bytes of parts', lambda: '%.1000r' % leaves[:3])
        tap.ok(len(multiparts) <= count // 50, 'show --part: multiparts, but for their line breaks',
               lambda: '%.1000r' % multiparts[:3])

    def walk(self, parts):
        for part in parts:
            if 'content-type' in part:
                yield part
            for key in ('content', 'body'):
                if isinstance(part.get(key), list):
                    yield from self.walk(part[key])

    def show_bytes(self):
        """mbox and raw."""
        wrong = []
        chosen = [i for i in sorted(self.equal)[::2]]
        for i in chosen[:150]:
            for form in ('raw', 'mbox'):
                peer, ours = self.both.ask('show', '--format=' + form, '--', id_query(i))
                wrong += [(i, form, peer, ours)] if peer != ours and self.both.facts(i).files == 1 else []
        tap.ok(not wrong, 'show --format=raw and mbox: the bytes of %d messages' % len(chosen[:150]),
               lambda: '%.1000r' % wrong[:3])

    # ---- reply ----

    def reply_structured(self, *options):
        wrong, count = [], 0
        for i in self.both.ids if tap.LONG else self.both.ids[::2]:
            peer, ours = self.both.json('reply', '--format=json', *options, '--', id_query(i))
            count += 1
            wrong += self.compare(i, peer, ours)
        tap.ok(not wrong and count > 100, 'reply --format=json %s: %d messages, but for the rules'
               % (' '.join(options), count), '\n'.join(wrong[:20]))

    def reply_text(self, form):
        wrong, count = [], 0
        for i in self.both.ids if tap.LONG else self.both.ids[1::3]:
            peer, ours = self.both.ask('reply', '--format=' + form, '--', id_query(i))
            count += 1
            if peer == ours:
                continue
            (head, _, body), (own_head, _, own_body) = (d.partition(b'\n\n') for d, _ in (peer, ours))
            wrong += self.compare(i, self.header(head), self.header(own_head), 'header')
            if shown.unencoded_body(body) != shown.unencoded_body(own_body) and not self.excused(i):
                wrong.append('%s: body %.300r %.300r' % (i, body, own_body))
        tap.ok(not wrong and count > 80, 'reply --format=%s: %d messages, but for the rules' % (form, count),
               '\n'.join(wrong[:20]))

    def excused(self, message_id):
        """The text is one that rules let differ."""
        facts = self.both.facts(message_id)
        return facts.odd_bytes or facts.broken_base64 or facts.files > 1 or message_id not in self.equal

    @staticmethod
    def header(data):
        """{name: decoded value} of a header to be sent."""
        parsed = email.message_from_bytes(data + b'\n\n')
        return {k: str(email.header.make_header(email.header.decode_header(v))).replace('\n\t', ' ')
                for k, v in parsed.items()}

    # ---- address ----

    def addresses(self):
        """Of each message by itself; then what becomes of all of them."""
        wrong, people = [], {}
        for i in self.both.ids if tap.LONG else self.both.ids[::3]:
            options = ['--output=sender', '--output=recipients', '--deduplicate=no', '--format=json', '--', id_query(i)]
            peer, ours = self.both.json('address', *options)
            people[i] = ours
            if peer != ours:
                facts = self.both.facts(i)
                wrong += [] if facts.odd_headers or facts.files > 1 or any(map(facts.repeated, ('From', 'To', 'Cc', 'Bcc'))) or \
                    len(facts.heads[0]) > 50000 or self.folded(peer, ours) else [(i, peer, ours)]
        tap.ok(not wrong and len(people) > 80, 'address: %d messages, but for the rules' % len(people),
               lambda: '%.2000r' % wrong[:3])

    @staticmethod
    def folded(peer, ours):
        return [{k: re.sub(r'\n[ \t]+', ' ', v) for k, v in e.items()} for e in peer] == ours

    def address_modes(self):
        """Modes against each other: what is counted and left out follows from the list of all."""
        def ours(*options):
            data, _ = self.both.out(self.both.ours, 'address', '--format=json', *options, '*')
            return [(e['name'], e['address'], e.get('count')) for e in json.loads(data)]
        for output in (['--output=sender'], ['--output=recipients'], ['--output=sender', '--output=recipients']):
            each = [e[:2] for e in ours('--deduplicate=no', *output)]
            counts = collections.Counter(each)
            tap.equal([e[:2] for e in ours(*output)], list(dict.fromkeys(each)), 'address %s: each once' % output)
            tap.equal(ours('--output=count', *output), [e + (counts[e],) for e in dict.fromkeys(each)],
                      'address %s: counts' % output)
            sums = collections.Counter(a.casefold() for _, a in each)
            tap.equal({a.casefold(): n for _, a, n in ours('--output=count', '--deduplicate=address', *output)},
                      dict(sums), 'address %s: sums' % output)

    def address_formats(self):
        for form in ('text', 'text0', 'sexp'):
            wrong, count = [], 0
            for i in sorted(self.equal)[::8]:
                for more in ([], ['--output=count'], ['--output=address'], ['--deduplicate=address']):
                    peer, ours = self.both.ask('address', '--output=sender', '--format=' + form, *more, '--',
                                               id_query(i))
                    count += 1
                    wrong += [(i, more, peer, ours)] if peer != ours else []
            tap.ok(not wrong and count > 40, 'address --format=%s: the bytes' % form, lambda: '%.900r' % wrong[:3])

    # ---- search ----

    def search(self):
        odd = '|'.join(map(re.escape, self.both.unlike)).encode() or b'\1'
        for output in ('messages', 'files', 'tags'):
            for form, end in (('text', b'\n'), ('text0', b'\0'), ('json', b'\n'), ('sexp', b'\n')):
                query = '*' if output != 'tags' else 'not tag:attachment'
                lists = []
                for data, _ in self.both.ask('search', '--output=' + output, '--format=' + form, query):
                    data = data.strip(b'[]()\n') if form in ('json', 'sexp') else data
                    lists.append(sorted(e.rstrip(b',') for e in data.split(end) if not re.search(odd, e)))
                tap.ok(lists[0] == lists[1] and lists[0], 'search --output=%s --format=%s: %d lines'
                       % (output, form, len(lists[0])), lambda: sorted(set(lists[0]) ^ set(lists[1]))[:10])


def main():
    if not shutil.which('notmuch'):
        tap.skip_all('no notmuch', CHECKS)
    both = Both()
    try:
        test = Test(both)
        tap.ok(len(both.ids) > 150 and len(both.unlike) < 10, '%d messages are the same, %d are not'
               % (len(both.ids), len(both.unlike)), both.unlike)
        threads = test.show_threads()
        test.show_sexp()
        test.show_versions()
        test.parts(threads)
        test.show_bytes()
        test.reply_structured()
        test.reply_structured('--reply-to=sender')
        test.reply_text('default')
        test.reply_text('headers-only')
        test.addresses()
        test.address_modes()
        test.address_formats()
        test.search()
        tap.diag('rules used: %s' % dict(test.used))
        with open(os.path.join(tap.TOP, 'doc', 'notmuch-differences.md'), encoding='utf8') as f:
            documented = set(re.findall(r'^#### `([a-z0-9-]+)`', f.read(), re.M))
        tap.equal(sorted(shown.RULES), sorted(documented), 'the rules are those of the document')
    finally:
        both.close()
    tap.done()


main()
