# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""`SiteStatistics` as tables of C: every page asks them for each of its paths and texts."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc


cdef class Site:
    """The sums of a site by path, and the pages that hold a text, by its label."""

    def __init__(self, statistics):
        cdef uint64_t place
        cdef int32_t number = 0
        cdef Sums* sums
        cdef Text* text
        paths, texts = statistics.paths, statistics.texts
        self.pages, self.fresh = statistics.pages, statistics.fresh
        self.last_path, self.last_text = _last(len(paths)), _last(len(texts))
        self.path_places = <int32_t*>calloc(self.last_path + 1, sizeof(int32_t))
        self.text_places = <int32_t*>calloc(self.last_text + 1, sizeof(int32_t))
        self.sums = <Sums*>malloc((len(paths) + 1) * sizeof(Sums))
        self.texts = <Text*>malloc((len(texts) + 1) * sizeof(Text))
        if self.path_places == NULL or self.text_places == NULL or self.sums == NULL or self.texts == NULL:
            raise MemoryError
        for path, found in paths.items():
            sums = &self.sums[number]
            sums.path = path
            sums.pages, sums.nodes, sums.variants, sums.chars, sums.plain, sums.fresh = found
            place = _first(sums.path) & self.last_path
            while self.path_places[place]:
                place = (place + 1) & self.last_path
            number += 1
            self.path_places[place] = number
        number = 0
        for label, pages in texts.items():
            text = &self.texts[number]
            text.label, text.pages = label, pages
            place = text.label & self.last_text
            while self.text_places[place]:
                place = (place + 1) & self.last_text
            number += 1
            self.text_places[place] = number

    def __dealloc__(self):
        free(self.path_places)
        free(self.text_places)
        free(self.sums)
        free(self.texts)

    cdef Sums* path(self, uint64_t path) noexcept:
        """Return what is known of a path, NULL for nothing."""
        cdef uint64_t place = _first(path) & self.last_path
        cdef Sums* sums
        while self.path_places[place]:
            sums = &self.sums[self.path_places[place] - 1]
            if sums.path == path:
                return sums
            place = (place + 1) & self.last_path
        return NULL

    cdef int64_t text(self, uint32_t label) noexcept:
        """Return how many pages hold a text in one place, at most; 0 when that is not known."""
        cdef uint64_t place = label & self.last_text
        cdef Text* text
        while self.text_places[place]:
            text = &self.texts[self.text_places[place] - 1]
            if text.label == label:
                return text.pages
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
