# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `measured` in `markup.py`, which is the reference and chooses."""

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND
from libc.stdint cimport uint8_t, uint16_t, uint32_t

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 one) noexcept nogil

ctypedef fused Unit:
    uint8_t
    uint16_t
    uint32_t


def measured(str html):
    """Return (longest, tagged, hidden) of a page without NUL."""
    cdef int kind = PyUnicode_KIND(html)
    cdef Py_ssize_t[3] found
    if kind == 1:
        _measure(<const uint8_t*>PyUnicode_DATA(html), len(html), found)
    elif kind == 2:
        _measure(<const uint16_t*>PyUnicode_DATA(html), len(html), found)
    else:
        _measure(<const uint32_t*>PyUnicode_DATA(html), len(html), found)
    return found[0], found[1], found[2]


cdef void _measure(const Unit* html, Py_ssize_t size, Py_ssize_t* found) noexcept:
    cdef Py_ssize_t i, begin = 0, tag = -1, longest = 0, tagged = 0, hidden = 0, after = 0, k
    cdef Unit one, quote
    for i in range(size):
        one = html[i]
        if one > c">":
            continue
        if one == c">":
            longest = max(longest, i - begin)
            if tag >= 0:
                tagged = max(tagged, i - tag)
            begin, tag = i + 1, -1
        elif one == c"<":
            if tag < 0 and i + 1 < size and c"a" <= (html[i + 1] | 32) <= c"z":
                tag = i
        elif one == c"=" and i >= after:
            k = i + 1
            while k < size and Py_UNICODE_ISSPACE(html[k]):
                k += 1
            if k >= size or (html[k] != c'"' and html[k] != c"'"):
                continue
            quote = html[k]
            k += 1
            while k < size and html[k] != quote and html[k] != c">":
                k += 1
            if k < size and html[k] == c">":
                hidden += 1
                after = k + 1
    longest = max(longest, size - begin)
    if tag >= 0:
        tagged = max(tagged, size - tag)
    found[0], found[1], found[2] = longest, tagged, hidden
