#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mail that no program would write: `new` exits 0, does not crash or take for ever, and what can be
read is found. Each kind is asked for by its subject."""
import os
import random
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib')]
import tap
import sandbox

HEAD = b'From: Ann <ann@example.org>\nSubject: %s\nMessage-ID: <%s@example.org>\n'
LIMIT = 60  # seconds for a whole run of new over all of these


def head(name, more=b''):
    return HEAD % (name, name) + more


def multipart(name, boundary=b'b'):
    return head(name, b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="%s"\n\n' % boundary)


def headers(name, count):
    return head(name, b''.join(b'X-%d: value %d\n' % (i, i) for i in range(count))) + b'\nwordbody\n'


def nested(name, count):
    """count multiparts, each inside the one before, never closed."""
    parts = [b'--b%d\nContent-Type: multipart/mixed; boundary="b%d"\n\n' % (i, i + 1) for i in range(count)]
    return multipart(name, b'b0') + b''.join(parts) + b'--b%d\n\ndeepword\n' % count


def nested_messages(name, count):
    return head(name, b'Content-Type: message/rfc822\n\n') + (
        b'Subject: inner\nContent-Type: message/rfc822\n\n' * count + b'Subject: last\n\nword\n')


def siblings(name, count):
    return multipart(name) + b'--b\n\nfirstpart\n' + b'--b\n\nx\n' * count + b'--b--\n'


def kinds():
    """(name, bytes) of each kind that is to be found by subject:NAME."""
    body = b'MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\nsomeword\n'
    yield 'manyheaders', headers(b'manyheaders', 100000)
    yield 'nestedparts', nested(b'nestedparts', 50000)
    yield 'nestedmessages', nested_messages(b'nestedmessages', 5000)
    yield 'manyparts', siblings(b'manyparts', 50000)
    yield 'nulbody', head(b'nulbody') + b'\nbefore\0after\0\0\n' + bytes(100000) + b'endword\n'
    yield 'nulheader', head(b'nulheader', b'X-Odd: a\0b\n') + b'\nword\n'
    yield 'nothingelse', b'Subject: nothingelse'
    yield 'noblankline', head(b'noblankline')
    yield 'crlf', (head(b'crlf') + body).replace(b'\n', b'\r\n')
    yield 'longfold', head(b'longfold', b'To: ' + b'\n '.join(b'u%d@example.org,' % i for i in range(50000))
                           + b' end@example.org\n') + b'\nword\n'
    yield 'badbase64', head(b'badbase64', b'Content-Transfer-Encoding: base64\n') + b'\n' + b'!*~=' * 50000
    yield 'badqp', head(b'badqp', b'Content-Transfer-Encoding: quoted-printable\n') + b'\n' + b'=G=\n==' * 50000
    yield 'badcharset', head(b'badcharset', b'Content-Type: text/plain; charset="no-such/\xff"\n') + b'\n\xff\xfe\n'
    yield 'longparameter', head(b'longparameter', b'Content-Type: text/plain; ' + b''.join(
        b'x%d*%d*=utf-8\'\'%%ff;' % (i, i) for i in range(20000)) + b' name=x\n') + b'\nword\n'
    yield 'encodedwords', head(b'encodedwords', b'Cc: ' + b'=?utf-8?q?=ff?= ' * 20000 + b'<a@b.c>\n') + b'\nword\n'
    yield 'opentags', head(b'opentags', b'Content-Type: text/html\n') + b'\n' + b'<div><b>' * 50000 + b'word'
    yield 'openquote', head(b'openquote', b'To: "never closed ' + b'(((' * 50000 + b'\n') + b'\nword\n'
    yield 'emptyboundary', head(b'emptyboundary', b'Content-Type: multipart/mixed; boundary=""\n') + b'\n--\n\nx\n----\n'
    yield 'ownboundary', multipart(b'ownboundary', b'b') + b'--b\nContent-Type: multipart/mixed; boundary="b"\n\n' * 3000


def whole():
    """A mail with some of everything, to be cut."""
    return head(b'cutmail', b'To: =?utf-8?q?G=C3=BCnter?= <g@example.org>, (comment) "b c" <b@example.org>\n'
                b'Content-Type: multipart/mixed; boundary="outer"\nMIME-Version: 1.0\n\n') + (
        b'--outer\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n'
        b'caf=C3=A9 and a soft=\n break\n'
        b'--outer\nContent-Type: message/rfc822\n\nSubject: inner\nFrom: x@example.org\n\ninner text\n'
        b'--outer\nContent-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n\n'
        b'PGh0bWw+PGI+Ym9sZDwvYj4gJmVhY3V0ZTs8L2h0bWw+\n'
        b'--outer\nContent-Type: application/octet-stream; name*0*=utf-8\'\'%C3%A4%20; name*1="b.bin"\n'
        b'Content-Disposition: attachment\nContent-Transfer-Encoding: base64\n\nAAECAwQF\n--outer--\n')


def write(box, name, data):
    with open(os.path.join(box.root, 'in', 'cur', name + ':2,S'), 'wb') as f:
        f.write(data)


def kinds_of_bad():
    with sandbox.Sandbox() as box:
        sandbox.maildir(os.path.join(box.root, 'in'))
        for name, data in kinds():
            write(box, name, data)
        write(box, 'empty', b'')
        write(box, 'one-nul', b'\0')
        write(box, 'newline', b'\n')
        write(box, 'noise', bytes(random.Random(1).randrange(256) for _ in range(200000)))
        write(box, 'plain', sandbox.message('plain@example.org', 'plainmail'))
        start = time.monotonic()
        done = box.run('new', timeout=10 * LIMIT)
        took = time.monotonic() - start
        tap.equal(done.returncode, 0, 'new over bad mail exits 0')
        tap.ok(took < LIMIT * (10 if os.environ.get('SANITIZE') == '1' else 1),
               'and is done in a minute (%.1f s)' % took)
        for name in [k for k, _ in kinds()] + ['plainmail']:
            tap.equal(box.count('subject:' + name), 1, '%s is found by its subject' % name)
        tap.equal(box.count('endword'), 1, 'text after NUL bytes is found')
        tap.equal(box.count('firstpart'), 1, 'the first of 50,000 parts is found')
        tap.equal(box.count('wordbody'), 1, 'text after 100,000 headers is found')
        tap.equal(box.count('to:end@example.org'), 1, 'the last of 50,000 recipients is found')
        tap.equal(box.count('*'), len(list(kinds())) + 1, 'empty files and noise are no mail')
        tap.equal([n for n in ('empty', 'newline') if n.encode() + b':2,S' in done.stderr], ['empty', 'newline'],
                  'and are named')
        show_all(box)


def show_all(box):
    """What was indexed can be shown."""
    bad = []
    for name, _ in kinds():
        done = box.run('show', 'subject:' + name)
        if done.returncode != 0 or not done.stdout.startswith(b'\x0cmessage{ id:'):
            bad.append((name, done.returncode, done.stderr[-200:]))
    tap.equal(bad, [], 'each can be shown')


def cut_mail():
    """The same mail cut at 200 places: each has its own Message-ID, so all are messages."""
    data, places = whole(), 200
    with sandbox.Sandbox() as box:
        sandbox.maildir(os.path.join(box.root, 'in'))
        start = len(head(b'cutmail'))
        for i in range(places):
            cut = data[:start + (len(data) - start) * i // (places - 1)]
            write(box, 'cut%d' % i, cut.replace(b'<cutmail@', b'<cut%d@' % i))
        done = box.run('new')
        tap.equal(done.returncode, 0, 'new over a mail cut at 200 places exits 0')
        tap.equal(box.count('subject:cutmail'), places, 'all are found by their subject')
        tap.equal(box.count('id:cut%d@example.org and café and inner and attachment:b.bin' % (places - 1)), 1,
                  'the uncut one by all it holds')
        done = box.run('show', '--entire-thread=false', '*')
        tap.equal((done.returncode, done.stdout.count(b'\x0cmessage{ id:')), (0, places), 'all can be shown')


def cut_header():
    """Cut inside its header block: no crash, and what has a subject is mail."""
    data = head(b'cuthead', b'To: =?utf-8?b?R8O8bnRlcg==?= <g@example.org>\n')
    with sandbox.Sandbox() as box:
        sandbox.maildir(os.path.join(box.root, 'in'))
        for i in range(len(data)):
            write(box, 'cut%d' % i, data[:i])
        done = box.run('new')
        tap.equal(done.returncode, 0, 'new over a header block cut at %d places exits 0' % len(data))
        tap.ok(box.count('--output=files', 'from:ann') > len(data) * 3 // 4, 'those with a whole From are found by it')


def main():
    kinds_of_bad()
    cut_mail()
    cut_header()
    tap.done()


main()
