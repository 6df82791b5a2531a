#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools of perf-test: the generator gives the same mail for the same seed; writes are summed."""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
TOP = os.environ['TOP']
sys.path[:0] = [os.path.join(TOP, 'test', 'lib'), os.path.join(TOP, 'perf-test')]
import tap
import measure
import trees


def generated(name, seed, hash_seed):
    folder = os.path.join(os.environ['TMPDIR'], name)
    subprocess.run([os.path.join(TOP, 'perf-test', 'generate'), '--messages', '300', '--folders', '3',
                    '--seed', seed, folder], check=True, env=dict(os.environ, PYTHONHASHSEED=hash_seed))
    mail = trees.Source(folder, '', True)
    content = {}
    for path in mail.files():
        with open(os.path.join(folder, path), 'rb') as file:
            content[path] = file.read()
    return content


one = generated('one', '1', '1')
tap.equal(len(one), 307, 'generate --messages 300: so many, and a copy of each fortieth')
tap.ok(one == generated('again', '1', '2'), 'the same seed, the same mail')
tap.ok(one.keys() and one != generated('two', '2', '1'), 'another seed, other mail')
tap.equal(sum(b'\nReferences: ' in data for data in one.values()) > 100, True, 'there are replies')

TRACE = '''\
12 write(5</i/state/a>, ""..., 100) = 100
12 pwrite64(6</i/text/b>, ""..., 50, 4096 <unfinished ...>
13 writev(7<pipe:[12]>, [{iov_base=""..., iov_len=7}], 1) = 7
12 <... pwrite64 resumed>)             = 50
13 write(5</other>, ""..., 9)          = -1 ENOSPC (No space left on device)
13 write(1</ii/state>, ""..., 3)       = 3
13 --- SIGCHLD {si_signo=SIGCHLD} ---
13 +++ exited with 0 +++
'''
tap.equal(measure.sum_writes(TRACE.splitlines(), '/i/'), (150, 160), 'writes in a trace are summed')

folder = os.path.join(os.environ['TMPDIR'], 'written')
os.makedirs(folder)
script = 'head -c 5000 /dev/zero >%s/x; (sleep 0.1; head -c 300 /dev/zero >%s/y) &' % (folder, folder)
took = measure.timed(['sh', '-c', script], os.environ, sample=True)
tap.equal(os.path.exists(folder + '/y') and measure.bytes_of(folder), 5300,
          'a run lasts until the last process that it left behind has ended')
tap.ok(took.wall >= 0.1 and took.pss, 'time and memory are told', vars(took))

# A child whose parent ignores SIGCHLD, and one whose parent has gone: half a second of CPU each.
BURN = "import time\nwhile time.process_time() < 0.5: pass"
took = measure.timed(['sh', '-c', 'exec python3 -c "$0" "$1"', """
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for child in range(2):
    if os.fork() == 0:
        if child == 1 and os.fork() != 0:
            os._exit(0)
        exec(sys.argv[1])
        os._exit(0)
time.sleep(1)
""", BURN], os.environ)
if measure.CPU_FROM.startswith('task clock'):
    tap.ok(1.0 <= took.cpu < 1.5, 'CPU of children that nobody waits for is counted', vars(took))
else:
    tap.skip('CPU of children that nobody waits for is counted', 'no perf events')
try:
    measure.timed(['sh', '-c', 'echo no luck >&2; exit 3'], os.environ)
    tap.ok(False, 'a command that fails is an error')
except measure.Failed as error:
    tap.ok('3' in str(error) and 'no luck' in str(error), 'a command that fails is an error', error)
tap.done()
