# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds fail-io.c and runs the program with it."""
import errno
import mmap
import os
import shlex
import signal
import struct
import subprocess
import tempfile
import time

import corpus
import rounds
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

    def __init__(self, box, path=None, error=errno.ENOSPC, read=False, stop=None):
        self.box = box
        self.file = os.path.join(box.top, 'calls')
        self.env = {'LD_PRELOAD': library(), 'FAIL_COUNT': self.file, 'FAIL_ERRNO': str(error),
                    'FAIL_PATH': path or os.path.basename(box.index) + '/'}
        if read:
            self.env['FAIL_READ'] = '1'
        if stop:
            self.env['FAIL_STOP'] = stop

    def run(self, first, *args, **more):
        """Runs the program, with the calls from number first on failing (0: none fails)."""
        with open(self.file, 'wb') as f:
            f.write(bytes(8))
        return self.box.run(*args, env=dict(self.env, FAIL_FROM=str(first)), **more)

    def run_until(self, first, *args, input=b''):
        """With stop: runs the program until call number first, and then ends all its processes. Returns its exit
        code (-SIGKILL where it was ended) and what it said on stderr."""
        with open(self.file, 'wb') as f:
            f.write(bytes(8))
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said, open(self.file, 'rb') as f:
            given.write(input)
            given.seek(0)
            process = subprocess.Popen([self.box.program] + list(args), stdin=given, stdout=subprocess.DEVNULL,
                                       stderr=said, env=dict(self.box.env, **self.env, FAIL_FROM=str(first)),
                                       start_new_session=True)
            calls = mmap.mmap(f.fileno(), 8, prot=mmap.PROT_READ)
            while process.poll() is None:
                if struct.unpack('=Q', calls[:8])[0] >= first:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    rounds.survivors(process.pid)
                else:
                    time.sleep(0.0005)
            calls.close()
            said.seek(0)
            return process.returncode, said.read()

    def calls(self):
        """How many calls the last run made."""
        with open(self.file, 'rb') as f:
            return struct.unpack('=Q', f.read(8))[0]
