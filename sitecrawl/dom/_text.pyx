# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `main_text` in `text.py`, which is the reference and chooses."""

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

from sitecrawl.dom._flat cimport Columns, Row, columns_of

from sitecrawl.dom import text as reference
from sitecrawl.dom.labels import BLOCK, CELLS, PREFORMATTED, TAG_NUMBERS

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 one) noexcept
    object PyUnicode_FromKindAndData(int kind, const void* data, Py_ssize_t size)

ctypedef fused Unit:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    TAGS = 256
    LATIN = 256
    # What a character may be.
    SPACE = 1
    UNPRINTABLE = 2

cdef char[TAGS] IS_BLOCK, IS_PRE, IS_CELL
cdef char[LATIN] KIND
cdef int LI = TAG_NUMBERS["li"], BR = TAG_NUMBERS["br"]
cdef int _one
for _tag, _one in TAG_NUMBERS.items():
    IS_BLOCK[_one], IS_PRE[_one], IS_CELL[_one] = _tag in BLOCK, _tag in PREFORMATTED, _tag in CELLS
for _one in range(LATIN):
    KIND[_one] = SPACE if chr(_one).isspace() else 0 if reference.printable(chr(_one)) else UNPRINTABLE


cdef inline int kind_of(Py_UCS4 one) noexcept:
    if one < LATIN:
        return KIND[one]
    if 0x202A <= one <= 0x202E or 0x2066 <= one <= 0x2069 or 0xD800 <= one <= 0xDFFF or one == 0xFFFE or one == 0xFFFF:
        return UNPRINTABLE
    return SPACE if Py_UNICODE_ISSPACE(one) else 0


cdef class Characters:
    """A text that grows."""

    cdef Py_UCS4* data
    cdef Py_ssize_t size
    cdef Py_ssize_t room

    def __dealloc__(self):
        free(self.data)

    cdef int ask(self, Py_ssize_t more) except -1:
        """Make room for more characters."""
        cdef Py_UCS4* found
        cdef Py_ssize_t room = 2 * (self.size + more) + 64
        if self.size + more > self.room:
            found = <Py_UCS4*>realloc(self.data, room * sizeof(Py_UCS4))
            if found == NULL:
                raise MemoryError
            self.data, self.room = found, room
        return 0

    cdef int add(self, str text) except -1:
        cdef Py_ssize_t i
        self.ask(len(text))
        for i in range(len(text)):
            self.data[self.size + i] = text[i]
        self.size += len(text)
        return 0


cdef struct Place:  # where a row stands
    int32_t container  # nearest block-level row, plus 1; 0 for what is not known yet
    int32_t item  # nearest list item, -1 for none
    int32_t unknown  # a row on the way up
    char pre
    char begun  # of a list item: it has its bullet


cdef class Lines:
    """The lines of a page's main text while they are written."""

    cdef Row* rows
    cdef Place* places
    cdef Characters all, line
    cdef list raw  # texts of a line in `pre`
    cdef bint apart  # white space is due
    cdef bint some  # something else stands before it on the line
    cdef int32_t before  # container of the line before, -1 for none
    cdef bint alone  # and whether it holds that line only

    def __init__(self, Columns columns):
        self.rows = columns.rows
        self.places = <Place*>calloc(columns.count + 1, sizeof(Place))
        if self.places == NULL:
            raise MemoryError
        self.places[0].container, self.places[0].item, self.places[0].pre = 1, -1, IS_PRE[self.rows[0].tag]
        self.all, self.line, self.before = Characters(), Characters(), -1

    def __dealloc__(self):
        free(self.places)

    cdef Place* place(self, int32_t row) noexcept:
        """Return where a row stands."""
        cdef int32_t count = 0, above
        cdef int tag
        cdef Place* own
        while not self.places[row].container:
            self.places[count].unknown = row
            count += 1
            row = self.rows[row].parent
        while count:
            count -= 1
            above, row = row, self.places[count].unknown
            own, tag = &self.places[row], self.rows[row].tag
            own.container, own.item, own.pre = self.places[above].container, self.places[above].item, self.places[above].pre
            if IS_BLOCK[tag]:
                own.container = row + 1
                if tag == LI:
                    own.item = row
            if IS_PRE[tag]:
                own.pre = True
        return &self.places[row]

    cdef int add(self, str text, const Place* place) except -1:
        """Add a text to the line."""
        cdef int kind
        if place.pre:
            if self.raw is None:
                self.raw = []
            self.raw.append(text)
            return 0
        self.line.ask(len(text) + 1)
        kind = PyUnicode_KIND(text)
        if kind == 1:
            self.words(<const uint8_t*>PyUnicode_DATA(text), len(text))
        elif kind == 2:
            self.words(<const uint16_t*>PyUnicode_DATA(text), len(text))
        else:
            self.words(<const uint32_t*>PyUnicode_DATA(text), len(text))
        return 0

    cdef void words(self, const Unit* text, Py_ssize_t size) noexcept:
        cdef Py_UCS4* end = self.line.data + self.line.size
        cdef Py_ssize_t i
        cdef bint apart = self.apart, some = self.some
        cdef int kind
        for i in range(size):
            kind = kind_of(text[i])
            if kind == SPACE:
                apart = some
                continue
            if apart:
                end[0] = u" "
                end += 1
                apart = False
            some = True
            if not kind:
                end[0] = text[i]
                end += 1
        self.apart, self.some, self.line.size = apart, some, end - self.line.data

    cdef int close(self, const Place* place) except -1:
        """Write the line, which stands in a place."""
        cdef int32_t container = place.container - 1
        cdef bint cell
        if self.raw is not None:
            self.line.add(reference.printable(reference.kept("".join(self.raw))))
            self.raw = None
        self.apart = self.some = False
        if not self.line.size:
            return 0
        cell = IS_CELL[self.rows[container].tag] and not place.pre
        if (
            cell and self.alone and container != self.before
            and self.rows[container].parent == self.rows[self.before].parent
        ):
            self.all.add(" | ")
        else:
            if self.all.size:
                self.all.add("\n")
            if place.item >= 0 and not self.places[place.item].begun:
                self.all.add("- ")
        if place.item >= 0:
            self.places[place.item].begun = True
        self.all.ask(self.line.size)
        memcpy(self.all.data + self.all.size, self.line.data, self.line.size * sizeof(Py_UCS4))
        self.all.size += self.line.size
        self.line.size = 0
        self.before, self.alone = container, cell and container != self.before
        return 0


def main_text(flat, nodes):
    """Return the text of disjoint subtrees, given in document order, as readable lines."""
    cdef Columns columns = columns_of(flat)
    cdef Row* rows = columns.rows
    cdef list texts = flat.text
    cdef Lines lines
    cdef Place* place = NULL  # of the line that is written
    cdef Place* own
    cdef Py_ssize_t i, k, stop, before = -1
    cdef bint broken, apart
    if len(texts) != columns.count:
        raise ValueError("columns of different lengths")
    if not columns.count:
        return ""
    lines = Lines(columns)
    for node in nodes:
        i = node
        if not 0 <= i < columns.count:
            raise ValueError("a node that the page does not have")
        stop = rows[i].end
        while i < stop:
            if not rows[i].is_text:
                i += 1
                continue
            own = lines.place(rows[i].parent)
            broken = apart = False
            if place != NULL:
                broken = own.container != place.container
                for k in range(before + 1, i):
                    if broken:
                        break
                    apart |= rows[k].is_text  # an unchosen text separates words
                    broken = IS_BLOCK[rows[k].tag] or rows[k].tag == BR
            if place == NULL or broken:
                if place != NULL:
                    lines.close(place)
                place = own
            elif apart:
                lines.add(" ", place)
            lines.add(<str>texts[i], place)
            before = i
            i += 1
    if place != NULL:
        lines.close(place)
    return PyUnicode_FromKindAndData(sizeof(Py_UCS4), lines.all.data, lines.all.size) if lines.all.size else ""
