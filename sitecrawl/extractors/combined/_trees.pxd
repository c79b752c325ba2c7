# cython: language_level=3
"""Columns of numbers, the forests that evaluate them, and memory that is reused for the next page."""

from libc.stdint cimport uint8_t


cdef struct Node:
    short place  # index of the column among those that the forest reads; -1 for a leaf
    short right  # node of the same tree; the left one is the next
    uint8_t cut  # rows of this rank or a lower one go left
    uint8_t leaf  # its number in the tree, 1 for the first


cdef struct Planted:  # a tree
    int nodes  # number of the first
    int values  # of its leaves, the number of the first


cdef class Table:
    """Columns of equal length, one after the other."""

    cdef double* data
    cdef readonly Py_ssize_t rows
    cdef readonly int used
    cdef int width
    cdef double* add(self) except NULL


cdef class Trees:
    """A forest as C arrays."""

    cdef int count
    cdef Planted* trees
    cdef Node* nodes
    cdef double* values  # of leaves
    cdef readonly int width
    cdef int features
    cdef int* column  # of each place
    cdef int* begin  # of its thresholds
    cdef int* stop
    cdef double* thresholds
    cdef int judge(self, Table columns, double* chances) except -1
    cdef int rank(self, const double* columns, Py_ssize_t rows, Py_ssize_t begin, int size, uint8_t* ranks) noexcept


cdef void* take(size_t size) except NULL
cdef void give(void* memory, size_t size) noexcept
