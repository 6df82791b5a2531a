# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the mail comes from, and the trees of it that the programs work on."""
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
CORPUS = os.path.join(TOP, '..', 'shared', 'corpus', 'lists.tar.zst')
SKIPPED = ('.notmuch', '.mailindex', 'tmp')


class Source:
    """Mail to measure with: folder, a description, and whether its files are ours to link."""

    def __init__(self, folder, description, ours):
        self.folder, self.description, self.ours = folder, description, ours

    def files(self):
        """Relative paths in byte order."""
        found = []
        for where, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if name not in SKIPPED]
            found += [os.path.relpath(os.path.join(where, name), self.folder) for name in names]
        return sorted(found)


def source(options, work):
    """--generate N, else $MAIL_TEST_CORPUS, else the corpus beside the tree, else generated."""
    given = os.environ.get('MAIL_TEST_CORPUS') or (CORPUS if os.path.exists(CORPUS) else None)
    if options.generate is not None or given is None:
        count = 10000 if options.generate is None else options.generate
        folder = os.path.join(work, 'generated')
        subprocess.run([os.path.join(HERE, 'generate'), '--messages', str(count), '--seed',
                        str(options.seed), folder], check=True)
        return Source(folder, 'generated, seed %d' % options.seed, True)
    if os.path.isdir(given):
        return Source(given, os.path.basename(os.path.abspath(given)), False)
    folder = os.path.join(work, 'corpus')
    os.makedirs(folder)
    subprocess.run(['tar', '-xf', os.path.abspath(given), '-C', folder]
                   + (['--zstd'] if given.endswith('.zst') else []), check=True)
    return Source(folder, os.path.basename(given), True)


def every(names, count):
    """count of the names, evenly spread."""
    step = len(names) / count if count else 1
    return [names[int(i * step)] for i in range(min(count, len(names)))]


def put(mail, names, target):
    """Puts the named files into target. Files of our own are linked (the programs may rename them,
    they never write into them); those of the user are copied."""
    for name in names:
        place = os.path.join(target, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if mail.ours:
            os.link(os.path.join(mail.folder, name), place)
        else:
            shutil.copy2(os.path.join(mail.folder, name), place)
