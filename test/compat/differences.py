# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of doc/notmuch-differences.md that a different answer may be put down to.

A rule is a function of the facts about one message, the words of one simple query, and the
direction ('extra': only we find it; 'missing': only notmuch does). It looks into the mail file
whether that really holds what the rule is about. The name of the function is the name in the
document.
"""
import email
import email.errors
import email.header
import email.utils
import html.parser
import re
import unicodedata

import tap

_token = re.compile(r'[^\W_]+')


def words(text):
    return {w.casefold() for w in _token.findall(text)}


class _Text(html.parser.HTMLParser):
    """Text of an HTML source, with blanks for tags (spaced) and without (joined)."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.spaced, self.joined, self.skipping = [], [], 0
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.skipping += tag in ('style', 'script')
        self.spaced += [' '] + [v or '' for k, v in attrs if k in ('alt', 'title')] + [' ']

    def handle_endtag(self, tag):
        self.skipping = max(0, self.skipping - (tag in ('style', 'script')))
        self.spaced.append(' ')

    def handle_data(self, data):
        if not self.skipping:
            self.spaced.append(data)
            self.joined.append(data)


class Facts:
    """What a message's files hold, seen by python's mail parser."""

    def __init__(self, paths):
        self.plain, self.html_source, self.html_text = '', '', ''
        self.attached, self.inner_headers, self.binary, self.headers = '', '', '', ''
        self.header_text = ''  # the headers, decoded
        self.types = set()
        self.part_headers = self.calendars = ''
        self.attached_message = self.attached_smime = self.odd_headers = self.odd_type = False
        self.dates, self.subjects = set(), set()
        self.undated = False  # the Date says nothing, and the mail was received
        self.nul_bytes = self.odd_bytes = False
        self.empty_multipart = False  # notmuch sees a multipart without parts: set by whoever asks it
        self.files = len(paths)
        for path in paths:
            with open(path, 'rb') as f:
                data = f.read()
            mail = email.message_from_bytes(data)
            head = data.partition(b'\n\n')[0]
            self.dates.add(_date(mail.get('Date')))
            self.undated |= _date(mail.get('Date')) <= 0 and mail.get('Received') is not None
            self.subjects.add(str(mail.get('Subject')))
            people = [str(v) for n in ('From', 'To', 'Cc') for v in mail.get_all(n, [])]
            self.odd_headers |= (b'=?' in head or not head.isascii() or any(map(_odd_people, people)))
            self.headers += '\n'.join(str(v) for v in mail.values()) + '\n'
            self.header_text += '\n'.join(_header(v) for v in mail.values()) + '\n'
            for part in mail.walk():
                encoding = part.get('Content-Transfer-Encoding')
                if encoding is not None:  # python looks at it with its blanks
                    del part['Content-Transfer-Encoding']
                    part['Content-Transfer-Encoding'] = str(encoding).strip()
                self._part(part)

    def _part(self, part):
        kind = part.get_content_type()
        self.types.add(kind)
        self.odd_type |= '/' not in str(part.get('Content-Type', '/'))
        self.part_headers += ' '.join(str(v) for v in part.values()) + '\n'
        if part.is_multipart():
            if kind == 'message/rfc822':
                inner = part.get_payload(0)
                self.inner_headers += '\n'.join(str(v) for v in inner.values()) + '\n'
                self.attached_message |= part.get_content_disposition() == 'attachment'
            return
        self.attached_smime |= 'pkcs7' in kind and part.get_content_disposition() == 'attachment'
        data = part.get_payload(decode=True) or b''
        if kind.startswith('text/'):
            self.nul_bytes |= b'\0' in data
            self.odd_bytes |= not data.isascii()
        text = _decode(data, part.get_content_charset())
        if kind == 'text/html':
            seen = _Text(text)
            self.html_source += text + '\n'
            text = ''.join(seen.spaced) + ' ' + ''.join(seen.joined) + '\n'
            self.html_text += re.sub('[\u00ad\u200b-\u200d]', '', text)
        elif part.get_content_disposition() == 'attachment' or not kind.startswith('text/'):
            named = re.search(r'\.(txt|text|log|csv|tsv|md|patch|diff|ics|org|rst)$', part.get_filename() or '', re.I)
            if kind.startswith('text/') or kind == 'application/octet-stream' and named:
                self.attached += text + '\n'
            if part.get_content_disposition() != 'attachment':
                self.binary += text + '\n'
        elif kind == 'text/calendar':
            self.calendars += text + '\n'
        elif kind.startswith('text/'):
            self.plain += text + '\n'


def _header(value):
    try:
        return str(email.header.make_header(email.header.decode_header(str(value))))
    except (LookupError, ValueError, email.errors.HeaderParseError):
        return str(value)


def _date(text):
    try:
        return int(email.utils.parsedate_to_datetime(str(text)).timestamp())
    except (TypeError, ValueError, OverflowError):
        return 0


def _odd_people(text):
    """Whether a list of addresses has an open quotation mark or a piece without an address."""
    quotes = text.replace('\\"', '').count('"')
    pieces = email.utils.getaddresses([text])
    return quotes % 2 or any('@' not in address or ' ' in address for _, address in pieces)


def _decode(data, charset):
    for name in (charset, 'utf-8', 'cp1252'):
        try:
            return data.decode(name or 'utf-8')
        except (LookupError, UnicodeDecodeError, ValueError):
            pass
    return data.decode('latin-1')


_endings = re.compile('(atively|ational|ations|ating|ation|ative|ately|ively|ings|edly|ing|ied|ies|ed|ely|es|ly|er|al|'
                      'ate|ity|ive|s|e|y)$')


def stem(word):
    """Not Xapian's, but alike for words that share one."""
    word = re.sub('bilit(y|ies)$', 'ble', word)
    short = _endings.sub('', re.sub('(?<=...)iz(e|es|ed|er|ers|ing|ation|ations)$', '', word))
    if len(short) < 2:
        return word
    return short[:-1] if len(short) > 2 and short[-1] == short[-2] else short


class Asked:
    """A simple query taken apart: its field ('' for none) and its words, cut so that they match what
    stems and wildcards match, too (roots)."""

    def __init__(self, leaf):
        found = re.match(r'(\w+):', leaf)
        self.leaf = leaf
        self.field = found.group(1) if found else ''
        value = leaf[found.end():] if found else leaf
        near = re.sub(r'\b(NEAR|ADJ)(/\d+)?\b', ' ', value)
        self.words = words(near)
        self.roots = {w if '"' in value else w[:max(3, min(6, len(w) - 4))] for w in self.words}
        if value == '*':
            self.roots = {''}
        self.stems = set() if '"' in value else {stem(w) for w in self.words}

    def any_in(self, text):
        """Some of the words stand in the text."""
        there = words(text)
        return any(t.startswith(r) for r in self.roots for t in there) or (
            any(t in self.stems or stem(t) in self.stems for t in there if self.stems))

    def all_in(self, text):
        there = words(text)
        return all(any(t.startswith(r) for t in there) for r in self.roots) or (
            bool(self.stems) and self.stems <= there | {stem(t) for t in there})

    def of_body(self):
        return self.field in ('', 'body')


RULES = {}


def rule(function):
    """Registers a rule: function (facts, asked, direction) -> bool."""
    RULES[function.__name__.replace('_', '-')] = function
    return function


def explain(facts, leaf, direction):
    """Name of the rule that a different answer to a simple query comes under, or None."""
    asked = Asked(leaf)
    for name, holds in RULES.items():
        if holds(facts, asked, direction):
            return name
    return None


@rule
def html(facts, asked, direction):
    if not facts.html_source or not asked.of_body():
        return False
    seen, source = asked.all_in(facts.plain + facts.html_text), asked.all_in(facts.plain + facts.html_source)
    return seen if direction == 'extra' else source


@rule
def parts_of_words(facts, asked, direction):
    if direction != 'extra':
        return False
    text = facts.part_headers + facts.plain + facts.html_text + facts.attached + facts.inner_headers
    joined = re.findall(r"\w*(?:[_'’&·]\w+)+[_'’&·]*|\w+[_'’&·+#]+|\d+[.,;][\d.,;]+", text)
    pieces = {p.casefold() for word in joined for p in re.split(r"[_'’&·+#.,;]", word)}
    return any(p.startswith(r) for r in asked.roots for p in pieces) or (
        any(p in asked.stems or stem(p) in asked.stems for p in pieces))


@rule
def forwarded_headers(facts, asked, direction):
    return direction == 'extra' and asked.of_body() and asked.any_in(facts.inner_headers)


@rule
def attached_messages(facts, asked, direction):
    of_tag = asked.field in ('', 'tag', 'is') and any('attachment'.startswith(w) for w in asked.words)
    about = of_tag or asked.field == 'attachment'
    return direction == 'extra' and about and (facts.attached_message or facts.attached_smime)


@rule
def attached_texts(facts, asked, direction):
    return direction == 'extra' and asked.of_body() and asked.any_in(facts.attached)


@rule
def calendars(facts, asked, direction):
    return asked.of_body() and asked.any_in(facts.calendars)


@rule
def binary_parts(facts, asked, direction):
    return direction == 'missing' and asked.of_body() and asked.any_in(facts.binary)


@rule
def armour(facts, asked, direction):
    blocks = re.findall(r'-----BEGIN PGP.*?-----END PGP[^\n]*', facts.plain + facts.attached, re.S)
    return direction == 'missing' and asked.of_body() and asked.any_in(' '.join(blocks))


@rule
def accents(facts, asked, direction):
    text = facts.headers + facts.plain + facts.html_text
    plain = {''.join(c for c in unicodedata.normalize('NFKD', w) if not unicodedata.combining(c))
             for w in words(text) if not w.isascii()}
    return direction == 'extra' and any(p.startswith(r) for r in asked.roots for p in plain)


def _without_blanks(character):
    return unicodedata.name(character, '').startswith(
        ('CJK', 'HIRAGANA', 'KATAKANA', 'HALFWIDTH KATAKANA', 'HANGUL', 'THAI', 'LAO', 'KHMER', 'MYANMAR'))


@rule
def scripts_without_blanks(facts, asked, direction):
    text = unicodedata.normalize('NFKC', facts.header_text + facts.plain + facts.html_text + facts.attached)
    runs = [unicodedata.normalize('NFKC', w) for w in asked.words if any(map(_without_blanks, w))]
    pairs = {r[i:i + 2] for r in runs for i in range(max(1, len(r) - 1))}
    return direction == 'extra' and bool(pairs) and all(p in text.casefold() for p in pairs)


@rule
def headers_repaired(facts, asked, direction):
    return asked.field in ('', 'from', 'to', 'subject') and facts.odd_headers


@rule
def types_without_slash(facts, asked, direction):
    return asked.field in ('', 'body', 'mimetype') and facts.odd_type


@rule
def character_sets(facts, asked, direction):
    return asked.of_body() and facts.odd_bytes


@rule
def nul_bytes(facts, asked, direction):
    return direction == 'extra' and asked.of_body() and facts.nul_bytes


@rule
def broken_multiparts(facts, asked, direction):
    fields = ('mimetype',) if direction == 'missing' else ('', 'body', 'mimetype', 'attachment')
    return facts.empty_multipart and asked.field in fields


@rule
def dates(facts, asked, direction):
    return facts.undated and (asked.field == 'date' or '..' in asked.leaf)


@rule
def copies(facts, asked, direction):
    return direction == 'missing' and facts.files > 1 and len(asked.words) > 1


def leaves(query):
    """The simple queries that a query is made of. NEAR and ADJ are left whole."""
    if re.search(r'\b(NEAR|ADJ)\b', query) or query.startswith('thread:"{'):
        return [query]
    pieces = re.findall(r'[-+]?(?:\w+:)?"[^"]*"|\(|\)|[^\s()]+', query)
    words_ = [p.lstrip('-+') for p in pieces if p.lower() not in ('and', 'or', 'not', 'xor', '(', ')')]
    return words_ or [query]


def documented(path):
    """Names of the rules in the document: its headings of the third level in backticks."""
    with open(path, encoding='utf8') as f:
        return set(re.findall(r'^### `([a-z-]+)`', f.read(), re.M))
