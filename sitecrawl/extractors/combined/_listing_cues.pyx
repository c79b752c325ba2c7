# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of what `listing_cues.py`, which is the reference and chooses, looks for in all rows of a page."""

from sitecrawl.dom._blocks cimport BlockColumns, blocks_of
from sitecrawl.dom._flat cimport Columns, columns_of

from sitecrawl.dom.labels import HEADINGS, TAG_NUMBERS
from sitecrawl.extractors.combined import listing_cues as reference

cdef enum:
    TAGS = 256

cdef double HEADING_SHARE = reference.HEADING_SHARE
cdef double HEADING_CHANCE = reference.HEADING_CHANCE
cdef int H1 = TAG_NUMBERS["h1"], TEXT_AREA = TAG_NUMBERS["textarea"]
cdef int TIME = TAG_NUMBERS["time"], ARTICLE = TAG_NUMBERS["article"]
cdef char[TAGS] IS_HEADING
for _tag in HEADINGS:
    IS_HEADING[<int>TAG_NUMBERS[_tag]] = True


def tag_counts(flat):
    """Return how many `textarea`, `time` and `article` elements a page has."""
    cdef Columns columns = columns_of(flat)
    cdef Py_ssize_t[TAGS] counts
    cdef Py_ssize_t i
    for i in range(TAGS):
        counts[i] = 0
    for i in range(columns.count):
        counts[columns.rows[i].tag] += 1
    return counts[TEXT_AREA], counts[TIME], counts[ARTICLE]


def own_heading(flat, blocks, list chances, list text_share):
    """Return the first block that may be the page's own heading, -1 if there is none."""
    cdef Columns columns = columns_of(flat)
    cdef BlockColumns own = blocks_of(blocks, columns.count)
    cdef Py_ssize_t b
    cdef int tag
    if not (len(chances) == len(text_share) == own.count):
        raise ValueError("columns of different lengths")
    for b in range(own.count):
        tag = columns.rows[own.blocks[b].container].tag
        if IS_HEADING[tag] and <double>text_share[b] < HEADING_SHARE:
            if tag == H1 or <double>chances[b] >= HEADING_CHANCE:
                return b
    return -1
