# cython: language_level=3
"""The data of a page that other compiled modules may read."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t


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
    uint16_t tag  # `labels.TAG_NUMBERS`
    uint8_t is_text
    uint8_t link  # only during the walk: the kind of anchor that contains it
    uint8_t in_heading  # only during the walk


cdef class Columns:
    cdef Row* rows
    cdef Py_ssize_t count


cdef Columns columns_of(object flat)
