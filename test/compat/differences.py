# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of doc/notmuch-differences.md that a different answer may be put down to.

A rule is a function of the facts about one message, the words of one simple query, and the
direction ('extra': only we find it; 'missing': only notmuch does). It looks into the mail file
whether that really holds what the rule is about. The name of the function is the name in the
document.
"""
import email
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
        self.types = set()
        self.raw = b''
        for path in paths:
            with open(path, 'rb') as f:
                data = f.read()
            self.raw += data
            mail = email.message_from_bytes(data)
            self.headers += '\n'.join(str(v) for v in mail.values()) + '\n'
            for part in mail.walk():
                self._part(part, part is mail)

    def _part(self, part, top):
        kind = part.get_content_type()
        self.types.add(kind)
        if part.is_multipart():
            if kind == 'message/rfc822':
                inner = part.get_payload(0)
                self.inner_headers += '\n'.join(str(v) for v in inner.values()) + '\n'
            return
        data = part.get_payload(decode=True) or b''
        text = _decode(data, part.get_content_charset())
        if kind == 'text/html':
            seen = _Text(text)
            self.html_source += text + '\n'
            self.html_text += ''.join(seen.spaced) + ' ' + ''.join(seen.joined) + '\n'
        elif part.get_content_disposition() == 'attachment':
            self.attached += text + '\n'
        elif kind.startswith('text/'):
            self.plain += text + '\n'
        else:
            self.binary += text + '\n'


def _decode(data, charset):
    for name in (charset, 'utf-8', 'cp1252'):
        try:
            return data.decode(name or 'utf-8')
        except (LookupError, UnicodeDecodeError, ValueError):
            pass
    return data.decode('latin-1')


RULES = {}


def rule(function):
    RULES[function.__name__.replace('_', '-')] = function
    return function


def explain(facts, leaf, direction):
    """Name of the rule that a different answer to a simple query comes under, or None."""
    field, _, value = leaf.rpartition(':') if re.match(r'\w+:', leaf) else ('', '', leaf)
    asked = words(value)
    for name, holds in RULES.items():
        if holds(facts, field, asked, direction):
            return name
    return None


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
