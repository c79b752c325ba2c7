# cython: language_level=3, cdivision=True
"""A table that numbers keys in the order in which they are first seen, for other compiled modules."""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free


cdef struct Numbers:
    uint64_t* keys
    int32_t* numbers  # by place, plus 1; 0 for a place that is free
    uint64_t last  # place, a power of two less one
    int32_t count


cdef inline int make(Numbers* own, Py_ssize_t most) except -1:
    """Make room for so many keys. Raises MemoryError."""
    own.last, own.count = 3, 0
    while own.last < 2 * <uint64_t>most:
        own.last = 2 * own.last + 1
    own.keys = <uint64_t*>calloc(own.last + 1, sizeof(uint64_t) + sizeof(int32_t))
    if own.keys == NULL:
        raise MemoryError
    own.numbers = <int32_t*>(own.keys + own.last + 1)
    return 0


cdef inline int32_t number(Numbers* own, uint64_t key) noexcept:
    """Return the number of a key."""
    cdef uint64_t place = (key ^ key >> 32) * <uint64_t>0x9E3779B97F4A7C15
    place = place >> 32 & own.last
    while own.numbers[place]:
        if own.keys[place] == key:
            return own.numbers[place] - 1
        place = (place + 1) & own.last
    own.keys[place] = key
    own.count += 1
    own.numbers[place] = own.count
    return own.count - 1


cdef inline void drop(Numbers* own) noexcept:
    free(own.keys)
    own.keys = NULL
