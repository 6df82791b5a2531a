# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a program and says what it took: CPU and time, memory, bytes written.

CPU is that of all processes that the program started, also of those it does not wait for. This
process makes itself their reaper (prctl PR_SET_CHILD_SUBREAPER) and waits until none is left; the
kernel's task clock, inherited by every child (perf_event_open), counts also those whose parent ignored
their end, of which getrusage knows nothing. Where it cannot be had, getrusage must do: CPU_FROM says so.
"""
import ctypes
import os
import re
import resource
import struct
import tempfile
import threading
import time

PR_SET_CHILD_SUBREAPER = 36
SAMPLE_SECONDS = 0.05
WRITES = 'write,pwrite64,writev,pwritev,pwritev2,copy_file_range,sendfile'

PERF_EVENT_OPEN = {'x86_64': 298, 'aarch64': 241, 'riscv64': 241, 'i686': 336}.get(os.uname().machine)
PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK = 1, 1
# Bits of struct perf_event_attr: disabled, inherit, exclude_kernel, exclude_hv, enable_on_exec.
PERF_BITS, PERF_WITHOUT_KERNEL = 1 << 0 | 1 << 1 | 1 << 12, 1 << 5 | 1 << 6
PERF_FLAG_FD_CLOEXEC = 8

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


def _task_clock(pid):
    """A descriptor that counts the CPU time of a process from its next exec on, and of all that come
    of it; None where the kernel gives none. (The task clock counts time in the kernel in any case; the
    second attempt says otherwise because users without rights must.)"""
    for bits in (PERF_BITS, PERF_BITS | PERF_WITHOUT_KERNEL):
        attr = struct.pack('=IIQQQQQ', PERF_TYPE_SOFTWARE, 112, PERF_COUNT_SW_TASK_CLOCK, 0, 0, 0, bits)
        attr += bytes(112 - len(attr))
        if PERF_EVENT_OPEN:
            fd = _libc.syscall(PERF_EVENT_OPEN, attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC)
            if fd >= 0:
                return fd
    return None


def _clock_or_usage():
    fd = _task_clock(os.getpid())
    if fd is None:
        return 'getrusage (children whose parent ignores their end are missed)'
    os.close(fd)
    return 'task clock, all processes'


CPU_FROM = _clock_or_usage()


def _usage():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _start(command, env, output, errors):
    """Forks; the child waits for go() before it becomes the command. Returns (pid, go)."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(output.fileno(), 1)
            os.dup2(errors.fileno(), 2)
            os.close(write_end)
            os.read(read_end, 1)
            os.execvpe(command[0], command, env)
        except OSError as error:
            os.write(2, str(error).encode())
        os._exit(127)
    os.close(read_end)
    return pid, lambda: os.close(write_end)


def _run(command, env, output, sampler=None):
    """Runs to the end of all processes; (CPU, wall) in seconds. Raises Failed unless it exits 0."""
    with tempfile.TemporaryFile() as errors:
        pid, go = _start(command, env, output, errors)
        clock, used, start = _task_clock(pid), _usage(), time.monotonic()
        if sampler:
            sampler.start()
        go()
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        _reap()
        wall, cpu = time.monotonic() - start, _usage() - used
        if clock is not None:
            cpu = struct.unpack('=Q', os.read(clock, 8))[0] / 1e9
            os.close(clock)
        if code != 0:
            errors.seek(0)
            raise Failed('%s: exit code %d: %s' % (' '.join(command), code,
                                                   errors.read().decode('utf8', 'replace').strip()))
        return cpu, wall


def timed(command, env, sample=False):
    """One run. Output goes to a file, as printing to a pipe would count the reader's speed."""
    os.sync()
    with tempfile.TemporaryFile() as output:
        sampler = Sampler() if sample else None
        try:
            cpu, wall = _run(command, env, output, sampler)
        finally:
            peak = sampler.stop() if sampler else None
        output.seek(0)
        return Result(cpu, wall, peak, output.read())


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
