# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `text_blocks`, `cover` and `cover_texts` in `blocks.py`, which is the reference and chooses."""

from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free, malloc, realloc

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


cdef class BlockColumns:
    """The text blocks of a page in memory of their own; they become lists when they are asked for."""

    def __dealloc__(self):
        free(self.blocks)

    cdef Block* add(self) except NULL:
        """Add a block; others may move."""
        cdef Py_ssize_t room
        cdef Block* more
        if self.count == self.room:
            room = 2 * self.room + 64
            more = <Block*>realloc(self.blocks, room * sizeof(Block))
            if more == NULL:
                raise MemoryError
            self.blocks, self.room = more, room
        self.count += 1
        return &self.blocks[self.count - 1]

    def column(self, str name):
        """Return a column of `Blocks` as a list. Raises KeyError."""
        cdef Py_ssize_t i
        if name == "first":
            return [self.blocks[i].first for i in range(self.count)]
        if name == "stop":
            return [self.blocks[i].stop for i in range(self.count)]
        if name == "container":
            return [self.blocks[i].container for i in range(self.count)]
        if name == "chars":
            return [self.blocks[i].chars for i in range(self.count)]
        if name == "words":
            return [self.blocks[i].words for i in range(self.count)]
        if name == "link_chars":
            return [self.blocks[i].link_chars for i in range(self.count)]
        raise KeyError(name)


cdef BlockColumns blocks_of(object blocks, Py_ssize_t rows):
    """Return the text blocks of a page of so many rows; those of the reference's lists are copied.

    Raises ValueError for blocks that are not those of such a page.
    """
    cdef object kept = blocks.columns
    cdef BlockColumns columns
    cdef Block* block
    cdef Py_ssize_t i
    cdef int32_t before = 0
    if isinstance(kept, BlockColumns):
        columns = <BlockColumns>kept
    else:
        columns = BlockColumns()
        lists = blocks.first, blocks.stop, blocks.container, blocks.chars, blocks.words, blocks.link_chars
        for first, stop, container, chars, words, link_chars in zip(*lists, strict=True):
            block = columns.add()
            block.first, block.stop, block.container = first, stop, container
            block.chars, block.words, block.link_chars = chars, words, link_chars
    for i in range(columns.count):
        block = &columns.blocks[i]
        if not (before <= block.first < block.stop <= rows and 0 <= block.container <= block.first):
            raise ValueError("blocks of another page")
        before = block.stop
    return columns


def text_blocks(flat):
    """Return the text blocks of a page in one pass."""
    cdef Columns columns = columns_of(flat)
    cdef BlockColumns found = BlockColumns()
    cdef Block* block = NULL
    cdef Row* row
    cdef Py_ssize_t i
    cdef int32_t container, current = -1
    cdef int breaks = 0
    cdef bint begun = True
    cdef int32_t* above = <int32_t*>malloc((columns.count + 1) * sizeof(int32_t))
    if above == NULL:
        raise MemoryError
    try:
        for i in range(columns.count):
            row = &columns.rows[i]
            if not row.is_text:
                if IS_BLOCK[row.tag]:
                    above[i] = <int32_t>i
                    begun = True
                else:
                    above[i] = above[row.parent] if i else 0
                    breaks += row.tag == BR
                continue
            container = above[row.parent] if i else 0
            if begun or breaks > 1 or container != current:
                block = found.add()
                block.chars = block.words = block.link_chars = 0
                block.first, block.container = <int32_t>i, container
            block.stop = <int32_t>i + 1
            block.chars += row.chars
            block.words += row.words
            block.link_chars += row.link_chars
            current, breaks, begun = container, 0, False
    finally:
        free(above)
    return Blocks.kept_by(found)


def cover(flat, blocks, list chosen):
    """Return the fewest disjoint subtrees whose texts are those of the chosen blocks, in document order."""
    cdef Columns columns = columns_of(flat)
    cdef BlockColumns own = blocks_of(blocks, columns.count)
    cdef Py_ssize_t b, i
    cdef char* kept
    if len(chosen) != own.count:
        raise ValueError("columns of different lengths")
    kept = <char*>calloc(columns.count + 1, 1)
    if kept == NULL:
        raise MemoryError
    try:
        for b in range(own.count):
            if chosen[b]:
                for i in range(own.blocks[b].first, own.blocks[b].stop):
                    kept[i] = 1  # of elements nobody asks
        return _cover(columns, kept)
    finally:
        free(kept)


def cover_texts(flat, list kept):
    """Return the fewest disjoint subtrees with exactly the text nodes marked in `kept`, in document order."""
    cdef Columns columns = columns_of(flat)
    cdef Py_ssize_t i
    cdef char* marked
    if len(kept) != columns.count:
        raise ValueError("columns of different lengths")
    marked = <char*>calloc(columns.count + 1, 1)
    if marked == NULL:
        raise MemoryError
    try:
        for i in range(columns.count):
            marked[i] = bool(kept[i])
        return _cover(columns, marked)
    finally:
        free(marked)


cdef tuple _cover(Columns columns, const char* kept):
    cdef Row* rows = columns.rows
    cdef Py_ssize_t count = columns.count, i
    cdef list nodes = []
    cdef char* some = <char*>calloc(2 * count + 1, 1)  # holds texts
    cdef char* partly  # holds texts that are not kept
    if some == NULL:
        raise MemoryError
    partly = some + count
    try:
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
        free(some)
    return tuple(nodes)
