# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `majority` in `digest.py`, which is the reference and chooses."""

from cpython.long cimport PyLong_AsUnsignedLongLong
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memset

from sitecrawl.crawl import digest as reference

cdef enum:
    BITS = 64

cdef uint64_t FIRST, SECOND
FIRST, SECOND = reference.FACTORS


cdef int _order(const void* one, const void* other) noexcept nogil:
    cdef uint64_t a = (<const uint64_t*>one)[0], b = (<const uint64_t*>other)[0]
    return (a > b) - (a < b)


def majority(list hashed):
    """Return the bits that most of the different grams have; `hashed` are three tokens or more."""
    cdef Py_ssize_t size = len(hashed), i, different = 0
    cdef uint64_t a, b, c, found = 0
    cdef int bit
    cdef int[BITS] votes
    cdef uint64_t* grams
    if size < 3:
        raise ValueError("fewer tokens than a gram has")
    grams = <uint64_t*>malloc(size * sizeof(uint64_t))
    if not grams:
        raise MemoryError
    try:
        a, b = PyLong_AsUnsignedLongLong(hashed[0]), PyLong_AsUnsignedLongLong(hashed[1])
        for i in range(2, size):
            c = PyLong_AsUnsignedLongLong(hashed[i])
            grams[i - 2] = a * FIRST + b * SECOND + c
            a, b = b, c
        qsort(grams, size - 2, sizeof(uint64_t), _order)
        memset(votes, 0, sizeof(votes))
        for i in range(size - 2):
            if i and grams[i] == grams[i - 1]:
                continue
            different += 1
            a = grams[i]
            for bit in range(BITS):
                votes[bit] += <int>(a >> bit & 1)
        for bit in range(BITS):
            if 2 * <Py_ssize_t>votes[bit] > different:
                found |= <uint64_t>1 << bit
        return found
    finally:
        free(grams)
