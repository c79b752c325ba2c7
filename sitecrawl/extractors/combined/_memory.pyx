# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Memory that is kept for the next page.

Large pieces are dear to ask for, and with each that is given back the C library tidies up all small ones, of which the
trees of pages have many. So one piece of each size, a power of two, is kept. Whoever asks holds the GIL.
"""

from libc.stdlib cimport free, malloc

cdef enum:
    SMALLEST = 1 << 15  # bytes of a piece that is kept
    SIZES = 8  # up to 4 MB

cdef void* _kept[SIZES]


cdef inline int _number(size_t size) noexcept:
    """Return the number of the sizes that this one is rounded up to, SIZES and above for what is not kept."""
    cdef int number = 0
    while number < SIZES and size > <size_t>SMALLEST << number:
        number += 1
    return number


cdef void* take(size_t size) except NULL:
    """Return memory of this size at least; what is in it is not known. Raises MemoryError."""
    cdef int number = _number(size)
    cdef void* memory
    if number < SIZES:
        size = <size_t>SMALLEST << number
        if _kept[number] != NULL:
            memory = _kept[number]
            _kept[number] = NULL
            return memory
    memory = malloc(size)
    if memory == NULL:
        raise MemoryError
    return memory


cdef void give(void* memory, size_t size) noexcept:
    """Give back what was taken (or NULL), by the size that was asked for."""
    cdef int number = _number(size)
    if memory != NULL and number < SIZES and _kept[number] == NULL:
        _kept[number] = memory
    else:
        free(memory)
