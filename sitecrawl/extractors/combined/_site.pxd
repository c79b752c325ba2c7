# cython: language_level=3
"""What a site's template says, for other compiled modules."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t


cdef struct Sums:  # `statistics.PathStatistics`
    uint64_t path
    int64_t pages
    int64_t nodes
    int64_t variants
    int64_t chars
    int64_t plain
    int64_t fresh


cdef struct Text:
    uint32_t label
    int32_t pages


cdef class Site:
    cdef int64_t pages
    cdef int64_t fresh
    cdef Sums* sums
    cdef Text* texts
    cdef int32_t* path_places  # number of the sums that stand here, plus 1; 0 for none
    cdef int32_t* text_places
    cdef uint64_t last_path  # place, a power of two less one
    cdef uint64_t last_text
    cdef Sums* path(self, uint64_t path) noexcept
    cdef int64_t text(self, uint32_t label) noexcept


cdef Site site_of(object statistics)
