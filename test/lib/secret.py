# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of one's own (gpg, and gpgsm where it is there), and mail signed and encrypted with them.

    with secret.Keys () as keys:
        for name, data in secret.mails (keys): ...

What gpg needs lies in a folder with a short name, since sockets live in it; its agent is ended with it.
"""
import base64
import os
import shutil
import subprocess
import tempfile

ANN, BOB = 'Ann Example <ann@example.org>', 'Bob Example <bob@example.net>'
AGENT = 'allow-loopback-pinentry\n'


def have(*programs):
    return all(shutil.which(program) for program in programs)


def scratch():
    """A folder of which the name leaves room for that of a socket."""
    return tempfile.mkdtemp(prefix='g', dir=None if len(tempfile.gettempdir()) < 70 else '/tmp')


class Keys:
    """Ann has a trusted key; Bob's key is there and not trusted; Carol's is known to others only."""

    def __init__(self):
        self.home = scratch()
        self.other = scratch()
        self.smime = False
        for home in (self.home, self.other):
            with open(home + '/gpg-agent.conf', 'w') as f:
                f.write(AGENT)
            with open(home + '/gpgsm.conf', 'w') as f:
                f.write('disable-crl-checks\n')
        for home, owner in ((self.home, ANN), (self.home, BOB), (self.other, 'Carol <carol@example.com>')):
            self.gpg('--passphrase', '', '--quick-generate-key', owner, 'default', 'default', 'never', home=home)
        ann = self.fingerprint('ann@example.org')
        self.gpg('--import-ownertrust', input=('%s:6:\n' % ann).encode())
        bob = self.fingerprint('bob@example.net')
        self.gpg('--import-ownertrust', input=('%s:2:\n' % bob).encode())
        self.gpg('--passphrase', '', '--faked-system-time', '20200101T000000', '--quick-generate-key',
                 'Dan <dan@example.org>', 'default', 'default', '2d')
        self.gpg('--passphrase', '', '--quick-generate-key', 'Eve <eve@example.org>', 'default', 'default', 'never')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for home in (self.home, self.other):
            if have('gpgconf'):
                subprocess.run(['gpgconf', '--kill', 'all'], env=self.env(home), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            shutil.rmtree(home, ignore_errors=True)

    def env(self, home=None):
        return dict(os.environ, GNUPGHOME=home or self.home)

    def run(self, *command, input=b'', home=None):
        done = subprocess.run(command, input=input, capture_output=True, env=self.env(home))
        if done.returncode != 0:
            raise RuntimeError('%s: %s' % (' '.join(command), done.stderr.decode('utf8', 'replace')))
        return done.stdout

    def gpg(self, *args, input=b'', home=None):
        return self.run('gpg', '--batch', '--yes', '--quiet', '--pinentry-mode', 'loopback', *args, input=input,
                        home=home)

    def fingerprint(self, who, home=None):
        lines = self.gpg('--with-colons', '--list-keys', who, home=home).decode().split('\n')
        return [line.split(':')[9] for line in lines if line.startswith('fpr:')][0]

    def sign(self, data, who='ann@example.org', home=None, *more):
        """A detached signature over data with CRLF line ends."""
        return self.gpg('--armor', '--detach-sign', '-u', who, *more, input=crlf(data), home=home).decode()

    def encrypt(self, data, to='ann@example.org', *more, home=None):
        return self.gpg('--armor', '--trust-model', 'always', '--encrypt', '-r', to, *more, input=data.encode(),
                        home=home).decode()

    def revoke(self, who):
        fingerprint = self.fingerprint(who)
        with open('%s/openpgp-revocs.d/%s.rev' % (self.home, fingerprint)) as f:
            self.gpg('--import', input=f.read().replace('\n:---', '\n---').encode())

    def make_smime(self):
        """A certificate that signs itself, for Ann."""
        request = ('Key-Type: RSA\nKey-Length: 2048\nKey-Usage: sign, encrypt\nSerial: random\n'
                   'Name-DN: CN=Ann Example,O=Test\nName-Email: ann@example.org\nNot-After: 2050-01-01 00:00:00\n')
        # it asks for a passphrase, whatever it is told: there is none
        self.set_pinentry('#!/bin/sh\necho "OK ready"\nwhile read -r command rest; do\n'
                          'case $command in GETPIN) echo "D "; echo OK ;; BYE) echo OK; exit 0 ;; *) echo OK ;; esac\n'
                          'done\n')
        certificate = self.run('gpgsm', '--batch', '--quiet', '--armor', '--generate-key', input=request.encode())
        self.run('gpgsm', '--batch', '--quiet', '--import', input=certificate)
        lines = self.run('gpgsm', '--batch', '--with-colons', '--list-keys').decode().split('\n')
        self.certificate = [line.split(':')[9] for line in lines if line.startswith('fpr:')][0]
        with open(self.home + '/trustlist.txt', 'w') as f:
            f.write('%s S relax\n' % self.certificate)
        self.run('gpgconf', '--reload', 'gpg-agent')
        self.smime = True

    def set_pinentry(self, script):
        """What asks for passphrases from now on."""
        pinentry = self.home + '/pinentry'
        with open(pinentry, 'w') as f:
            f.write(script)
        os.chmod(pinentry, 0o755)
        with open(self.home + '/gpg-agent.conf', 'w') as f:
            f.write(AGENT + 'pinentry-program %s\n' % pinentry)
        self.run('gpgconf', '--kill', 'gpg-agent')

    def smime_sign(self, data, *more):
        return self.run('gpgsm', '--batch', '--quiet', '--base64', '-u', self.certificate, '--sign', *more,
                        input=crlf(data)).decode()

    def smime_encrypt(self, data):
        return self.run('gpgsm', '--batch', '--quiet', '--base64', '-r', self.certificate, '--encrypt',
                        input=data.encode()).decode()


def crlf(data):
    return data.replace('\n', '\r\n').encode()


def head(message_id, subject, more=''):
    return ('From: %s\nTo: %s\nSubject: %s\nDate: Tue, 05 Mar 2024 10:20:30 +0000\nMessage-ID: <%s>\n'
            'MIME-Version: 1.0\n%s' % (ANN, BOB, subject, message_id, more))


def text(body, more=''):
    return 'Content-Type: text/plain; charset=us-ascii%s\n\n%s\n' % (more, body)


def multipart(kind, *parts, boundary='=-=-='):
    return 'Content-Type: multipart/%s; boundary="%s"\n\n%s--%s--\n' % (
        kind, boundary, ''.join('--%s\n%s\n' % (boundary, part) for part in parts), boundary)


def signature(armour):
    return 'Content-Type: application/pgp-signature; name=signature.asc\n\n' + armour


def signed(keys, part, *who, boundary='=-s-='):
    return multipart('signed; micalg=pgp-sha512; protocol="application/pgp-signature"', part,
                     signature(keys.sign(part, *who)), boundary=boundary)


VERSION = 'Content-Type: application/pgp-encrypted\n\nVersion: 1\n'
OCTETS = 'Content-Type: application/octet-stream\n\n'


def sealed(armour, boundary='=-e-='):
    return multipart('encrypted; protocol="application/pgp-encrypted"', VERSION, OCTETS + armour, boundary=boundary)


def encrypted(keys, part, *more, boundary='=-e-='):
    return sealed(keys.encrypt(part, *(more or ('ann@example.org',))), boundary)


ATTACHED = 'Content-Type: text/x-secret; name=plan.txt\nContent-Disposition: attachment; filename=plan.txt\n\nattachedword\n'
PROTECTED = 'Content-Type: text/plain; charset=us-ascii; protected-headers="v1"\nSubject: %s\n\n%s\n'


def legacy(subject, kind='text/plain'):
    """A payload for mail programs that do not show protected headers."""
    return ('Content-Type: multipart/mixed; boundary="=-l-="; protected-headers="v1"\nSubject: %s\n\n'
            '--=-l-=\nContent-Type: %s; protected-headers="v1"\nContent-Disposition: inline\n\nSubject: %s\n\n'
            '--=-l-=\n%s\n--=-l-=--\n' % (subject, kind, subject, text('legacybody')))


def mails(keys):
    """(name, bytes) of mail; the name is the Message-ID's left side."""
    plain = text('secretword is here')
    both = multipart('mixed', plain, ATTACHED, boundary='=-m-=')
    yours = {
        'signed': signed(keys, plain),
        'signed-bob': signed(keys, plain, 'bob@example.net'),
        'signed-carol': signed(keys, plain, 'carol@example.com', keys.other),
        'signed-bad': signed(keys, plain).replace('secretword', 'changedword'),
        'signed-three': multipart('signed; micalg=pgp-sha512; protocol="application/pgp-signature"', plain,
                                  signature(keys.sign(plain)), plain),
        'signed-one': multipart('signed; micalg=pgp-sha512; protocol="application/pgp-signature"', plain),
        'signed-junk': multipart('signed; micalg=pgp-sha512; protocol="application/pgp-signature"', plain,
                                 signature('no signature\n')),
        'signed-no-protocol': multipart('signed', plain, signature(keys.sign(plain))),
        'signed-odd-protocol': multipart('signed; protocol="application/x-odd"', plain, signature(keys.sign(plain))),
        'signed-mismatch': multipart('signed; protocol="application/pgp-signature"', plain,
                                     signature(keys.sign(plain)).replace('pgp-signature', 'octet-stream')),
        'signed-crlf': signed(keys, plain).replace('\n', '\r\n'),
        'signed-blanks': signed(keys, text('blanks at the end  \n\n-- \nx  \n\n')),
        'signed-8bit': signed(keys, 'Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n'
                              'Grüße\n'),
        'signed-folded': signed(keys, 'Content-Type: text/plain;\n   charset=us-ascii\nX-Odd:   a  b\n c\n\nx\n'),
        'signed-inside': multipart('mixed', 'Content-Type: message/rfc822\n\n' + head('inner@x', 'an inner one') +
                                   signed(keys, plain)),
        'signed-footer': multipart('mixed', signed(keys, plain), text('footer of a list')),
        'signed-second': multipart('mixed', text('first'), signed(keys, plain)),
        'signed-attachment': signed(keys, both),
        'signed-twice': signed(keys, signed(keys, plain, 'bob@example.net'), boundary='=-t-='),
        'signed-expired': multipart('signed; micalg=pgp-sha512; protocol="application/pgp-signature"', plain,
                                    signature(keys.sign(plain, 'ann@example.org', None, '--faked-system-time',
                                                        '20200101T000000', '--ignore-time-conflict',
                                                        '--default-sig-expire', '1d'))),
        'signed-key-expired': multipart('signed; micalg=pgp-sha512; protocol="application/pgp-signature"', plain,
                                        signature(keys.sign(plain, 'dan@example.org', None, '--faked-system-time',
                                                            '20200101T100000'))),
        'signed-key-revoked': signed(keys, plain, 'eve@example.org'),
        'encrypted': encrypted(keys, plain),
        'encrypted-both': encrypted(keys, both),
        'encrypted-signed': encrypted(keys, plain, 'ann@example.org', '--sign', '-u', 'ann@example.org'),
        'encrypted-nested': encrypted(keys, signed(keys, plain)),
        'encrypted-twice': encrypted(keys, encrypted(keys, plain), boundary='=-o-='),
        'encrypted-carol': sealed(keys.encrypt(plain, 'carol@example.com', home=keys.other)),
        'encrypted-footer': multipart('mixed', encrypted(keys, plain), text('footer of a list')),
        'encrypted-second': multipart('mixed', text('first'), encrypted(keys, plain)),
        'encrypted-in-signed': signed(keys, encrypted(keys, plain)),
        'encrypted-one': multipart('encrypted; protocol="application/pgp-encrypted"', VERSION),
        'encrypted-three': multipart('encrypted; protocol="application/pgp-encrypted"', VERSION,
                                     OCTETS + keys.encrypt(plain), plain),
        'encrypted-swapped': multipart('encrypted; protocol="application/pgp-encrypted"', OCTETS + keys.encrypt(plain),
                                       VERSION),
        'encrypted-junk': sealed('no message\n'),
        'encrypted-torn': sealed(keys.encrypt(plain)[:-120] + '\n-----END PGP MESSAGE-----\n'),
        'encrypted-no-protocol': multipart('encrypted', VERSION, OCTETS + keys.encrypt(plain)),
        'encrypted-odd-protocol': multipart('encrypted; protocol="application/x-odd"', VERSION,
                                            OCTETS + keys.encrypt(plain)),
        'encrypted-odd-type': multipart('encrypted; protocol="application/pgp-encrypted"', VERSION,
                                        OCTETS.replace('octet-stream', 'x-odd') + keys.encrypt(plain)),
        'encrypted-text-type': multipart('encrypted; protocol="application/pgp-encrypted"', VERSION,
                                         text(keys.encrypt(plain))),
        'encrypted-multipart-type': multipart('encrypted; protocol="application/pgp-encrypted"', VERSION,
                                              multipart('mixed', plain, boundary='=-i-=')),
        'encrypted-base64': multipart('encrypted; protocol="application/pgp-encrypted"', VERSION,
                                      'Content-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\n' +
                                      base64.encodebytes(keys.encrypt(plain).encode()).decode()),
        'encrypted-named': multipart('encrypted; protocol="application/pgp-encrypted"', VERSION,
                                     OCTETS.replace('\n\n', '; name=msg.asc\nContent-Disposition: attachment; '
                                                    'filename=msg.asc\n\n') + keys.encrypt(plain)),
        'encrypted-inside': multipart('mixed', 'Content-Type: message/rfc822\n\n' + head('inner@x', 'an inner one') +
                                      encrypted(keys, plain)),
        'encrypted-message': 'Content-Type: message/rfc822\n\n' + head('inner@x', 'an inner one') +
                             encrypted(keys, plain),
        'encrypted-to-both': encrypted(keys, plain, 'ann@example.org', '-r', 'bob@example.net'),
        'encrypted-again': multipart('mixed', encrypted(keys, plain), encrypted(keys, text('another')),
                                     boundary='=-z-='),
        'encrypted-large': encrypted(keys, text(('largeword ' * 7 + '\n') * 30000)),
        'encrypted-empty': encrypted(keys, ''),
        'encrypted-no-header': encrypted(keys, '\nno header at all, secretword\n'),
        'encrypted-crlf': encrypted(keys, plain.replace('\n', '\r\n')),
        'encrypted-forwarded': encrypted(keys, 'Content-Type: message/rfc822\n\n' + head('inner@x', 'an inner one') +
                                         plain),
        'protected': encrypted(keys, PROTECTED % ('The true subject', 'secretword')),
        'protected-same': encrypted(keys, PROTECTED % ('...', 'secretword')),
        'protected-none': encrypted(keys, PROTECTED.replace('Subject: %s\n', '%.0s') % ('', 'secretword')),
        'protected-coded': encrypted(keys, PROTECTED % ('=?utf-8?q?Gr=C3=BC=C3=9Fe?= an =?utf-8?q?dich?=', 'secretword')),
        'protected-raw': encrypted(keys, PROTECTED % ('Grüße', 'secretword')),
        'protected-v2': encrypted(keys, (PROTECTED % ('version two', 'secretword')).replace('"v1"', '"v2"')),
        'protected-signed': signed(keys, PROTECTED % ('...', 'secretword')),
        'protected-signed-other': signed(keys, PROTECTED % ('The true subject', 'secretword')),
        'protected-both': encrypted(keys, signed(keys, PROTECTED % ('The true subject', 'secretword'))),
        'protected-combined': encrypted(keys, PROTECTED % ('The true subject', 'secretword'), 'ann@example.org',
                                        '--sign', '-u', 'ann@example.org'),
        'protected-bad': signed(keys, PROTECTED % ('The true subject', 'secretword')).replace('secretword', 'changed'),
        'protected-signed-junk': multipart('signed; micalg=pgp-sha512; protocol="application/pgp-signature"',
                                           PROTECTED % ('The true subject', 'x'), signature('no signature\n')),
        'protected-signed-odd': multipart('signed; protocol="application/x-odd"',
                                          PROTECTED % ('The true subject', 'x'), signature('no signature\n')),
        'protected-signed-three': multipart('signed; protocol="application/pgp-signature"',
                                            PROTECTED % ('The true subject', 'x'), plain, plain),
        'protected-legacy-clear': signed(keys, legacy('The true subject')),
        'protected-legacy-three': encrypted(keys, legacy('The true subject').replace(
            '\n--=-l-=--', '\n--=-l-=\n%s\n--=-l-=--' % plain)),
        'protected-legacy-footer': multipart('mixed', encrypted(keys, legacy('The true subject')), plain),
        'protected-twice': encrypted(keys, multipart('mixed; protected-headers="v1"', PROTECTED % ('In', 'x'),
                                                     plain)),
        'protected-folded': encrypted(keys, PROTECTED % ('The true\n subject', 'secretword')),
        'protected-upper': encrypted(keys, (PROTECTED % ('The true subject', 'x')).replace('"v1"', '"V1"')),
        'protected-wrapped-clear': signed(keys, 'Content-Type: message/rfc822; forwarded=no\n\n' +
                                          head('inner@x', 'The true subject') + plain),
        'protected-only': PROTECTED.replace('Subject: %s\n', 'X-Subject: %s\n') % ('The true subject', 'secretword'),
        'protected-footer': multipart('mixed', encrypted(keys, PROTECTED % ('The true subject', 'secretword')),
                                      text('footer of a list')),
        'protected-legacy': encrypted(keys, legacy('The true subject')),
        'protected-legacy-headers': encrypted(keys, legacy('The true subject', 'text/rfc822-headers')),
        'protected-legacy-html': encrypted(keys, legacy('The true subject', 'text/html')),
        'protected-legacy-signed': encrypted(keys, signed(keys, legacy('The true subject'))),
        'protected-wrapped': encrypted(keys, 'Content-Type: message/rfc822; forwarded=no\n\n' +
                                       head('inner@x', 'The true subject') + plain),
        'mixedup': multipart('mixed', 'Content-Type: text/plain\n\n', VERSION, OCTETS + keys.encrypt(plain)),
        'mixedup-protected': multipart('mixed', 'Content-Type: text/plain\n\n', VERSION,
                                       OCTETS + keys.encrypt(PROTECTED % ('The true subject', 'secretword'))),
        'mixedup-blank': multipart('mixed', 'Content-Type: text/plain\n\n\n  \n', VERSION,
                                   OCTETS + keys.encrypt(plain)),
        'mixedup-inner': multipart('mixed', multipart('mixed', 'Content-Type: text/plain\n\n', VERSION,
                                                      OCTETS + keys.encrypt(plain), boundary='=-i-='), plain),
        'mixedup-not': multipart('mixed', text('not empty'), VERSION, OCTETS + keys.encrypt(plain)),
        'mixedup-carol': multipart('mixed', 'Content-Type: text/plain\n\n', VERSION,
                                   OCTETS + keys.encrypt(plain, 'carol@example.com', home=keys.other)),
    }
    if keys.smime:
        p7 = 'Content-Type: application/pkcs7-mime; smime-type=%s; name=smime.p7m\n' \
             'Content-Transfer-Encoding: base64\n\n%s'
        yours.update({
            'smime-signed': multipart('signed; micalg=sha-256; protocol="application/pkcs7-signature"', plain,
                                      'Content-Type: application/pkcs7-signature; name=smime.p7s\n'
                                      'Content-Transfer-Encoding: base64\n\n' + keys.smime_sign(plain, '--detach')),
            'smime-opaque': p7 % ('signed-data', keys.smime_sign(plain)),
            'smime-opaque-both': p7 % ('signed-data', keys.smime_sign(both)),
            'smime-opaque-protected': p7 % ('signed-data', keys.smime_sign(PROTECTED % ('The true subject', 'x'))),
            'smime-opaque-junk': p7 % ('signed-data', 'bm8gc2lnbmF0dXJl\n'),
            'smime-enveloped': p7 % ('enveloped-data', keys.smime_encrypt(plain)),
            'smime-enveloped-protected': p7 % ('enveloped-data', keys.smime_encrypt(
                PROTECTED % ('The true subject', 'x'))),
            'smime-enveloped-signed': p7 % ('enveloped-data', keys.smime_encrypt(
                p7 % ('signed-data', keys.smime_sign(plain)))),
            'smime-enveloped-junk': p7 % ('enveloped-data', 'bm8gc2lnbmF0dXJl\n'),
            'smime-certs-only': p7 % ('certs-only', keys.smime_sign(plain)),
            'smime-no-type': (p7 % ('signed-data', keys.smime_sign(plain))).replace(' smime-type=signed-data;', ''),
            'smime-enveloped-empty': p7 % ('enveloped-data', keys.smime_encrypt('')),
            'smime-x-type': (p7 % ('signed-data', keys.smime_sign(plain))).replace('pkcs7-mime', 'x-pkcs7-mime'),
            'smime-x-enveloped': (p7 % ('enveloped-data', keys.smime_encrypt(plain))).replace('pkcs7-mime',
                                                                                              'x-pkcs7-mime'),
            'smime-x-signed': multipart('signed; micalg=sha-256; protocol="application/x-pkcs7-signature"', plain,
                                        'Content-Type: application/x-pkcs7-signature; name=smime.p7s\n'
                                        'Content-Transfer-Encoding: base64\n\n' +
                                        keys.smime_sign(plain, '--detach')),
            'smime-opaque-in-pgp': encrypted(keys, p7 % ('signed-data', keys.smime_sign(plain))),
            'smime-footer': multipart('mixed', p7 % ('signed-data', keys.smime_sign(plain)), text('footer of a list')),
        })
    keys.revoke('eve@example.org')
    for name, body in yours.items():
        yield name, (head(name + '@secret', '...') + body).encode()
