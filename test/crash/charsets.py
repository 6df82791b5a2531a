# SPDX-License-Identifier: GPL-3.0-or-later
"""The character sets of the C library, and a word to write in each."""
import ctypes
import subprocess

# Letters of one script each, so that a wrong decoding is no word of another; the last are for sets that
# have little else.
WORDS = ('größenwahn', 'privět', 'żółwiowy', 'hyvää', 'éloquemment', 'garçonnière', 'þjóðvegur', 'ķēniņš', 'ağırlık',
         'привет', 'добро', 'κόσμος', 'καλημερα', 'ΚΑΛΗΜΕΡΑ', 'ПРИВЕТ', 'שלום', 'سلام', 'สวัสดี', 'việt',
         'გამარჯობა', 'բարեւ', 'வணக்கம்', 'ສະບາຍດີ', 'ሰላም', '日本語', '漢字', '中文', 'ニホン', '한국', 'smørrebrød', 'español', 'coração', 'čačak', 'plainly')

_libc = ctypes.CDLL(None, use_errno=True)
_libc.iconv_open.restype = ctypes.c_void_p
_libc.iconv_open.argtypes = (ctypes.c_char_p, ctypes.c_char_p)
_libc.iconv_close.argtypes = (ctypes.c_void_p,)
_libc.iconv.restype = ctypes.c_size_t
_libc.iconv.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def names():
    """All that iconv knows, every alias."""
    listed = subprocess.run(['iconv', '-l'], capture_output=True, text=True).stdout
    return sorted({name.rstrip('/') for name in listed.split() if name.rstrip('/')})


def convert(data, source, target):
    """Bytes of one set in another; None where that cannot be."""
    handle = _libc.iconv_open(target.encode(), source.encode())
    if handle == ctypes.c_void_p(-1).value:
        return None
    room = ctypes.create_string_buffer(16 * len(data) + 64)
    held = ctypes.create_string_buffer(data, len(data))
    start, to = ctypes.c_void_p(ctypes.addressof(held)), ctypes.c_void_p(ctypes.addressof(room))
    left, free = ctypes.c_size_t(len(data)), ctypes.c_size_t(len(room))
    failed = ctypes.c_size_t(-1).value
    done = _libc.iconv(handle, ctypes.byref(start), ctypes.byref(left), ctypes.byref(to), ctypes.byref(free))
    if done == 0:
        done = _libc.iconv(handle, None, None, ctypes.byref(to), ctypes.byref(free))
    _libc.iconv_close(handle)
    return None if done != 0 or done == failed else room.raw[:len(room) - free.value]


def written(name):
    """The first word that can be written in this set and read again, and its bytes, with other words
    around it if they can be, too; (None, None) where there is none."""
    for frame in ('before %s after', '%s'):
        for word in WORDS:
            text = frame % word
            data = convert(text.encode(), 'UTF-8', name)
            if data and convert(data, name, 'UTF-8') == text.encode():
                return word, data
    return None, None
