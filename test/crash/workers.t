#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Workers that die, loop, lie or do what they must not: only the message that made them do it is left
out, and remembered. Workers and their parent killed from outside: nothing is lost. Every character set
of the C library converts inside a worker."""
import base64
import os
import random
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import charsets
import invent
import preload
import processes
import rounds
import sandbox

ENDS = ['abort', 'segfault', 'exit', 'loop', 'memory', 'stack', 'lie long', 'lie flood', 'part', 'segment']
ENDS += ['lie kind %d' % n for n in range(12)]
FILES = ['read-secret', 'read-passwd', 'read-memory', 'read-state', 'list', 'create', 'overwrite',
         'unlink', 'rename', 'mkdir', 'symlink', 'link']
CALLS = ['socket', 'connect', 'execve', 'chmod', 'fchmod', 'kill', 'kill-all', 'tgkill', 'sigqueue', 'pidfd',
         'ptrace', 'vm-read', 'prlimit', 'uring', 'other-numbers', 'namespace', 'fork']
PLAIN = 300
COUNT = 900

# A program may be started with the signal ignored that ends a message's time.
WITHOUT_PROF = [sys.executable, '-c', 'import os, signal, sys; signal.signal(signal.SIGPROF, signal.SIG_IGN); '
                'signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPROF]); os.execv(sys.argv[1], sys.argv[1:])']
CHARSET_MAIL = b'''From: a@example.org
Subject: number %d
Message-ID: <cs%d@example.org>
MIME-Version: 1.0
Content-Type: text/plain; charset="%s"
Content-Transfer-Encoding: base64

%s
'''


def slug(what):
    return what.replace(' ', '-')


def put(box, folder, name, what):
    data = sandbox.message('%s@example.org' % slug(name), 'about %s' % slug(name),
                           'misbehave: %s\nvivid text' % what)
    path = os.path.join(box.root, folder, 'tmp', slug(name))
    with open(path, 'wb') as f:
        f.write(data)
    os.rename(path, os.path.join(box.root, folder, 'cur', slug(name) + ':2,S'))


def misbehaving(box, library):
    """Puts mail into place; returns the environment."""
    secret = os.path.join(box.top, 'secret')
    victim = sandbox.maildir(os.path.join(box.root, 'victims'))
    for path in (secret, os.path.join(victim, 'victim')):
        with open(path, 'w') as f:
            f.write('From: a\n\nprivate\n')
    os.chmod(os.path.join(victim, 'victim'), 0o644)
    for what in ENDS + ['once']:
        put(box, 'box%d' % (len(what) % 5), what, what)
    for what in FILES + ['truncate'] + CALLS:
        put(box, 'box%d' % (len(what) % 5), what, 'call ' + what)
    return {'LD_PRELOAD': library, 'WORKER_SECONDS': '1', 'WORKER_SECRET': secret, 'WORKER_FOLDER': victim,
            'WORKER_STATE': os.path.join(box.index, 'state', 'iamglass')}


def folder_state(place):
    """Names, modes and contents."""
    found = []
    for name in sorted(os.listdir(place)):
        path = os.path.join(place, name)
        if os.path.isfile(path):
            with open(path, 'rb') as f:
                found.append((name, os.lstat(path).st_mode, f.read()))
        else:
            found.append((name, os.lstat(path).st_mode))
    return found


def check_ends(box, done, said):
    for what in ENDS:
        lines = [l for l in said if '/%s:2,S' % slug(what) in l]
        tap.ok(box.count('id:%s@example.org' % slug(what)) == 0 and len(lines) == 1 and 'died' in lines[0],
               '%s: that message is left out, and named once' % what, lines or said[-20:])
    tap.equal(box.count('id:once@example.org'), 1, 'a worker that somebody else ends: its message is read again')
    tap.equal(box.count('subject:topic'), PLAIN, 'all other messages are indexed')
    tap.equal(done.returncode, 0, 'new exits 0')


def check_calls(box, said, names, can, why):
    for name in names:
        if not can:
            tap.skip('%s is refused' % name, why)
            continue
        lines = [l for l in said if l.startswith('misbehave: %s: ' % name)]
        refused = lines and not any('NOT REFUSED' in l or 'no such call' in l for l in lines)
        tap.ok(refused and box.count('id:%s@example.org and vivid' % name) == 1,
               '%s is refused, and its message indexed' % name, lines)


def problems(box):
    """Base names and reasons of what is remembered."""
    listed = box.json('new', '--problems', '--format=json')
    return sorted((os.path.basename(p['path']), p['reason']) for p in listed)


def check_remembered(box, env):
    """What took a worker down is not tried again until it changes."""
    died = [(slug(what) + ':2,S', 'worker-died') for what in ENDS]
    tap.equal(problems(box), sorted(died), 'the problems are remembered')
    for options in ([], ['--full-scan']):
        again = box.run('new', *options, env=env)
        tap.ok(again.returncode == 0 and b'No new mail' in again.stdout and not again.stderr,
               'the next run %stries none of them again' % ''.join(o + ' ' for o in options),
               again.stdout + again.stderr)
    for number in range(5):
        put(box, 'box%d' % number, 'later%d' % number, 'no')
    again = box.run('new', env=env)
    tap.ok(b'Added 5 new' in again.stdout and not again.stderr, 'nor does one that lists their folders',
           again.stdout + again.stderr)
    time.sleep(0.1)
    box.run('new', env=env)  # a time that is a moment old is not trusted
    put(box, 'box%d' % (len('abort') % 5), 'abort', 'no more')
    again = box.run('new', env=env)
    tap.equal((box.count('id:abort@example.org and vivid'), again.stderr), (1, b''),
              'a message that was mended is indexed')
    died.remove(('abort:2,S', 'worker-died'))
    tap.equal(problems(box), sorted(died), 'and no problem any more')


def bad_behaviour():
    library = preload.library('worker-misbehave')
    if library is None:
        tap.skip('workers that misbehave', 'calls cannot be put in between here')
        return
    with sandbox.Sandbox() as box:
        invent.maildirs(box.root, PLAIN, size=60)
        env = misbehaving(box, library)
        before = folder_state(env['WORKER_FOLDER'])
        done = box.run('new', env=env, prefix=WITHOUT_PROF)
        said = done.stderr.decode('utf8', 'replace').splitlines()
        check_ends(box, done, said)
        check_calls(box, said, FILES, preload.landlock() >= 1, 'the kernel has no Landlock')
        check_calls(box, said, ['truncate'], preload.landlock() >= 3, 'the kernel has no Landlock for that')
        check_calls(box, said, CALLS, preload.seccomp(), 'calls are not filtered here')
        tap.equal(folder_state(env['WORKER_FOLDER']), before, 'no file was changed')
        check_remembered(box, env)


def every_charset():
    """A message in each; its word must be found."""
    with sandbox.Sandbox() as box:
        sandbox.maildir(os.path.join(box.root, 'in'))
        expected, none = {}, []
        for number, name in enumerate(charsets.names()):
            word, data = charsets.written(name)
            if word is None:
                none.append(name)
                continue
            expected.setdefault(word, {})['cs%d@example.org' % number] = name
            with open(os.path.join(box.root, 'in', 'cur', '%d:2,S' % number), 'wb') as f:
                f.write(CHARSET_MAIL % (number, number, name.encode(), base64.encodebytes(data)))
        done = box.run('new')
        tap.ok(done.returncode == 0 and not done.stderr, 'mail in %d character sets is indexed'
               % sum(map(len, expected.values())), done.stderr[-500:])
        tap.ok(len(none) < 40, 'few sets have none of the words', none)
        missing = {}
        for word, of in sorted(expected.items()):
            found = set(box.ids('"%s"' % word))
            missing.update({name: word for message, name in of.items() if message not in found})
        tap.ok(not missing, 'the words of each are found', lambda: '%d missing: %s' % (len(missing), missing))


def many_workers():
    """More workers than one user may have descriptors on their way to, a hundred and twenty-eight each."""
    prefix = somebody()
    if prefix is None:
        tap.skip('many workers', 'limits do not count here')
        return
    with sandbox.Sandbox() as box:
        invent.maildirs(box.root, 2500, size=10)
        with open(os.path.join(box.top, 'config'), 'a') as f:
            f.write('[new]\nworkers=16\n')
        if os.geteuid() == 0:
            subprocess.run(['chown', '-R', '65534:65534', box.top], check=True)
        done = box.run('new', prefix=prefix)
        tap.ok(done.returncode == 0 and not done.stderr and b'Added 2500 ' in done.stdout,
               'sixteen workers of a user with 256 open files', done.stdout + done.stderr)


def somebody():
    """A command prefix under which few descriptors may be on their way; None where there is none."""
    prefix = ['prlimit', '--nofile=256:256']
    if os.geteuid() == 0:
        prefix = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] + prefix
    try:
        works = subprocess.run(prefix + ['test', '-x', tap.MAIL]).returncode == 0
    except OSError:
        return None
    return prefix if works else None


# ---- killed from outside ----


class Rounds:
    """Runs of new over the same mail, some process of which is killed."""

    def __init__(self, mail, right, chance):
        self.mail, self.right, self.chance = mail, right, chance

    def run(self, number, victim, moment):
        """Whether the victim was hit."""
        with sandbox.Sandbox() as box:
            shutil.copytree(self.mail, box.root, copy_function=os.link, dirs_exist_ok=True)
            process = box.start('new', start_new_session=True, stdout=-3, stderr=-1)
            hits = self.disturb(process, victim, moment)
            said = process.communicate(timeout=300)[1].decode('utf8', 'replace')
            name = 'round %d, %d times the %s killed, %.0f ms after the start: ' % (
                number, hits, victim, moment * 1000)
            self.check(box, name, victim, process.returncode, said)
            tap.ok(not rounds.survivors(process.pid), name + 'no process is left')
            return hits > 0

    def disturb(self, process, victim, moment):
        """Kills; returns how often."""
        if processes.ends(process, moment) is not None:
            return 0
        if victim == 'parent':
            return processes.kill(process.pid)
        if victim == 'spawner':
            place = processes.spawner(process.pid)
            return bool(place) and processes.kill(place)
        hits = 0
        for _ in range(1 if victim == 'worker' else 8):
            found = processes.workers(process.pid)
            if found:
                hits += processes.kill(self.chance.choice(found))
            if processes.ends(process, self.chance.uniform(0.05, 0.2)) is not None:
                break
        return hits

    def check(self, box, name, victim, code, said):
        whole = snapshot(box) if code == 0 else None
        if victim == 'worker':
            tap.ok(code == 0 and not said, name + 'the run goes on to its end', (code, said))
        elif victim == 'spawner':
            tap.ok(code in (0, 75), name + 'the run ends with 75, if it has not been at its end', (code, said))
        elif victim != 'parent':
            tap.ok(code in (0, 1, 75), name + 'the run ends with a code that is documented', (code, said))
        if code == 0 and not mend_blamed(box, victim):
            tap.ok(not rounds.unlike(whole, self.right), name + 'nothing is missing',
                   lambda: rounds.unlike(whole, self.right) + said)
        again = box.run('new')
        wrong = rounds.unlike(snapshot(box), self.right) if again.returncode == 0 else again.stderr
        tap.ok(not wrong, name + 'after the next run everything is there', wrong)


def mend_blamed(box, victim):
    """Where workers are killed again and again, it may be twice at the same message, which is then to
    blame. It is not lost but remembered: taken away and brought back it is read. Returns how many."""
    blamed = box.json('new', '--problems', '--format=json') if victim == 'workers' else []
    paths = {p['path']: open(p['path'], 'rb').read() for p in blamed if p['reason'] == 'worker-died'}
    for path in paths:
        tap.diag('to blame: ' + path)
        os.unlink(path)
    if paths:
        box.run('new')
    for path, data in paths.items():
        with open(path, 'wb') as f:
            f.write(data)
    return len(paths)


def snapshot(box):
    words = {word: sorted(box.ids(word)) for word in ('topic', 'word1*', '"shu*"', 'example', 'the', 'patch')}
    return dict(rounds.snapshot(box), words=['%s %s' % (w, ids) for w, ids in words.items()])


def killed():
    victims = ('worker', 'spawner', 'workers', 'parent')
    planned = 100 if tap.LONG else 8
    chance = random.Random(int(os.environ.get('MAIL_TEST_SEED', '11')))
    with sandbox.Sandbox() as box:
        rounds.make_mail(box.root, COUNT)
        mail = os.path.join(box.top, 'original')
        shutil.copytree(box.root, mail, copy_function=os.link)
        start = time.monotonic()
        box.lines('new')
        moments = processes.Moments(chance, time.monotonic() - start, planned, planned // 2)
        test = Rounds(mail, snapshot(box), chance)
        for number, moment in moments:
            moments.tell(test.run(number, victims[number % len(victims)], moment))
    moments.ok('half of the kills hit somebody')


def main():
    bad_behaviour()
    every_charset()
    many_workers()
    killed()
    tap.done()


main()
