#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of every command, their defaults, exit codes and messages, under both names; and that
they are notmuch's, where it is installed.

A row is a command line with what it exits with and says. It is run with the program as mail, with
the program as notmuch, and with notmuch itself; a row says where one of them does something else.
"""
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib')]
import sandbox
import tap

UUID = re.compile(r'[0-9a-f]{8}-[0-9a-f-]{27}')
ANY = re.compile('')
NOTHING = ''


class Row:
    """err: the whole of stderr, a pattern that is looked for in it, or nothing; NAME stands for the
    program's name, ROOT for the mail folder, HOME for the one above. out: the same of stdout.
    own: what is different as mail. peer: what is different with notmuch, or None: it is not asked."""

    def __init__(self, line, code=0, err=NOTHING, out=ANY, input=b'', own=None, peer=()):
        self.args = [a.replace('_', ' ') if a.startswith('_') else a for a in line.split()] \
            if isinstance(line, str) else line
        self.input = input
        right = {'code': code, 'err': err, 'out': out}
        self.wanted = {'own': dict(right, **(own or {})), 'same': right,
                       'peer': None if peer is None else dict(right, **dict(peer))}


def option(text, line):
    """What is said of an option that cannot be read."""
    return '%sUnrecognized option: %s\n' % (text + '\n' if text else '', line)


def missing(command):
    return 'Error: NAME %s requires at least one search term.\n' % command


def keyword(word, name, typed=None):
    return option('Unknown keyword argument "%s" for option "%s".' % (word, name),
                  typed or '--%s=%s' % (name, word))


OURS = None  # for peer: notmuch knows no such thing
WORD = dict(code=1, err='Error: unexpected word: foo\n')
PASSED_OVER = dict(code=0, err=ANY)

GRAMMAR = [
    # ---- values
    Row('search --output=threads *', out=re.compile('^thread:')),
    Row('search --output:threads *', out=re.compile('^thread:')),
    Row('search --output threads *', out=re.compile('^thread:')),
    Row('search --limit -1 --output=messages *', out=re.compile('^(id:.*\n){4}$')),
    Row('search --out=threads *', 1, option('', '--out=threads')),
    Row('search --output --exclude *', 1,
        option('Option "output" needs a keyword argument.', '--output')),
    Row('search --output= *', 1, keyword('', 'output', '--output=')),
    Row('search --output=x *', 1, keyword('x', 'output')),
    # ---- booleans
    Row('count --exclude *', out='4\n'),
    Row('count --exclude=true *', out='4\n'),
    Row('count --exclude=false *', out='4\n'),
    Row('count --no-exclude *', out='4\n'),
    Row('count --no-exclude=false *', out='4\n'),
    Row('count --no-lastmod *', out='4\n'),
    Row('count --lastmod=false *', out='4\n'),
    Row('count --lastmod=yes *', 1,
        option('Unknown argument "yes" for (boolean) option "lastmod".', '--lastmod=yes')),
    Row('count --lastmod=TRUE *', 1,
        option('Unknown argument "TRUE" for (boolean) option "lastmod".', '--lastmod=TRUE')),
    Row('count --lastmod= *', 1,
        option('Unknown argument "" for (boolean) option "lastmod".', '--lastmod=')),
    # ---- integers
    Row(['search', '--limit= +1', '--output=messages', '*'], out=re.compile('^id:.*\n$')),
    Row('search --limit=x *', 1,
        option('Unable to parse argument "x" for option "limit" as an integer.', '--limit=x')),
    Row('search --limit=1x *', 1,
        option('Unable to parse argument "1x" for option "limit" as an integer.', '--limit=1x')),
    Row('search --limit=0x1 *', 1,
        option('Unable to parse argument "0x1" for option "limit" as an integer.', '--limit=0x1')),
    Row('search --limit= *', 1, option('Option "limit" needs an integer argument.', '--limit=')),
    Row('search --limit', 1, option('Option "limit" needs an integer argument.', '--limit')),
    # ---- strings
    Row('dump --output=', 1,
        option('String argument for option "output" must be non-empty.', '--output=')),
    Row('dump --output', 1, option('Option "output" needs a string argument.', '--output')),
    # ---- the end of options
    Row('count -- *', out='4\n'),
    Row('count -x', out='4\n', peer=dict(out='0\n')), # a word of the query
]

GLOBAL = [
    Row('--version', out=re.compile('^NAME [0-9.]+')),
    Row('--help', out=re.compile('Usage: NAME ')),
    Row('help', out=re.compile('Usage: NAME ')),
    Row('--nosuch count', 1, option('', '--nosuch')),
    Row('count --nosuch', 1, option('', '--nosuch')),
    Row('count --config=x', 1, option('', '--config=x')),
    Row('nosuch', 1, 'Error: Unknown command \'nosuch\' (see "NAME help")\n'),
    Row(['--query=sexp', 'count', '(tag inbox)'], out=re.compile('^[0-9]+\n$')),
    Row(['count', '--query=sexp', '(tag inbox)'], out=re.compile('^[0-9]+\n$')),
    Row('--query=x count', 1, keyword('x', 'query')),
    Row('count --query=x', 1, keyword('x', 'query')),
    Row('count --uuid=x', 1,
        'Error: requested database revision x does not match UUID\n'),
    Row('--uuid=x count', 1, 'Error: requested database revision x does not match UUID\n',
        peer=dict(err=re.compile('^Warning: ignoring --uuid=x\n'), code=ANY)),
    Row('--config= config get no.such', out=''),
]

SEARCH = [
    Row('search', 1, missing('search')),
    Row(['search', ''], 1, missing('search')),
    Row('search id:a@x', out=re.compile(
        '^thread:[0-9a-f]{16}   2024-03-05 \\[1/2\\] Ann Example; one \\(.*\\)\n$')),
    Row('search --format=json id:a@x', out=re.compile('^\\[{"thread": ')),
    Row('search --format=sexp id:a@x', out=re.compile('^\\(\\(:thread ')),
    Row('search --format=text0 --output=messages id:a@x', out='id:a@x\0'),
    Row('search --format=text0 id:a@x', 1,
        'Error: --format=text0 is not compatible with --output=summary.\n'),
    Row('search --format=x id:a@x', 1, keyword('x', 'format')),
    Row('search --format-version=0 *', 20, re.compile('version 0')),
    Row('search --format-version=6 *', 21, re.compile('version 6')),
    Row('search --format=json --format-version=1 id:a@x', out=re.compile('^\\[{"thread": ')),
    Row('search --output=summary id:a@x', out=re.compile('^thread:')),
    Row('search --output=messages id:a@x', out='id:a@x\n'),
    Row('search --output=files id:a@x', out='ROOT/in/cur/1:2,S\n'),
    Row('search --output=tags id:a@x', out='inbox\n'),
    Row('search --sort=oldest-first --output=messages *', out='id:a@x\nid:b@x\nid:c@x\nid:d@x\n'),
    Row('search --sort=newest-first --output=messages *', out='id:d@x\nid:c@x\nid:b@x\nid:a@x\n'),
    Row('search --output=messages *', out='id:d@x\nid:c@x\nid:b@x\nid:a@x\n'),
    Row('search --sort=x *', 1, keyword('x', 'sort')),
    Row('search --offset=1 --limit=2 --output=messages *', out='id:c@x\nid:b@x\n'),
    Row('search --offset=-1 --output=messages *', out='id:a@x\n'),
    Row('search --limit=0 --output=messages *', out=''),
    Row('tag +hidden id:d@x'),
    Row('search --output=messages *', out='id:c@x\nid:b@x\nid:a@x\n'),
    Row('search --exclude=true --output=messages *', out='id:c@x\nid:b@x\nid:a@x\n'),
    Row('search --exclude=false --output=messages *', out='id:d@x\nid:c@x\nid:b@x\nid:a@x\n'),
    Row('search --exclude=all --output=messages *', out='id:c@x\nid:b@x\nid:a@x\n'),
    Row('search --exclude=flag id:d@x', out=re.compile('\\[0/1\\]')),
    Row('search --output=messages tag:hidden', out='id:d@x\n'),
    Row('count *', out='3\n'),
    Row('count --exclude=false *', out='4\n'),
    Row('address --output=count *', out='3\tAnn Example <ann@example.org>\n'),
    Row('address --output=count --exclude=false *', out='4\tAnn Example <ann@example.org>\n'),
    Row('show --exclude --format=json id:d@x', out='[]\n'),
    Row('show --exclude=false --format=json id:d@x', out=re.compile('"excluded": true')),
    Row('tag -hidden id:d@x'),
    Row('search --exclude=flag --output=messages *', 0,
        'Warning: this output format cannot flag excluded messages.\n'),
    Row('search --exclude=x *', 1, keyword('x', 'exclude')),
    Row('search --exclude *', 1, keyword('*', 'exclude', '--exclude')),
    Row('search --duplicate=1 --output=files id:a@x', out='ROOT/in/cur/1:2,S\n'),
    Row('search --duplicate=2 --output=files id:a@x', out=''),
    Row('search --duplicate=2 --output=messages *', out=''),
    Row('search --duplicate=1 *', 1, 'Error: --duplicate=N is only supported with --output=files '
        'and --output=messages.\n'),
    Row('search id:none@x', out=''),
    Row('search --format=json id:none@x', out='[]\n'),
    Row('search --format=sexp id:none@x', out='()\n'),
    Row('search (', 0, ANY, own=dict(code=2, err=re.compile('^NAME search: '))),
    Row('search date:nonsense..', 1, re.compile('^NAME search: '), own=dict(code=2)),
    Row('search --query=sexp (', 1, re.compile('^NAME search: '), own=dict(code=2)),
]

ADDRESS = [
    Row('address', 1, missing('address'), peer=dict(err=missing('search'))), # so does 0.37
    Row('address id:a@x', out='Ann Example <ann@example.org>\n'),
    Row('address --output=sender id:a@x', out='Ann Example <ann@example.org>\n'),
    Row('address --output=recipients id:a@x', out='Bob Example <bob@example.net>\n'),
    Row('address --output=sender --output=recipients id:a@x',
        out='Ann Example <ann@example.org>\nBob Example <bob@example.net>\n'),
    Row('address --output=count id:a@x', out='1\tAnn Example <ann@example.org>\n'),
    Row('address --output=address id:a@x', out='ann@example.org\n'),
    Row('address --output=x id:a@x', 1, keyword('x', 'output')),
    Row('address --format=json id:a@x', out='[{"name": "Ann Example", "address": "ann@example.org", '
        '"name-addr": "Ann Example <ann@example.org>"}]\n'),
    Row('address --format=sexp id:a@x', out='((:name "Ann Example" :address "ann@example.org" '
        ':name-addr "Ann Example <ann@example.org>"))\n'),
    Row('address --format=text0 id:a@x', out='Ann Example <ann@example.org>\0'),
    Row('address --format=x id:a@x', 1, keyword('x', 'format')),
    Row('address --format-version=6 *', 21, re.compile('version 6')),
    Row('address --sort=oldest-first *', out='Ann Example <ann@example.org>\n'),
    Row('address --deduplicate=no *', out='Ann Example <ann@example.org>\n' * 4),
    Row('address --deduplicate=mailbox *', out='Ann Example <ann@example.org>\n'),
    Row('address --deduplicate=address *', out='Ann Example <ann@example.org>\n'),
    Row('address --deduplicate=x *', 1, keyword('x', 'deduplicate')),
    Row('address --exclude=flag *', 1, keyword('flag', 'exclude')),
    Row('address id:none@x', out=''),
]

SHOW = [
    Row('show', 1, missing('show')),
    Row('show id:a@x', out=re.compile('id:a@x')),
    Row('show --format=text id:a@x', out=re.compile('id:a@x')),
    Row('show --format=json id:a@x', out=re.compile('^\\[\\[\\[{"id": "a@x"')),
    Row('show --format=sexp id:a@x', out=re.compile('^\\(\\(\\(\\(:id "a@x"')),
    Row('show --format=mbox id:a@x', out=re.compile('^From ')),
    Row('show --format=raw id:a@x', out=re.compile('^From: Ann')),
    Row('show --format=x id:a@x', 1, keyword('x', 'format')),
    Row('show --format-version=0 *', 20, re.compile('version 0')),
    Row('show --format-version=6 *', 21, re.compile('version 6')),
    Row('show --format=json --entire-thread=false id:a@x', out=ANY),
    Row('show --entire-thread --format=mbox id:a@x', out=re.compile('^From (.|\n)*\nFrom ')),
    Row('show --part=1 id:a@x', out='body a\n'),
    Row('show --part=0 --format=raw id:a@x', out=re.compile('^From: Ann')),
    Row('show --part=7 id:a@x', out=''),
    Row('show --part=1 --format=mbox id:a@x', 1,
        'Error: specifying parts is incompatible with mbox output format.\n'),
    Row('show --part=1 *', 1, 'Error: search term did not match precisely one message '
        '(matched 4 messages).\n'),
    Row('show --format=raw *', 1, 'Error: search term did not match precisely one message '
        '(matched 4 messages).\n'),
    Row('show --format=raw id:none@x', 1, 'Error: search term did not match precisely one message '
        '(matched 0 messages).\n'),
    Row('show --body=false --format=json id:a@x', out=ANY),
    Row('show --body=false --format=raw id:a@x', 0, 'Warning: --body=false only implemented for '
        'format=text, format=json and format=sexp\n'),
    Row('show --body=false --part=1 id:a@x', 0,
        'Warning: --body=false is incompatible with --part > 0. Disabling.\n'),
    Row('show --include-html --format=raw id:a@x', 0, re.compile('^Warning: --include-html ')),
    Row('show --include-html id:a@x', out=ANY),
    Row('show --verify id:a@x', out=ANY),
    Row('show --decrypt=auto id:a@x', out=ANY),
    Row('show --decrypt=false id:a@x', out=ANY),
    Row('show --decrypt=true id:a@x', out=ANY),
    Row('show --decrypt=stash id:a@x', out=ANY),
    Row('show --decrypt=x id:a@x', 1, keyword('x', 'decrypt')),
    Row('show --decrypt id:a@x', 0, re.compile('^Warning: No known keyword option given for "decrypt", '
        'choosing value "true"')),
    Row('show --duplicate=1 id:a@x', out=re.compile('id:a@x')),
    Row('show --sort=oldest-first --format=json *', out=ANY),
    Row('show id:none@x', out=''),
    Row('show --format=json id:none@x', out='[]\n'),
    Row('show --format=sexp id:none@x', out='()\n'),
]

COUNT = [
    Row('count', out='4\n'),
    Row('count id:a@x', out='1\n'),
    Row('count --output=messages *', out='4\n'),
    Row('count --output=threads *', out='3\n'),
    Row('count --output=files *', out='4\n'),
    Row('count --output=x *', 1, keyword('x', 'output')),
    Row('count --lastmod *', out=re.compile('^4\tUUID\t[0-9]+\n$')),
    Row('count --batch', input=b'id:a@x\n\nid:none\n', out='1\n4\n0\n'),
    Row('count --batch *', 1, '--batch and query string are not compatible\n'),
    Row('count --input=none', 1, 'Error opening none for reading: No such file or directory\n'),
    Row('count --input=lines', out='1\n'),
    Row('count --batch', 1, ANY, input=b'id:a@x\ndate:nonsense..\n', out='1\n', own=dict(code=2)),
]

REPLY = [
    Row('reply', 1, missing('reply')),
    Row('reply id:a@x', out=re.compile('^From: T <t@example.org>\nSubject: Re: one\n')),
    Row('reply --format=default id:a@x', out=re.compile('> body a\n$')),
    Row('reply --format=headers-only id:a@x', out=re.compile('^In-Reply-To: <a@x>\n')),
    Row('reply --format=json id:a@x', out=re.compile('^{"reply-headers": ')),
    Row('reply --format=sexp id:a@x', out=re.compile('^\\(:reply-headers ')),
    Row('reply --format=x id:a@x', 1, keyword('x', 'format')),
    Row('reply --format=json *', 1, re.compile('^Error: search term did not match precisely one message')),
    Row('reply --format-version=6 id:a@x', 21, re.compile('version 6')),
    Row('reply --reply-to=sender id:a@x', out=re.compile('\nTo: Ann Example')),
    Row('reply --reply-to=all id:a@x', out=re.compile('Bob Example')),
    Row('reply --reply-to=x id:a@x', 1, keyword('x', 'reply-to')),
    Row('reply --decrypt=auto id:a@x', out=ANY),
    Row('reply --decrypt=stash id:a@x', 1, keyword('stash', 'decrypt')),
    Row('reply id:none@x', out=''),
]

TAG = [
    Row('tag', 1, "Error: 'NAME tag' requires at least one tag to add or remove.\n"),
    Row('tag id:a@x', 1, "Error: 'NAME tag' requires at least one tag to add or remove.\n"),
    Row('tag +x', 1, missing('tag')),
    Row('tag +x --', 1, missing('tag')),
    Row('tag + id:a@x', 1, 'Error: empty tag forbidden\n'),
    Row('tag +-x id:a@x', 1, "Error: tag starting with '-' forbidden\n"),
    Row('tag +x -y -- id:a@x'),
    Row('search --output=tags id:a@x', out='inbox\nx\n'),
    Row('tag -x id:a@x'),
    Row('tag --remove-all id:d@x'),
    Row('search --output=tags id:d@x', out=''),
    Row('tag --remove-all +inbox -- id:d@x'),
    Row('tag --batch', input=b'+x -- id:a@x\n# no\n\n-x -- id:a@x\n'),
    Row('tag --batch', 1, re.compile('^Warning: no query string (after --)? ?\\[\\+x --'), input=b'+x --\n',
        peer=dict(err=ANY)),
    Row('tag --batch', 1, re.compile('hex decoding of tag .* failed'), input=b'+%zz -- *\n'),
    Row('tag --batch +x', 1, "Can't specify both cmdline and stdin!\n"),
    Row('tag --input=none', 1, 'Error opening none for reading: No such file or directory\n'),
    Row('tag --input=tags'),
    Row('search --output=tags id:a@x', out='inbox\nlisted\n'),
    Row('tag -listed id:a@x'),
    Row('tag +%s id:a@x' % ('x' * 201), 1, re.compile('too long|200')),
    Row('tag +x (', 0, ANY, own=dict(code=2, err=re.compile('^NAME tag: ')), peer=dict(code=1)),
    Row('tag -x *'),
]

DUMP = [
    Row('dump', out=re.compile('^#notmuch-dump batch-tag:3 config,properties,tags\n')),
    Row('dump --format=batch-tag id:a@x', out=re.compile('\n\\+inbox -- id:a@x\n$')),
    Row('dump --format=sup id:a@x', out=re.compile('\na@x \\(inbox\\)\n$')),
    Row('dump --format=x', 1, keyword('x', 'format')),
    Row('dump --include=tags id:a@x', out='#notmuch-dump batch-tag:3 tags\n+inbox -- id:a@x\n'),
    Row('dump --include=config --include=properties id:a@x',
        out='#notmuch-dump batch-tag:3 config,properties\n'),
    Row('dump --include=x', 1, keyword('x', 'include')),
    Row('dump --gzip', out=ANY),
    Row('dump --output=made', out=''),
    Row('dump --output=/nonexistent/x', 1, re.compile('/nonexistent/x'), peer=dict(code=255)),
    Row('dump date:nonsense..', 1, re.compile('^NAME dump: '), own=dict(code=2)),
    Row('restore foo', 1, 'Unused positional parameter: foo\n'),
    Row('restore --input=none', 1,
        re.compile('^Error opening none for (\\(gzip\\) )?reading: No such file or directory\n$')),
    Row('restore --input=made', out=''),
    Row('restore --format=x', 1, keyword('x', 'format')),
    Row('restore --include=x', 1, keyword('x', 'include')),
    Row('restore --accumulate', input=b'+more -- id:a@x\n'),
    Row('search --output=tags id:a@x', out='inbox\nmore\n'),
    Row('restore --format=sup', input=b'a@x (inbox)\n'),
    Row('search --output=tags id:a@x', out='inbox\n'),
    Row('restore --format=auto', input=b'#notmuch-dump batch-tag:3 tags\n+inbox -- id:a@x\n'),
    Row('restore --format=batch-tag --include=tags', input=b'+inbox -- id:a@x\n'),
    Row('restore', 0, 'Warning: cannot apply tags to missing message: none@x\n',
        input=b'+inbox -- id:none@x\n'),
    Row('restore', 0, re.compile('^Warning: not an id query: tag:x \\(skipping\\)'),
        input=b'+inbox -- tag:x\n'),
    Row('restore', 0, re.compile('hex decoding of tag %zz failed|hex decoding of tag'),
        input=b'+%zz -- id:a@x\n'),
]

INSERT = [
    Row('insert', 1, ANY, input=b''),
    Row('insert foo', 1, 'Error: unexpected query string: foo\n', input=sandbox.message('i1@x')),
    Row('insert +', 1, 'Error: empty tag forbidden\n', input=sandbox.message('i1@x')),
    Row('insert --folder=../x', 1, "Error: invalid folder name: '../x'\n",
        input=sandbox.message('i1@x')),
    Row('insert --folder=none', 1, re.compile("^Error: open '?ROOT/none/tmp/.*'?: No such file or directory\n$"),
        input=sandbox.message('i1@x')),
    Row('insert --folder=in', 1, re.compile("^Error: delivery of non-mail file: 'ROOT/in/"),
        input=b'no mail\n', peer=dict(err=re.compile('delivery of non-mail file'))),
    Row('insert --folder=in', input=sandbox.message('i1@x')),
    Row('search --output=tags id:i1@x', out='inbox\nunread\n'),
    Row('insert --folder=in +more -unread', input=sandbox.message('i2@x')),
    Row('search --output=tags id:i2@x', out='inbox\nmore\n'),
    Row('insert --folder=in -- +more', input=sandbox.message('i3@x')),
    Row('insert --folder=in +again', input=sandbox.message('i1@x')),
    Row('search --output=tags id:i1@x', out='inbox\nunread\n'),
    Row('insert --create-folder --folder=made/here --no-hooks', input=sandbox.message('i4@x')),
    Row('count folder:made/here', out='1\n'),
    Row('insert --folder=in --keep', input=sandbox.message('i5@x')),
    Row('insert --folder=in --keep --world-readable --decrypt=false', input=sandbox.message('i6@x')),
    Row('insert --decrypt=x', 1, keyword('x', 'decrypt'), input=sandbox.message('i7@x')),
    Row('insert --decrypt', 1, option('Option "decrypt" needs a keyword argument.', '--decrypt'),
        input=sandbox.message('i7@x')),
    Row('insert --folder', 1, option('Option "folder" needs a string argument.', '--folder')),
    Row('insert --hooks=false --folder=in', input=sandbox.message('i8@x')),
]

NEW = [
    Row('new', out=re.compile('^No new mail\\.')),
    Row('new --quiet', out=''),
    Row('new --verbose', out='No new mail.\n'),
    Row('new --quiet --verbose', out=''),
    Row('new --full-scan', out='No new mail.\n'),
    Row('new --no-hooks', out='No new mail.\n'),
    Row('new --hooks=false', out='No new mail.\n'),
    Row('new --decrypt=auto', out='No new mail.\n'),
    Row('new --decrypt=false', out='No new mail.\n'),
    Row('new --decrypt=nostash', out='No new mail.\n'),
    Row('new --decrypt=true', out='No new mail.\n'),
    Row('new --decrypt=x', 1, keyword('x', 'decrypt')),
    Row('new foo', **WORD, peer=PASSED_OVER),
    Row('new --problems', out='', peer=OURS),
]

REINDEX = [
    Row('reindex', 1, missing('reindex')),
    Row('reindex id:a@x', out=ANY),
    Row('reindex --decrypt=false id:a@x', out=ANY),
    Row('reindex --decrypt=true id:a@x', out=ANY),
    Row('reindex --decrypt=nostash id:a@x', out=ANY),
    Row('reindex --decrypt=auto id:a@x', out=ANY),
    Row('reindex --decrypt=x id:a@x', 1, keyword('x', 'decrypt')),
    Row('reindex date:nonsense..', 1, re.compile('^NAME reindex: '), own=dict(code=2)),
    Row('reindex id:none@x', out=ANY),
]

COMPACT = [
    Row('compact --quiet', out=''),
    Row('compact', out=re.compile('^Compacting database\\.\\.\\.\n(.|\n)*Done\\.\n$')),
    Row('compact --backup=HOME/backup', out=re.compile('The old database has been moved to HOME/backup')),
    Row('compact --backup=HOME/backup', 1, ANY, out=ANY),
    Row('compact foo', **WORD, peer=PASSED_OVER),
]

CONFIG = [
    Row('config', 1, 'Error: NAME config requires at least one argument.\n'),
    Row('config x', 1, 'Unrecognized argument for NAME config: x\n'),
    Row('config get', 1, 'Error: NAME config get requires exactly one argument.\n'),
    Row('config get a.b c.d', 1, 'Error: NAME config get requires exactly one argument.\n'),
    Row('config get user.name', out='T\n'),
    Row('config get new.tags', out='inbox\nunread\n'),
    Row('config get no.such', out=''),
    Row('config get nodot', out=''),
    Row('config get database.path', out='ROOT\n'),
    Row('config get maildir.synchronize_flags', out='true\n'),
    Row('config get built_with.compact', out='true\n'),
    Row('config get built_with.nothing', out='false\n'),
    Row('config set', 1, 'Error: NAME config set requires at least one argument.\n'),
    Row('config set nodot x', 1, 'Invalid configuration name: nodot\n'
        '(Should be of the form <section>.<item>)\n'),
    Row('config set .x y', 1, 'Invalid configuration name: .x\n'
        '(Should be of the form <section>.<item>)\n', peer=dict(code=ANY, err=ANY)), # 0.37: GLib's
    Row('config set x. y', 1, 'Invalid configuration name: x.\n'
        '(Should be of the form <section>.<item>)\n'),
    Row('config set built_with.compact false', 1, 'Error: read only option: built_with.compact\n'),
    Row('config set index.header.a-b X', 1, 'Non-word character in prefix name: a-b\n'),
    Row('config set index.header. X', 1, 'Empty prefix name: index.header.\n'),
    Row('config set index.header.lower X', 1,
        'Prefix names starting with lower case letters are reserved: lower\n'),
    Row('config set squery. x', 1, 'Empty prefix name: squery.\n'),
    Row('config set try.list a b'),
    Row('config get try.list', out='a\nb\n'),
    Row('config set try.list'),
    Row('config get try.list', out=''),
    Row('config set --database query.mine tag:inbox'),
    Row('config get query.mine', out='tag:inbox\n'),
    Row('count query:mine', out=re.compile('^[1-9]')),
    Row('config set --database query.mine a b', 1,
        'NAME config set: at most one value expected for query.mine\n'),
    Row('config set --database query.mine'),
    Row('config get query.mine', out=''),
    Row('config list', out=re.compile('^built_with.compact=true\n(.*\n)*user.name=T\n')),
    Row('config list foo', **WORD, peer=PASSED_OVER),
]

OWN = [
    Row('check', out=ANY, peer=OURS),
    Row('check foo', **WORD, peer=OURS),
    Row('help a b', 1, 'Error: unexpected word: b\n', peer=OURS),
    Row('setup foo', **WORD, peer=OURS),
    Row('setup', 1, NOTHING, out=re.compile('Exiting\\.\n$'), peer=dict(err=ANY)),
    Row('setup --yes', out=ANY, peer=OURS),
    Row('tag --undo foo', 1, ANY, peer=OURS),
    Row('search --explain tag:x', 0, ANY, peer=OURS),
    Row('search --query-file=none', 1, re.compile('^NAME search: cannot read the query'), peer=OURS),
]

WITHOUT_INDEX = [
    Row(line, 1, "NAME %s: there is no index in 'ROOT' yet: 'NAME new' makes one\n" % line.split()[0],
        out=NOTHING, input=b'+x -- id:a@x\n',
        peer=dict(err=re.compile('^Error: Cannot open database at ROOT/?.*: No such file or directory')))
    for line in ('search *', 'show *', 'count', 'address *', 'reply *', 'tag +x *', 'dump',
                 'restore', 'reindex *', 'compact')
] + [
    Row('--config=HOME/none count', 1, re.compile("^NAME count: cannot read the configuration file 'HOME/none'"),
        peer=dict(err=re.compile('cannot load config file'))),
    Row('insert', 1, ANY, input=sandbox.message('early@x')),
]


def prepare(box):
    for folder in ('in', 'sub'):
        sandbox.maildir(os.path.join(box.root, folder))
    for nth, (path, head, more) in enumerate([
            ('in/cur/1:2,S', 'one', ''), ('in/cur/2:2,S', 'Re: one', 'In-Reply-To: <a@x>\n'),
            ('in/cur/3:2,', 'three', ''), ('sub/new/4', 'four', '')]):
        letter = 'abcd'[nth]
        text = sandbox.message(letter + '@x', head, 'body ' + letter, more)
        with open(os.path.join(box.root, path), 'wb') as f:
            f.write(text.replace(b'10:20:30', b'10:20:3%d' % nth))
    with open(os.path.join(box.top, 'config'), 'a') as f:
        f.write('[search]\nexclude_tags=hidden\n')
    with open(os.path.join(box.top, 'lines'), 'w') as f:
        f.write('id:a@x\n')
    with open(os.path.join(box.top, 'tags'), 'w') as f:
        f.write('+listed -- id:a@x\n')
    box.lines('new')


def same(wanted, got):
    if wanted is ANY:
        return True
    if isinstance(wanted, re.Pattern):
        return wanted.search(got) is not None
    return wanted == got


def normal(box, text):
    return UUID.sub('UUID', text.decode('utf8', 'replace').replace(box.root, 'ROOT')
                    .replace(box.top, 'HOME'))


def exercise(box, kind, rows):
    """What went wrong, as lines."""
    name = os.path.basename(box.program)
    wrong = []

    def filled(wanted):
        if wanted is ANY or isinstance(wanted, int):
            return wanted
        if isinstance(wanted, re.Pattern):
            return re.compile(wanted.pattern.replace('NAME', name))
        return wanted.replace('NAME', name)

    for row in rows:
        right = row.wanted[kind]
        if right is None:
            continue
        done = box.run(*[a.replace('HOME', box.top) for a in row.args], input=row.input, cwd=box.top)
        for what, wanted, got in [('code', right['code'], done.returncode),
                                  ('stderr', right['err'], normal(box, done.stderr)),
                                  ('stdout', right['out'], normal(box, done.stdout))]:
            if not same(filled(wanted), got):
                wrong.append('%s %s: %s is %r, not %r' % (name, ' '.join(row.args), what, got, wanted))
    return wrong


def main():
    tables = [('grammar', GRAMMAR), ('global options', GLOBAL), ('search', SEARCH), ('address', ADDRESS),
              ('show', SHOW), ('count', COUNT), ('reply', REPLY), ('tag', TAG), ('dump, restore', DUMP),
              ('insert', INSERT), ('new', NEW), ('reindex', REINDEX), ('compact', COMPACT),
              ('config', CONFIG), ('what notmuch does not have', OWN)]
    with sandbox.Sandbox(tap.MAIL) as own, sandbox.Sandbox('notmuch') as peer, \
            sandbox.Sandbox('notmuch') as named:
        os.mkdir(os.path.join(named.top, 'bin'))
        named.program = os.path.join(named.top, 'bin', 'notmuch')
        os.symlink(tap.MAIL, named.program)
        boxes = [(own, 'own'), (named, 'same')]
        if shutil.which('notmuch'):
            boxes.append((peer, 'peer'))
        for box, kind in boxes:
            what = {'own': 'as mail', 'same': 'as notmuch', 'peer': 'notmuch itself'}[kind]
            wrong = exercise(box, kind, WITHOUT_INDEX)
            tap.ok(not wrong, '%s: without an index' % what, '\n'.join(wrong))
            prepare(box)
            for title, rows in tables:
                wrong = exercise(box, kind, rows)
                tap.ok(not wrong, '%s: %s' % (what, title), '\n'.join(wrong))
    tap.done()


main()
