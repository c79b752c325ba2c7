# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The compiled twin of the loop in `SiteTemplate.learn`: it counts the rows of a page without making lists of them.

`trie.py` says what is counted and is the reference. The nodes are the same Python objects; their slots are read and
written where the class says they are, since attributes cost more than all else here.
"""

from cpython.long cimport PyLong_AsLongLong, PyLong_FromLongLong
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

from sitecrawl.dom._flat cimport Columns, Row

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


cdef Py_ssize_t _offset(type kind, str name) except -1:
    """Return where a slot stands in the objects of a class. Raises TypeError when it has no such slot."""
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


def element_keys(Columns columns):
    """Return the distinct path keys of the elements of a page, as `layouts.element_keys` does."""
    cdef set keys = set()
    cdef Py_ssize_t i
    for i in range(columns.count):
        if not columns.rows[i].is_text:
            keys.add(PyLong_FromLongLong(<int64_t>columns.rows[i].path))
    return keys


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
        cdef list created = [], unlabelled = [], found = []
        cdef set more_styles = set()
        cdef object key, node, pair
        cdef PyObject* known
        cdef Row* row
        cdef Py_ssize_t i, again = 0
        cdef int32_t* depths = <int32_t*>malloc((columns.count + 1) * sizeof(int32_t))
        if depths == NULL:
            raise MemoryError
        try:
            for i in range(columns.count):
                row = &columns.rows[i]
                depths[i] = depths[row.parent] + 1 if i else 0
                key = PyLong_FromLongLong(<int64_t>row.path)
                known = PyDict_GetItemWithError(nodes, key)
                if known == NULL:
                    node = self.created(key, found[row.parent] if i else None, depths[i], page, row)
                    nodes[key] = node
                    found.append(node)
                    created.append(node)
                    continue
                node = <object>known
                found.append(node)
                _put(node, self.nodes, _get(node, self.nodes) + 1)
                if row.chars:
                    _put(node, self.chars, _get(node, self.chars) + row.chars)
                if row.link_chars:
                    _put(node, self.link_chars, _get(node, self.link_chars) + row.link_chars)
                if _get(node, self.last_page) != page:
                    again += 1
                    self.known(node, page, row)
                    if not _get(node, self.label):
                        unlabelled.append((node, i))
                elif PyLong_AsLongLong(_get(node, self.page_style)) != <int64_t>row.style:
                    pair = (key, <int64_t>row.style)
                    if pair not in more_styles:
                        more_styles.add(pair)
                        node.add_style(<int64_t>row.style, 1)
        finally:
            free(depths)
        return created, again, unlabelled

    cdef object created(self, object key, object above, int32_t depth, object page, Row* row):
        """Return a node that is new on this page."""
        cdef object node = PyType_GenericAlloc(self.kind, 0)
        cdef object style = PyLong_FromLongLong(<int64_t>row.style)
        # It holds numbers and a str, so no cycle: the collector need not look at tens of thousands of them.
        PyObject_GC_UnTrack(<PyObject*>node)
        _put(node, self.key, key)
        if above is None:
            _put(node, self.parent, 0)
        else:
            _put(node, self.parent, _get(above, self.key))
            _put(above, self.variants, _get(above, self.variants) + 1)
        _put(node, self.depth, depth)
        _put(node, self.label, "")
        _put(node, self.pages, 1)
        _put(node, self.nodes, 1)
        _put(node, self.variants, 0)
        _put(node, self.chars, PyLong_FromLongLong(row.chars))
        _put(node, self.link_chars, PyLong_FromLongLong(row.link_chars))
        _put(node, self.first_page, page)
        _put(node, self.last_page, page)
        _put(node, self.style, style)
        _put(node, self.page_style, style)
        _put(node, self.style_pages, 1)
        _put(node, self.other_styles, None)
        return node

    cdef int known(self, object node, object page, Row* row) except -1:
        """Count a node that is on this page for the first time and was on another one."""
        cdef object style = PyLong_FromLongLong(<int64_t>row.style)
        _put(node, self.last_page, page)
        _put(node, self.pages, _get(node, self.pages) + 1)
        _put(node, self.page_style, style)
        if PyLong_AsLongLong(_get(node, self.style)) == <int64_t>row.style:
            _put(node, self.style_pages, _get(node, self.style_pages) + 1)
        else:
            node.add_style(style, 1)
        return 0
