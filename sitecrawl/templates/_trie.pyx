# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The compiled twin of `count_page` in `trie.py`: it counts the rows of a page without creating lists of them.

The nodes are the same Python objects. Their slots are read and written at the offsets defined by the class, because
access by name would take more time than everything else here.
"""

from cpython.long cimport PyLong_AsLongLong, PyLong_FromLongLong
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from sitecrawl.dom._flat cimport Columns, Row, columns_of

from sitecrawl.templates import trie

cdef extern from "structmember.h":
    const int T_OBJECT_EX
    ctypedef struct PyMemberDef:
        int type
        Py_ssize_t offset

cdef extern from "Python.h":
    ctypedef struct PyMemberDescrObject:
        PyMemberDef* d_member
    PyTypeObject PyMemberDescr_Type
    PyTypeObject* Py_TYPE(object)
    object PyType_GenericAlloc(type, Py_ssize_t)
    void PyObject_GC_UnTrack(PyObject*)
    PyObject* PyDict_GetItemWithError(dict, object) except? NULL


cdef uint64_t MULTIPLIER = 0x9E3779B97F4A7C15ULL


cdef Py_ssize_t _offset(type kind, str name) except -1:
    """Return the offset of a slot in the objects of a class. Raises TypeError if the class has no such slot."""
    cdef object slot = kind.__dict__.get(name)
    cdef PyMemberDef* member
    if slot is None or Py_TYPE(slot) != &PyMemberDescr_Type:
        raise TypeError(f"{kind.__name__} has no slot {name}")
    member = (<PyMemberDescrObject*>slot).d_member
    if member.type != T_OBJECT_EX or not 0 < member.offset < kind.__basicsize__:
        raise TypeError(f"the slot {name} of {kind.__name__} holds no object")
    return member.offset


cdef inline object _get(object node, Py_ssize_t offset):
    cdef PyObject* value = (<PyObject**>(<char*><PyObject*>node + offset))[0]
    if value == NULL:
        raise AttributeError("an empty slot")
    return <object>value


cdef inline void _put(object node, Py_ssize_t offset, object value) noexcept:
    cdef PyObject** slot = <PyObject**>(<char*><PyObject*>node + offset)
    cdef PyObject* before = slot[0]
    Py_INCREF(value)
    slot[0] = <PyObject*>value
    Py_XDECREF(before)


cdef struct Kind:
    # The rows of a page with the same path key, which correspond to one node of the template.
    int64_t path
    int64_t style  # of the first of them
    int64_t nodes
    int64_t chars
    int64_t link_chars
    Py_ssize_t parent  # kind of the parent
    int32_t row  # the first of them
    int32_t depth


cdef class Kinds:
    """The distinct path keys of a page, in the order of their first rows; usually a third of the number of rows."""

    cdef Kind* kinds
    cdef int32_t* slots  # a hash table of kinds, -1 for none
    cdef int32_t* kind_of  # by row
    cdef Py_ssize_t count
    cdef uint64_t mask

    def __cinit__(self, Py_ssize_t rows):
        cdef Py_ssize_t size = 16
        while size < 2 * rows:
            size *= 2
        self.mask = <uint64_t>size - 1
        self.kinds = <Kind*>malloc((rows + 1) * sizeof(Kind))
        self.kind_of = <int32_t*>malloc((rows + 1) * sizeof(int32_t))
        self.slots = <int32_t*>malloc(size * sizeof(int32_t))
        if self.kinds == NULL or self.kind_of == NULL or self.slots == NULL:
            raise MemoryError
        memset(self.slots, 0xFF, size * sizeof(int32_t))

    def __dealloc__(self):
        free(self.kinds)
        free(self.kind_of)
        free(self.slots)

    cdef list gather(self, Columns columns):
        """Count all rows; return (kind, style) of the further styles within a kind, each once, in order."""
        cdef dict more_styles = {}
        cdef Row* row
        cdef Kind* kind
        cdef Py_ssize_t i
        cdef uint64_t at
        for i in range(columns.count):
            row = &columns.rows[i]
            at = (<uint64_t>row.path * MULTIPLIER >> 20) & self.mask
            while self.slots[at] >= 0 and self.kinds[self.slots[at]].path != <int64_t>row.path:
                at = (at + 1) & self.mask
            if self.slots[at] >= 0:
                self.kind_of[i] = self.slots[at]
                kind = &self.kinds[self.slots[at]]
                kind.nodes += 1
                kind.chars += row.chars
                kind.link_chars += row.link_chars
                if kind.style != <int64_t>row.style:
                    more_styles[(self.slots[at], <int64_t>row.style)] = None
                continue
            self.slots[at] = self.kind_of[i] = <int32_t>self.count
            kind = &self.kinds[self.count]
            kind.path, kind.style, kind.nodes = <int64_t>row.path, <int64_t>row.style, 1
            kind.chars, kind.link_chars, kind.row = row.chars, row.link_chars, <int32_t>i
            kind.parent = self.kind_of[row.parent] if i else -1
            kind.depth = self.kinds[kind.parent].depth + 1 if i else 0
            self.count += 1
        return list(more_styles)


def count_page(flat, dict nodes, page):
    """Count a page in `nodes`; return the new nodes, and the number of known ones on the page."""
    global _counter
    if _counter is None:
        _counter = Counter(trie.TemplateNode)
    created, known, unlabelled = _counter.count(columns_of(flat), nodes, page)
    for node, row in unlabelled:
        node.label = trie.label(flat, row)
    return created, known


cdef Counter _counter = None


cdef class Counter:
    """Counts pages in the nodes of one class."""

    cdef type kind
    cdef Py_ssize_t key, parent, depth, label, pages, nodes, variants, chars, link_chars, first_page, last_page
    cdef Py_ssize_t style, page_style, style_pages, other_styles

    def __cinit__(self, type kind):
        self.kind = kind
        self.key, self.parent, self.depth = _offset(kind, "key"), _offset(kind, "parent"), _offset(kind, "depth")
        self.label, self.pages, self.nodes = _offset(kind, "label"), _offset(kind, "pages"), _offset(kind, "nodes")
        self.variants, self.chars = _offset(kind, "variants"), _offset(kind, "chars")
        self.link_chars, self.first_page = _offset(kind, "link_chars"), _offset(kind, "first_page")
        self.last_page, self.style = _offset(kind, "last_page"), _offset(kind, "style")
        self.page_style, self.style_pages = _offset(kind, "page_style"), _offset(kind, "style_pages")
        self.other_styles = _offset(kind, "other_styles")

    def count(self, Columns columns, dict nodes, page):
        """Count a page in `nodes`, a dict by path key.

        Returns (new nodes, number of known ones, [(node, row)] of known ones without a label).
        """
        cdef list created = [], unlabelled = [], found = [], more_styles
        cdef object key, node
        cdef PyObject* known
        cdef Kind* kind
        cdef Py_ssize_t i, again = 0
        cdef Kinds kinds = Kinds(columns.count)
        more_styles = kinds.gather(columns)
        for i in range(kinds.count):
            kind = &kinds.kinds[i]
            key = PyLong_FromLongLong(kind.path)
            known = PyDict_GetItemWithError(nodes, key)
            if known == NULL:
                node = self.created(key, found[kind.parent] if i else None, page, kind)
                nodes[key] = node
                found.append(node)
                created.append(node)
                continue
            node = <object>known
            found.append(node)
            _put(node, self.nodes, _get(node, self.nodes) + kind.nodes)
            if kind.chars:
                _put(node, self.chars, _get(node, self.chars) + kind.chars)
            if kind.link_chars:
                _put(node, self.link_chars, _get(node, self.link_chars) + kind.link_chars)
            again += 1
            self.known(node, page, kind)
            if not _get(node, self.label):
                unlabelled.append((node, kind.row))
        for i, style in more_styles:
            found[i].add_style(style, 1)
        return created, again, unlabelled

    cdef object created(self, object key, object above, object page, Kind* kind):
        """Return a new node for a path key that no earlier page had."""
        cdef object node = PyType_GenericAlloc(self.kind, 0)
        cdef object style = PyLong_FromLongLong(kind.style)
        # It contains only numbers and a str, so it is in no cycle, and the collector need not track tens of thousands of them.
        PyObject_GC_UnTrack(<PyObject*>node)
        _put(node, self.key, key)
        if above is None:
            _put(node, self.parent, 0)
        else:
            _put(node, self.parent, _get(above, self.key))
            _put(above, self.variants, _get(above, self.variants) + 1)
        _put(node, self.depth, kind.depth)
        _put(node, self.label, "")
        _put(node, self.pages, 1)
        _put(node, self.nodes, kind.nodes)
        _put(node, self.variants, 0)
        _put(node, self.chars, PyLong_FromLongLong(kind.chars))
        _put(node, self.link_chars, PyLong_FromLongLong(kind.link_chars))
        _put(node, self.first_page, page)
        _put(node, self.last_page, page)
        _put(node, self.style, style)
        _put(node, self.page_style, style)
        _put(node, self.style_pages, 1)
        _put(node, self.other_styles, None)
        return node

    cdef int known(self, object node, object page, Kind* kind) except -1:
        """Count a known node at its first row on this page."""
        cdef object style = PyLong_FromLongLong(kind.style)
        _put(node, self.last_page, page)
        _put(node, self.pages, _get(node, self.pages) + 1)
        _put(node, self.page_style, style)
        if PyLong_AsLongLong(_get(node, self.style)) == kind.style:
            _put(node, self.style_pages, _get(node, self.style_pages) + 1)
        else:
            node.add_style(style, 1)
        return 0
