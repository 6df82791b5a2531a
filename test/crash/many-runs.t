#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A hundred and twenty runs of `new` with ten messages each: there are never more than twelve segments,
their bytes are not written again and again, and the answers are those of one run over all the mail."""
import collections
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import rounds
import sandbox
import tracing

RUNS, EACH = 120, 10
SEGMENTS_MAX = 12
WRITTEN_MAX = 3.3  # times the final size of the text store: segments, new and merged
IN_ALL_MAX = 6.5  # with state, and with scratch that is gone before it is synced
QUERIES = '''the
a
linux
linux kernel
"in the"
"i think"
"of the" and not linux
patch* or release*
kern* and subject:re
subject:re
subject:"re"
from:com
from:org and to:org
to:list
attachment:patch
working
works
Working
run and fail
date:2004..2010
not the
not "the"
a or b or c
"re patch"
x*
tag:inbox and mail
tag:replied or bug
http
www example
2.6.18'''.splitlines()


WRITE = re.compile(r'\d+ +(?:p?write(?:64)?|sendfile)\(\d+<([^>]*)>.*= (\d+)$')


def kind(path):
    """Of the bytes written there: of segments (new and merged), scratch that is never synced, state."""
    if '/text/' not in path:
        return 'state'
    return 'segment' if path.endswith(('.segment', '/merged')) else 'scratch'


def traced_run(box, sums):
    """Runs new under strace, and adds up what it writes."""
    log = os.path.join(box.top, 'strace')
    done = box.run('new', prefix=['strace', '-f', '-y', '-qq', '-s', '0', '--seccomp-bpf', '-o', log,
                                  '-e', 'trace=write,pwrite64,sendfile'], env=sandbox.TRACED)
    with open(log, encoding='latin-1') as f:
        for line in f:
            found = WRITE.match(line.strip())
            if found and box.index in found.group(1):
                sums[kind(found.group(1))] += int(found.group(2))
    return done


def segments(box):
    place = os.path.join(box.index, 'text')
    return {n: os.path.getsize(os.path.join(place, n)) for n in os.listdir(place) if n != 'tmp'}


def batches(origin):
    """The paths of all mail in batches, as it might have come in."""
    paths = sorted(os.path.join(where, name) for where, _, names in os.walk(origin) for name in names)
    order = sorted(paths, key=lambda p: (os.path.basename(p).split(':')[0], p))
    return [order[i::RUNS] for i in range(RUNS)]


def bring(origin, root, path):
    target = os.path.join(root, os.path.relpath(path, origin))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    os.link(path, target)


def many_runs(origin, box):
    """Brings the mail in batches, and runs new after each; returns what was written, by kind."""
    trace, sums = tracing.works(), collections.Counter()
    most, codes, merges, before = 0, set(), 0, set()
    for batch in batches(origin.root):
        for path in batch:
            bring(origin.root, box.root, path)
        codes.add((traced_run(box, sums) if trace else box.run('new')).returncode)
        names = set(segments(box))
        merges += bool(before - names)
        most, before = max(most, len(names)), names
    tap.equal(codes, {0}, '%d runs exit 0' % RUNS)
    tap.ok(most <= SEGMENTS_MAX, 'never more than %d segments' % SEGMENTS_MAX, most)
    tap.ok(merges >= 5, 'segments were merged', merges)
    return sums if trace else None


def check_bytes(box, whole, sums):
    final, once = sum(segments(box).values()), sum(segments(whole).values())
    tap.ok(final < 1.5 * once, 'the text store is not much larger than that of one run', (final, once))
    if sums is None:
        tap.skip('bytes written', 'no strace')
        return
    tap.diag('text store: %d bytes, of one run %d; written %s' % (final, once, ', '.join(
        '%s %d (%.2f times)' % (k, n, n / final) for k, n in sorted(sums.items()))))
    tap.ok(0 < sums['segment'] < WRITTEN_MAX * final, 'segments are written less than %s times' % WRITTEN_MAX, sums)
    tap.ok(sum(sums.values()) < IN_ALL_MAX * final, 'in all it is less than %s times' % IN_ALL_MAX, sums)


def main():
    with sandbox.Sandbox() as origin, sandbox.Sandbox() as box, sandbox.Sandbox() as whole:
        rounds.make_mail(origin.root, RUNS * EACH)
        shutil.copytree(origin.root, whole.root, copy_function=os.link, dirs_exist_ok=True)
        whole.lines('new')
        sums = many_runs(origin, box)
        check_bytes(box, whole, sums)
        for query in QUERIES:
            tap.equal(sorted(box.ids(query)), sorted(whole.ids(query)), 'the same answer to ' + query)
        some = sum(len(whole.ids(query)) > 0 for query in QUERIES)
        tap.ok(some >= len(QUERIES) // 2, 'half of the queries have matches', some)
        wrong = rounds.unlike(rounds.snapshot(box), rounds.snapshot(whole))
        tap.ok(not wrong, 'the same tags, files and threads', wrong)
    tap.done()


main()
