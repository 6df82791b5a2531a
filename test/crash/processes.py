# SPDX-License-Identifier: GPL-3.0-or-later
"""The processes of a run: who they are, what they take, and ending one of them."""
import os
import resource
import signal
import time

import tap


def _stat(pid):
    """Name, state, parent; None when it is gone."""
    try:
        with open('/proc/%d/stat' % pid) as f:
            text = f.read()
    except OSError:
        return None
    name, rest = text[text.index('(') + 1:text.rindex(')')], text[text.rindex(')') + 2:].split()
    return name, rest[0], int(rest[1])


def children(pid):
    """Process ids of children that run, with their names."""
    found = []
    try:
        with open('/proc/%d/task/%d/children' % (pid, pid)) as f:
            pids = [int(p) for p in f.read().split()]
    except OSError:
        return []
    for child in pids:
        stat = _stat(child)
        if stat and stat[1] != 'Z':
            found.append((child, stat[0]))
    return found


def spawner(pid):
    """Of the run that is process pid; None while there is none."""
    return next((child for child, name in children(pid) if name == 'mail spawner'), None)


def workers(pid):
    place = spawner(pid)
    return [child for child, name in children(place) if name == 'mail worker'] if place else []


def kill(pid):
    """Whether it was there to be killed."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def ends(process, seconds):
    """Waits for a Popen; its exit code, None if it goes on."""
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    return process.poll()


class Moments:
    """When to strike, in the rounds of a test: a number and a moment in seconds for each, drawn over the
    length of a run. A measured length is one run's, and the next may be far from it: it follows what the
    rounds show, and there are more of them than planned, six times at most, until enough have struck."""

    def __init__(self, chance, length, planned, enough, least=0):
        self.chance, self.length, self.least = chance, length, least
        self.planned, self.enough, self.struck = planned, enough, 0
        self._moment = 0

    def __iter__(self):
        for number in range(6 * self.planned):
            if number >= self.planned and self.struck >= self.enough:
                return
            self._moment = self.chance.uniform(self.least, max(self.least, self.length))
            yield number, self._moment

    def tell(self, struck):
        """Whether this round's blow came in time."""
        self.struck += bool(struck)
        if not struck:
            self.length = (self.length + self._moment) / 2
        elif self._moment > 0.8 * self.length:
            self.length *= 1.1

    def ok(self, name):
        tap.ok(self.struck >= self.enough, name, '%d, to be %d' % (self.struck, self.enough))


def memory(pid):
    """Proportional set size in bytes; 0 when it is gone."""
    try:
        with open('/proc/%d/smaps_rollup' % pid) as f:
            for line in f:
                if line.startswith('Pss:'):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


class Elsewhere:
    """How much of the machine's processors others took: a share of all, from 0 to 1."""

    def __init__(self):
        self.start = self._look()

    @staticmethod
    def _look():
        with open('/proc/stat') as f:
            fields = [int(n) for n in f.readline().split()[1:9]]
        busy = (sum(fields) - fields[3] - fields[4]) / os.sysconf('SC_CLK_TCK')
        own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return time.monotonic(), busy - sum(u.ru_utime + u.ru_stime for u in own)

    def share(self):
        """Since the beginning; what is to count as ours has been waited for by now."""
        now = self._look()
        return max(0, (now[1] - self.start[1]) / (now[0] - self.start[0]) / os.cpu_count())
