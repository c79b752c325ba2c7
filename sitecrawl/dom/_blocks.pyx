# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `read_blocks` and `cover` in `blocks.py`, and of `rows_by_value` in `vocabulary.py`."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc

from sitecrawl.dom._flat cimport Columns, Row, columns_of

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.labels import BLOCK, TAG_NUMBERS

cdef enum:
    NUMBERS = 256  # of tags

cdef char[NUMBERS] IS_BLOCK
cdef int BR = TAG_NUMBERS["br"]
cdef int BODY = TAG_NUMBERS["body"]
for _tag, _number in TAG_NUMBERS.items():
    IS_BLOCK[<int>_number] = _tag in BLOCK


def read_blocks(flat):
    """Return the text blocks of a page in one pass."""
    cdef Columns columns = columns_of(flat)
    cdef list first = [], stop = [], containers = [], chars = [], words = [], link_chars = []
    cdef int64_t own_chars = 0, own_words = 0, own_linked = 0
    cdef int32_t* above = <int32_t*>malloc((columns.count + 1) * sizeof(int32_t))
    cdef Row* row
    cdef Py_ssize_t i, last = -1
    cdef int32_t container, current = -1
    cdef int breaks = 0
    cdef bint begun = True
    if above == NULL:
        raise MemoryError
    try:
        above[0] = 0
        for i in range(1, columns.count):
            row = &columns.rows[i]
            if not row.is_text:
                if IS_BLOCK[row.tag]:
                    above[i] = <int32_t>i
                    begun = True
                else:
                    above[i] = above[row.parent]
                    breaks += row.tag == BR
                continue
            container = above[row.parent]
            if begun or breaks > 1 or container != current:
                if last >= 0:
                    stop.append(last + 1)
                    chars.append(own_chars)
                    words.append(own_words)
                    link_chars.append(own_linked)
                first.append(i)
                containers.append(container)
                own_chars = own_words = own_linked = 0
            own_chars += row.chars
            own_words += row.words
            own_linked += row.link_chars
            last, current, breaks, begun = i, container, 0, False
    finally:
        free(above)
    if last >= 0:
        stop.append(last + 1)
        chars.append(own_chars)
        words.append(own_words)
        link_chars.append(own_linked)
    return Blocks(first, stop, containers, chars, words, link_chars)


def cover(flat, blocks, list chosen):
    """Return the fewest disjoint subtrees that contain exactly the chosen blocks, in document order."""
    cdef Columns columns = columns_of(flat)
    cdef Row* rows = columns.rows
    cdef Py_ssize_t count = columns.count, first, stop, i
    cdef list nodes = []
    cdef char* kept = <char*>calloc(3 * count + 1, 1)  # rows of the chosen blocks; of elements nobody asks
    cdef char* some = kept + count  # rows that hold texts
    cdef char* partly = some + count  # rows that hold texts of which not all are kept
    if kept == NULL:
        raise MemoryError
    try:
        for first, stop, wanted in zip(blocks.first, blocks.stop, chosen, strict=True):
            if wanted:
                if not 0 <= first <= stop <= count:
                    raise ValueError("blocks of another page")
                for i in range(first, stop):
                    kept[i] = 1
        for i in range(count - 1, -1, -1):
            if rows[i].is_text:
                some[i], partly[i] = 1, not kept[i]
            if i:
                some[rows[i].parent] |= some[i]
                partly[rows[i].parent] |= partly[i]
        i = 1
        while i < count:
            if some[i] and not partly[i] and rows[i].tag != BODY:
                nodes.append(i)
                i = rows[i].end
            else:
                i += 1
    finally:
        free(kept)
    return tuple(nodes)


def rows_by_value(list column, str left_out):
    """Return the rows of each value of a column but one."""
    cdef dict found = {}
    cdef list rows
    cdef str value
    cdef Py_ssize_t row
    for row in range(len(column)):
        value = <str>column[row]
        if value != left_out:
            rows = <list>found.get(value)
            if rows is None:
                found[value] = [row]
            else:
                rows.append(row)
    return found
