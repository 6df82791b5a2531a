#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Much mail, and large mail: thousands of folders, of which a run with nothing new looks at each once and
at nothing else; messages of a gigabyte, a hundred thousand headers, fifty thousand parts, which no worker
may take more memory for than the limit. MAIL_TEST_HUGE=1 makes 30,000 folders of 900,000 files instead of
a tenth of that. All figures are printed, whether they are within their limits or not."""
import base64
import collections
import os
import resource
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'crash'), os.path.join(HERE, '..', 'lib')]
import tap
import preload
import processes
import sandbox
import tracing

HUGE = os.environ.get('MAIL_TEST_HUGE', '') not in ('', '0')
FOLDERS = 30000 if HUGE else 3000  # of mail; each is a maildir of three
EACH = 30
PSS_MAX = 150 << 20
GIANT = 1 << 30


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Peak(threading.Thread):
    """Watches a run: the largest PSS that one worker and that the parent ever had."""

    def __init__(self, process):
        super().__init__()
        self.process, self.worker, self.parent = process, 0, 0
        self.start()

    def run(self):
        while self.process.poll() is None:
            for pid in processes.workers(self.process.pid):
                self.worker = max(self.worker, processes.memory(pid))
            self.parent = max(self.parent, processes.memory(self.process.pid))
            time.sleep(0.01)


def watched(box, *args):
    """Runs the program; (exit code, stderr, wall seconds, CPU seconds, peaks)."""
    start, cpu = time.monotonic(), cpu_of_children()
    process = box.start(*args, stdout=-3, stderr=-1)
    peak = Peak(process)
    said = process.stderr.read()
    process.wait()
    peak.join()
    return process.returncode, said, time.monotonic() - start, cpu_of_children() - cpu, peak


def mebi(number):
    return '%.0f MiB' % (number / 2**20)


# ---- many folders ----


def make_folders(root):
    """FOLDERS folders in three levels; some folders are below tenth ones. Returns the paths of all."""
    paths = []
    for number in range(FOLDERS):
        place = os.path.join(root, 'h%d' % (number // 1000), 'g%d' % (number // 30), 'f%d' % number)
        sandbox.maildir(place)
        paths.append(place)
        for one in range(EACH):
            name = '%d.%d.large:2,S' % (1600000000 + number, one)
            text = sandbox.message('m%d.%d@example.org' % (number, one), 'mail %d' % one,
                                   'folder%d words of a small message' % number)
            with open(os.path.join(place, 'cur', name), 'wb') as f:
                f.write(text)
    return paths


def best_of(times, work):
    """The shortest of several times that work takes."""
    best = None
    for _ in range(times):
        start = time.monotonic()
        work()
        took = time.monotonic() - start
        best = took if best is None else min(best, took)
    return best


def bare(program, listed):
    done = subprocess.run([program], input=listed, capture_output=True)
    assert int(done.stdout) == listed.count(b'\0')


def calls_of_nothing_new(box, folders):
    if not tracing.works():
        tap.skip('calls of a run with nothing new', 'no strace')
        return
    _, calls = tracing.run(box, tracing.WALK, 'new')
    # the parent's folder descriptors have the path, and names relative to it
    inside = [c for c in calls if any(box.root in p and box.index not in p for p in c.fds + c.strings)]
    count = collections.Counter(c.name for c in inside)
    stats = sum(count[n] for n in ('stat', 'lstat', 'statx', 'newfstatat'))
    tap.diag('calls below the mail root: ' + ', '.join('%s %d' % c for c in sorted(count.items())))
    tap.ok(count['getdents64'] + count['getdents'] == 0, 'no folder is listed')
    tap.ok(folders <= stats <= folders + 10, 'one stat a folder', (stats, folders))


def nothing_new(box, folders):
    """Against the bare calls and the program's start."""
    program = preload.program(os.path.join(HERE, 'stat-paths'))
    with sandbox.Sandbox() as empty:
        empty.lines('new')
        start_up = best_of(7, lambda: empty.lines('new'))
    took = best_of(7, lambda: box.lines('new'))
    tap.diag('nothing new: %.1f ms; start-up %.1f ms' % (1000 * took, 1000 * start_up))
    if program is None:
        tap.skip('against the bare calls', 'no C compiler')
        return
    listed = b''.join(os.fsencode(path) + b'\0' for path in folders)
    least = best_of(7, lambda: bare(program, listed))
    tap.diag('a bare program that stats %d folders: %.1f ms' % (len(folders), 1000 * least))
    tap.ok(took <= 2 * least + start_up, 'at most twice that, and the start-up', (took, least, start_up))


def one_more(box, place):
    with open(os.path.join(place, 'new', '1700000000.one'), 'wb') as f:
        f.write(sandbox.message('one@example.org', 'one more', 'uncommonword'))
    start = time.monotonic()
    done = box.run('new')
    tap.diag('one message more: %.0f ms' % (1000 * (time.monotonic() - start)))
    tap.ok(b'Added 1 new' in done.stdout and box.ids('uncommonword') == ['one@example.org'],
           'one message more', done.stdout)


def many_folders():
    with sandbox.Sandbox() as box:
        places = make_folders(box.root)
        time.sleep(0.1)
        code, said, wall, cpu, peak = watched(box, 'new')
        tap.diag('%d folders, %d files: %.1f s, %.1f s CPU, worker %s, parent %s' % (
            len(places), len(places) * EACH, wall, cpu, mebi(peak.worker), mebi(peak.parent)))
        tap.equal((code, said), (0, b''), 'first index of %d folders' % FOLDERS)
        tap.equal(box.count('*'), FOLDERS * EACH, 'every message is there')
        tap.ok(peak.worker <= PSS_MAX, 'no worker takes more than %s' % mebi(PSS_MAX), mebi(peak.worker))
        box.lines('new')  # times that were a moment old
        folders = known_folders(box)
        calls_of_nothing_new(box, len(folders))
        nothing_new(box, folders)
        one_more(box, places[len(places) // 2])
        tap.equal(box.count('folder17'), EACH, 'words of one folder')


def known_folders(box):
    """What the index has as folders: all but tmp of maildirs."""
    found = []
    for where, names, _ in os.walk(box.root):
        if '.mailindex' in names:
            names.remove('.mailindex')
        if 'tmp' in names and 'cur' in names:
            names.remove('tmp')
        found.append(where)
    return found


# ---- large messages ----

LINE = b'the quick brown fox jumps over number %07d of the lazy dogs, again and again\n'


def text_block():
    """About a mebibyte, of other words each time it is asked for the next."""
    number = 0
    while True:
        yield b''.join(LINE % (number + i) for i in range(14000))
        number += 14000


def write_text(f):
    f.write(HEAD % (b'text', b'Content-Type: text/plain\n'))
    f.write(b'firstword\n')
    for block in text_block():
        if f.tell() > GIANT:
            break
        f.write(block)


def write_base64(f, kind):
    f.write(HEAD % (kind.replace(b'/', b'-'), b'Content-Type: ' + kind +
                    b'\nContent-Transfer-Encoding: base64\n'))
    f.write(base64.encodebytes(b'firstword\n' * 57))
    for block in text_block():
        if f.tell() > GIANT:
            break
        f.write(base64.encodebytes(block[:len(block) // 57 * 57]))


def write_headers(f):
    f.write(HEAD[:-1] % (b'headers', b''))
    for number in range(100000):
        f.write(b'X-Header-%d: value %d of a header\n' % (number, number))
    f.write(b'\nfirstword\n')


def write_parts(f):
    f.write(HEAD % (b'parts', b'Content-Type: multipart/mixed; boundary=b\n'))
    for number in range(50000):
        f.write(b'--b\nContent-Type: text/plain\n\n%s part%d\n' % (b'firstword' if number == 0 else b'', number))
    f.write(b'--b--\n')


def write_mixed(f):
    f.write(HEAD % (b'mixed', b'Content-Type: multipart/mixed; boundary=b\n'))
    f.write(b'--b\nContent-Type: text/plain\n\nfirstword\n--b\nContent-Type: application/zip\n'
            b'Content-Transfer-Encoding: base64\n\n')
    block = base64.encodebytes(bytes(range(256)) * 4095)
    while f.tell() < GIANT:
        f.write(block)
    f.write(b'--b--\n')


HEAD = (b'From: Ann <ann@example.org>\nTo: Bob <bob@example.org>\nSubject: large %s\nMIME-Version: 1.0\n'
        b'Message-ID: <large@example.org>\n%s\n')


def large_message(name, write):
    with sandbox.Sandbox() as box:
        sandbox.maildir(os.path.join(box.root, 'in'))
        path = os.path.join(box.root, 'in', 'cur', 'large:2,S')
        with open(path, 'wb') as f:
            write(f)
            size = f.tell()
        code, said, wall, cpu, peak = watched(box, 'new')
        tap.diag('%s, %s: %.1f s, %.1f s CPU, worker %s, parent %s' % (
            name, mebi(size), wall, cpu, mebi(peak.worker), mebi(peak.parent)))
        tap.equal(code, 0, '%s: new exits 0 %s' % (name, said[-300:].decode()))
        tap.equal(box.ids('subject:large'), ['large@example.org'], name + ': it is found')
        tap.equal(box.count('firstword'), 0 if 'not text' in name else 1, name + ': and its first word')
        tap.ok(0 < peak.worker <= PSS_MAX, '%s: the worker takes at most %s' % (name, mebi(PSS_MAX)),
               mebi(peak.worker))


def main():
    many_folders()
    large_message('plain text', write_text)
    large_message('text in base64', lambda f: write_base64(f, b'text/plain'))
    large_message('base64, not text', lambda f: write_base64(f, b'application/octet-stream'))
    large_message('an attachment', write_mixed)
    large_message('100,000 headers', write_headers)
    large_message('50,000 parts', write_parts)
    tap.done()


main()
