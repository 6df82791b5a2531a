#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Emacs client for notmuch on top of notmuch and of us: the same buffers."""
import collections
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import corpus
import sandbox

CHECKS = 26
IDS = ('tides-5@tidewatch.example.org fwd-1@ada.example.org noel-1@emilie.example.org smime-1@bank.example.com '
       'release-2.4@tidewatch.example.org news-1123@shop.example.com enc-1@chidi.example.org raw-utf8@zoe.example.org')


def buffers(box, program):
    """{title: texts of the sections of that title}."""
    done = subprocess.run(['emacs', '--batch', '-l', os.path.join(HERE, 'emacs.el')], stdin=subprocess.DEVNULL,
                          capture_output=True, env=dict(box.env, NM=program, IDS=IDS), timeout=200)
    found = collections.defaultdict(list)
    for section in done.stdout.decode('utf8', 'replace').split('\f')[1:]:
        title, _, text = section.partition('\n')
        found[title].append(allowed(text.replace(box.root, 'ROOT')))
    if 'tagged' not in found:
        tap.diag(done.stderr.decode('utf8', 'replace')[-2000:])
    # Threads of the same second may be in any order.
    found['search'] = ['\n'.join(sorted(text.split('\n'))) for text in found['search']]
    return {title: sorted(texts) for title, texts in found.items()}


def allowed(text):
    """Without what rules let differ, and without what is of the moment."""
    text = re.sub(r'\battachment ?', '', text)
    text = re.sub(r'\[ (Decryption error|Unknown encryption status) \]', '', text)
    text = re.sub(r'([0-9]+ )?second.*ago', '', text)
    return re.sub(r'(Hit|Edit|Type|Customize).*', '', text)


def main():
    if not shutil.which('notmuch') or not shutil.which('emacs') or subprocess.run(
            ['emacs', '--batch', '-l', 'notmuch'], capture_output=True).returncode != 0:
        tap.skip_all('no emacs with notmuch', CHECKS)
    sample = os.path.join(tap.TOP, 'test', 'mail', 'sample')
    with sandbox.Sandbox('notmuch') as peer, sandbox.Sandbox() as ours:
        for box in (peer, ours):
            shutil.copytree(sample, box.root, dirs_exist_ok=True)
            # A file of a message that has another with another subject: which one is shown is open.
            os.remove(os.path.join(box.root, 'lists/garden/cur/1403370107.M308841P4039.harbour:2,S'))
            box.lines('new', '--quiet')
        link = os.path.join(ours.top, 'notmuch')
        os.symlink(tap.MAIL, link)
        right, got = buffers(peer, 'notmuch'), buffers(ours, link)
        for title in right:
            tap.ok(got.get(title) == right[title], title, lambda: difference(right[title], got.get(title, [])))
        tap.ok(len(right) == 9 + 2 * len(IDS.split()), 'all buffers were compared', sorted(right))
    tap.done()


def difference(right, got):
    right, got = ('\n'.join(texts).split('\n') for texts in (right, got))
    return '\n'.join(['- ' + line for line in right if line not in got] +
                     ['+ ' + line for line in got if line not in right])[:3000]


main()
