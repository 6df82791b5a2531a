# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the program under strace and reads what it did to files."""
import os
import re
import shutil
import subprocess

import sandbox
import tap

FILES = 'fsync,fdatasync,sync_file_range,rename,renameat,renameat2,write,pwrite64,writev,pwritev'
WALK = 'getdents,getdents64,stat,lstat,statx,newfstatat,open,openat,openat2,read,pread64'

_line = re.compile(r'^(\d+) +(.*)$')
_call = re.compile(r'^(\w+)\((.*)\) += (-?\d+)')
_unfinished = re.compile(r'^(.*) <unfinished \.\.\.>$')
_resumed = re.compile(r'^<\.\.\. \w+ resumed>(.*)$')
_string = re.compile(r'"((?:[^"\\]|\\.)*)"')
_fd = re.compile(r'(?:^|[ (,])(?:\d+|AT_FDCWD)<([^>]*)>')


class Call:
    """A system call that succeeded or failed: pid, name, paths of its descriptors, strings, result."""

    def __init__(self, pid, name, text, result):
        self.pid, self.name, self.text, self.result = pid, name, text, result
        # strings may hold anything: descriptors are looked for outside them
        bare = _string.sub('""', text)
        self.fds = _fd.findall(bare)
        self.strings = [_unescape(s) for s in _string.findall(text)]

    def path(self):
        """Of the descriptor in front."""
        return self.fds[0] if self.fds else ''

    def target(self):
        """Absolute path that a rename (its last path) or an open names."""
        name = self.strings[-1]
        return name if name.startswith('/') or not self.fds else os.path.join(self.fds[-1], name)

    def origin(self):
        """Absolute path that a rename takes away."""
        name = self.strings[0]
        return name if name.startswith('/') or not self.fds else os.path.join(self.fds[0], name)


def _unescape(text):
    return text.encode('latin-1', 'backslashreplace').decode('unicode_escape', 'replace')


def works():
    """Whether processes may be traced here."""
    if not shutil.which('strace'):
        return False
    return subprocess.run(['strace', '-qq', '-o', '/dev/null', 'true'],
                          stderr=subprocess.DEVNULL).returncode == 0


def parse(path):
    """Calls in the order in which they ended."""
    pending, calls = {}, []
    with open(path, encoding='latin-1') as f:
        for line in f:
            found = _line.match(line.rstrip('\n'))
            if not found:
                continue
            pid, text = found.groups()
            begun, resumed = _unfinished.match(text), _resumed.match(text)
            if begun:
                pending[pid] = begun.group(1)
                continue
            if resumed:
                text = pending.pop(pid, '') + resumed.group(1)
            call = _call.match(text)
            if call:
                calls.append(Call(pid, call.group(1), call.group(2), int(call.group(3))))
    return calls


def run(box, which, *args):
    """Runs the program under strace; returns (the finished process, its calls)."""
    log = os.path.join(box.top, 'strace')
    prefix = ['strace', '-f', '-y', '-qq', '-s', '4096', '-o', log, '-e', 'trace=' + which]
    done = box.run(*args, prefix=prefix, env=sandbox.TRACED)
    return done, parse(log)
