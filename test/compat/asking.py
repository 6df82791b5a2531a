# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts one question to both programs and asks the rules why the answers differ."""
import differences


class Asking:
    def __init__(self, both):
        self.both = both
        self.facts = {}
        self.used = {}
        self.found = self.unlike = self.equal = 0

    def facts_of(self, message_id):
        if message_id not in self.facts:
            self.facts[message_id] = self.both.facts(message_id)
        return self.facts[message_id]

    def reason(self, message_id, query):
        """Why a message is in one answer only: a rule, or None."""
        for leaf in differences.leaves(query):
            peer, ours = self.both.ask(leaf)
            if isinstance(peer, str) or isinstance(ours, str):
                return None
            if (message_id in peer) == (message_id in ours):
                continue
            if leaf.startswith('thread:"{'):
                name = self.thread_reason(message_id, leaf[len('thread:"{'):-len('}"')])
            else:
                direction = 'extra' if message_id in ours else 'missing'
                name = differences.explain(self.facts_of(message_id), leaf, direction)
            if name:
                return name
        return None

    def thread_reason(self, message_id, inner):
        """Why a thread is in one answer only: a message of it is in one answer to the inner query only."""
        peer, ours = self.both.ask(inner)
        for other in sorted(peer ^ ours):
            if message_id in self.both.ask('thread:"{id:%s}"' % other)[0]:
                return self.reason(other, inner)
        return None

    def query(self, query):
        """(usable, list of what no rule explains); adds to the sums of the kind."""
        peer, ours = self.both.ask(query)
        if isinstance(peer, str):
            return False, ['notmuch: ' + peer]
        if isinstance(ours, str):
            return True, ['%s: ours: %s' % (query, ours)]
        wrong = []
        self.found += len(peer)
        self.unlike += len(peer ^ ours)
        self.equal += peer == ours
        for message_id in sorted(peer ^ ours):
            name = self.reason(message_id, query)
            self.used[name] = self.used.get(name, 0) + 1
            if name is None:
                wrong.append('%s: %s %s' % (query, 'extra' if message_id in ours else 'missing',
                                            message_id))
        return 0 < len(peer) < len(self.both.names), wrong
