#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything stops at one call: at each write, creation, rename, removal and sync below the mail root (index
and mail) that `tag`, `tag --undo`, `new`, `insert`, `restore`, `reindex`, `compact`, `check --repair`, `setup`,
`config set` and a takeover from notmuch make, before it is made or when half of it is written. Calls are counted over all processes of a run, workers too,
and all of them stop together. Then the index is read as it is, and the command is run again: no tag, file or
message is lost or doubled, and `check` is content.

`make check` draws some calls of each command; the long form takes them all, and each third torn besides. What
is written through stdio (the text of a snapshot) is no call here; its sync and its rename are."""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import tap
import invent
import sandbox
import shim

COUNT = 260  # more than the first slice of a change of tags
DRAWN = 5    # calls a command
NEW_ID = 'delivered@example.org'


class State:
    """What an index says, and what mail there is."""

    def __init__(self, box):
        self.wrong = ''
        self.tags, self.files = {}, []
        if os.path.exists(os.path.join(box.index, 'state', 'iamglass')):
            dump, files = box.run('dump'), box.run('search', '--exclude=false', '--output=files', '*')
            if dump.returncode and b'there is no index' in dump.stderr:
                pass
            elif dump.returncode or files.returncode:
                self.wrong = 'it cannot be read: %r %r\n' % (dump.stderr, files.stderr)
            lines = dump.stdout.decode().splitlines()
            for line in lines:
                if ' -- id:' in line:
                    tags, message_id = line.split(' -- ')
                    self.tags.setdefault(message_id, []).append(tags)
                elif line.startswith('#='):
                    self.tags.setdefault('properties', []).append(line)
            self.files = sorted(os.path.relpath(f, box.root) for f in files.stdout.decode().splitlines())
        self.mail = mail_below(box)

    def key(self):
        return self.tags, self.files


def mail_below(box):
    """{name without flags: contents} of all mail but in tmp; a name that is there twice is a tuple."""
    found = {}
    for where, folders, names in os.walk(box.root):
        folders[:] = [f for f in folders if f not in ('.mailindex', 'tmp')]
        for name in names:
            with open(os.path.join(where, name), 'rb') as f:
                found.setdefault(name.split(':2,')[0], []).append(f.read())
    return found


class Scene:
    """A command to stop, and what is before and after it."""

    def __init__(self, name, command, prepare, input=None, again=None):
        self.name, self.input = name, input
        self.origin = sandbox.Sandbox()
        self.command = [word.replace('TOP', self.origin.top + '.copy') for word in command]
        self.again = [word.replace('TOP', self.origin.top + '.copy') for word in again or command]
        prepare(self.origin)
        self.before = State(self.origin)
        with self.copy() as box:
            before = {settings(box)}
            run = shim.Shim(box, path=self.where(box), stop='before')
            done = run.run(0, *self.command, input=self.input)
            self.wanted = settings(box)
            self.settings = before | {self.wanted}
            self.calls = run.calls()
            self.after = State(box)
            changed = self.wanted not in before if isinstance(self, Settings) else True
            tap.ok(done.returncode == 0 and self.calls > 3 and not self.after.wrong and changed,
                   '%s: undisturbed' % name, '%d calls, %r' % (self.calls, done.stderr))
        tap.diag('%s: %d calls' % (name, self.calls))

    @staticmethod
    def where(box):
        """Below which calls count."""
        return os.path.basename(box.root) + '/'

    def copy(self):
        """Mail keeps its inodes and times."""
        box = sandbox.Sandbox(top=self.origin.top + '.copy')
        box.own = True
        shutil.rmtree(box.root)
        subprocess.run(['cp', '-a', self.origin.root, box.root], check=True)
        folder = os.path.join(self.origin.top, 'more')
        if os.path.isdir(folder):
            shutil.copytree(folder, os.path.join(box.top, 'more'), dirs_exist_ok=True)
        return box

    def stop_at(self, number, how):
        """Words about what is wrong; '' for nothing."""
        with self.copy() as box:
            run = shim.Shim(box, path=self.where(box), stop=how)
            code, said = run.run_until(number, *self.command, input=self.input or b'')
            if code != -signal.SIGKILL:
                return self.not_stopped(number, code, said)
            return self.stopped(box) + self.went_on(box)

    def not_stopped(self, number, code, said):
        """Workers share their calls out otherwise each time: the last ones may not come."""
        if code == 0 and number > self.calls * 4 // 5:
            return ''
        return 'it was not stopped but exits %d: %r' % (code, said[-300:])

    # ---- just after

    def stopped(self, box):
        now = State(box)
        wrong = now.wrong
        for message_id, tags in now.tags.items():
            if tags not in (self.before.tags.get(message_id), self.after.tags.get(message_id)):
                wrong += 'stopped: %s has %s\n' % (message_id, tags)
        gone = (set(self.before.tags) & set(self.after.tags)) - set(now.tags)
        wrong += 'stopped: gone: %s\n' % sorted(gone)[:3] if gone else ''
        wrong += mail_wrong(now, self.before, self.after)
        if now.tags or now.files:
            wrong += check_wrong(box, 'stopped')
        return wrong

    # ---- then again

    def went_on(self, box):
        done = box.run(*self.again, input=self.input)
        wrong = 'again: exits %d: %r\n' % (done.returncode, done.stderr[-300:]) if done.returncode else ''
        box.run('new', '--quiet')
        return wrong + self.compared(State(box)) + check_wrong(box, 'again') + left_over(box)

    def compared(self, now):
        wrong = now.wrong + mail_wrong(now, self.before, self.after)
        if now.tags != self.after.tags:
            wrong += 'again: tags: %s\n' % differences(now.tags, self.after.tags)
        if now.files != self.after.files:
            wrong += 'again: files: %s\n' % sorted(set(now.files) ^ set(self.after.files))[:4]
        return wrong


class Delivery(Scene):
    """A mail server delivers once more what it has not heard to be delivered: the mail is there once or twice,
    each time whole, and the message once."""

    def compared(self, now):
        wrong = now.wrong + mail_wrong(now, self.before, self.after)
        if now.tags != self.after.tags:
            wrong += 'again: tags: %s\n' % differences(now.tags, self.after.tags)
        extra = len(now.files) - len(self.before.files)
        if extra not in (1, 2) or set(self.before.files) - set(now.files):
            wrong += 'again: %d files more\n' % extra
        copies = sum((f for f in now.mail.values()), []).count(self.input)
        if copies != extra:
            wrong += 'again: %d copies of the mail in %d files\n' % (copies, extra)
        return wrong


class Undo(Scene):
    """Where it had come to its end, the next one takes back the command before."""

    def stopped(self, box):
        self.done = State(box).tags == self.after.tags
        return Scene.stopped(self, box)

    def compared(self, now):
        undone = {m: [t.replace('+first ', '').replace(' +first', '') for t in tags]
                  for m, tags in self.after.tags.items()}
        if self.done and now.tags == undone:
            return ''
        return Scene.compared(self, now)


class Settings(Scene):
    """The configuration is the old one or the new one, and the new one in the end."""

    @staticmethod
    def where(box):
        return os.path.basename(box.top) + '/'

    def stopped(self, box):
        now = settings(box)
        return Scene.stopped(self, box) + ('' if now in self.settings else 'stopped: it is %r\n' % now)

    def went_on(self, box):
        done = box.run(*self.again, input=self.input)
        now = settings(box)
        right = done.returncode == 0 and now == self.wanted
        wrong = '' if right else 'again: exits %d, %r\n' % (done.returncode, now)
        return wrong + self.compared(State(box)) + check_wrong(box, 'again')


class Takeover(Scene):
    """From a notmuch that is a script; tags of the dump come with each message."""

    def copy(self):
        box = Scene.copy(self)
        del box.env['MAIL_CONFIG']  # who has one of our own has come before
        box.env['PATH'] = os.path.join(self.origin.top, 'bin') + ':' + box.env['PATH']
        return box


class Repair(Scene):
    """What it has made until then may say anything; somebody's new comes in between."""

    def stopped(self, box):
        box.run('new', '--quiet')
        return ''


def settings(box):
    try:
        with open(os.path.join(box.top, 'config')) as f:
            return f.read()
    except FileNotFoundError:
        return None


def differences(got, right):
    return [(k, got.get(k), right.get(k)) for k in sorted(set(got) | set(right))
            if got.get(k) != right.get(k)][:3]


def mail_wrong(now, before, after):
    """Files of before and after are there once, with their contents."""
    wrong = ''
    for name in set(before.mail) & set(after.mail):
        if now.mail.get(name) != before.mail[name]:
            wrong += 'mail: %s is there %d times\n' % (name, len(now.mail.get(name, ())))
    whole = [c for contents in list(before.mail.values()) + list(after.mail.values()) for c in contents]
    for name in set(now.mail) - set(before.mail):
        if any(c not in whole for c in now.mail[name]):
            wrong += 'mail: %s is not whole\n' % name
    return wrong


def check_wrong(box, when):
    done = box.run('check')
    return '%s: check exits %d: %r\n' % (when, done.returncode, done.stdout + done.stderr) if done.returncode else ''


def left_over(box):
    """Nothing lies in the index that is of no use, once something was indexed. What is young may be a folder that
    somebody is just making."""
    scratch = os.path.join(box.index, 'text', 'tmp')
    for name in os.listdir(scratch):
        os.utime(os.path.join(scratch, name), (1, 1))
    with open(os.path.join(sandbox.maildir(os.path.join(box.root, 'later')), 'cur', 'later:2,'), 'wb') as f:
        f.write(sandbox.message('later@example.org'))
    box.run('new', '--quiet')
    usual = {'state', 'text', 'backups', 'journal', 'lock', 'lock.holder', 'turnstile', 'merge', 'snapshot', 'undo',
             'notmuch.dump.gz'}
    odd = [n for n in os.listdir(box.index) if n not in usual and not n.startswith('damaged.')]
    odd += ['text/tmp/' + n for n in os.listdir(scratch)]
    backups = os.path.join(box.index, 'backups')
    odd += [n for n in os.listdir(backups) if not n.endswith('.tags')] if os.path.isdir(backups) else []
    return 'left over: %s\n' % odd if odd else ''


# ---- the commands

def mail(box):
    invent.maildirs(box.root, COUNT, size=12)


def indexed(box):
    mail(box)
    box.lines('new', '--quiet')
    box.lines('tag', '+kept', '--', 'subject:topic')
    box.run('restore', input=b'#= m4@example.org key=value\n')


def more_mail(box):
    """New, moved and gone files, a message of several."""
    indexed(box)
    names = invent.maildirs(box.root, 12, size=12, start=COUNT, seed=2)
    os.rename(os.path.join(box.root, names[0]), os.path.join(box.root, 'box0', 'cur', 'moved:2,S'))
    os.rename(os.path.join(box.root, 'box1'), os.path.join(box.root, 'box1-renamed'))
    os.remove(os.path.join(box.root, box.files('id:m3@example.org')[0]))
    with open(os.path.join(box.root, 'box2', 'cur', 'second:2,'), 'wb') as f:
        f.write(sandbox.message('m9@example.org', body='otherwise'))


def twice_tagged(box):
    indexed(box)
    box.lines('tag', '+first', '--', '*')
    box.lines('tag', '+second', '-unread', '--', '*')


def scattered(box):
    """Several segments, and room to be given back."""
    mail(box)
    names = sorted(os.listdir(box.root))
    for name in names[1:]:
        os.rename(os.path.join(box.root, name), os.path.join(box.top, name))
    box.lines('new', '--quiet')
    for name in names[1:]:
        os.rename(os.path.join(box.top, name), os.path.join(box.root, name))
        box.lines('new', '--quiet')
    box.lines('tag', '+kept', '--', '*')


def crowded(box):
    """As many segments as there may be, and more mail: a run of new merges some."""
    indexed(box)
    for number in range(12):
        invent.maildirs(box.root, 2, size=12, start=COUNT + 2 * number, seed=number)
        if number < 11:
            box.lines('new', '--quiet')


def rewritten(box):
    """Files changed in place: other words, other Message-IDs, one of them that of a message with other words."""
    indexed(box)
    for number, new in ((5, 'm5@example.org'), (6, 'other@example.org'), (7, 'm8@example.org'),
                        (50, 'part@example.org')):
        path = os.path.join(box.root, box.files('id:m%d@example.org' % number)[0])
        with open(path, 'wb') as f:
            f.write(sandbox.message(new, body='changed %d' % number))


def without_state(box):
    twice_tagged(box)
    shutil.rmtree(os.path.join(box.index, 'state'))


def without_words(box):
    indexed(box)
    text = os.path.join(box.index, 'text')
    for name in os.listdir(text):
        if name != 'tmp':
            os.truncate(os.path.join(text, name), 5000)


def dumped(box):
    indexed(box)
    lines = ['+new%%20tag +kept -- id:m%d@example.org' % n for n in range(0, COUNT, 2)]
    lines += ['#= m%d@example.org key=other' % n for n in range(0, COUNT, 5)]
    box.restore_from = ('#notmuch-dump batch-tag:3 config,properties,tags\n' + '\n'.join(lines) + '\n').encode()


NOTMUCH = """#!/bin/sh
case $* in
--version) echo notmuch 0.37 ;;
*config*) echo false ;;
*dump*) gzip -c <%s/dump ;;
esac
"""


def with_notmuch(box):
    mail(box)
    os.makedirs(os.path.join(box.root, '.notmuch', 'xapian'))
    os.makedirs(os.path.join(box.top, 'bin'))
    for name, text in (('.notmuch/xapian/iamglass', 'untouched'), ('../bin/notmuch', NOTMUCH % box.top)):
        with open(os.path.join(box.root, name), 'w') as f:
            f.write(text)
        os.chmod(os.path.join(box.root, name), 0o755)
    with open(os.path.join(box.top, 'dump'), 'w') as f:
        f.write('#notmuch-dump batch-tag:3 config,properties,tags\n#@ query.mine tag%3akept\n')
        f.writelines('+kept +t%d -- id:m%d@example.org\n' % (n % 3, n) for n in range(COUNT))


def scenes():
    yield Scene('tag', ['tag', '+new', '-kept', '--', '*'], indexed)
    yield Scene('tag that renames', ['tag', '+flagged', '-unread', '--', 'subject:topic'], indexed)
    yield Undo('undo', ['tag', '--undo'], twice_tagged)
    yield Scene('first new', ['new', '--quiet'], mail)
    yield Scene('new', ['new', '--quiet'], more_mail)
    yield Scene('new that merges', ['new', '--quiet'], crowded)
    new = sandbox.message(NEW_ID)
    yield Delivery('insert', ['insert', '--folder=box0', '+mine', '+flagged'], indexed, input=new)
    yield Delivery('insert of a copy', ['insert', '--folder=fresh', '--create-folder'], indexed,
                   input=sandbox.message('m8@example.org', body='another one'))
    box = sandbox.Sandbox()
    dumped(box)
    yield Scene('restore', ['restore'], indexed, input=box.restore_from)
    box.close()
    yield Scene('reindex', ['reindex', '*'], rewritten)
    yield Repair('repair of state', ['check', '--repair', '--quiet'], without_state)
    yield Repair('repair of words', ['check', '--repair', '--quiet'], without_words)
    yield Takeover('takeover', ['new', '--quiet'], with_notmuch)
    answers = b'Bo\nbo@example.org\n\n\n\n\n'
    yield Settings('setup', ['setup'], indexed, input=answers)
    yield Settings('config set', ['config', 'set', 'search.exclude_tags', 'spam', 'deleted'], indexed)
    yield Scene('config set --database', ['config', 'set', '--database', 'query.some', 'tag:kept'], indexed)
    yield Scene('compact', ['compact', '--quiet'], scattered)
    yield Scene('compact --backup', ['compact', '--quiet', '--backup=TOP/saved'], scattered,
                again=['compact', '--quiet', '--backup=TOP/saved-again'])


def main():
    shim.library_or_skip(36)
    if os.access('/dev/shm', os.W_OK):
        # Processes end here, not the machine: a file system in memory will do.
        tempfile.tempdir = '/dev/shm'
    chance = random.Random(int(os.environ.get('MAIL_TEST_SEED', '7')))
    only = sys.argv[1:]
    for scene in scenes():
        if only and scene.name not in only:
            scene.origin.close()
            continue
        every = [(n, 'before') for n in range(1, scene.calls + 1)]
        torn = [(n, 'torn') for n in range(1, scene.calls + 1)]
        chosen = sorted(every + chance.sample(torn, len(torn) // 3) if tap.LONG else
                        chance.sample(every + torn, DRAWN))
        wrong = 0
        for number, how in chosen:
            words = scene.stop_at(number, how)
            wrong += words != ''
            if words:
                tap.diag('%s, call %d, %s:\n%.1500s' % (scene.name, number, how, words))
        tap.equal(wrong, 0, '%s: stopped at %s calls of %d, all is well' % (
            scene.name, 'each of the' if tap.LONG else len(chosen), scene.calls))
        scene.origin.close()
    tap.done()


main()
