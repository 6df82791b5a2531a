#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be on the disk before what: the commit protocol, looked at from outside with strace.

1. A segment is synced after its last write, and before it is renamed into text/.
2. text/ itself is synced after such a rename, and before the next commit (the rename of iamglass).
3. The files of state/ are synced after their last write, and before the commit.
4. state/ itself is synced between two commits, before the first commit of a process, and after its
   last. (The commit that makes an empty state is followed by one, too.)
5. The journal is synced after its last write, and before the commit.
"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import invent
import sandbox
import tracing

SYNCS = ('fsync', 'fdatasync')
WRITES = ('write', 'pwrite64', 'writev', 'pwritev')
RENAMES = ('rename', 'renameat', 'renameat2')


class Protocol:
    """Follows the calls and notes each breach."""

    def __init__(self, box, state_exists):
        self.state = os.path.join(box.index, 'state')
        self.text = os.path.join(box.index, 'text')
        self.journal = os.path.join(box.index, 'journal')
        self.unsynced = set()          # files and folders with something that is not on the disk
        self.state_synced = False
        self.creating = not state_exists
        self.commits = self.segments = self.journal_writes = 0
        self.breaches = []

    def breach(self, text):
        self.breaches.append('commit %d: %s' % (self.commits, text))

    def follow(self, calls):
        for call in calls:
            if call.result < 0:
                continue
            if call.name in WRITES:
                self.unsynced.add(call.path())
                self.journal_writes += call.path() == self.journal
            elif call.name in SYNCS:
                self.unsynced.discard(call.path())
                self.state_synced = self.state_synced or call.path() == self.state
            elif call.name in RENAMES:
                self.rename(call.origin(), call.target())
        if not self.state_synced:
            self.breach('state/ not synced after the last commit')

    def rename(self, origin, target):
        if os.path.dirname(target) == self.text:
            self.segments += 1
            if origin in self.unsynced:
                self.breach('%s renamed into text/ before it was synced' % origin)
            self.unsynced.add(self.text)
        elif target == os.path.join(self.state, 'iamglass'):
            self.commit(origin)
        if origin in self.unsynced:
            self.unsynced.discard(origin)
            self.unsynced.add(target)

    def commit(self, origin):
        self.commits += 1
        if self.text in self.unsynced:
            self.breach('text/ not synced after a segment was renamed into it')
        for path in sorted(self.unsynced):
            if path == origin or path.startswith(self.state + '/') or path == self.journal:
                self.breach('%s not synced' % path)
        if not self.state_synced and not self.creating:
            self.breach('state/ not synced before')
        self.creating = self.state_synced = False


def traced(box, name, segments, *command):
    """Runs a command under strace and checks the protocol. segments: whether it adds words."""
    exists = os.path.exists(os.path.join(box.index, 'state', 'iamglass'))
    done, calls = tracing.run(box, tracing.FILES, *command)
    tap.ok(done.returncode == 0, '%s: exits 0 under strace' % name, done.stderr[-1000:])
    protocol = Protocol(box, exists)
    protocol.follow(calls)
    tap.ok(protocol.commits >= 1, '%s: commits are seen' % name)
    tap.equal(protocol.segments > 0, segments, '%s: segments are published: %s' % (name, segments))
    tap.ok(not protocol.breaches, '%s: %d commits, each in order' % (name, protocol.commits),
           '\n'.join(protocol.breaches))
    return protocol


def main():
    if not tracing.works():
        tap.skip_all('no strace', 24)
    with sandbox.Sandbox() as box:
        invent.maildirs(box.root, 300)
        first = traced(box, 'first import', True, 'new')
        invent.maildirs(box.root, 30, start=300, seed=2)
        traced(box, 'further mail', True, 'new')
        os.remove(os.path.join(box.root, box.files('id:m7@example.org')[0]))
        traced(box, 'a removal', False, 'new')
        tagged = traced(box, 'tag', False, 'tag', '+x', '-inbox', '--', 'tag:unread')
        batch = os.path.join(box.top, 'batch')
        with open(batch, 'w') as f:
            f.writelines('+b%d -- id:m%d@example.org\n' % (i % 3, i) for i in range(1, 40, 2))
        traced(box, 'tag --batch', False, 'tag', '--batch', '--input=' + batch)
        tap.ok(tagged.journal_writes > 0 and first.journal_writes > 0,
               'a change of tags goes through the journal')
    tap.done()


main()
