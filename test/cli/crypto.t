#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signatures and encryption: what show and reply say of them, session keys, decryption for the index by policy, and
that nobody who does not answer keeps new waiting. With keys made here."""
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import tap
import sandbox
import secret

CHECKS = 71
WAIT = 300


def part(node, number):
    """The part with this number among a part and what is in it; None."""
    if isinstance(node, list):
        for child in node:
            found = part(child, number)
            if found:
                return found
    elif isinstance(node, dict):
        if node.get('id') == number and 'content-type' in node:
            return node
        return part(node.get('body', []) + (node['content'] if isinstance(node.get('content'), list) else []), number)
    return None


class Test:
    def __init__(self, keys):
        self.keys = keys
        self.box = sandbox.Sandbox()
        self.box.env['GNUPGHOME'] = keys.home
        self.folder = sandbox.maildir(self.box.root)
        self.mails = dict(secret.mails(keys))

    def deliver(self, *names):
        for name in names:
            with open('%s/cur/%s:2,S' % (self.folder, name), 'wb') as f:
                f.write(self.mails[name])

    def fresh(self, *names):
        """A new index of these mails only."""
        subprocess.run(['rm', '-rf', self.box.index])
        for sub in ('cur', 'new'):
            for name in os.listdir('%s/%s' % (self.folder, sub)):
                os.unlink('%s/%s/%s' % (self.folder, sub, name))
        self.deliver(*names)

    def show(self, name, *options):
        """(the message as json, stderr)"""
        done = self.box.run('show', '--format=json', *options, 'id:%s@secret' % name, timeout=WAIT)
        return json.loads(done.stdout)[0][0][0], done.stderr.decode()

    def properties(self, name):
        lines = self.box.lines('dump', '--include=properties', 'id:%s@secret' % name)
        pairs = ' '.join(line.split(' ', 2)[2] for line in lines if line.startswith('#= '))
        return sorted(re.sub('=.*', '', pair) if pair.startswith('session-key') else pair for pair in pairs.split())

    def names(self, query):
        return sorted(i.replace('@secret', '') for i in self.box.ids(query))

    # ---- show ----

    def signatures(self):
        self.fresh('signed', 'signed-bob', 'signed-carol', 'signed-bad', 'signed-key-expired', 'signed-key-revoked',
                   'signed-three', 'signed-junk')
        self.box.lines('new', '--quiet')
        tap.equal(self.names('tag:signed'), sorted(os.path.basename(n)[:-4] for n in os.listdir(self.folder + '/cur')),
                  'signed mail is tagged')
        message, _ = self.show('signed')
        tap.equal((message['crypto'], 'sigstatus' in part(message, 1)), ({}, False), 'nobody looks at it unasked')
        message, told = self.show('signed', '--verify')
        good = message['crypto']['signed']['status']
        tap.equal([(s['status'], s['fingerprint'], s.get('userid'), s.get('email')) for s in good],
                  [('good', self.keys.fingerprint('ann@example.org'), secret.ANN, 'ann@example.org')],
                  'a good signature')
        tap.equal((part(message, 1)['sigstatus'], told), (good, ''), '... of the part, too')
        tap.ok(abs(good[0]['created'] - time.time()) < 3600, '... made now', good)
        message, _ = self.show('signed-bob', '--verify')
        tap.ok('userid' not in part(message, 1)['sigstatus'][0], 'of a key that is not trusted the owner is not told',
               part(message, 1))
        for name, status, errors in (('carol', 'error', {'key-missing': True}), ('bad', 'bad', None),
                                     ('key-expired', 'error', {'key-expired': True}),
                                     ('key-revoked', 'error', {'key-revoked': True})):
            message, _ = self.show('signed-' + name, '--verify')
            found = part(message, 1)['sigstatus'][0]
            tap.equal((found['status'], found.get('errors'), len(found['keyid'])), (status, errors, 16),
                      'a signature: %s' % name)
        message, _ = self.show('signed-carol', '--verify', '--format-version=3')
        tap.equal(part(message, 1)['sigstatus'][0]['errors'], 128, 'errors as a number before version 4')
        _, told = self.show('signed-three', '--verify')
        tap.equal(told, 'Error: 3 part(s) for a multipart/signed message (must be exactly 2)\n', 'a third part')
        message, told = self.show('signed-junk', '--verify')
        tap.equal((part(message, 1)['sigstatus'], told, part(message, 2)['content']),
                  ([], 'Failed to verify signed part: Could not verify signature: No data\n', 'secretword is here\n'),
                  'no signature at all')

    def encryption(self):
        self.fresh('encrypted', 'encrypted-both', 'encrypted-signed', 'encrypted-nested', 'encrypted-carol',
                   'encrypted-footer', 'protected', 'protected-legacy', 'mixedup', 'encrypted-large')
        self.box.lines('new', '--quiet')
        tap.equal(len(self.names('tag:encrypted')), 10, 'encrypted mail is tagged, repacked mail too')
        message, told = self.show('encrypted')
        tap.equal((told, 'encstatus' in part(message, 1), part(message, 3)['content-type']),
                  ('Failed to decrypt part: no error explanation given\n', False, 'application/octet-stream'),
                  'nothing is decrypted unasked')
        message, told = self.show('encrypted', '--decrypt=false')
        tap.equal((told, message['crypto']), ('', {}), '... or tried, if that is asked')
        message, told = self.show('encrypted', '--decrypt=true')
        tap.equal((part(message, 1)['encstatus'], part(message, 3)['content'], message['crypto'], told),
                  ([{'status': 'good'}], 'secretword is here\n', {'decrypted': {'status': 'full'}}, ''), 'decrypted')
        message, told = self.show('encrypted-carol', '--decrypt=true')
        tap.equal((part(message, 1)['encstatus'], told), ([{'status': 'bad'}],
                  'Failed to decrypt part: Decryption failed: No secret key\n'), 'somebody else\'s')
        message, _ = self.show('encrypted-footer', '--decrypt=true')
        tap.equal(message['crypto'], {'decrypted': {'status': 'partial'}}, 'a list\'s footer was not encrypted')
        for name in ('encrypted-signed', 'encrypted-nested'):
            message, _ = self.show(name, '--decrypt=true')
            tap.equal((message['crypto']['signed']['status'][0]['status'], message['crypto']['signed'].get('encrypted'),
                       message['crypto']['decrypted']), ('good', True, {'status': 'full'}), name)
        message, _ = self.show('protected', '--decrypt=true')
        tap.equal((message['headers']['Subject'], message['crypto']['decrypted']), ('The true subject', {
            'status': 'full', 'header-mask': {'Subject': '...'}}), 'a subject that was encrypted')
        message, _ = self.show('protected', '--decrypt=true', '--body=false')
        tap.equal((message['headers']['Subject'], message['crypto']), ('...', {}), '... is not seen from outside')
        message, _ = self.show('protected-legacy', '--decrypt=true')
        tap.equal(part(message, 3)['content'], 'legacybody\n', 'a part that repeats headers is left out')
        message, _ = self.show('mixedup', '--decrypt=true')
        tap.equal((part(message, 1)['content-type'], part(message, 3)['content']),
                  ('multipart/encrypted', 'secretword is here\n'), 'repacked mail is repaired')
        large = self.box.run('show', '--format=raw', '--part=3', '--decrypt=true', 'id:encrypted-large@secret')
        tap.equal(large.stdout, (('largeword ' * 7 + '\n') * 30000 + '\n').encode(), 'two megabytes')
        raw = self.box.run('show', '--part=5', '--decrypt=true', 'id:encrypted-both@secret')
        tap.equal((raw.stdout, raw.stderr), (b'attachedword\n', b''), 'an attachment that was encrypted')
        reply = self.box.run('reply', '--decrypt=true', 'id:protected@secret').stdout.decode()
        tap.ok('\n> secretword\n' in reply and 'Subject: Re: ...\n' in reply,
               'a reply quotes it, and does not give the subject away', reply)
        reply = self.box.run('reply', 'id:protected@secret')
        tap.ok(b'secretword' not in reply.stdout, 'a reply decrypts nothing unasked')

    # ---- session keys ----

    def stash(self):
        before = self.properties('encrypted')
        self.box.lines('show', '--decrypt=true', 'id:encrypted@secret')
        tap.equal((before, self.properties('encrypted')), ([], []), 'no session key is kept unasked')
        self.box.lines('show', '--decrypt=stash', 'id:encrypted@secret')
        tap.equal(self.properties('encrypted'), ['index.decryption=success', 'session-key'], 'it is, with stash')
        tap.equal(self.names('secretword'), ['encrypted'], '... and the words are found')
        message, told = self.show('encrypted')
        tap.equal((part(message, 3)['content'], told), ('secretword is here\n', ''), 'auto opens it from then on')
        self.box.lines('show', '--decrypt=stash', '--format=raw', 'id:encrypted-both@secret')
        tap.equal(self.properties('encrypted-both'), [], 'no part was opened: no session key')
        self.box.lines('reindex', '*')
        tap.equal(self.names('secretword'), ['encrypted'], 'reindex uses the session key')
        # the same words in another file
        with open(self.folder + '/cur/copy:2,S', 'wb') as f:
            f.write(self.mails['encrypted'].replace(b'Subject: ...', b'Subject: another'))
        self.box.lines('new', '--quiet')
        tap.equal((self.names('secretword'), self.names('subject:another')), (['encrypted'], ['encrypted']),
                  'a further file does not take its words away')
        tap.equal(self.properties('encrypted'), ['index.decryption=success', 'session-key'], '... nor its session key')
        os.unlink(self.folder + '/cur/copy:2,S')
        # a run in between sees it nowhere
        self.box.lines('show', '--decrypt=stash', 'id:protected@secret')
        place = self.folder + '/cur/protected:2,S'
        os.rename(place, self.box.top + '/away')
        self.box.lines('new', '--quiet')
        gone = self.box.count('id:protected@secret')
        os.rename(self.box.top + '/away', place.replace('protected:', 'back:'))
        self.box.lines('new', '--quiet')
        tap.equal((gone, self.names('secretword'), self.names('subject:"true subject"')),
                  (0, ['encrypted', 'protected'], ['protected']), 'a message that comes back has its words')
        tap.ok('The true subject' in self.box.lines('search', 'id:protected@secret')[0], '... and its subject')
        tap.equal(self.properties('protected'), ['index.decryption=success', 'session-key'], '... and its session key')
        # a first import of mail whose keys another index had kept
        dump = self.box.run('dump').stdout
        subprocess.run(['rm', '-r', self.box.index])
        os.mkdir(self.box.index)
        with open(self.box.index + '/notmuch.dump.gz', 'wb') as f:
            f.write(gzip.compress(dump))
        self.box.lines('new', '--quiet')
        tap.equal((self.names('secretword'), self.names('subject:"true subject"')), (['encrypted', 'protected'],
                  ['protected']), 'a first import uses the session keys of a dump')
        tap.equal(self.properties('encrypted'), ['index.decryption=success', 'session-key'], '... and keeps them')
        self.box.lines('reindex', '--decrypt=false', '*')
        tap.equal((self.names('secretword'), self.properties('encrypted')), ([], []), 'reindex --decrypt=false forgets')

    # ---- the index ----

    def policies(self):
        names = ('encrypted', 'encrypted-both', 'encrypted-carol', 'protected', 'protected-legacy', 'mixedup')
        self.fresh(*names)
        self.box.lines('new', '--quiet')
        tap.equal((self.names('secretword'), self.names('tag:attachment'), sum(map(self.properties, names), [])),
                  ([], [], ['index.repaired=mixedup']), 'new decrypts nothing unasked')
        self.fresh(*names)
        self.box.lines('new', '--quiet', '--decrypt=nostash')
        tap.equal(self.names('secretword'), ['encrypted', 'encrypted-both', 'mixedup', 'protected'], 'new with nostash')
        tap.equal(self.properties('encrypted'), ['index.decryption=success'], '... keeps no key')
        tap.equal(self.names('tag:attachment'), ['encrypted-both'], 'an attachment that was encrypted counts')
        tap.equal(self.names('attachment:plan.txt'), ['encrypted-both'], '... and its name is found')
        tap.equal(self.names('subject:"true subject"'), ['protected', 'protected-legacy'],
                  'a subject that was encrypted is found')
        tap.ok('The true subject' in '\n'.join(self.box.lines('search', 'id:protected@secret')), '... and listed')
        tap.equal(self.properties('encrypted-carol'), ['index.decryption=failure'], 'what fails says so')
        tap.equal(self.properties('mixedup'), ['index.decryption=success', 'index.repaired=mixedup'],
                  'what was repaired says so')
        tap.equal(self.properties('protected-legacy'), ['index.decryption=success',
                  'index.repaired=skip-protected-headers-legacy-display'], '... also of repeated headers')
        self.box.lines('reindex', '--decrypt=true', '*')
        tap.equal(self.properties('encrypted'), ['index.decryption=success', 'session-key'], 'reindex with true')
        self.box.lines('config', 'set', 'index.decrypt', 'true')
        self.fresh('encrypted')
        self.box.lines('new', '--quiet')
        done = self.box.run('insert', input=self.mails['encrypted-nested'])
        tap.equal((done.returncode, self.names('secretword')), (0, ['encrypted', 'encrypted-nested']),
                  'index.decrypt is for new and insert')
        done = self.box.run('insert', '--decrypt=false', input=self.mails['encrypted-signed'])
        tap.equal(self.names('secretword'), ['encrypted', 'encrypted-nested'], '... unless an option says otherwise')
        self.box.configure()

    def smime(self):
        if not self.keys.smime:
            for _ in range(6):
                tap.skip('S/MIME', 'no gpgsm')
            return
        self.fresh('smime-signed', 'smime-opaque', 'smime-opaque-both', 'smime-opaque-junk', 'smime-enveloped',
                   'smime-enveloped-signed')
        self.box.lines('new', '--quiet')
        tap.equal(self.names('secretword'), ['smime-opaque', 'smime-opaque-both', 'smime-signed'],
                  'what is signed is found, without gpgsm')
        tap.equal((self.names('tag:signed'), self.names('tag:encrypted'), self.names('tag:attachment')),
                  (['smime-opaque', 'smime-opaque-both', 'smime-signed'],
                   ['smime-enveloped', 'smime-enveloped-signed'], ['smime-opaque-both']), 'tags of S/MIME')
        message, _ = self.show('smime-opaque')
        tap.equal((part(message, 1)['sigstatus'][0]['status'], part(message, 2)['content']),
                  ('good', 'secretword is here\n'), 'a signed part is opened')
        message, _ = self.show('smime-signed', '--verify')
        tap.equal(part(message, 1)['sigstatus'][0]['status'], 'good', 'a detached signature')
        self.box.lines('reindex', '--decrypt=true', '*')
        tap.equal((self.names('secretword'), self.properties('smime-enveloped')),
                  (['smime-enveloped', 'smime-enveloped-signed', 'smime-opaque', 'smime-opaque-both', 'smime-signed'],
                   ['index.decryption=success']), 'decrypted for the index')
        message, _ = self.show('smime-enveloped-signed', '--decrypt=true')
        tap.equal((message['crypto']['signed']['encrypted'], part(message, 3)['content']),
                  (True, 'secretword is here\n'), 'signed and encrypted')

    def processes(self):
        """Programs that are started."""
        if not secret.have('strace'):
            for _ in range(3):
                tap.skip('programs that are started', 'no strace')
            return
        log = self.box.top + '/strace'
        for names, option, wanted in ((('signed', 'protected-only'), 'true', False), (('encrypted',), 'auto', False),
                                      (('encrypted',), 'true', True)):
            self.fresh(*names)
            done = self.box.run('new', '--quiet', '--decrypt=' + option, timeout=WAIT, env=sandbox.TRACED,
                                prefix=['strace', '-f', '-qq', '-e', 'trace=execve', '-e', 'signal=none', '-o', log])
            with open(log) as f:
                programs = [line for line in f if re.search(r'execve\("[^"]*gpg', line)]
            tap.equal((done.returncode, bool(programs)), (0, wanted), 'gpg is run: %s, %s' % (' '.join(names), option))

    # ---- who does not answer ----

    def left_over(self):
        """Processes of gpg's that are at work for our keys."""
        found = []
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open('/proc/%s/environ' % pid, 'rb') as f:
                    ours = ('GNUPGHOME=' + self.keys.home).encode() in f.read().split(b'\0')
                with open('/proc/%s/cmdline' % pid, 'rb') as f:
                    name = os.path.basename(f.read().split(b'\0')[0])
            except OSError:
                continue
            if ours and name in (b'gpg', b'mail'):
                found.append(pid)
        return found

    def silent_agent(self):
        self.fresh('encrypted', 'encrypted-both', 'encrypted-nested', 'signed', 'protected')
        pid = int(re.search(r'D (\d+)', self.keys.run('gpg-connect-agent', 'getinfo pid', '/bye').decode()).group(1))
        os.kill(pid, signal.SIGSTOP)
        try:
            self.box.lines('config', 'set', 'index.decrypt_timeout', '1')
            done = self.box.run('new', '--decrypt=true', timeout=WAIT)
        finally:
            os.kill(pid, signal.SIGCONT)
        tap.equal((done.returncode, self.box.count('*')), (0, 5), 'new ends when the agent does not answer')
        tap.equal(self.names('property:index.decryption=failure'), ['encrypted', 'encrypted-both', 'encrypted-nested',
                  'protected'], '... and says what was not decrypted')
        tap.equal(self.left_over(), [], '... and leaves nobody waiting')
        self.box.configure()
        self.box.lines('reindex', '--decrypt=true', '*')
        tap.equal(self.names('property:index.decryption=success'), ['encrypted', 'encrypted-both', 'encrypted-nested',
                  'protected'], 'reindex makes up for it')

    def silent_pinentry(self):
        """A passphrase that nobody enters."""
        keys = self.keys
        pids = keys.home + '/pinentry.pids'
        keys.set_pinentry('#!/bin/sh\necho $$ >>%s\nexec sleep 1000\n' % pids)
        keys.gpg('--passphrase', 'a passphrase', '--quick-generate-key', 'Fay <fay@example.org>', 'default', 'default',
                 'never')
        keys.run('gpgconf', '--kill', 'gpg-agent')  # it knows the passphrase
        self.mails['locked'] = (secret.head('locked@secret', '...') +
                                secret.encrypted(keys, secret.text('secretword'), 'fay@example.org')).encode()
        self.fresh('locked', 'encrypted')
        self.box.lines('config', 'set', 'index.decrypt_timeout', '2')
        done = self.box.run('new', '--decrypt=true', timeout=WAIT)
        asked = os.path.exists(pids)
        for pid in open(pids).read().split() if asked else []:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        tap.equal((done.returncode, asked, self.properties('locked')), (0, True, ['index.decryption=failure']),
                  'new ends when nobody enters a passphrase')
        tap.equal(self.left_over(), [], '... and leaves nobody waiting')

    def run(self):
        for step in (self.signatures, self.encryption, self.stash, self.policies, self.smime, self.processes,
                     self.silent_agent, self.silent_pinentry):
            step()
        self.box.close()


if not secret.have('gpg', 'gpg-agent', 'gpg-connect-agent', 'gpgconf'):
    tap.skip_all('no gpg', CHECKS)
with secret.Keys() as made:
    if secret.have('gpgsm'):
        made.make_smime()
    Test(made).run()
tap.done()
