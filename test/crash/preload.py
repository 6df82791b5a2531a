# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the libraries that tests load before the C library, and says what the kernel can do."""
import ctypes
import os
import platform
import shlex
import subprocess

import corpus
import tap

HERE = os.path.dirname(os.path.abspath(__file__))


def library(name):
    """Path of NAME.c (beside this file, or with its folder) compiled, or None where there is no C compiler or a
    sanitizer is in the way (its runtime wants to be the first library)."""
    if os.environ.get('SANITIZE') == '1':
        return None
    source = os.path.join(HERE, name + '.c')
    target = os.path.join(tap.BUILD, 'test', 'crash', os.path.basename(name) + '.so')
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with corpus.locked(os.path.basename(name)):
        newest = max(os.path.getmtime(path) for path in (source, os.path.join(HERE, 'preload.h')))
        if not os.path.exists(target) or os.path.getmtime(target) < newest:
            compiler = shlex.split(os.environ.get('CC', 'cc'))
            command = compiler + ['-shared', '-fPIC', '-O1', '-o', target, source, '-ldl']
            try:
                subprocess.run(command, check=True)
            except (OSError, subprocess.CalledProcessError):
                return None
    return target


def library_or_skip(name, checks):
    found = library(name)
    if found is None:
        tap.skip_all('calls cannot be put in between here', checks)
    return found


def program(name):
    """Path of the program NAME.c (beside this file, or with its folder) compiled, or None where there is
    no C compiler."""
    source = os.path.join(HERE, name + '.c')
    target = os.path.join(tap.BUILD, 'test', 'crash', os.path.basename(name))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with corpus.locked(os.path.basename(name)):
        if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(source):
            compiler = shlex.split(os.environ.get('CC', 'cc'))
            try:
                subprocess.run(compiler + ['-O1', '-o', target, source], check=True)
            except (OSError, subprocess.CalledProcessError):
                return None
    return target


_libc = ctypes.CDLL(None, use_errno=True)


def landlock():
    """Version of the kernel's Landlock interface; 0 for none."""
    create_ruleset, version = 444, 1
    return max(0, _libc.syscall(create_ruleset, None, ctypes.c_size_t(0), version))


def seccomp():
    """Whether the program can filter calls here."""
    get_seccomp = 21
    return _libc.prctl(get_seccomp, 0, 0, 0, 0) >= 0 and platform.machine() in ('x86_64', 'aarch64')
