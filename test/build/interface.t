#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface of the library, as text: what mailindex.h declares is what the library exports, and each
function of it is called in a test of test/api, which sees that header and nothing else."""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib')]
import tap


def read(path):
    with open(path, encoding='utf8') as f:
        return f.read()


def without_comments(text):
    """C text without comments, and with nothing in its strings but those of #include."""
    text = re.sub(r'^(#include\s+)"([^"]+)"', r'\1<\2"', text, flags=re.M)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/', '""', text, flags=re.S)
    return text


def declared():
    """Functions of the header: a name before " (" that a type stands in front of."""
    text = without_comments(read(os.path.join(tap.TOP, 'lib', 'mailindex.h')))
    text = re.sub(r'^[ \t]*#(?:.*\\\n)*.*$', '', text, flags=re.M)
    text = re.sub(r'\btypedef\b[^;]*;', '', text)
    return set(re.findall(r'[\w*]\s*\b(mail_\w+)\s*\(', text))


def exported():
    library = os.path.join(tap.BUILD, 'libmailindex.so.0')
    done = subprocess.run(['nm', '-D', '--defined-only', library], capture_output=True, text=True, check=True)
    symbols = [line.split()[-1].split('@')[0] for line in done.stdout.splitlines()]
    return {s for s in symbols if s != 'MAILINDEX_0'}


def called():
    """Functions called in test/api."""
    text = ''
    for path in glob.glob(os.path.join(tap.TOP, 'test', 'api', '*.c')):
        text += without_comments(read(path))
    return set(re.findall(r'\b(mail_\w+)\s*\(', text)), re.findall(r'#include\s+<([^">]+)"', text)


def main():
    functions = declared()
    calls, includes = called()
    tap.ok(len(functions) > 60, 'the header is understood (%d functions)' % len(functions))
    tap.equal(sorted(exported() - functions), [], 'nothing is exported that is not declared')
    tap.equal(sorted(functions - exported()), [], 'all that is declared is exported')
    tap.equal(sorted(functions - calls), [], 'each function is called in test/api')
    tap.equal(sorted(set(includes) - {'helper.h'}), [], 'which includes no header of the tree but its own')
    tap.done()


main()
