# cython: language_level=3
"""What other compiled modules may read of the text blocks of a page."""

from libc.stdint cimport int32_t, int64_t


cdef struct Block:
    int64_t chars
    int64_t words
    int64_t link_chars
    int32_t first
    int32_t stop
    int32_t container


cdef class BlockColumns:
    cdef Block* blocks
    cdef readonly Py_ssize_t count
    cdef Py_ssize_t room
    cdef Block* add(self) except NULL


cdef BlockColumns blocks_of(object blocks, Py_ssize_t rows)
