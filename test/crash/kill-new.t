#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGKILL at moments drawn over a first import of 3,000 messages, then `new` again: the index is the
one of an undisturbed run. Ten rounds; a hundred with MAIL_TEST_LONG=1. At least half of the kills
fall between the first and the last commit of the run."""
import os
import random
import shutil
import signal
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import rounds
import processes
import sandbox

COUNT = 3000
ROUNDS = 100 if tap.LONG else 10


def undisturbed(box):
    """Indexes the mail; returns the snapshot, the commits' moments and the length of the run."""
    watch = rounds.Watch(box)
    done = box.run('new')
    length = time.monotonic() - watch.start
    commits = watch.stop()
    tap.ok(done.returncode == 0, 'an undisturbed run', done.stderr[-1000:])
    return dict(rounds.snapshot(box), bytes=segment_bytes(box)), commits, length


def killed_run(box, moment, after_commit):
    """Runs new and kills it moment seconds after the start, or after the first commit. Returns the
    commits seen before the kill, or None when the run was over by then, and the leader's pid."""
    watch = rounds.Watch(box)
    process = box.start('new', start_new_session=True, stdout=-3, stderr=-3)
    if after_commit:
        while not watch.commits and process.poll() is None:
            time.sleep(0.0005)
    processes.ends(process, moment)
    process.send_signal(signal.SIGKILL)
    code = process.wait()
    commits = len(watch.stop())
    return (commits if code == -signal.SIGKILL else None), process.pid


def scratch(box):
    """Folders in which a run builds segments."""
    place = os.path.join(box.index, 'text', 'tmp')
    return [os.path.join(place, n) for n in os.listdir(place)] if os.path.isdir(place) else []


def age_scratch(box):
    """Fresh scratch folders may belong to somebody who has not locked them yet: these are old."""
    for path in scratch(box):
        os.utime(path, (time.time() - 60, time.time() - 60))


def segment_bytes(box):
    place = os.path.join(box.index, 'text')
    names = os.listdir(place) if os.path.isdir(place) else []
    return sum(os.path.getsize(os.path.join(place, n)) for n in names if n != 'tmp')


def one_round(number, mail, right, moment, after_commit):
    """One kill and what follows it. Returns commits before the kill, or None."""
    with sandbox.Sandbox() as box:
        shutil.copytree(mail, box.root, copy_function=os.link, dirs_exist_ok=True)
        commits, pid = killed_run(box, moment, after_commit)
        name = 'round %d, kill %.0f ms after %s (%s commits): ' % (
            number, moment * 1000, 'the first commit' if after_commit else 'the start', commits)
        left = rounds.survivors(pid)
        readable = commits == 0 or box.run('count').returncode == 0
        age_scratch(box)
        again = box.run('new')
        wrong = rounds.unlike(rounds.snapshot(box), right) if again.returncode == 0 else again.stderr
        if left:
            wrong = str(wrong) + 'processes left: %s' % left
        if not readable:
            wrong = str(wrong) + 'the killed index cannot be read'
        if scratch(box):
            wrong = str(wrong) + 'scratch left: %s' % scratch(box)
        if segment_bytes(box) > 1.5 * right['bytes']:
            wrong = str(wrong) + 'segments of nobody left: %d bytes' % segment_bytes(box)
        tap.ok(not wrong, name + 'the next run makes it whole', wrong)
        return commits


def main():
    chance = random.Random(int(os.environ.get('MAIL_TEST_SEED', '7')))
    with sandbox.Sandbox() as box:
        rounds.make_mail(box.root, COUNT)
        mail = os.path.join(box.top, 'original')
        shutil.copytree(box.root, mail, copy_function=os.link)
        right, commits, length = undisturbed(box)
        tap.diag('%.2f s, commits at %s' % (length, ' '.join('%.3f' % c for c in commits)))
        if not tap.ok(len(commits) >= 2, 'the run has a first and a last commit', commits):
            tap.done()
        last = len(commits)
        moments = processes.Moments(chance, commits[-1] - commits[0], ROUNDS, ROUNDS // 2)
        for number, moment in moments:
            after = number % 5 != 0
            seen = one_round(number, mail, right, moment if after else chance.uniform(0, length), after)
            if after:
                moments.tell(seen is not None and 1 <= seen < last)
        moments.ok('half of the kills fell between the first and the last commit')
    tap.done()


main()
