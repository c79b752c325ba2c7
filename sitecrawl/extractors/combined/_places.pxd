# cython: language_level=3
"""The counts of a page's blocks and of the rows that contain them, for other compiled modules."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from sitecrawl.dom._flat cimport Columns

cdef enum:
    CELL = 6  # columns of the site's statistics on a path: `BlockEvidence.paths`
    LARGE = 9  # three shares of three kinds of text: `BlockEvidence.regions`
    TAGS = 256  # more than there are numbers of tags


cdef struct Block:  # a row of `dom.blocks.Blocks`
    int64_t chars
    int64_t words
    int64_t link_chars
    int32_t first
    int32_t stop
    int32_t container


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
    cdef int32_t* path_places  # number of the sums in this slot, plus 1; 0 for none
    cdef int32_t* text_places
    cdef uint64_t last_path  # last index of the table, a power of two less one
    cdef uint64_t last_text
    cdef Sums* path(self, uint64_t path) noexcept
    cdef int64_t text(self, uint32_t label) noexcept


cdef struct Place:  # a row that contains blocks
    int64_t chars
    int64_t links
    int64_t fresh
    int64_t plain
    int64_t prose
    double site_fresh
    Sums* sums  # the site's statistics on its path, NULL for none
    double[CELL] cells
    int32_t[LARGE] deepest  # depths, -1 for none
    int32_t row
    int32_t above  # the place above, itself for the root
    int32_t depth
    int32_t end
    int32_t kind  # the same number for places on the same path
    const uint32_t* slots  # slots of its names, after the numbers of those that count always, near a block, and at a block
    uint64_t met  # a bit for each slot of a name that counts always, here or above
    int32_t always  # weights of the names of it and of all places above, in 64ths
    short tag
    char filled  # whether the cells are filled
    char unseen


cdef struct BlockCounts:  # the counts of a block
    int64_t marks
    int64_t prose  # its characters if it is prose, else 0
    int64_t most  # maximum number of pages with one of its texts in this place
    int64_t least  # the minimum number, that of its rarest text
    int64_t words  # weights of its first words, in 64ths
    double here  # sum over its characters of the number of other pages with their text in this place
    double anywhere
    int32_t digits
    int32_t place  # of its container
    int32_t anchors
    int32_t fragments
    Py_UCS4 first
    Py_UCS4 last


cdef class Places:
    cdef Columns columns
    cdef object given  # the blocks
    cdef object weights  # of words
    cdef Block* blocks
    cdef Site site
    cdef readonly int own
    cdef readonly int64_t others
    cdef Place* places
    cdef BlockCounts* counts
    cdef short* near  # by place: depth of the nearest place with each mark, from it upwards; -1 for none
    cdef int32_t* place_of  # by row, -1 for none
    cdef Py_ssize_t count
    cdef Py_ssize_t n
    cdef size_t[2] asked  # allocated sizes of places and near
    cdef int32_t kinds
    cdef int marks
    cdef const signed char[::1] name_weights
    cdef list held  # objects to which the slots of places point
    cdef int compare(self, statistics, learned) except -1
    cdef int pack(self, blocks) except -1
    cdef int find(self) except -1
    cdef int read(self, list texts, const signed char[::1] weights) except -1
    cdef int count_anchors(self, list anchors) except -1
    cdef int repeats(self) except -1
    cdef int regions(self) except -1
    cdef int name(self, list tags, list names, list hidden) except -1
    cdef void add_names(self, Place* own) noexcept
    cdef int64_t names_around(self, Place* own) noexcept
    cdef double* cell(self, Place* own, bint known) noexcept


cdef Places places_of(flat, blocks, statistics, learned, weights)
