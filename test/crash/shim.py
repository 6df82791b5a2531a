# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds fail-io.c and runs the program with it."""
import errno
import os
import shlex
import struct
import subprocess

import corpus
import tap


def library():
    """Path of the compiled shim, or None where there is no C compiler or a sanitizer is in the way
    (its runtime wants to be the first library)."""
    if os.environ.get('SANITIZE') == '1':
        return None
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'fail-io.c')
    target = os.path.join(tap.BUILD, 'test', 'crash', 'fail-io.so')
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with corpus.locked('fail-io'):
        if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(source):
            compiler = shlex.split(os.environ.get('CC', 'cc'))
            try:
                subprocess.run(compiler + ['-shared', '-fPIC', '-O1', '-o', target, source, '-ldl'],
                               check=True)
            except (OSError, subprocess.CalledProcessError):
                return None
    return target


def library_or_skip(checks):
    found = library()
    if found is None:
        tap.skip_all('calls cannot be made to fail here', checks)
    return found


class Shim:
    """Makes calls below a path fail for the runs it is given to."""

    def __init__(self, box, path=None, error=errno.ENOSPC, read=False):
        self.box = box
        self.file = os.path.join(box.top, 'calls')
        self.env = {'LD_PRELOAD': library(), 'FAIL_COUNT': self.file, 'FAIL_ERRNO': str(error),
                    'FAIL_PATH': path or os.path.basename(box.index) + '/'}
        if read:
            self.env['FAIL_READ'] = '1'

    def run(self, first, *args, **more):
        """Runs the program, with the calls from number first on failing (0: none fails)."""
        with open(self.file, 'wb') as f:
            f.write(bytes(8))
        return self.box.run(*args, env=dict(self.env, FAIL_FROM=str(first)), **more)

    def calls(self):
        """How many calls the last run made."""
        with open(self.file, 'rb') as f:
            return struct.unpack('=Q', f.read(8))[0]
