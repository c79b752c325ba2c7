# cython: language_level=3
"""What other compiled modules may read of a page."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t


cdef struct Row:
    int64_t chars
    int64_t words
    int64_t link_chars
    uint64_t path
    uint64_t style
    uint64_t subtree
    uint32_t label
    int32_t parent
    int32_t end
    short is_text
    short in_link


cdef class Columns:
    cdef Row* rows
    cdef Py_ssize_t count
