#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signed and encrypted mail, whole and broken: what show and reply say of it, byte by byte, notmuch and ours with the
same keys; and what the index has of it under each policy."""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import sandbox
import secret

CHECKS = 20
# notmuch decrypts it for the index, but does not show it; we do neither.
NOT_WHOLE = {'encrypted-three'}
# Of a part that is a multipart ours has the file's bytes.
REBUILT = {'mixedup', 'mixedup-carol', 'mixedup-inner', 'mixedup-protected', 'signed-crlf'}
QUERIES = ('mimetype:octet-stream', 'mimetype:pgp-encrypted', 'mimetype:pkcs7', 'mimetype:x-secret', 'largeword',
           'legacybody', 'attachment:plan.txt', 'tag:attachment', 'tag:signed', 'tag:encrypted',
           'subject:"true subject"', 'subject:dich', 'property:index.decryption=success',
           'property:index.decryption=failure', 'property:index.repaired=mixedup')


class Both:
    def __init__(self, keys):
        self.mails = dict(secret.mails(keys))
        self.names = sorted(self.mails)
        self.peer, self.ours = sandbox.Sandbox('notmuch'), sandbox.Sandbox()
        for box in (self.peer, self.ours):
            box.env['GNUPGHOME'] = keys.home
            folder = sandbox.maildir(box.root)
            for name, data in self.mails.items():
                with open('%s/cur/%s:2,S' % (folder, name), 'wb') as f:
                    f.write(data)
            box.lines('new', '--quiet')

    def close(self):
        self.peer.close()
        self.ours.close()

    def out(self, box, *args):
        done = box.run(*args)
        return tuple(data.replace(box.root.encode(), b'ROOT') for data in (done.stdout, done.stderr)), done.returncode

    def each(self, label, *args, but=()):
        """One check: the answers about each mail are equal."""
        wrong = []
        for name in self.names:
            if name in but:
                continue
            peer, ours = (self.out(box, *args, 'id:%s@secret' % name) for box in (self.peer, self.ours))
            if peer != ours:
                wrong.append('%s\n notmuch: %.1500r\n ours:    %.1500r' % (name, peer, ours))
        tap.ok(not wrong, '%s: %d mails' % (label, len(self.names) - len(but)), '\n'.join(wrong[:5]))

    def dump(self, box):
        lines = box.lines('dump', '--include=tags', '--include=properties')
        return sorted(line for line in lines
                      if not line.startswith(('#notmuch', '#mail')) and not any(n + '@' in line for n in NOT_WHOLE))

    def index(self, label):
        """Tags, properties, subjects and some words are the same in both indexes."""
        peer, ours = self.dump(self.peer), self.dump(self.ours)
        tap.ok(peer == ours and len(peer) >= len(self.names) - 1, 'dump after %s' % label,
               lambda: '\n'.join(sorted(set(peer) ^ set(ours))[:20]))
        subjects = [sorted((m['subject'], m['authors'], tuple(m['tags']), m['query'][0])
                           for m in box.json('search', '--format=json', '*')) for box in (self.peer, self.ours)]
        tap.ok(subjects[0] == subjects[1], 'search after %s' % label,
               lambda: sorted(set(subjects[0]) ^ set(subjects[1]))[:20])
        wrong = []
        for query in QUERIES:
            found = [set(box.ids(query)) - {n + '@secret' for n in NOT_WHOLE} for box in (self.peer, self.ours)]
            if found[0] != found[1]:
                wrong.append('%s: %s' % (query, sorted(found[0] ^ found[1])))
        tap.ok(not wrong, 'queries after %s' % label, '\n'.join(wrong))


def run(keys):
    both = Both(keys)
    tap.ok(len(both.names) > (100 if keys.smime else 85), '%d mails' % len(both.names))
    tap.equal([len(box.ids()) for box in (both.peer, both.ours)], [len(both.names)] * 2, 'all are indexed')
    both.index('new')
    for option in ([], ['--verify'], ['--decrypt=true'], ['--decrypt=false']):
        both.each('show --format=sexp ' + ' '.join(option), 'show', '--format=sexp', *option)
    both.each('show --format=text', 'show', '--format=text', '--decrypt=true')
    both.each('show --part=3', 'show', '--part=3', '--decrypt=true')
    both.each('reply --format=json', 'reply', '--format=json', '--decrypt=true')
    both.each('reply', 'reply', '--decrypt=true')
    if tap.LONG:
        both.each('show --part=1', 'show', '--part=1', '--verify', but=REBUILT)
        both.each('show --part=2 --format=sexp', 'show', '--part=2', '--format=sexp', '--decrypt=true')
        both.each('show --format-version=3', 'show', '--format=sexp', '--format-version=3', '--verify')
    for policy in ('true', 'false'):
        for box in (both.peer, both.ours):
            box.lines('reindex', '--decrypt=' + policy, '*')
        both.index('reindex --decrypt=' + policy)
        if policy == 'true':
            both.each('show with session keys', 'show', '--format=sexp', but=NOT_WHOLE)
    both.close()


if not secret.have('notmuch', 'gpg', 'gpgconf'):
    tap.skip_all('no notmuch or no gpg', CHECKS)
with secret.Keys() as made:
    if secret.have('gpgsm'):
        made.make_smime()
    run(made)
tap.done()
