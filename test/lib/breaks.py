# SPDX-License-Identifier: GPL-3.0-or-later
"""The breaks of doc/design/mutations.md: which line of which file is how broken, and who notices."""
import os
import re

import tap

DOCUMENT = os.path.join(tap.TOP, 'doc', 'design', 'mutations.md')


def _joined(lines):
    return ''.join(line + '\n' for line in lines)


class Mutation:
    def __init__(self, title, body):
        self.title = title
        self.file = re.search(r'^File: `([^`]+)`', body, re.M).group(1)
        self.tests = re.findall(r'`([^`]+)`', re.search(r'^Caught by: (.*)$', body, re.M).group(1))
        lines = [line[4:] for line in body.splitlines() if re.match(r'    [-+]', line)]
        self.old = [line[1:] for line in lines if line[0] == '-']
        self.new = [line[1:] for line in lines if line[0] == '+']

    def read(self, tree):
        """The file's text; None where the old lines do not stand in it exactly once."""
        with open(os.path.join(tree, self.file), encoding='utf8') as f:
            text = f.read()
        return text if text.count(_joined(self.old)) == 1 else None

    def apply(self, tree):
        """Returns the text before, or None as read() does."""
        text = self.read(tree)
        if text is not None:
            self.undo(tree, text.replace(_joined(self.old), _joined(self.new)))
        return text

    def undo(self, tree, text):
        """Gives the file this text."""
        with open(os.path.join(tree, self.file), 'w', encoding='utf8') as f:
            f.write(text)


def mutations():
    """All breaks of the document."""
    with open(DOCUMENT, encoding='utf8') as f:
        pieces = re.split(r'^## (\d+\. .*)$', f.read(), flags=re.M)
    return [Mutation(t, b) for t, b in zip(pieces[1::2], pieces[2::2])]
