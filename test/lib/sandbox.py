# SPDX-License-Identifier: GPL-3.0-or-later
"""A mail root, a configuration and a pinned environment to run the program (or notmuch) in."""
import json
import os
import shutil
import subprocess
import tempfile

import tap

CONFIG = '''[database]
path=%(root)s
[user]
name=T
primary_email=t@example.org
[new]
tags=%(tags)s
[search]
exclude_tags=
[maildir]
synchronize_flags=%(flags)s
'''

# For what strace follows: LeakSanitizer is a tracer itself, and there can be only one.
TRACED = {'ASAN_OPTIONS': os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'}

_kept = ('PATH', 'ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS', 'G_SLICE', 'LD_LIBRARY_PATH',
         'TMPDIR')


def environment(home):
    """What every run of a program gets."""
    env = {k: v for k, v in os.environ.items() if k in _kept}
    env.update(HOME=home, LC_ALL='C.UTF-8', TZ='UTC', MAIL_CONFIG=home + '/config',
               NOTMUCH_CONFIG=home + '/config')
    return env


class Sandbox:
    """top/Mail is the mail root. Without top, a folder of its own that goes with close()."""

    def __init__(self, program=None, top=None, tags='inbox;unread'):
        self.program = program or tap.MAIL
        self.own = top is None
        self.top = top or tempfile.mkdtemp(prefix='mail-test.')
        self.root = os.path.join(self.top, 'Mail')
        self.index = os.path.join(self.root, '.notmuch' if self.is_notmuch() else '.mailindex')
        self.env = environment(self.top)
        os.makedirs(self.root, exist_ok=True)
        self.configure(tags)

    def configure(self, tags='inbox;unread', flags=True):
        """Writes the configuration. flags: whether tags and the flags in file names follow each other."""
        with open(os.path.join(self.top, 'config'), 'w') as f:
            f.write(CONFIG % {'root': self.root, 'tags': tags, 'flags': 'true' if flags else 'false'})

    def is_notmuch(self):
        return os.path.basename(self.program) == 'notmuch'

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.own:
            subprocess.run(['chmod', '-R', 'u+rwX', self.top], stderr=subprocess.DEVNULL)
            shutil.rmtree(self.top, ignore_errors=True)

    def run(self, *args, input=None, env=None, prefix=(), timeout=600, cwd=None):
        """Runs the program; the result has bytes in stdout and stderr."""
        return subprocess.run(list(prefix) + [self.program] + list(args),
                              input=input if input is not None else b'', capture_output=True,
                              env=dict(self.env, **(env or {})), timeout=timeout, cwd=cwd)

    def start(self, *args, env=None, prefix=(), **more):
        """Starts the program and does not wait for it."""
        return subprocess.Popen(list(prefix) + [self.program] + list(args), stdin=subprocess.DEVNULL,
                                env=dict(self.env, **(env or {})), **more)

    def lines(self, *args, **more):
        """Output lines (str) of a run that must succeed."""
        done = self.run(*args, **more)
        if done.returncode != 0:
            raise RuntimeError('%s exits %d: %s' % (' '.join(args), done.returncode,
                                                    done.stderr.decode('utf8', 'replace')))
        return done.stdout.decode('utf8', 'surrogateescape').split('\n')[:-1]

    def json(self, *args, **more):
        return json.loads('\n'.join(self.lines(*args, **more)))

    def count(self, *args):
        return int(self.lines('count', *args)[0])

    def ids(self, query='*', *options):
        """Message-IDs of the matches."""
        return self.json('search', '--exclude=false', '--output=messages', '--format=json', *options,
                         '--', query)

    def threads(self, query='*'):
        """The partition of the matches into threads: a set of frozensets of Message-IDs."""
        parts = {}
        for thread in self.json('search', '--format=json', '--exclude=false', '--', query):
            ids = ids_of_terms(thread['query'][0]) + ids_of_terms(thread['query'][1])
            parts[thread['thread']] = frozenset(ids)
        return set(parts.values())

    def tags(self):
        """{Message-ID: its tags, sorted}, by asking for each tag there is."""
        found = {message_id: [] for message_id in self.ids()}
        for tag in self.json('search', '--output=tags', '--format=json', '*'):
            for message_id in self.ids('tag:"%s"' % tag.replace('"', '""')):
                found[message_id].append(tag)
        return {message_id: sorted(tags) for message_id, tags in found.items()}

    def tag_lines(self):
        """ID: TAGS, a line a message, sorted."""
        return sorted('%s: %s' % (m, ' '.join(t)) for m, t in self.tags().items())

    def files(self, query='*'):
        """Paths relative to the mail root, sorted."""
        found = self.json('search', '--exclude=false', '--output=files', '--format=json', '--', query)
        return sorted(os.path.relpath(path, self.root) for path in found)


def ids_of_terms(text):
    """Message-IDs of a summary's query: id:x id:"y""z" ..."""
    ids, i = [], 0
    text = text or ''
    while i < len(text):
        assert text.startswith('id:', i), text[i:]
        i += 3
        if text.startswith('"', i):
            end = i + 1
            while True:
                end = text.index('"', end)
                if not text.startswith('""', end):
                    break
                end += 2
            ids.append(text[i + 1:end].replace('""', '"'))
            i = end + 2
        else:
            end = text.find(' ', i)
            end = len(text) if end < 0 else end
            ids.append(text[i:end])
            i = end + 1
    return ids


def message(message_id, subject='subject', body='body', more=''):
    """A small mail (bytes)."""
    return ('From: Ann Example <ann@example.org>\nTo: Bob Example <bob@example.net>\n'
            'Subject: %s\nDate: Tue, 05 Mar 2024 10:20:30 +0000\nMessage-ID: <%s>\n%s'
            'MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n%s\n'
            % (subject, message_id, more, body)).encode()


def maildir(path):
    for name in ('cur', 'new', 'tmp'):
        os.makedirs(os.path.join(path, name), exist_ok=True)
    return path
