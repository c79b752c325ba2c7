# cython: language_level=3
"""Memory that is kept for the next page, for other compiled modules."""


cdef void* take(size_t size) except NULL
cdef void give(void* memory, size_t size) noexcept
