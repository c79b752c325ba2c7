# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `sitecrawl.dom.flat.flatten`: the same columns, read from libxml2's own nodes.

`flat.py` explains the columns and is the reference; `flattening.py` compares the two. This is the only module that reads
the structs of lxml and libxml2. Three rules keep it safe. Everything is copied out of the tree before `flatten` returns,
so columns never point into it. During the walk no Python code runs and the garbage collector is off, so the tree cannot
change. Rare cases (a document type with declarations, a class of a hundred names) are left to Python code.
"""

from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.long cimport PyLong_AsLongLong, PyLong_FromLongLong
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DecodeUTF8
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset, strcmp, strlen
from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Element, attributeValue, elementFactory, import_lxml__etree, namespacedName

from sys import intern

from sitecrawl.dom.atomic import BLOCK_TAGS, AtomicBlocks
from sitecrawl.dom.flat import HIDDEN_STYLES, MAX_NAMES, FlatDom
from sitecrawl.dom.flat import flatten as reference
from sitecrawl.dom.labels import (
    BLOCK,
    HEADINGS,
    PREFORMATTED,
    SKIPPED,
    STATES,
    TAG_NUMBERS,
    TERMS,
    TEXT,
    element_label,
)
from sitecrawl.dom.telling_elements import MAX_ITEMS, TELLING, TellingElements

cdef extern from "libxml/xmlversion.h":
    const int LIBXML_VERSION

cdef extern from "Python.h":
    int PyGC_Disable()
    int PyGC_Enable()

cdef extern from "lxml-version.h":
    const char* LXML_VERSION_STRING

import_lxml__etree()

BUILT_FOR = (
    tuple(int(part) for part in (<bytes>LXML_VERSION_STRING).decode().split(".")[:2]),
    (LIBXML_VERSION // 10000, LIBXML_VERSION // 100 % 100),
)

ctypedef const unsigned char* Bytes

cdef enum:
    # The kinds of bytes of a text.
    ORDINARY = 0
    CONTINUATION = 1  # of a character
    SPECIAL = 2  # the end, white space, or the first byte of a character that may be white space
    # The kind of anchor that contains a row: none, one without a URL, one to a fragment of its own page, one to a page.
    NO_LINK = 0
    WITHOUT_ADDRESS = 1
    TO_OWN_PAGE = 2
    TO_PAGE = 3
    # Sizes of caches in which a new entry replaces an older one: of one walk, and of all walks.
    KNOWN_TAGS = 256
    TRIES = 8
    KNOWN_CLASSES = 4096
    # Longer classes are left to `element_label`, and not cached.
    MOST_TOKENS = 16
    LONGEST_CLASS = 240
    MOST_STATES = 32
    MOST_TERMS = 8
    # Maximum rows whose memory is kept for the next page: 11 MB.
    MOST_KEPT = 1 << 17
    # Integers below this are shared by all columns.
    NUMBERS = 1 << 17

cdef struct Token:
    Bytes start
    Py_ssize_t size


cdef struct Class:
    PyObject* text  # a str, with a reference of this table; NULL for none
    Bytes bytes  # of the same, in UTF-8
    Py_ssize_t size
    uint32_t crc  # of the tag
    uint32_t label  # of an element with this tag and this class


cdef Walk _spare = None
cdef str NO_TEXT = ""
cdef uint16_t TEXT_NUMBER = TAG_NUMBERS[TEXT]
cdef uint64_t MULTIPLIER = 0x9E3779B97F4A7C15ULL
cdef uint64_t MASK = 0x7FFFFFFFFFFFFFFFULL
cdef uint64_t LOW = 0xFFFFFFFFULL
cdef uint32_t[8][256] CRC
cdef unsigned char[256] KIND
cdef list _numbers = []
cdef Token[MOST_STATES] _states
cdef int _state_count = 0
cdef Token[MOST_TERMS] _terms
cdef int _term_count = 0
cdef list _kept = []  # objects to which the tables have pointers
cdef Class[KNOWN_CLASSES] _classes


cdef int _fill_tables() except -1:
    global _state_count, _term_count
    cdef uint32_t i, k, c
    cdef bytes state, term
    for text in sorted(STATES):
        state = text.encode()
        _kept.append(state)
        _states[_state_count].start = <Bytes><const char*>state
        _states[_state_count].size = len(state)
        _state_count += 1
    for text in sorted(TERMS):
        term = text.encode()
        _kept.append(term)
        _terms[_term_count].start = <Bytes><const char*>term
        _terms[_term_count].size = len(term)
        _term_count += 1
    for i in range(256):
        c = i
        for k in range(8):
            c = (c >> 1) ^ 0xEDB88320u if c & 1 else c >> 1
        CRC[0][i] = c
        KIND[i] = CONTINUATION if i & 0xC0 == 0x80 else ORDINARY
        if i <= 32 or i == 0xC2 or 0xE1 <= i <= 0xE3:
            KIND[i] = SPECIAL
    for i in range(256):
        for k in range(1, 8):
            CRC[k][i] = (CRC[k - 1][i] >> 8) ^ CRC[0][CRC[k - 1][i] & 255]
    return 0


_fill_tables()


cdef inline uint32_t _crc(uint32_t h, Bytes s, Py_ssize_t size) noexcept:
    """Continue a crc32, eight bytes at a time."""
    cdef uint32_t low
    while size >= 8:
        low = h ^ (<uint32_t>s[0] | <uint32_t>s[1] << 8 | <uint32_t>s[2] << 16 | <uint32_t>s[3] << 24)
        h = (
            CRC[7][low & 255] ^ CRC[6][low >> 8 & 255] ^ CRC[5][low >> 16 & 255] ^ CRC[4][low >> 24]
            ^ CRC[3][s[4]] ^ CRC[2][s[5]] ^ CRC[1][s[6]] ^ CRC[0][s[7]]
        )
        s += 8
        size -= 8
    while size > 0:
        h = (h >> 8) ^ CRC[0][(h ^ s[0]) & 255]
        s += 1
        size -= 1
    return h


cdef inline uint64_t _chain(uint64_t above, uint64_t label) noexcept:
    """`labels.chain`: the low 63 bits of x ^ x >> 29, x being a product of 128 bits."""
    cdef uint64_t a = above ^ label
    cdef uint64_t a0 = a & LOW, a1 = a >> 32, m0 = MULTIPLIER & LOW, m1 = MULTIPLIER >> 32
    cdef uint64_t low = a * MULTIPLIER
    cdef uint64_t middle = (a0 * m0 >> 32) + (a0 * m1 & LOW) + (a1 * m0 & LOW)
    cdef uint64_t high = a1 * m1 + (a0 * m1 >> 32) + (a1 * m0 >> 32) + (middle >> 32)
    return (low ^ (low >> 29 | high << 35)) & MASK


cdef inline int _space(Bytes s) noexcept:
    """Return the number of bytes of the white space at this position, as `str.split` defines it; 0 for none."""
    cdef unsigned char c = s[0]
    if c <= 32:
        return c == 32 or 9 <= c <= 13 or 28 <= c <= 31
    if c == 0xC2:
        return 2 if s[1] == 0x85 or s[1] == 0xA0 else 0
    if c == 0xE2:
        if s[1] == 0x80:
            return 3 if 0x80 <= s[2] <= 0x8A or s[2] == 0xA8 or s[2] == 0xA9 or s[2] == 0xAF else 0
        return 3 if s[1] == 0x81 and s[2] == 0x9F else 0
    if c == 0xE3:
        return 3 if s[1] == 0x80 and s[2] == 0x80 else 0
    if c == 0xE1:
        return 3 if s[1] == 0x9A and s[2] == 0x80 else 0
    return 0


cdef struct Measure:
    int64_t chars
    int64_t words
    Py_ssize_t size  # bytes, white space included
    uint32_t label


cdef Measure _measure(Bytes text) noexcept:
    """Return the result of `labels.TextLabels` for a text; the number of words is 0 for a blank text.

    The label is a crc32 of the words joined by single spaces; parts of the text that have this form are processed
    without a copy.
    """
    cdef Measure found
    cdef Bytes s = text
    cdef Bytes begun = NULL  # the start of the part whose crc32 is not computed yet
    cdef Bytes ended = NULL
    cdef uint32_t h = ~<uint32_t>1
    cdef unsigned char kind
    cdef int k
    found.chars = found.words = 0
    while True:
        k = _space(s)
        while k:
            s += k
            k = _space(s)
        if not s[0]:
            break
        if begun == NULL or s != ended + 1 or ended[0] != 32:
            if begun != NULL:
                h = _crc(h, begun, ended - begun)
                h = (h >> 8) ^ CRC[0][(h ^ 32) & 255]
            begun = s
        found.words += 1
        while True:
            kind = KIND[s[0]]
            if kind == SPECIAL:
                if not s[0] or _space(s):
                    break
                kind = ORDINARY
            found.chars += kind == ORDINARY
            s += 1
        ended = s
    if begun != NULL:
        h = _crc(h, begun, ended - begun)
    found.size = s - text
    found.label = ~h
    return found


cdef enum Column:
    PARENT, END, CHARS, WORDS, LINK_CHARS, LABEL, PATH, STYLE, SUBTREE


cdef dict _column_of = {
    "parent": PARENT,
    "end": END,
    "chars": CHARS,
    "words": WORDS,
    "link_chars": LINK_CHARS,
    "label": LABEL,
    "path": PATH,
    "style": STYLE,
    "subtree": SUBTREE,
}


cdef inline int64_t _value(Row* row, Column which) noexcept:
    if which == PARENT:
        return row.parent
    if which == END:
        return row.end
    if which == CHARS:
        return row.chars
    if which == WORDS:
        return row.words
    if which == LINK_CHARS:
        return row.link_chars
    if which == LABEL:
        return row.label
    if which == PATH:
        return <int64_t>row.path
    if which == STYLE:
        return <int64_t>row.style
    return <int64_t>row.subtree


cdef class Columns:
    """The numbers of a page as rows in C memory; a column is converted to a list when it is read."""

    def __dealloc__(self):
        free(self.rows)

    def __len__(self):
        return self.count

    def value(self, str name, Py_ssize_t row):
        """Return one number of a column. Raises KeyError, IndexError."""
        cdef Column which = _column_of[name]
        if not 0 <= row < self.count:
            raise IndexError(row)
        return _value(&self.rows[row], which)

    def column(self, str name):
        """Return a column of `FlatDom` as a list. Raises KeyError for a column that is not stored here."""
        cdef Column which
        cdef list column
        cdef int64_t value
        cdef Py_ssize_t i, shared
        cdef object number
        if len(_numbers) < NUMBERS and len(_numbers) <= self.count:
            _numbers.extend(range(len(_numbers), min(2 * self.count + 256, NUMBERS)))
        shared = len(_numbers)
        if name == "depth":
            column = [0] * self.count
            for i in range(1, self.count):
                value = <int64_t>column[self.rows[i].parent] + 1
                column[i] = _numbers[value] if value < shared else value
            return column
        which = _column_of[name]
        column = PyList_New(self.count)
        for i in range(self.count):
            value = _value(&self.rows[i], which)
            if 0 <= value < shared:
                number = _numbers[value]
            else:
                number = PyLong_FromLongLong(value)
            Py_INCREF(number)
            PyList_SET_ITEM(column, i, number)
        return column


cdef Columns columns_of(object flat):
    """Return the numbers of a page as rows; lists of the reference are copied, without `subtree`.

    Raises ValueError for columns that are not those of a page.
    """
    cdef object kept = flat.columns
    cdef list tag, parent, end, chars, words, link_chars, label, path, style
    cdef Columns columns
    cdef Row* row
    cdef Py_ssize_t i
    if isinstance(kept, Columns):
        return <Columns>kept
    tag, parent, end, label, path, style = flat.tag, flat.parent, flat.end, flat.label, flat.path, flat.style
    chars, words, link_chars = flat.chars, flat.words, flat.link_chars
    columns = Columns()
    columns.count = len(tag)
    if any([len(column) != columns.count for column in (parent, end, chars, words, link_chars, label, path, style)]):
        raise ValueError("columns of different lengths")
    columns.rows = <Row*>calloc(columns.count + 1, sizeof(Row))
    if columns.rows == NULL:
        raise MemoryError
    for i in range(columns.count):
        row = &columns.rows[i]
        row.parent, row.end = parent[i], end[i]
        if not (0 <= row.parent < i or i == row.parent + 1 == 0) or not i < row.end <= columns.count:
            raise ValueError("rows that are not in document order")
        row.chars, row.words, row.link_chars = chars[i], words[i], link_chars[i]
        row.label, row.path = label[i], <uint64_t>PyLong_AsLongLong(path[i])
        row.style = <uint64_t>PyLong_AsLongLong(style[i])
        row.tag = TAG_NUMBERS.get(tag[i], 0)
        row.is_text = row.tag == TEXT_NUMBER
    return columns


cdef struct Block:
    uint64_t key
    int32_t node
    int32_t texts
    int32_t links
    int32_t images
    int32_t place  # among those that are not empty


cdef class Blocks:
    """The atomic blocks of a page while they are collected, in C memory."""

    cdef Block* blocks
    cdef int32_t* owner  # the block of each row, -1 for none
    cdef int32_t count
    cdef Py_ssize_t rows

    def __cinit__(self, Py_ssize_t rows):
        self.rows = rows
        self.owner = <int32_t*>malloc((rows + 1) * sizeof(int32_t))
        self.blocks = <Block*>malloc((rows + 1) * sizeof(Block))
        if self.owner == NULL or self.blocks == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.owner)
        free(self.blocks)

    cdef int32_t add(self, int32_t node) noexcept:
        """Add a block and return its number."""
        cdef Block* block = &self.blocks[self.count]
        memset(block, 0, sizeof(Block))
        block.node = node
        self.count += 1
        return self.count - 1

    cdef int32_t owner_of(self, Py_ssize_t row) except -2:
        """Return the block of a row. Raises IndexError."""
        if not 0 <= row < self.rows:
            raise IndexError(row)
        return self.owner[row]

    cdef tuple columns(self, Row* rows):
        """Return the columns of the blocks that have text, a link or an image."""
        cdef list nodes = [], texts = [], links = [], images = [], keys = []
        cdef Block* block
        cdef int32_t b, own
        cdef Py_ssize_t i
        for b in range(self.count):
            block = &self.blocks[b]
            block.place = -1
            if block.texts or block.links or block.images:
                block.place = <int32_t>len(nodes)
                nodes.append(block.node)
                texts.append([])
                links.append(block.links)
                images.append(block.images)
        for i in range(self.rows):
            own = self.owner[i]
            if own >= 0 and rows[i].is_text:
                block = &self.blocks[own]
                block.key = _chain(block.key, rows[i].label)
                (<list>texts[block.place]).append(i)
        for b in range(self.count):
            block = &self.blocks[b]
            if block.place >= 0:
                keys.append(<int64_t>_chain(block.key, <uint64_t>block.texts))
        return nodes, texts, links, images, keys


def atomic_blocks(flat, frozenset tags=BLOCK_TAGS):
    """Return the atomic blocks of a page in one pass, without those that have neither text, link nor image."""
    cdef Columns columns = columns_of(flat)
    cdef list tag = flat.tag
    cdef Blocks blocks = Blocks(columns.count)
    cdef Block* block
    cdef Row* row
    cdef int32_t i, own
    cdef str name
    cdef tuple anchor
    if len(tag) != columns.count:
        raise ValueError("tags of another page")
    for i in range(columns.count):
        row = &columns.rows[i]
        name = <str>tag[i]
        if not row.is_text and name in tags:
            blocks.owner[i] = blocks.add(i)
            continue
        own = blocks.owner[i] = blocks.owner[row.parent] if i else -1
        if own >= 0:
            block = &blocks.blocks[own]
            if row.is_text:
                block.texts += 1
            elif name == "img":
                block.images += 1
    for anchor in flat.anchors:
        own = blocks.owner_of(anchor[0])
        if own >= 0:
            blocks.blocks[own].links += 1
    for i in range(blocks.count):
        block = &blocks.blocks[i]
        block.key = <uint64_t>block.links << 20 ^ <uint64_t>block.images
    return AtomicBlocks(*blocks.columns(columns.rows))


cdef void _finish(Row* rows, Py_ssize_t count) noexcept:
    """Set the columns that are derived from labels and from the nodes' own counts."""
    cdef Row* row
    cdef Row* above
    cdef Py_ssize_t i
    for i in range(count):
        row = &rows[i]
        row.style = 0
        row.subtree = row.label
        row.path = _chain(rows[row.parent].path if i else 0, row.label)
    for i in range(count - 1, 0, -1):
        row = &rows[i]
        above = &rows[row.parent]
        above.chars += row.chars
        above.words += row.words
        above.link_chars += row.link_chars
        above.subtree = _chain(above.subtree, row.subtree)
        if not row.is_text:
            above.style = _chain(above.style, row.label)


cdef struct Tag:
    Bytes name  # of libxml2, NULL for none
    PyObject* text  # borrowed from the cell of the first row, NULL before that
    uint32_t crc  # of the name, not finished
    bint skipped
    bint preformatted
    bint is_link
    bint is_block
    bint is_heading
    bint has_target
    bint is_bare  # its label depends on the tag alone
    uint16_t number


cdef inline bint _is_node(tree.xmlNode* c) noexcept:
    """Return whether lxml creates an object for a node; all other nodes are text, or ignored."""
    return (
        c.type == tree.XML_ELEMENT_NODE or c.type == tree.XML_COMMENT_NODE
        or c.type == tree.XML_ENTITY_REF_NODE or c.type == tree.XML_PI_NODE
    )


cdef inline tree.xmlNode* _node_from(tree.xmlNode* c) noexcept:
    """Return the first sibling, from this node on, for which lxml creates an object."""
    while c != NULL and not _is_node(c):
        c = c.next
    return c


cdef inline tree.xmlNode* _text_from(tree.xmlNode* c) noexcept:
    """Return the text that begins at a node, as lxml reads it: nodes that mark inclusions are skipped."""
    while c != NULL:
        if c.type == tree.XML_TEXT_NODE or c.type == tree.XML_CDATA_SECTION_NODE:
            return c
        if c.type != tree.XML_XINCLUDE_START and c.type != tree.XML_XINCLUDE_END:
            return NULL
        c = c.next
    return NULL


cdef inline Bytes _plain(tree.xmlAttr* attribute) noexcept:
    """Return the value of an attribute; NULL if it consists of several nodes."""
    cdef tree.xmlNode* c = attribute.children
    if c == NULL:
        return b""
    if c.next == NULL and c.type == tree.XML_TEXT_NODE and c.content != NULL:
        return <Bytes>c.content
    return NULL


cdef str _text_of(tree.xmlNode* c, tree.xmlAttr* attribute):
    """Return the value of an attribute."""
    cdef Bytes value = _plain(attribute)
    if value != NULL:
        return PyUnicode_DecodeUTF8(<const char*>value, strlen(<const char*>value), NULL)
    return attributeValue(c, attribute) or ""


cdef inline PyObject* _new(object text) noexcept:
    """Return a new reference, which the cell will own."""
    Py_INCREF(text)
    return <PyObject*>text


cdef class Buffer:
    """A buffer of bytes that grows as needed."""

    cdef unsigned char* bytes
    cdef Py_ssize_t size
    cdef Py_ssize_t room

    def __dealloc__(self):
        free(self.bytes)

    cdef int add(self, Bytes s, Py_ssize_t size) except -1:
        """Add bytes, followed by a 0 that does not count in the size."""
        cdef unsigned char* more
        cdef Py_ssize_t room = self.size + size + 1
        if room > self.room:
            more = <unsigned char*>realloc(self.bytes, 2 * room)
            if more == NULL:
                raise MemoryError
            self.bytes = more
            self.room = 2 * room
        memcpy(self.bytes + self.size, s, size)
        self.size += size
        self.bytes[self.size] = 0
        return 0


cdef struct Cells:
    PyObject* tag
    PyObject* text
    PyObject* names


cdef class Walk:
    """The data that a walk over a page collects. The memory is reused for the next page, since allocation is expensive."""

    cdef Row* rows
    cdef Cells* cells  # of the same rows
    cdef Py_ssize_t count
    cdef Py_ssize_t room
    cdef list links  # row, href and rel of each anchor, in a flat list
    cdef list hidden
    cdef list unshown
    cdef list late  # row, tag, class of each element whose label is left to Python code
    cdef Buffer gap  # blank texts, which are joined with the next text
    cdef Buffer joined
    cdef Tag[KNOWN_TAGS] tags
    cdef Tag foreign  # of an element in a namespace

    def __cinit__(self):
        self.gap, self.joined = Buffer(), Buffer()
        self.clear()

    def __dealloc__(self):
        self.drop_cells()
        free(self.cells)
        free(self.rows)

    cdef int clear(self) except -1:
        """Forget the previous page. Tags are identified by the addresses of their names, which differ between documents."""
        self.drop_cells()
        self.links, self.hidden, self.unshown, self.late = [], [], [], []
        self.gap.size = 0
        memset(self.tags, 0, sizeof(self.tags))
        return 0

    cdef void drop_cells(self) noexcept:
        """Release the references of a walk that was interrupted."""
        cdef Py_ssize_t i
        for i in range(self.count):
            Py_XDECREF(self.cells[i].tag)
            Py_XDECREF(self.cells[i].text)
            Py_XDECREF(self.cells[i].names)
        self.count = 0

    cdef int add(self) except -1:
        """Add a row at the end, with empty cells; rows may move."""
        cdef void* more
        cdef Py_ssize_t room
        if self.count == self.room:
            room = self.room * 2 if self.room else 4096
            if room > INT32_MAX:
                raise OverflowError("a page of two thousand million nodes")
            more = realloc(self.rows, room * sizeof(Row))
            if more == NULL:
                raise MemoryError
            self.rows = <Row*>more
            more = realloc(self.cells, room * sizeof(Cells))
            if more == NULL:
                raise MemoryError
            self.cells = <Cells*>more
            self.room = room
        memset(&self.cells[self.count], 0, sizeof(Cells))
        self.count += 1
        return 0

    cdef Columns columns(self):
        """Return the rows of numbers in memory of exactly the required size."""
        cdef Columns columns = Columns()
        columns.rows = <Row*>malloc(self.count * sizeof(Row))
        if columns.rows == NULL:
            raise MemoryError
        memcpy(columns.rows, self.rows, self.count * sizeof(Row))
        columns.count = self.count
        return columns

    cdef tuple lists(self):
        """Return the columns tag, text and names, which take over the references of the cells."""
        cdef list tag = PyList_New(self.count)
        cdef list text = PyList_New(self.count)
        cdef list names = PyList_New(self.count)
        cdef Py_ssize_t i, count = self.count
        self.count = 0
        for i in range(count):
            PyList_SET_ITEM(tag, i, <object>self.cells[i].tag)
            PyList_SET_ITEM(text, i, <object>self.cells[i].text)
            PyList_SET_ITEM(names, i, <object>self.cells[i].names)
        return tag, text, names

    cdef Tag* tag_of(self, tree.xmlNode* c) except NULL:
        """Return the data on an element's tag, found by the address of its name, since a document stores a name once."""
        cdef Tag* tag = &self.foreign
        # Short names are only two bytes apart in a document, so all bits of an address are significant.
        cdef uint64_t at = <uint64_t><size_t>c.name * MULTIPLIER >> 32
        cdef int tries
        cdef str text
        cdef bytes name
        if c.ns == NULL:
            for tries in range(TRIES):
                tag = &self.tags[(at + tries) % KNOWN_TAGS]
                if tag.name == <Bytes>c.name:
                    return tag
                if tag.name == NULL:
                    break
        text = namespacedName(c)
        name = text.encode()
        tag.name = <Bytes>c.name if c.ns == NULL else NULL
        tag.text = NULL
        tag.crc = _crc(~<uint32_t>0, <Bytes><const char*>name, len(name))
        tag.skipped = text in SKIPPED
        tag.preformatted = text in PREFORMATTED
        tag.is_link = text == "a"
        tag.is_block = text in BLOCK
        tag.is_heading = text in HEADINGS
        tag.has_target = text == "a" or text == "area"
        tag.is_bare = text == "html" or text == "body"
        tag.number = TAG_NUMBERS.get(text, 0)
        return tag

    cdef int open(self, tree.xmlNode* c, Tag* tag, int32_t parent) except -1:
        """Add the row of an element."""
        cdef Row* row
        cdef Cells* cells
        cdef str text
        self.add()
        row, cells = &self.rows[self.count - 1], &self.cells[self.count - 1]
        row.parent = parent
        row.chars = row.words = row.link_chars = 0
        row.is_text = False
        row.tag = tag.number
        row.link = self.rows[parent].link if parent >= 0 else NO_LINK
        row.in_heading = tag.is_heading or (parent >= 0 and self.rows[parent].in_heading)
        if tag.is_link:
            if row.link == NO_LINK and not row.in_heading:
                row.link = WITHOUT_ADDRESS
        elif (tag.is_block and row.link == WITHOUT_ADDRESS) or (tag.is_heading and row.link == TO_OWN_PAGE):
            row.link = NO_LINK
        row.label = ~tag.crc
        if tag.text == NULL:
            text = intern(namespacedName(c))
            tag.text = <PyObject*>text
        cells.tag = _new(<object>tag.text)
        cells.text = _new(NO_TEXT)
        if c.properties == NULL:
            cells.names = _new(NO_TEXT)
        else:
            self.attributes(c, tag, row, cells)
        if tag.preformatted:
            self.gap.size = 0
        return 0

    cdef int attributes(self, tree.xmlNode* c, Tag* tag, Row* row, Cells* cells) except -1:
        """Read the attributes of an element."""
        cdef tree.xmlAttr* a = c.properties
        cdef tree.xmlAttr* classes = NULL
        cdef tree.xmlAttr* number = NULL
        cdef tree.xmlAttr* target = NULL
        cdef tree.xmlAttr* relation = NULL
        cdef bint is_hidden = False, is_unshown = False
        cdef str style, address
        cdef const char* name
        while a != NULL:
            name = <const char*>a.name
            if a.ns != NULL:
                pass
            elif name[0] == b"c":
                if strcmp(name, "class") == 0:
                    classes = a
            elif name[0] == b"i":
                if strcmp(name, "id") == 0:
                    number = a
            elif name[0] == b"h":
                if strcmp(name, "href") == 0:
                    target = a
                elif strcmp(name, "hidden") == 0:
                    is_hidden = is_hidden or _text_of(c, a) != "until-found"
                    is_unshown = True
            elif name[0] == b"r":
                if strcmp(name, "rel") == 0:
                    relation = a
            elif name[0] == b"s":
                if strcmp(name, "style") == 0:
                    style = _text_of(c, a)
                    is_hidden = is_hidden or style.lower().startswith(HIDDEN_STYLES)
                    is_unshown = is_unshown or "none" in style or "NONE" in style
            elif name[0] == b"a" and strcmp(name, "aria-hidden") == 0:
                is_hidden = is_hidden or _text_of(c, a) == "true"
            a = a.next
        if is_hidden:
            self.hidden.append(self.count - 1)
        if is_unshown:
            self.unshown.append(self.count - 1)
        if target != NULL and tag.has_target:
            address = _text_of(c, target)
            if tag.is_link:
                if not address.startswith("#"):
                    row.link = TO_PAGE
                elif row.link != TO_PAGE and not row.in_heading:
                    row.link = TO_OWN_PAGE
            self.links.append(self.count - 1)
            self.links.append(address)
            self.links.append(_text_of(c, relation) if relation != NULL else "")
        if classes != NULL:
            cells.names = self.name(c, tag, row, classes, number)
        elif number != NULL:
            cells.names = _new(f" {_text_of(c, number)[:MAX_NAMES]}".strip())
        else:
            cells.names = _new(NO_TEXT)
        return 0

    cdef PyObject* name(
        self, tree.xmlNode* c, Tag* tag, Row* row, tree.xmlAttr* classes, tree.xmlAttr* number
    ) except NULL:
        """Return class and id of an element, and set the label that follows from the class."""
        cdef Bytes value = _plain(classes)
        cdef Class* known = NULL
        cdef Py_ssize_t size = 0
        cdef str text, names
        if value != NULL:
            size = strlen(<const char*>value)
            if size <= LONGEST_CLASS and number == NULL and not tag.is_bare:
                known = &_classes[_crc(tag.crc, value, size) % KNOWN_CLASSES]
                if (
                    known.text != NULL and known.size == size and known.crc == tag.crc
                    and memcmp(known.bytes, value, size) == 0
                ):
                    row.label = known.label
                    return _new(<object>known.text)
        text = _text_of(c, classes)[:MAX_NAMES]
        names = text.strip() if number == NULL else f"{text} {_text_of(c, number)[:MAX_NAMES]}".strip()
        if tag.is_bare:
            return _new(names)
        if value == NULL or not _class_label(value, size, tag.crc, &row.label):
            self.late.append(self.count - 1)
            self.late.append(<str>tag.text)
            self.late.append(text)
        elif known != NULL and len(names) == len(text):
            _remember(known, names, tag.crc, row.label)
        return _new(names)

    cdef int texts(self, tree.xmlNode* c, int32_t parent) except -1:
        """Add the row of the text that begins with this node, unless there is none or it is blank."""
        cdef Bytes text
        cdef Measure found
        cdef Row* row
        cdef Cells* cells
        c = _text_from(c)
        if c == NULL:
            return 0
        text = <Bytes>c.content
        c = _text_from(c.next)
        if c != NULL:
            self.joined.size = 0
            self.joined.add(b"", 0)
            if text != NULL:
                self.joined.add(text, strlen(<const char*>text))
            while c != NULL:
                if c.content != NULL:
                    self.joined.add(<Bytes>c.content, strlen(<const char*>c.content))
                c = _text_from(c.next)
            text = self.joined.bytes
        if text == NULL or not text[0]:
            return 0
        found = _measure(text)
        if not found.words:
            return self.gap.add(text, found.size)
        self.add()
        row, cells = &self.rows[self.count - 1], &self.cells[self.count - 1]
        row.parent = parent
        row.end = <int32_t>self.count
        row.chars = found.chars
        row.words = found.words
        row.is_text = True
        row.tag = TEXT_NUMBER
        row.link = self.rows[parent].link
        row.in_heading = False
        row.link_chars = found.chars if row.link != NO_LINK else 0
        row.label = found.label
        cells.tag = _new(TEXT)
        cells.names = _new(NO_TEXT)
        if self.gap.size:
            self.gap.add(text, found.size)
            cells.text = _new(PyUnicode_DecodeUTF8(<const char*>self.gap.bytes, self.gap.size, NULL))
            self.gap.size = 0
        else:
            cells.text = _new(PyUnicode_DecodeUTF8(<const char*>text, found.size, NULL))
        return 0

    cdef int over(self, tree.xmlNode* top) except -1:
        """Walk over the element `top` and its descendants."""
        cdef tree.xmlNode* c = top
        cdef tree.xmlNode* following
        cdef int32_t parent = -1, row
        cdef Tag* tag
        while True:
            if c.type == tree.XML_ELEMENT_NODE:
                tag = self.tag_of(c)
                if c == top or not tag.skipped:
                    row = <int32_t>self.count
                    self.open(c, tag, parent)
                    self.texts(c.children, row)
                    following = _node_from(c.children)
                    if following != NULL:
                        parent = row
                        c = following
                        continue
                    self.rows[row].end = <int32_t>self.count
            while c != top:
                self.texts(c.next, parent)
                following = _node_from(c.next)
                if following != NULL:
                    c = following
                    break
                c = c.parent
                self.rows[parent].end = <int32_t>self.count
                parent = self.rows[parent].parent
            else:
                return 0


cdef int _remember(Class* known, str text, uint32_t crc, uint32_t label) except -1:
    """Cache a class attribute and its label, in place of an older entry."""
    cdef PyObject* before = known.text
    known.text = NULL
    Py_XDECREF(before)
    known.bytes = <Bytes>PyUnicode_AsUTF8AndSize(text, &known.size)
    known.crc = crc
    known.label = label
    known.text = <PyObject*>text
    Py_INCREF(text)
    return 0


cdef bint _class_label(Bytes value, Py_ssize_t size, uint32_t crc, uint32_t* label) noexcept:
    """Set the label of an element with this class, as `labels.element_label` does; False if Python must do it."""
    cdef unsigned char[LONGEST_CLASS] folded
    cdef Token[MOST_TOKENS] tokens
    cdef Token token
    cdef Bytes s = value
    cdef unsigned char* end = folded
    cdef unsigned char before
    cdef int count = 0, i, k, order
    if size > LONGEST_CLASS:
        return False
    while True:
        k = _space(s)
        while k:
            s += k
            k = _space(s)
        if not s[0]:
            break
        token.start = end
        before = 0
        while True:
            k = _hash(s, before)
            if k:
                end[0] = before = 48
                s += k
            elif 48 <= s[0] <= 57:
                end[0] = before = 48
                while 48 <= s[0] <= 57:
                    s += 1
            elif KIND[s[0]] == SPECIAL and (not s[0] or _space(s)):
                break
            else:
                end[0] = before = s[0]
                s += 1
            end += 1
        token.size = end - token.start
        if _is_state(&token):
            continue
        if _is_term(&token) or _takes_turns(&token):
            return False
        i = count
        order = 1
        while i > 0:
            order = _compare(&tokens[i - 1], &token)
            if order <= 0:
                break
            i -= 1
        if order == 0:
            continue
        if count == MOST_TOKENS:
            return False
        for k in range(count, i, -1):
            tokens[k] = tokens[k - 1]
        tokens[i] = token
        count += 1
    for i in range(count):
        crc = (crc >> 8) ^ CRC[0][(crc ^ 46) & 255]
        crc = _crc(crc, tokens[i].start, tokens[i].size)
    label[0] = ~crc
    return True


cdef inline bint _letter(unsigned char one) noexcept:
    return 97 <= (one | 32) <= 122


cdef int _hash(Bytes s, unsigned char before) noexcept:
    """Return the length of the hash that begins at this position; 0 for none (`labels._HASHES`)."""
    cdef int size = 0, runs = 0
    cdef bint inner = False
    if 48 <= before <= 57 or _letter(before):
        return 0
    while True:
        if 48 <= s[size] <= 57:
            runs += 1
            while 48 <= s[size] <= 57:
                size += 1
        elif _letter(s[size]):
            while _letter(s[size]):
                size += 1
            inner = runs > 0
        else:
            break
    if runs > 1:
        return size if size >= 6 else 0
    if not runs or not inner or size > 8 or not (before == 45 or before == 95 or before == 58):
        return 0
    return size if size >= (4 if _letter(s[0]) else 6) else 0


cdef inline int _compare(Token* one, Token* other) noexcept:
    """Compare two texts by bytes, which in UTF-8 is the order of code points."""
    cdef Py_ssize_t size = one.size if one.size < other.size else other.size
    cdef int order = memcmp(one.start, other.start, size)
    if order:
        return order
    return (one.size > other.size) - (one.size < other.size)


cdef inline bint _is_state(Token* token) noexcept:
    cdef int i
    for i in range(_state_count):
        if _states[i].size == token.size and memcmp(_states[i].start, token.start, token.size) == 0:
            return True
    return False


cdef inline bint _is_term(Token* token) noexcept:
    """Return whether a token may be the name of a term of a record, as `labels._is_term`."""
    cdef Py_ssize_t size
    cdef int i
    for i in range(_term_count):
        size = _terms[i].size
        if size + 1 < token.size and token.start[size] == 45 and memcmp(_terms[i].start, token.start, size) == 0:
            return True
    return False


cdef bint _takes_turns(Token* token) noexcept:
    """Return whether a token may contain a part of `labels._TURNS`: "odd", "even" or "alt" at a word boundary."""
    cdef Bytes s = token.start
    cdef Py_ssize_t i, left
    cdef bint begins
    if token.size == 8 and memcmp(s, b"rowColor", 8) == 0:
        return True
    for i in range(token.size - 2):
        begins = i == 0 or not (_letter(s[i - 1]) or s[i - 1] == 48)
        if not begins and not (65 <= s[i] <= 90):
            continue
        left = token.size - i
        if _begins(s + i, left, b"odd", 3) or _begins(s + i, left, b"even", 4) or _begins(s + i, left, b"alt", 3):
            return True
    return False


cdef inline bint _begins(Bytes s, Py_ssize_t left, Bytes word, Py_ssize_t size) noexcept:
    """Return whether a text begins with a word given in lower case, ignoring case."""
    cdef Py_ssize_t i
    if left < size:
        return False
    for i in range(size):
        if (s[i] | 32) != word[i]:
            return False
    return True


def flatten(_Element root not None):
    """Return the columns of the tree below `root`, equal to those of `sitecrawl.dom.flat.flatten`."""
    cdef tree.xmlNode* top = root._c_node
    cdef Walk walk
    cdef Columns columns
    cdef list links, late, tag, text, names
    cdef Py_ssize_t i
    cdef bint collects
    if top == NULL or top.type != tree.XML_ELEMENT_NODE or _has_declarations(top.doc):
        return reference(root)
    walk = _take()
    collects = PyGC_Disable()
    try:
        walk.over(top)
    finally:
        if collects:
            PyGC_Enable()
    links, late = walk.links, walk.late
    for i in range(0, len(late), 3):
        walk.rows[<Py_ssize_t>late[i]].label = element_label(late[i + 1], late[i + 2])
    _finish(walk.rows, walk.count)
    columns = walk.columns()
    tag, text, names = walk.lists()
    anchors = [(links[i], links[i + 1], links[i + 2]) for i in range(0, len(links), 3)]
    flat = FlatDom.kept_by(columns, tag, text, names, anchors, walk.hidden, walk.unshown)
    _give_back(walk)
    return flat


cdef struct Name:
    Bytes text  # of libxml2, NULL for none
    bint telling


cdef class Telling:
    """The nodes that describe a page, while they are collected. The walk creates no Python objects for them."""

    cdef tree.xmlNode** nodes
    cdef Py_ssize_t count
    cdef Py_ssize_t room
    cdef Name[KNOWN_TAGS] names

    def __dealloc__(self):
        free(self.nodes)

    cdef int add(self, tree.xmlNode* c) except -1:
        """Add a node at the end."""
        cdef void* more
        if self.count == self.room:
            self.room = self.room * 2 if self.room else 256
            more = realloc(self.nodes, self.room * sizeof(tree.xmlNode*))
            if more == NULL:
                raise MemoryError
            self.nodes = <tree.xmlNode**>more
        self.nodes[self.count] = c
        self.count += 1
        return 0

    cdef bint is_telling(self, tree.xmlNode* c) except -1:
        """Return whether an element has one of the tags, found by the address of its name, which a document stores once."""
        cdef uint64_t at = <uint64_t><size_t>c.name * MULTIPLIER >> 32
        cdef int tries
        cdef Name* name = NULL
        if c.ns != NULL:
            return False
        for tries in range(TRIES):
            name = &self.names[(at + tries) % KNOWN_TAGS]
            if name.text == <Bytes>c.name:
                return name.telling
            if name.text == NULL:
                break
        name.text, name.telling = <Bytes>c.name, namespacedName(c) in TELLING
        return name.telling

    cdef int over(self, tree.xmlNode* top, Telling items) except -1:
        """Collect the nodes with one of the tags at and below `top`; `items` gets those with `itemprop`."""
        cdef tree.xmlNode* c = top
        cdef tree.xmlAttr* a
        cdef Py_ssize_t most = MAX_ITEMS
        while True:
            if c.type == tree.XML_ELEMENT_NODE:
                if self.is_telling(c):
                    self.add(c)
                a = c.properties if items.count < most else NULL
                while a != NULL:
                    if a.ns == NULL and a.name[0] == b"i" and strcmp(<const char*>a.name, "itemprop") == 0:
                        items.add(c)
                        break
                    a = a.next
                if c.children != NULL:
                    c = c.children
                    continue
            while c != top and c.next == NULL:
                c = c.parent
            if c == top:
                return 0
            c = c.next

    cdef list elements(self, _Element root):
        """Return the collected nodes as elements of lxml."""
        cdef Py_ssize_t i
        return [elementFactory(root._doc, self.nodes[i]) for i in range(self.count)]


def telling_elements(_Element root not None):
    """Return the elements that describe a page, as `sitecrawl.dom.telling_elements.telling_elements` does."""
    cdef Telling named = Telling(), items = Telling()
    cdef bint collects
    if root._c_node == NULL or root._c_node.type != tree.XML_ELEMENT_NODE:
        return TellingElements([], [])
    collects = PyGC_Disable()
    try:
        named.over(root._c_node, items)
        return TellingElements(named.elements(root), items.elements(root))
    finally:
        if collects:
            PyGC_Enable()


cdef Walk _take():
    """Return a walk object that is not in use."""
    global _spare
    cdef Walk walk = _spare
    _spare = None
    if walk is None:
        return Walk()
    walk.clear()
    return walk


cdef void _give_back(Walk walk) noexcept:
    """Keep a walk object for the next page, unless it has become large."""
    global _spare
    if walk.room <= MOST_KEPT:
        walk.links = walk.hidden = walk.unshown = walk.late = None
        _spare = walk


cdef bint _has_declarations(tree.xmlDoc* document) noexcept:
    """Return whether a document type may add attributes that are not in the page, which never happens in HTML."""
    if document == NULL or document.type == tree.XML_HTML_DOCUMENT_NODE:
        return False
    return document.intSubset != NULL or document.extSubset != NULL
