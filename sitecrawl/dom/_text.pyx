# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `chosen_lines` in `text.py`, which is the reference."""

from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free

from sitecrawl.dom._flat cimport Columns, Row, columns_of

from sitecrawl.dom.labels import BLOCK, PREFORMATTED, TAG_NUMBERS
from sitecrawl.dom.text import one_target

cdef enum:
    NUMBERS = 256  # of tags

cdef char[NUMBERS] IS_BLOCK, IS_PRE
cdef int LI = TAG_NUMBERS["li"]
cdef int BR = TAG_NUMBERS["br"]
cdef int LINK = TAG_NUMBERS["a"]
for _tag, _number in TAG_NUMBERS.items():
    IS_BLOCK[<int>_number], IS_PRE[<int>_number] = _tag in BLOCK, _tag in PREFORMATTED


cdef struct Place:  # of a row, as in `text.Line`
    int32_t container
    int32_t item
    char pre
    char left_out


cdef Place* _places(Row* rows, Py_ssize_t count, list left_out) except NULL:
    """Return the place of each row. Raises IndexError for a row that there is not, and MemoryError."""
    cdef Place* places = <Place*>calloc(count + 1, sizeof(Place))
    cdef Place* own
    cdef Py_ssize_t i, row
    if places == NULL:
        raise MemoryError
    for row in left_out:
        if not 0 <= row < count:
            free(places)
            raise IndexError(row)
        for i in range(row, rows[row].end):
            places[i].left_out = True
    places[0].item, places[0].pre = -1, IS_PRE[rows[0].tag]
    for i in range(1, count):
        own = &places[i]
        own.container, own.item = places[rows[i].parent].container, places[rows[i].parent].item
        own.pre = places[rows[i].parent].pre or IS_PRE[rows[i].tag]
        if IS_BLOCK[rows[i].tag]:
            own.container = <int32_t>i
            if rows[i].tag == LI:
                own.item = <int32_t>i
    return places


def chosen_lines(flat, nodes, list left_out):
    """Return the lines of disjoint subtrees, given in document order, without the subtrees `left_out`."""
    cdef Columns columns = columns_of(flat)
    cdef Row* rows = columns.rows
    cdef Row* row
    cdef list texts = flat.text, line = None, lines = []
    cdef Place* places
    cdef Place* place
    cdef Py_ssize_t node, i, before = -1, link = -1, link_stop = -1, beside = -1
    cdef int32_t container = -1
    cdef bint ends = False, apart = False
    cdef str text, last
    if len(texts) != columns.count:
        raise ValueError("columns of different lengths")
    places = _places(rows, columns.count, left_out)
    try:
        for node in nodes:
            if not 0 <= node < columns.count:
                raise IndexError(node)
            ends = apart = False
            if line is not None:
                for i in range(before + 1, node):
                    ends |= IS_BLOCK[rows[i].tag] or rows[i].tag == BR
                    apart |= rows[i].is_text
            for i in range(max(node, 1), rows[node].end):
                row, place = &rows[i], &places[rows[i].parent]
                if not row.is_text:
                    if IS_BLOCK[row.tag] or row.tag == BR:
                        ends = True
                    elif row.tag == LINK:
                        beside = -1
                        if i == link_stop and before > link and not place.pre and not one_target(flat, link, i):
                            beside = i
                        link, link_stop = i, row.end
                    continue
                if places[i].left_out:
                    apart = True
                    continue
                text = <str>texts[i]
                if ends or place.container != container:
                    line = [text]
                    lines.append((place.container, place.item, bool(place.pre), line))
                    container = place.container
                else:
                    if not apart and before < beside and i < link_stop:
                        last = <str>line[len(line) - 1]
                        apart = last[len(last) - 1].isalnum() and text[0].isalnum()
                    if apart:
                        line.append(" ")  # a text left out between two words separates them too
                    line.append(text)
                before, ends, apart = i, False, False
    finally:
        free(places)
    return lines
