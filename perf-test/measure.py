# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a program and says what it took: CPU and time, memory, bytes written.

CPU is that of all processes that the program started, also of those it did not wait for: this
process makes itself their reaper (prctl PR_SET_CHILD_SUBREAPER) and waits until none is left.
"""
import ctypes
import os
import re
import resource
import subprocess
import tempfile
import threading
import time

PR_SET_CHILD_SUBREAPER = 36
SAMPLE_SECONDS = 0.05
WRITES = 'write,pwrite64,writev,pwritev,pwritev2,copy_file_range,sendfile'

_libc = ctypes.CDLL(None, use_errno=True)
if _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
    raise OSError(ctypes.get_errno(), 'prctl')


class Failed(Exception):
    """The program under test did not do what it was asked."""


class Result:
    """cpu and wall in seconds; pss in bytes, None where it was not sampled; output: stdout."""

    def __init__(self, cpu, wall, pss, output):
        self.cpu, self.wall, self.pss, self.output = cpu, wall, pss, output


def _children(pid):
    found = []
    try:
        for task in os.listdir('/proc/%d/task' % pid):
            with open('/proc/%d/task/%s/children' % (pid, task)) as file:
                found += [int(child) for child in file.read().split()]
    except OSError:
        pass  # it has ended meanwhile
    return found


def _descendants(pid):
    found, todo = [], _children(pid)
    while todo:
        child = todo.pop()
        found.append(child)
        todo += _children(child)
    return found


def _pss(pid):
    try:
        with open('/proc/%d/smaps_rollup' % pid) as file:
            for line in file:
                if line.startswith('Pss:'):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


class Sampler(threading.Thread):
    """The largest sum of the PSS of all descendants at one moment, looked at every 50 ms."""

    def __init__(self):
        super().__init__(daemon=True)
        self.peak, self.over = 0, threading.Event()

    def run(self):
        while not self.over.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, sum(_pss(pid) for pid in _descendants(os.getpid())))

    def stop(self):
        self.over.set()
        self.join()
        return self.peak


def _reap():
    """Waits for whatever the program left behind."""
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _run(command, env, output):
    """Runs to the end; raises Failed unless it exits 0."""
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=errors)
        code = child.wait()
        _reap()
        if code != 0:
            errors.seek(0)
            raise Failed('%s: exit code %d: %s' % (' '.join(command), code,
                                                   errors.read().decode('utf8', 'replace').strip()))


def timed(command, env, sample=False):
    """One run. Output goes to a file, as printing to a pipe would count the reader's speed."""
    os.sync()
    with tempfile.TemporaryFile() as output:
        sampler = Sampler() if sample else None
        before, start = _cpu(), time.monotonic()
        if sampler:
            sampler.start()
        try:
            _run(command, env, output)
        finally:
            wall, peak = time.monotonic() - start, sampler.stop() if sampler else None
        output.seek(0)
        return Result(_cpu() - before, wall, peak, output.read())


_call = re.compile(r'^(?:\d+ +)?(\w+)\(\d+<([^>]*)>.*\) += (\d+)')
_resumed = re.compile(r'^(\d+) +<\.\.\. (\w+) resumed>.*\) += (\d+)')
_unfinished = re.compile(r'^(\d+) +(\w+)\(\d+<([^>]*)>.*<unfinished \.\.\.>$')


def bytes_written(command, env, folder):
    """One run under strace: (bytes written to files below folder, bytes written to anything)."""
    with tempfile.NamedTemporaryFile() as trace:
        with open(os.devnull, 'wb') as output:
            _run(['strace', '-f', '-y', '-s', '0', '-e', 'trace=' + WRITES, '-o', trace.name] + command,
                 env, output)
        with open(trace.name, encoding='utf8', errors='replace') as lines:
            return sum_writes(lines, os.path.realpath(folder) + '/')


def sum_writes(lines, below):
    """What strace -f -y printed, summed up. A call that another process interrupted has two lines."""
    inside = everything = 0
    pending = {}
    for line in lines:
        call, resumed, unfinished = _call.match(line), _resumed.match(line), _unfinished.match(line)
        if unfinished:
            pending[unfinished.group(1)] = unfinished.group(3)
            continue
        if resumed:
            target, size = pending.pop(resumed.group(1), ''), int(resumed.group(3))
        elif call:
            target, size = call.group(2), int(call.group(3))
        else:
            continue
        everything += size
        inside += size if target.startswith(below) else 0
    return inside, everything


def bytes_of(folder, keep=lambda name: True):
    """Sum of the sizes of the files below a folder whose relative path keep() accepts."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            if keep(os.path.relpath(path, folder)):
                total += os.lstat(path).st_size
    return total
