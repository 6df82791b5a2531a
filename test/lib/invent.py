# SPDX-License-Identifier: GPL-3.0-or-later
"""Invented mail: maildirs of any size, the same each time, with threads, copies and attachments."""
import os
import random

import sandbox

_syllables = ('ka', 'lo', 'mi', 'ren', 'tas', 'vo', 'pel', 'dur', 'ni', 'shu', 'gor', 'bex', 'ulm', 'fay')


def _word(chance):
    return ''.join(chance.choice(_syllables) for _ in range(chance.randint(2, 3)))


def _body(chance, number, size):
    words = ['word%d' % number] + [_word(chance) for _ in range(size)]
    lines = [' '.join(words[i:i + 10]) for i in range(0, len(words), 10)]
    return '\n'.join(lines)


def _mail(chance, number, size):
    more = ''
    if number % 3:
        parent = chance.randrange(max(0, number - 40), number) if number else 0
        more = 'References: <root%d@example.org> <m%d@example.org>\n' % (number // 100, parent)
        more += 'In-Reply-To: <m%d@example.org>\n' % parent
    return sandbox.message('m%d@example.org' % number, 'topic %s %d' % (_word(chance), number),
                           _body(chance, number, size), more)


def maildirs(root, count, size=120, folders=5, seed=1, start=0):
    """Writes count messages of about size words into folders below root; each fiftieth has a copy
    in another folder. Returns the relative paths."""
    chance, names = random.Random(seed), []
    for i in range(folders):
        sandbox.maildir(os.path.join(root, 'box%d' % i))
    for number in range(start, start + count):
        data = _mail(chance, number, chance.randint(size // 2, size * 3 // 2))
        flags = chance.choice(('S', 'S', 'S', '', 'F', 'FS', 'RS'))
        places = ['box%d/cur/%d.invented:2,%s' % (number % folders, number, flags)]
        if number % 50 == 0:
            places.append('box%d/cur/%d.copy:2,S' % ((number + 1) % folders, number))
        for name in places:
            with open(os.path.join(root, name), 'wb') as f:
                f.write(data)
            names.append(name)
    return names
