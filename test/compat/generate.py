# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes queries by rule, in both languages, of what is in the mail at hand.

First every prefix with every kind of value; then every operator over pairs of these; then trees
three deep. A fixed seed: the same mail gives the same queries.
"""
import collections
import random
import re

import draw

CLOCK = 1405524600  # Wed 16 July 2014, 15:30:00 UTC

# text: of the query; leaves: pairs (text of a simple query in the same language, the same for the
# rules of differences.py, which know infix)
Query = collections.namedtuple('Query', 'kind syntax text leaves')

DATES = '''2003 2003-05 2003-05-06 20030506 06-05-2003 05-2003 5/6/2003 5/2003 6.5.2003 6.5.03 6_may_2003
may_2003 may2003 may_6_2003 may_6th_2003 6th_may may 13th 2nd monday tue wednesday today yesterday now noon midnight
5pm 5:30pm 12am 10:30 10:30:15 2003-05-06_10:30 2003-05-06_10am last_month this_month this_week last_week last_year
2w 3M 5y 10y 1y2M3d 7d 12h 45m 90s 2_weeks_ago ten_years dozen_months hundred_weeks one_year_ago week mo 2d2d
@1052200000 2003-05-06_10:30_+02:00 2003-05-06_10:30_-0530 2003-05-06_10:30_pst 31_feb_2013 01-01-70
wed,_13_mar_2013_10:00:00_+0100 13_mar_2013 mar_13 06-05 2013-02-31 1970 2038 24/12/2013
tomorrow 2010-1-1 2003-05-06T10:30 last_friday eleven_days 123 15:60 2st'''.split()

FIELDS = ('', 'body', 'from', 'to', 'subject', 'attachment', 'mimetype')
LIKE = {'from', 'subject'}  # those whose value is one phrase, or a regular expression


class Material:
    """Words, phrases and values to make queries of."""

    def __init__(self, paths, folders, tags, chance):
        survey = draw.Survey(paths)
        names = [w.strip('"') for w in survey.from_names.draw(chance, 12)]
        lower = draw.Pool()
        lower.where = {w: m for w, m in survey.words.where.items() if w.islower()}
        self.words = {'': lower.draw(chance, 40), 'body': lower.draw(chance, 30),
                      'from': [n for n in names if ' ' not in n] or ['ann'],
                      'to': [w.strip('"').split(' ')[0] for w in survey.to_names.draw(chance, 10)],
                      'subject': survey.subjects.draw(chance, 12),
                      'attachment': survey.attachments.draw(chance, 10) or ['txt'],
                      'mimetype': ['text', 'plain', 'html', 'multipart', 'signed', 'octet']}
        phrases = survey.phrases.draw(chance, 14)
        self.phrases = {'': phrases, 'body': phrases[::2],
                        'from': [n for n in names if ' ' in n] + survey.from_addresses.draw(chance, 6),
                        'to': survey.to_addresses.draw(chance, 8),
                        'subject': survey.subject_phrases.draw(chance, 6),
                        'attachment': ['config txt', 'patch diff'],
                        'mimetype': survey.types.draw(chance, 4)}
        self.foreign = _foreign(paths)
        self.folders, self.tags = folders, tags
        self.ids = chance.sample(sorted(survey.ids), min(20, len(survey.ids)))
        self.dates = sorted(survey.dates)


def _foreign(paths):
    """Words beyond ASCII, by field, of headers that can be read."""
    found = {'from': set(), 'subject': set()}
    for path in paths:
        with open(path, 'rb') as f:
            mail = draw.email.message_from_binary_file(f)
        for field in found:
            text = draw._decoded(mail.get(field))
            found[field].update(w.lower() for w in re.findall(r'[^\W\d_]{3,20}', text)
                                if not w.isascii() and w.isprintable())
    both = sorted(found['from'] | found['subject'])
    return {'': both[:20], 'body': both[::3][:10], 'from': sorted(found['from'])[:12],
            'subject': sorted(found['subject'])[:12], 'to': both[:4], 'attachment': both[:2], 'mimetype': both[:1]}


def _quoted(value):
    """A value of an infix prefix, in quotes where it has to be."""
    return value if re.fullmatch(r'[\w./+-]*', value) else '"%s"' % value.replace('"', '""')


def _prefixed(field, value):
    return '%s:%s' % (field, value) if field else value


def _field(field, value):
    return '(%s %s)' % (field, value) if field else value


def infix_leaves(material, chance):
    """(kind, text)"""
    out = []
    for field in FIELDS:
        def put(kind, form, items):
            out.extend(('%s %s' % (field or 'bare', kind), _prefixed(field, form % i)) for i in items)
        words, phrases = material.words[field], material.phrases[field]
        put('word', '%s', words)
        put('capital', '%s', [w.capitalize() for w in words[::2]])
        put('quoted', '"%s"', words[1::2])
        put('phrase', '"%s"', phrases)
        put('wildcard', '%s*', [w[:4] for w in words[::3] if len(w) > 4])
        put('foreign', '%s', material.foreign[field])
        put('joined', '%s', [re.sub('[^A-Za-z0-9]+', '-', p) for p in phrases[::3]
                             if p.split(' ')[0].lower() not in draw._operators])
        if field in LIKE:
            put('regex', '/%s/', [w.capitalize()[:6] for w in words[::3]])
            put('regex', '"/%s/"', [re.escape(p)[:14].rstrip('\\') for p in phrases[::3]])
            put('inner', '"(%s)"', words[::4])
            put('empty', '%s', ['""'])
    for tag in material.tags:
        bare = tag.strip('"')
        out += [('tag', 'tag:' + tag), ('is', 'is:"%s"' % bare), ('tag regex', 'tag:"/^%s/"' % bare[:3])]
    out += [('tag literal', t) for t in ('tag:""', 'tag:in*', 'tag:nosuch', 'tag:Inbox', 'tag:inbox/')]
    for message_id in material.ids:
        out += [('id', 'id:' + message_id), ('mid', 'mid:"%s"' % message_id)]
    out += [('mid regex', 'mid:/%s/' % re.escape(i[:5])) for i in material.ids[:4]]
    for folder in material.folders:
        out += [(name, '%s:%s' % (name, _quoted(form % folder))) for name, form in (
            ('folder', '%s'), ('path', '%s/cur'), ('path', '%s/**'), ('folder', '%s/'), ('path', '%s'))]
    out += [('folder regex', 'folder:"/%s/"' % re.escape(f[:4])) for f in material.folders] + [
        ('path regex', 'path:"/%s/"' % re.escape(f[-4:])) for f in material.folders] + [('path', 'path:""'), ('folder', 'folder:""')]
    out += [('thread', 'thread:"{subject:%s}"' % w) for w in material.words['subject'][:6]]
    out += [('thread', 'thread:{tag:%s}' % t) for t in material.tags if '"' not in t]
    out += [('date', 'date:' + d) for d in DATES]
    for a in DATES[::4]:
        b = chance.choice(DATES)
        out += [('date range', 'date:%s..%s' % (a, b)), ('date range', 'date:%s..' % a), ('date range', 'date:..%s' % a),
                ('date range', 'date:%s..!' % a)]
    for _ in range(6):
        a, b = sorted(chance.sample(material.dates, 2))
        out += [('seconds', '%d..%d' % (a, b)), ('seconds', '..%d' % a), ('date range', 'date:@%d..@%d' % (a, b))]
    return out + [('all', '*'), ('lastmod', 'lastmod:0..'), ('property', 'property:a=b')]


def sexp_leaves(material, chance):
    """(kind, text, the same for the rules)"""
    out = []
    for field in FIELDS:
        def put(kind, form, items):
            asked = '"%s"' if kind in ('quoted', 'phrase') else '%s'
            out.extend(('sexp %s %s' % (field or 'bare', kind), _field(field, form % i), _prefixed(field, asked % i))
                       for i in items)
        words, phrases = material.words[field], material.phrases[field]
        put('word', '%s', words)
        put('capital', '%s', [w.capitalize() for w in words[::2]])
        put('quoted', '"%s"', words[1::2])
        put('phrase', '"%s"', phrases)
        put('foreign', '%s', material.foreign[field])
        if field:
            out += [('sexp %s two' % field, '(%s %s %s)' % (field, a, b), '%s:%s %s' % (field, a, b))
                    for a, b in zip(words[::2], words[1::2])][:6]
            out += [('sexp %s or' % field, '(%s (or %s %s))' % (field, a, b), '%s:%s %s' % (field, a, b))
                    for a, b in zip(words[::3], words[1::3])][:4]
            out += [('sexp %s not' % field, '(%s (not %s))' % (field, a), '-%s:%s' % (field, a)) for a in words[:3]]
        if field and field != 'body':
            out += [('sexp %s starts' % field, '(%s (starts-with %s))' % (field, w[:4]), '%s:%s' % (field, w[:4]))
                    for w in words[::3]]
            out += [('sexp %s any' % field, '(%s *)' % field, field + ':*'), ('sexp %s all' % field, '(%s)' % field, None)]
            out += [('sexp %s of' % field, '(%s (of (tag %s)))' % (field, t), field + ':*')
                    for t in material.tags[:3] if '"' not in t]
        if field in LIKE:
            out += [('sexp %s rx' % field, '(%s (rx "%s"))' % (field, w.capitalize()[:5]), '%s:/%s/' % (field, w))
                    for w in words[::3]]
    for tag in material.tags:
        bare = tag.strip('"')
        out += [('sexp tag', '(tag "%s")' % bare, 'tag:' + tag), ('sexp is', '(is %s)' % tag, 'tag:' + tag),
                ('sexp tag starts', '(tag (starts-with "%s"))' % bare[:3], 'tag:' + tag),
                ('sexp tag rx', '(tag (rx "%s$"))' % bare[-3:], 'tag:' + tag),
                ('sexp thread of', '(thread (of (tag "%s")))' % bare, 'thread:"{tag:%s}"' % bare)]
    for message_id in material.ids:
        out += [('sexp id', '(id "%s")' % message_id, None), ('sexp mid', '(mid "%s" "x")' % message_id, None),
                ('sexp mid starts', '(mid (starts-with "%s"))' % message_id[:4].lower(), None)]
    for folder in material.folders:
        out += [('sexp folder', '(folder "%s")' % folder, None), ('sexp path', '(path "%s/cur")' % folder, None),
                ('sexp folder starts', '(folder (starts-with "%s"))' % folder[:3], None),
                ('sexp path starts', '(path (starts-with "%s"))' % folder[:3], None),
                ('sexp folder rx', '(folder (rx "%s$"))' % re.escape(folder[-3:]).replace('\\', '\\\\'), None),
                ('sexp path rx', '(path (rx "^%s"))' % folder[:3], None),
                ('sexp folder of', '(folder (of (id "%s")))' % chance.choice(material.ids), None)]
    for a in DATES[::2]:
        out += [('sexp date', '(date "%s")' % a, 'date:' + a), ('sexp date', '(date %s *)' % a, 'date:%s..' % a),
                ('sexp date', '(date "" %s)' % a, 'date:..' + a)]
    out += [('sexp infix', '(infix "%s")' % text.replace('\\', '\\\\').replace('"', '\\"'), text)
            for kind, text in infix_leaves(material, chance)[::9]
            if not kind.startswith('date') and text != '*']
    return out + [('sexp all', t, None) for t in ('()', '*', '(and)', '(or)', '(not)', '(tag)', '(tag *)', '(from "")',
                                                  '(tag "")', '(lastmod 0 *)', '(property *)')]


INFIX_PAIRS = ('%s and %s', '%s or %s', '%s xor %s', '%s and not %s', '%s not %s', '%s %s', '%s -%s', '+%s %s',
               '(%s) (%s)', 'not %s and %s', '%s or not %s', '%s AND NOT (%s)', 'not (%s or %s)')
SEXP_PAIRS = ('(and %s %s)', '(or %s %s)', '(and %s (not %s))', '(not %s %s)', '(or %s (not %s))')


def _tree(chance, leaves, depth, forms, used):
    if depth == 0 or chance.random() < 0.2:
        leaf = chance.choice(leaves)
        used.append(leaf)
        return leaf[0]
    left = _tree(chance, leaves, depth - 1, forms, used)
    right = _tree(chance, leaves, depth - 1, forms, used)
    return chance.choice(forms) % (left, right)


def queries(paths, folders, tags, count, seed=0):
    """count queries: a third of them leaves (or all leaves there are), a third pairs, the rest trees."""
    chance = random.Random(20031118 + seed)
    material = Material(paths, folders, tags, chance)
    simple = [Query(k, 'infix', t, ((t, t),)) for k, t in infix_leaves(material, chance)]
    simple += [Query(k, 'sexp', t, ((t, a),)) for k, t, a in sexp_leaves(material, chance)]
    out, wanted = {}, count // 3 if count < 3 * len(simple) else len(simple)
    for query in simple[::max(1, len(simple) // max(wanted, 1))]:
        out.setdefault((query.syntax, query.text), query)
    dates = {q.text for q in simple if q.kind.startswith(('date', 'sexp date'))}
    leaves = {syntax: [q.leaves[0] for q in simple if q.syntax == syntax and (
        q.text not in dates or chance.random() < 0.3) and q.kind not in ('property', 'lastmod')]
        for syntax in ('infix', 'sexp')}
    turn = 0
    while len(out) < count:
        turn += 1
        syntax = 'infix' if turn % 2 else 'sexp'
        pairs = INFIX_PAIRS if syntax == 'infix' else SEXP_PAIRS
        used = []
        if turn % 4 < 2:
            kind = 'pair'
            text = pairs[turn // 4 % len(pairs)] % tuple(_tree(chance, leaves[syntax], 0, (), used) for _ in '12')
        else:
            kind = 'tree'
            forms = tuple('(%s)' % f for f in pairs[:5]) if syntax == 'infix' else pairs
            text = _tree(chance, leaves[syntax], 3, forms, used)
        if re.search(r'(^|[ (])-\d', text):
            continue  # "-1..2": there the sign is the number's
        query = Query('%s %s' % (syntax, kind), syntax, text, tuple(used))
        out.setdefault((syntax, text), query)
    return list(out.values())


def stems(paths, count):
    """Words in lower case, each looked for in all fields, in the body and in the subject with its stem."""
    chance = random.Random(1980)
    survey = draw.Survey(paths)
    pool = draw.Pool()
    pool.where = {w: m for w, m in survey.words.where.items() if w.islower()}
    words = pool.draw(chance, count // len(draw.BANDS))
    forms = (('stem bare', '%s'), ('stem body', 'body:%s'), ('stem subject', 'subject:"(%s)"'))
    return [Query(kind, 'infix', form % w, ((form % w, _prefixed(kind.replace('stem ', '').replace('bare', ''), w)),))
            for kind, form in forms for w in words]
