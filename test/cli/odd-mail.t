#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Odd mail from file to query: each row is a mail, the queries that must find it, and those that must not. What is
decided about it stands in doc/design/odd-mail.md, with the tests of the parts; here all parts are in it, the sandbox
of the workers too."""
import base64
import email.utils
import gzip
import os
import sys
import unicodedata

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib')]
import tap
import sandbox

MIXED = 'Content-Type: multipart/mixed; boundary=b\n'
TEXT = 'Content-Type: text/plain; charset=%s\n'
RU, JA = 'привет', '表示能力'


def mail(body=b'body', extra='', subject=b'subject', sender='Ann <ann@example.org>', date='Mon, 2 Jan 2023 10:00:00 +0000'):
    body = body.encode() if isinstance(body, str) else body
    subject = subject.encode() if isinstance(subject, str) else subject
    head = 'From: %s\nTo: bob@example.org\n' % sender + ('Date: %s\n' % date if date else '') + extra
    return head.encode() + b'Subject: ' + subject + b'\n\n' + body + b'\n'


def parts(*bodies):
    return mail(b''.join(b'--b\n' + (b if isinstance(b, bytes) else b.encode()) + b'\n' for b in bodies) + b'--b--', MIXED)


def encoded(data):
    return base64.encodebytes(data).decode()


NFD = unicodedata.normalize('NFD', 'Žluťoučký')
INNER = b'From: Zoe <zoe@example.org>\nSubject: innersubject\nContent-Transfer-Encoding: base64\n\n' + base64.b64encode(b'innerbody')

ROWS = [
    # character sets
    ('utf-16-under-another-label', mail(encoded('škoda word\n'.encode('utf-16')), TEXT % 'utf-8' + 'Content-Transfer-Encoding: base64\n'), ['škoda', 'word'], []),
    ('utf-16-big-endian-no-mark', mail(encoded('škoda word\n'.encode('utf-16-be')), TEXT % 'utf-16' + 'Content-Transfer-Encoding: base64\n'), ['škoda', 'word'], []),
    ('utf-16-in-name-only', mail('škoda word', TEXT % 'utf-16'), ['škoda', 'word'], []),
    ('footer-in-latin1', mail('žluťoučký\n-- \n'.encode() + b'gr\xfc\xdfe'), ['žluťoučký', 'grüße'], []),
    ('footer-in-utf-8', mail(RU.encode('koi8-r') + 'подвал\n'.encode(), TEXT % 'koi8-r') .replace('подвал'.encode(), '\nподвал'.encode()), [RU, 'подвал'], []),
    ('utf-8-as-windows-1252', mail('žluťoučký', TEXT % 'windows-1252'), ['žluťoučký'], []),
    ('iso-2022-jp-of-windows', mail(b'\x1b$B-!F|K\\\x1b(I6E\nafter', TEXT % 'iso-2022-jp'), ['日本', 'カナ', 'after'], []),
    ('hz', mail(b'~{<:Ky2;~} after', TEXT % 'hz-gb-2312'), ['己所', 'after'], []),
    ('charset-with-comment', mail(RU.encode('koi8-r'), TEXT % 'koi8-r (Russian)'), [RU], []),
    ('nul-between-words', mail(b'one\0two'), ['one', 'two'], []),
    ('nul-in-subject', mail(subject=b'one\0two'), ['subject:one', 'subject:two'], []),
    ('decomposed', mail(NFD, subject=NFD), ['žluťoučký', 'subject:zlutoucky', '"%s"' % NFD], []),
    # headers
    ('raw-subject-in-koi8', mail(subject=RU.encode('koi8-r'), extra=TEXT % 'koi8-r'), ['subject:' + RU], []),
    ('raw-subject-in-shift-jis', mail(subject=JA.encode('shift_jis'), extra=TEXT % 'shift_jis'), ['subject:表示'], []),
    ('raw-subject-in-iso-2022-jp', mail(subject=JA.encode('iso-2022-jp')), ['subject:表示'], []),
    ('escapes-in-subject', mail('\x1b[1mbold\x1b[0m', subject='=?utf-8?Q?=1B[31mred=07?='), ['subject:red', 'bold'], ['mbold']),
    ('no-date-but-received', mail(extra='Received: by mx.example.org; Tue, 5 Mar 2019 10:20:30 +0000\n', date=None), ['date:2019-03-05'], []),
    ('year-102', mail(extra='Received: by mx.example.org; Tue, 5 Mar 2019 10:20:30 +0000\n', date='Tue, 05 Mar 0119 10:20:30 +0000'), ['date:2019-03-05'], []),
    ('address-in-a-name', mail(sender='=?utf-8?Q?=22boss=40example.net=22_=3Cboss=40example.net=3E=2C?= <evil@example.org>'), ['from:evil'], []),
    # what ends lines and headers
    ('byte-order-marks', b'\xef\xbb\xbf\xef\xbb\xbf' + mail(), ['from:ann'], []),
    ('byte-order-mark-in-mbox', b'From a@b Mon Jan  2 10:00:00 2023\n\xef\xbb\xbf' + mail(), ['from:ann'], []),
    ('cr-only', parts('\nfirst', '\nsecond').replace(b'\n', b'\r'), ['from:ann', 'first', 'second'], []),
    ('cr-then-lf', parts('\nfirst', '\nsecond').replace(b'\n', b'\r') + b'\n', ['from:ann', 'first', 'second'], []),
    ('cr-large', mail('word ' * 300000 + 'last').replace(b'\n', b'\r'), ['from:ann', 'last'], []),
    ('crcrlf', parts('\nfirst', '\nsecond').replace(b'\n', b'\r\r\n'), ['from:ann', 'first', 'second'], []),
    ('blanks-for-the-empty-line', mail('body words').replace(b'\n\n', b'\n  \n'), ['subject:subject', 'words'], []),
    ('no-empty-line', mail('body words').replace(b'\n\n', b'\n'), ['subject:subject', 'words'], []),
    ('gzip', gzip.compress(mail('packed')), ['packed'], []),
    # parts and transfer encodings
    ('type-in-quotes', mail('words', 'Content-Type: "text/plain"; charset=utf-8\n'), ['words'], []),
    ('type-without-second-half', mail('words', 'Content-Type: text/\n'), ['words'], []),
    ('encoding-in-quotes', mail(encoded(b'words'), 'Content-Transfer-Encoding: "base64"\n'), ['words'], []),
    ('soft-break-with-blanks', mail('wor= \nds', 'Content-Transfer-Encoding: quoted-printable\n'), ['words'], []),
    ('message-in-base64', parts('Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n' + encoded(INNER)),
     ['innersubject', 'zoe', 'innerbody'], ['subject:innersubject', 'from:zoe']),
    ('picture-inline', parts('\nwords', 'Content-Type: image/png\n\n\x89PNG tEXt pngword'), ['words'], ['pngword']),
    ('pdf-inline', parts('\nwords', 'Content-Type: application/pdf\nContent-Disposition: inline\n\n%PDF-1.4 pdfword'), ['words'], ['pdfword']),
    ('name-in-both-forms', mail(extra="Content-Type: application/pdf\nContent-Disposition: attachment; filename=\"???.pdf\"; filename*=utf-8''%C5%BEaba.pdf\n"),
     ['attachment:žaba'], []),
    ('raw-name-in-koi8', parts(TEXT % 'koi8-r' + '\nx', b'Content-Disposition: attachment; filename="' + RU.encode('koi8-r') + b'.pdf"\n\nx'),
     ['attachment:' + RU], []),
    ('old-html-blocks', mail('<p>one<xmp>two</xmp>three', 'Content-Type: text/html\n'), ['one', 'two', 'three'], []),
]


def check_rows(box):
    for name, _, found, missing in ROWS:
        answers = {q: {os.path.basename(p) for p in box.files(q)} for q in found + missing}
        wrong = [q for q in found if name not in answers[q]] + [q for q in missing if name in answers[q]]
        tap.ok(not wrong, name, wrong)


def check_output(box):
    """Nothing in a line that moves the cursor, and no line or address that a sender has made."""
    lines = box.lines('search', '--exclude=false', '*')
    tap.equal(len(lines), len(ROWS), 'a line a thread')
    text = '\n'.join(lines + box.lines('show', '--format=text', '*') + box.lines('address', '*'))
    tap.ok(not [c for c in text if (c < ' ' and c not in '\n\t\f') or '\x7f' <= c < '\xa0'], 'no control characters')
    people = [email.utils.getaddresses([line]) for line in box.lines('address', '--output=sender', '*')]
    tap.equal(sorted({a for line in people for _, a in line}), ['ann@example.org', 'evil@example.org'], 'addresses are the senders\' own')
    ids = box.lines('search', '--output=messages', '*')
    tap.equal([box.count(i) for i in ids], [1] * len(ROWS), 'each id that is printed finds its message')


def main():
    with sandbox.Sandbox() as box:
        os.makedirs(os.path.join(box.root, 'cur'))
        for name, data, _, _ in ROWS:
            with open(os.path.join(box.root, 'cur', name), 'wb') as f:
                f.write(data)
        done = box.run('new')
        tap.equal((done.returncode, box.lines('new', '--problems')), (0, []), 'all of it is mail')
        check_rows(box)
        check_output(box)
    tap.done()


main()
