# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws queries from the mail at hand by fixed rules and a fixed seed.

Words, names, addresses and phrases are drawn from bands of document frequency (rare ones and common
ones find different faults), dates and folders by their spread. The same corpus gives the same
queries. A query is a pair (kind, text); queries.txt has more of them, written by hand.
"""
import email
import email.header
import email.utils
import random
import re

BANDS = ((1, 1), (2, 4), (5, 20), (21, 100), (101, 10 ** 9))
KINDS = ('word', 'stem', 'phrase', 'from', 'to', 'subject', 'attachment', 'mimetype', 'folder',
         'path', 'tag', 'not', 'date', 'boolean', 'wildcard', 'near', 'id', 'thread', 'regex')
_word = re.compile(r'[A-Za-z]{3,24}')
_line = re.compile(r'[A-Za-z][A-Za-z ]{10,70}')
_operators = ('and', 'or', 'not', 'xor', 'near', 'adj')


class Pool:
    """Items and the messages they are in."""

    def __init__(self):
        self.where = {}

    def add(self, item, message):
        self.where.setdefault(item, set()).add(message)

    def draw(self, chance, each):
        """Up to each items of every band, in a fixed order."""
        drawn = []
        for low, high in BANDS:
            band = sorted(i for i, w in self.where.items() if low <= len(w) <= high)
            drawn += chance.sample(band, min(each, len(band)))
        return drawn


def _decoded(raw):
    try:
        return str(email.header.make_header(email.header.decode_header(str(raw or ''))))
    except (LookupError, ValueError, email.errors.HeaderParseError):
        return ''


def _words(text):
    return {w for w in _word.findall(text) if w.lower() not in _operators}


class Survey:
    """What there is to draw from in a list of mail files."""

    def __init__(self, paths):
        self.words, self.phrases, self.subjects = Pool(), Pool(), Pool()
        self.from_names, self.from_addresses = Pool(), Pool()
        self.to_names, self.to_addresses = Pool(), Pool()
        self.types, self.attachments = Pool(), Pool()
        self.dates, self.ids = [], []
        self.subject_phrases = Pool()
        for number, path in enumerate(paths):
            with open(path, 'rb') as f:
                self._message(number, email.message_from_binary_file(f))

    def _message(self, number, mail):
        subject = _decoded(mail.get('Subject'))
        for word in _words(subject):
            self.subjects.add(word.lower(), number)
        for run in _line.findall(subject):
            self._phrase(self.subject_phrases, run, number)
        self._people(number, mail, ('From',), self.from_names, self.from_addresses)
        self._people(number, mail, ('To', 'Cc'), self.to_names, self.to_addresses)
        try:
            date = email.utils.parsedate_to_datetime(mail.get('Date')).timestamp()
            if 10 ** 8 < date < 2 * 10 ** 9:
                self.dates.append(int(date))
        except (TypeError, ValueError, OverflowError):
            pass
        found = re.search(r'<([\w.@$+-]+)>', str(mail.get('Message-ID')))
        if found:
            self.ids.append(found.group(1))
        for part in mail.walk():
            self._part(number, part)

    def _people(self, number, mail, headers, names, addresses):
        values = [_decoded(v) for h in headers for v in mail.get_all(h, [])]
        for name, address in email.utils.getaddresses(values):
            for word in _words(name):
                names.add(word.lower(), number)
            if re.fullmatch(r'[A-Za-z]+ [A-Za-z]+', name):
                names.add('"%s"' % name, number)
            if re.fullmatch(r'[\w.-]+@[\w.-]+\w', address):
                addresses.add(address, number)

    def _part(self, number, part):
        self.types.add(part.get_content_type(), number)
        name = part.get_filename()
        if name:
            for word in _words(_decoded(name)):
                self.attachments.add(word.lower(), number)
        if part.get_content_type() != 'text/plain' or name:
            return
        text = (part.get_payload(decode=True) or b'').decode('ascii', 'replace')
        for word in _words(text):
            self.words.add(word, number)
        for run in _line.findall(text)[:20]:
            self._phrase(self.phrases, run, number)

    @staticmethod
    def _phrase(pool, run, number):
        # not the last word: the run may end inside it
        words = run.split(' ')[:-1]
        if len(words) >= 3 and all(words):
            start = len(run) % (len(words) - 1)
            pool.add(' '.join(words[start:start + 2 + len(run) % 3]), number)


def queries(paths, folders, tags):
    """All drawn queries: a list of (kind, text). folders: relative paths of maildirs; tags: names."""
    survey, chance, out = Survey(paths), random.Random(20240305), []

    def put(kind, form, items):
        out.extend((kind, form % item) for item in items)

    lower = sorted(w for w in survey.words.where if w.islower() or w.isdigit())
    pool = Pool()
    pool.where = {w: survey.words.where[w] for w in lower}
    words = pool.draw(chance, 14)
    put('stem', '%s', words[::2])
    put('word', '"%s"', words[1::4])
    put('word', '%s', [w.capitalize() for w in words[3::4]])
    put('phrase', '"%s"', survey.phrases.draw(chance, 8))
    put('from', 'from:%s', survey.from_names.draw(chance, 4))
    put('from', 'from:%s', survey.from_addresses.draw(chance, 3))
    put('to', 'to:%s', survey.to_names.draw(chance, 4))
    put('to', 'to:%s', survey.to_addresses.draw(chance, 3))
    put('subject', 'subject:%s', survey.subjects.draw(chance, 5))
    put('subject', 'subject:"%s"', survey.subject_phrases.draw(chance, 3))
    put('attachment', 'attachment:%s', survey.attachments.draw(chance, 4))
    put('mimetype', 'mimetype:%s', survey.types.draw(chance, 3))
    put('folder', 'folder:%s', folders)
    put('path', 'path:%s/**', sorted({f.split('/')[0] for f in folders}))
    put('path', 'path:%s/cur', folders[::2])
    put('tag', 'tag:%s', tags)
    put('id', 'id:%s', chance.sample(sorted(survey.ids), min(6, len(survey.ids))))
    put('date', '%s', _dates(survey.dates, chance))
    _compound(put, words, survey, folders, tags, chance)
    return [q for i, q in enumerate(out) if q not in out[:i]]


def _dates(dates, chance):
    dates = sorted(dates)
    out = []
    for _ in range(6):
        a, b = sorted(chance.sample(dates, 2))
        out.append('date:@%d..@%d' % (a, b))
    for stamp in chance.sample(dates, 6):
        year, month, day = __import__('time').gmtime(stamp)[:3]
        out += ['date:%d' % year, 'date:%d-%02d' % (year, month), 'date:..%d-%02d-%02d' % (year, month, day)]
    return out


def _compound(put, words, survey, folders, tags, chance):
    common = [w for w in words if len(survey.words.where[w]) >= 20]
    common += [w for w in words if 5 <= len(survey.words.where[w]) < 20]
    subjects = [w for w in survey.subjects.draw(chance, 6) if len(survey.subjects.where[w]) > 4]

    def some(items, count=12):
        return [chance.choice(items) for _ in range(count)]

    put('not', 'not %s', common[:4])
    put('not', 'not tag:%s', tags[:3])
    put('not', 'tag:%s and not %s', list(zip(some(tags), some(common)))[:6])
    put('not', '%s and not from:%s', list(zip(some(common), some(survey.from_names.draw(chance, 3))))[:6])
    put('not', 'not folder:%s', folders[:3])
    triples = list(zip(some(common), some(common), some(tags)))
    put('boolean', '(%s or %s) and tag:%s', triples[:4])
    put('boolean', '%s and (%s or not tag:%s)', triples[4:8])
    put('boolean', '%s or (%s and tag:%s)', triples[8:12])
    put('boolean', 'subject:%s or (%s and folder:%s)',
        list(zip(some(subjects), some(common), some(folders)))[:4])
    put('boolean', '%s and %s xor %s', list(zip(some(common), some(common), some(common)))[:3])
    put('wildcard', '%s*', [w[:4] for w in words[::5] if len(w) > 5])
    put('wildcard', 'subject:%s*', [w[:3] for w in subjects[::3]])
    pairs = [p.split(' ') for p in survey.phrases.draw(chance, 2) if p.count(' ') >= 1]
    put('near', '%s NEAR/5 %s', [(p[1], p[0]) for p in pairs[:6]])
    put('near', '%s ADJ/4 %s', [(p[0], p[-1]) for p in pairs])
    put('thread', 'thread:"{%s}"', ['subject:%s' % w for w in subjects[:5]])
    put('thread', 'thread:"{%s and tag:%s}"', [(t[0], t[2]) for t in triples[:4]])
    put('regex', 'from:/%s/', [w.strip('"')[:5].capitalize() for w in survey.from_names.draw(chance, 1)])
    put('regex', 'subject:/[%s]%s/', [(w[0].upper() + w[0], w[1:4]) for w in subjects[::4]])
