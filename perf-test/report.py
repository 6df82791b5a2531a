# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of compare, as Markdown."""
import os
import platform
import subprocess
import time

import measure

BEGIN, END = '<!-- figures -->', '<!-- end of figures -->'


def progress(name, took):
    print('%-22s %s' % (name, '  '.join('%s: %s CPU, %s' % (program, seconds(cpu), seconds(wall))
                                        for program, (cpu, wall) in took.items())), flush=True)


def seconds(value):
    if value < 0.1:
        return '%.1f ms' % (value * 1000)
    return '%.2f s' % value if value < 10 else '%.1f s' % value


def size(value):
    if value is None:
        return '–'
    return '%.2f MB' % (value / 1e6) if value < 10e6 else '%.0f MB' % (value / 1e6)


def ratio(ours, theirs):
    return '%.3f' % (ours / theirs) if theirs else '–'


def table(head, rows):
    """Columns padded, so that the source is readable as it is."""
    rows = [head] + rows
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    lines = ['| ' + ' | '.join(cell.ljust(width) for cell, width in zip(row, widths)) + ' |'
             for row in rows]
    return '\n'.join([lines[0], '|' + '|'.join('-' * (width + 2) for width in widths) + '|'] + lines[1:])


def _processor():
    with open('/proc/cpuinfo') as file:
        names = [line.split(':', 1)[1].strip() for line in file if line.startswith('model name')]
    return '%d × %s' % (os.cpu_count(), names[0] if names else platform.machine())


def _file_system(folder):
    found = subprocess.run(['stat', '-f', '-c', '%T', folder], capture_output=True, text=True)
    return found.stdout.strip()


def facts(comparison):
    mail = comparison.mail
    files = len(comparison.first) + sum(map(len, comparison.batches))
    rows = [('mail', '%s, %d files' % (mail.description, files))]
    rows += [(program.name, program.version()) for program in comparison.programs]
    return rows + [('processor', _processor()), ('kernel', platform.release()),
                   ('file system', _file_system(mail.folder)),
                   ('CPU counted by', measure.CPU_FROM),
                   ('runs of cheap steps', '%d, medians' % comparison.options.runs),
                   ('date', time.strftime('%Y-%m-%d', time.gmtime()))]


def times(comparison, names):
    head = ['step'] + [column for name in names for column in (name + ' CPU', name + ' wall')]
    head += ['CPU mail/notmuch', 'wall mail/notmuch'] if len(names) == 2 else []
    rows = []
    for step, took in comparison.steps:
        row = [step] + [seconds(value) for name in names for value in took[name]]
        if len(names) == 2:
            row += [ratio(took['mail'][i], took['notmuch'][i]) for i in (0, 1)]
        rows.append(row)
    return table(head, rows)


def _memory(comparison, names):
    steps = [step for step, _ in comparison.steps
             if any(comparison.memory[name].get(step) for name in names)]
    rows = []
    for step in steps:
        peaks = [comparison.memory[name].get(step) for name in names]
        rows.append(['peak PSS, ' + step] + [size(peak) for peak in peaks]
                    + ([ratio(peaks[1], peaks[0])] if len(names) == 2 and all(peaks) else []))
    return rows


def space(comparison, names):
    """Bytes written, memory; the last column as in times()."""
    rows = []
    for i, what in enumerate(('written to the index', 'written in all')):
        values = [comparison.written[name][i] for name in names]
        rows.append(['add %d: %s' % (len(comparison.batches[0]), what)] + [size(v) for v in values]
                    + ([ratio(values[1], values[0])] if len(names) == 2 else []))
    rows += _memory(comparison, names)
    width = 1 + len(names) + (len(names) == 2)
    head = ['bytes'] + names + (['mail/notmuch'] if len(names) == 2 else [])
    return table(head, [row + ['–'] * (width - len(row)) for row in rows])


def sizes(comparison, names):
    rows = [[name, what, size(value), str(value)] for name in names
            for what, value in comparison.sizes[name]]
    return table(['index of', 'what', 'size', 'bytes'], rows)


def others(comparison):
    """A row for each step of each of the programs that only index; '' where there are none."""
    steps, sizes_of = comparison.others
    ours = dict(comparison.steps)
    rows = []
    for name in steps:
        for step, cpu, wall, pss in steps[name]:
            mine = ours.get(step, {}).get('mail')
            rows.append([name, step, seconds(cpu), seconds(wall)]
                        + ([ratio(mine[0], cpu), ratio(mine[1], wall)] if mine else ['–', '–'])
                        + [size(pss), size(sizes_of[name]) if step == 'first index' else '–'])
    head = ['program', 'step', 'CPU', 'wall', 'CPU mail/it', 'wall mail/it', 'peak PSS', 'index']
    return [table(head, rows)] if rows else []


def tables(comparison):
    names = [program.name for program in comparison.programs]
    return '\n\n'.join([table(['what', 'value'], [list(row) for row in facts(comparison)]),
                        times(comparison, names), space(comparison, names),
                        sizes(comparison, names)] + others(comparison)) + '\n'


def put_into(document, text):
    """Replaces what stands between the two marks."""
    with open(document, encoding='utf8') as file:
        before, rest = file.read().split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    with open(document, 'w', encoding='utf8') as file:
        file.write(before + BEGIN + '\n\n' + text + '\n' + END + after)
