# SPDX-License-Identifier: GPL-3.0-or-later
"""What show, reply and address say of a message, compared value by value; and the rules (section "What is shown"
of doc/notmuch-differences.md) that a difference may be put down to.

A rule is a function of the facts about a message, the key of a value, notmuch's value and ours. It looks whether the
mail file, and the values, are really as the rule has it. Its name is that of the document.
"""
import base64
import binascii
import re

import differences

_long_reference = re.compile(rb'(?im)^(?:references|in-reply-to):(?:[^\n]|\n[ \t])*?<(?:[^>\n]|\n[ \t]){190,}>')
RULES = {}
HEADERS = {'Subject', 'From', 'To', 'Cc', 'Bcc', 'Reply-To', 'In-reply-to', 'References', 'Date', 'Message-ID', 'name',
           'address', 'name-addr', 'x-mailer'}


def rule(function):
    RULES[function.__name__.replace('_', '-')] = function
    return function


def plain(text):
    """The ASCII characters of a text, but blanks, line ends and controls, and what stands for them."""
    return re.sub(r'[^!->@-~]', '', text)


def is_header(key, *values):
    return key in HEADERS and all(isinstance(v, str) for v in values)


@rule
def folded_names(facts, key, peer, ours):
    """The line break of a folded header field is no part of a name."""
    return is_header(key, peer, ours) and '\n' in peer and \
        re.sub(r'\n[ \t]+', ' ', peer).replace('"', '') == ours.replace('"', '')


@rule
def references(facts, key, peer, ours):
    """What stands between ids takes those that follow it from notmuch's reply, its own among them."""
    junk = [re.sub(rb'<[^<>\s]+>|\s', b'', value) for head in facts.heads
            for value in re.findall(rb'(?im)^references:((?:[^\n]|\n[ \t])*)', head)]
    kept = [i for i in re.findall(r'<[^<>\s]+>', peer) if i in ours] if key == 'References' else []
    return any(junk) and key == 'References' and ours.startswith(' '.join(kept))


@rule
def repaired_headers(facts, key, peer, ours):
    return is_header(key, peer, ours) and facts.odd_headers


@rule
def repeated_headers(facts, key, peer, ours):
    return facts.repeated('Subject' if key == 'Subject' else 'From') and key in ('Subject', 'From', 'To')


@rule
def shown_character_sets(facts, key, peer, ours):
    """The text is the same but for characters that are not ASCII, of which bytes may look as if they were."""
    if key != 'content' or not isinstance(peer, str) or not isinstance(ours, str) or not facts.odd_bytes:
        return False
    rest = iter(plain(peer))
    return all(letter in rest for letter in plain(ours))


@rule
def shown_nul_bytes(facts, key, peer, ours):
    return key == 'content' and isinstance(peer, str) and isinstance(ours, str) and facts.nul_bytes


@rule
def broken_base64(facts, key, peer, ours):
    """What base64 that is damaged says is a matter of the decoder; the beginning is the same."""
    return key == 'content' and isinstance(peer, str) and isinstance(ours, str) and facts.broken_base64 and \
        plain(peer)[:20] == plain(ours)[:20]


@rule
def shown_multiparts(facts, key, peer, ours):
    """A multipart without a part is text."""
    return key == 'part' and peer.get('content') == [] and peer['content-type'].lower().startswith('multipart/') \
        and ours['content-type'] == 'text/plain'


@rule
def shown_types(facts, key, peer, ours):
    return key == 'part' and facts.odd_type and ours['content-type'] == 'text/plain' and \
        peer['content-type'] == 'application/octet-stream'


@rule
def depth(facts, key, peer, ours):
    """Deeper than both read."""
    return key == 'part' and ours['id'] > 1000


@rule
def shown_tags(facts, key, peer, ours):
    """The tag attachment follows its own rules."""
    return key == 'tags' and set(peer) ^ set(ours) == {'attachment'} and 'attachment' in ours


@rule
def several_files(facts, key, peer, ours):
    """Which of a message's files is first is nobody's promise."""
    return facts.files > 1


@rule
def long_ids(facts, key, peer, ours):
    """A reference to an id that is kept as a checksum finds its message."""
    return key == 'tree' and facts.long_reference


@rule
def shown_dates(facts, key, peer, ours):
    return facts.undated and key in ('timestamp', 'date_relative', 'Date')


@rule
def cycles(facts, key, peer, ours):
    """Of two messages of one second that answer each other either may be the first."""
    if key != 'tree' or len(peer[None]) != 1 or len(ours[None]) != 1:
        return False
    first, other = peer[None][0][0], ours[None][0][0]
    return first != other and [other] in peer.get(first, ()) and [first] in ours.get(other, ())


class Facts(differences.Facts):
    def __init__(self, paths):
        super().__init__(paths)
        self.heads = []
        self.broken_base64 = self.long_reference = False
        for path in paths:
            with open(path, 'rb') as f:
                data = f.read()
            self.heads.append(data.partition(b'\n\n')[0])
            self.long_reference |= bool(re.search(_long_reference, self.heads[-1]))
            self._look_at_base64(data)

    def _look_at_base64(self, data):
        for body in re.findall(rb'(?i)\ncontent-transfer-encoding:[ \t]*base64.*?\n\r?\n(.*?)(?=\n--|\Z)', data, re.S):
            try:
                base64.b64decode(re.sub(rb'\s', b'', body), validate=True)
            except binascii.Error:
                self.broken_base64 = True

    def repeated(self, name):
        return any(len(re.findall(rb'(?im)^%s:' % name.encode(), head)) > 1 for head in self.heads)


class Comparison:
    """Finds where two structures differ, and why."""

    def __init__(self, facts):
        self.facts = facts
        self.used = {}
        self.wrong = []

    def explained(self, key, peer, ours):
        for name, function in RULES.items():
            if function(self.facts, key, peer, ours):
                self.used[name] = self.used.get(name, 0) + 1
                return True
        return False

    def values(self, key, peer, ours):
        if peer == ours:
            return
        if isinstance(peer, dict) and isinstance(ours, dict):
            self._maps(key, peer, ours)
        elif isinstance(peer, list) and isinstance(ours, list) and len(peer) == len(ours) and key != 'tags':
            for p, o in zip(peer, ours):
                self.values('part' if key in ('body', 'content') else key, p, o)
        elif not self.explained(key, peer, ours):
            self.wrong.append('%s: notmuch %.300r ours %.300r' % (key, peer, ours))

    def _maps(self, key, peer, ours):
        if key == 'part' and 'content-type' in peer and peer['content-type'] != ours.get('content-type'):
            if self.explained('part', peer, ours):
                return
        if list(peer) != list(ours) and not self._same_keys_by_rule(key, peer, ours):
            self.wrong.append('%s: keys notmuch %r ours %r' % (key, list(peer), list(ours)))
        for k in peer:
            if k in ours:
                self.values(k, peer[k], ours[k])

    def _same_keys_by_rule(self, key, peer, ours):
        """A header field that only one can read; the order of the others is the same."""
        if [k for k in peer if k in ours] != [k for k in ours if k in peer]:
            return False
        return all(self.explained(k, str(peer.get(k, '')), str(ours.get(k, ''))) for k in set(peer) ^ set(ours))


# ---- threads ----

def nodes(forest):
    """(message, id of the message above it) for each message of a list of nodes, depth-first."""
    stack = [(node, None) for node in reversed(forest)]
    while stack:
        (message, replies), above = stack.pop()
        yield message, above
        stack += [(reply, message['id']) for reply in reversed(replies)]


def children(forest):
    """{id: ids of its replies}, in order but for those of one second."""
    lists = {}
    for message, above in nodes(forest):
        lists.setdefault(above, []).append((message['timestamp'], message['id']))
    return {above: [sorted(i for t, i in listed if t == when) for when in dict.fromkeys(t for t, _ in listed)]
            for above, listed in lists.items()}


# ---- S-expressions ----

_token = re.compile(rb'"(?:[^"\\]|\\.)*"|[()]', re.S)


def threads_of_sexp(data):
    """The top-level members of a list, each as its bytes."""
    found, level, start = [], 0, 0
    for token in _token.finditer(data):
        if token.group() == b'(':
            level += 1
            start = token.start() if level == 2 else start
        elif token.group() == b')':
            level -= 1
            if level == 1:
                found.append(data[start:token.end()])
    return found


def ids_in_sexp(thread):
    return frozenset(re.findall(rb'\(:id ("(?:[^"\\]|\\.)*") :match', thread))


# ---- replies as text ----

def unencoded_body(data):
    """The body of a reply without what rules allow to differ: line breaks, controls, characters that are not ASCII."""
    text = data.decode('utf8', 'replace').replace('Attachment: (null) (', 'Non-text part: (')
    return plain(re.sub(r'Non-text part: \(?([^ )\n]*)\)?', r'Non-text part: \1', text))
