# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""`SiteStatistics` as tables of C: every page asks them for each of its paths and texts."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free


cdef class Site:
    """The sums of a site by path, and the pages that hold a text, by its label."""

    def __init__(self, statistics):
        cdef uint64_t place, wanted
        cdef Sums* own
        cdef Text* text
        cdef dict paths = dict(statistics.paths), texts = dict(statistics.texts)
        self.pages, self.fresh = statistics.pages, statistics.fresh
        self.last_path, self.last_text = _last(len(paths)), _last(len(texts))
        self.sums = <Sums*>calloc(self.last_path + 1, sizeof(Sums))
        self.texts = <Text*>calloc(self.last_text + 1, sizeof(Text))
        if self.sums == NULL or self.texts == NULL:
            raise MemoryError
        for path, sums in paths.items():
            wanted = path
            place = _first(wanted) & self.last_path
            while self.sums[place].nodes:
                place = (place + 1) & self.last_path
            own = &self.sums[place]
            own.path = wanted
            own.pages, own.nodes, own.variants, own.chars, own.plain, own.fresh = sums
            if own.nodes < 1:
                raise ValueError("a path without nodes")
        for label, pages in texts.items():
            wanted = label
            place = wanted & self.last_text
            while self.texts[place].used:
                place = (place + 1) & self.last_text
            text = &self.texts[place]
            text.label, text.pages, text.used = <uint32_t>wanted, pages, 1

    def __dealloc__(self):
        free(self.sums)
        free(self.texts)

    cdef Sums* path(self, uint64_t path) noexcept:
        """Return what is known of a path, NULL for nothing."""
        cdef uint64_t place = _first(path) & self.last_path
        while self.sums[place].nodes:
            if self.sums[place].path == path:
                return &self.sums[place]
            place = (place + 1) & self.last_path
        return NULL

    cdef int64_t text(self, uint32_t label) noexcept:
        """Return how many pages hold a text in one place, at most; 0 when that is not known."""
        cdef uint64_t place = label & self.last_text
        while self.texts[place].used:
            if self.texts[place].label == label:
                return self.texts[place].pages
            place = (place + 1) & self.last_text
        return 0


cdef inline uint64_t _first(uint64_t path) noexcept:
    return path ^ path >> 32


cdef uint64_t _last(Py_ssize_t count) noexcept:
    """Return the number of the last place of a table that is half empty at least."""
    cdef uint64_t places = 4
    while places < 2 * <uint64_t>count:
        places *= 2
    return places - 1


cdef Site site_of(object statistics):
    """Return the tables of what is known of a site, made once."""
    cdef list made
    if statistics is None:
        return None
    made = statistics.compiled
    if not made:
        made.append(Site(statistics))
    return <Site>made[0]
