# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `choice.py`, which is the reference; `block_classifier.py` chooses."""

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from sitecrawl.dom._blocks cimport Block, BlockColumns, blocks_of
from sitecrawl.dom._flat cimport Columns, columns_of
from sitecrawl.extractors.combined._numbers cimport Numbers, drop, make, number

from sitecrawl.dom.blocks import block_text
from sitecrawl.extractors.combined import choice

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 one) noexcept

ctypedef fused Unit:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    DRAWS = 40  # `choice.LEVELS`

cdef double USUAL = choice.USUAL
cdef double MARGIN = choice.MARGIN
cdef int FIRST = choice.FIRST
cdef int64_t REPEATED = choice.REPEATED
cdef double TWICE = choice.TWICE
cdef double[DRAWS] CHANCES
CHANCES[:] = choice.CHANCES


def kept_from(list chars, list chances):
    """Return the probability from which blocks are kept, as `choice.kept_from` does."""
    cdef int64_t[DRAWS + 1] between
    cdef int64_t[DRAWS] sizes
    cdef int[DRAWS] times
    cdef int[DRAWS] run
    cdef int64_t usual = 0, count, above = 0
    cdef int low, high, middle, i, runs = 0, some = 0
    cdef double chance, best, score, found = USUAL
    for i in range(DRAWS + 1):
        between[i] = 0
    for number in range(len(chances)):
        chance, count = chances[number], chars[number]
        low, high = 0, DRAWS
        while low < high:
            middle = (low + high) // 2
            if chance < CHANCES[middle]:
                high = middle
            else:
                low = middle + 1
        between[low] += count
        if chance >= USUAL:
            usual += count
    for i in range(DRAWS, 0, -1):  # levels from the highest on, then turned round
        above += between[i]
        between[i] = above
    for i in range(DRAWS):
        if not i or between[i + 1] != sizes[runs - 1]:
            sizes[runs], times[runs] = between[i + 1], 0
            runs += 1
        times[runs - 1] += 1
        run[i] = runs - 1
        some += between[i + 1] > 0
    best = expected(usual, sizes, times, runs) + MARGIN
    if some <= best * DRAWS:
        return USUAL
    low = -1
    for i in range(FIRST, DRAWS):
        if run[i] != low:
            low = run[i]
            score = expected(sizes[low], sizes, times, runs)
            if score > best:
                best, found = score, CHANCES[i]
    return found


cdef double expected(int64_t kept, int64_t* sizes, int* times, int runs) noexcept:
    cdef double total = 0.0
    cdef int i
    if not kept:
        return 0.0
    for i in range(runs):
        total += <double>(times[i] * 2 * min(kept, sizes[i])) / <double>(kept + sizes[i])
    return total / DRAWS


def without_repeats(flat, blocks, list chances, double limit):
    """Return the probabilities, 0 for kept blocks that repeat one before them, if the page has many such.

    Only texts with the same characters, white space aside, are made and compared.
    """
    cdef Columns columns = columns_of(flat)
    cdef BlockColumns own = blocks_of(blocks, columns.count)
    cdef Py_ssize_t n = own.count, b
    cdef int64_t kept = 0, alike = 0, repeated = 0
    cdef int32_t place
    cdef Numbers lengths
    cdef int32_t* times
    cdef list texts = flat.text, again = [], found
    cdef dict seen = {}
    if len(chances) != n or len(texts) != columns.count:
        raise ValueError("columns of different lengths")
    make(&lengths, n)
    times = <int32_t*>calloc(n + 1, sizeof(int32_t))
    if times == NULL:
        drop(&lengths)
        raise MemoryError
    try:
        for b in range(n):
            if <double>chances[b] >= limit:
                kept += own.blocks[b].chars
                if own.blocks[b].chars >= REPEATED:
                    place = number(&lengths, own.blocks[b].chars)
                    alike += own.blocks[b].chars if times[place] else 0
                    times[place] += 1
        if alike < TWICE * kept:  # not even if equal lengths are equal texts
            return chances
        for b in range(n):
            if own.blocks[b].chars < REPEATED or not <double>chances[b] >= limit:
                continue
            if times[number(&lengths, own.blocks[b].chars)] < 2:
                continue
            key = _key(texts, columns, &own.blocks[b])
            before = seen.get(key)
            if before is None:
                seen[key] = b
                continue
            if not isinstance(before, set):
                seen[key] = before = {block_text(flat, blocks, before)}
            text = block_text(flat, blocks, b)
            if text in <set>before:
                again.append(b)
                repeated += own.blocks[b].chars
            (<set>before).add(text)
    finally:
        drop(&lengths)
        free(times)
    if not again or repeated < TWICE * kept:
        return chances
    found = list(chances)
    for b in again:
        found[b] = 0.0
    return found


cdef uint64_t _key(list texts, Columns columns, const Block* block) except? 0:
    """Return a number of the characters of a block that are not white space."""
    cdef uint64_t key = 1
    cdef Py_ssize_t i
    cdef str text
    cdef int kind
    for i in range(block.first, block.stop):
        if columns.rows[i].is_text:
            text = <str>texts[i]
            kind = PyUnicode_KIND(text)
            if kind == 1:
                key = _more(<const uint8_t*>PyUnicode_DATA(text), len(text), key)
            elif kind == 2:
                key = _more(<const uint16_t*>PyUnicode_DATA(text), len(text), key)
            else:
                key = _more(<const uint32_t*>PyUnicode_DATA(text), len(text), key)
    return key


cdef uint64_t _more(const Unit* text, Py_ssize_t size, uint64_t key) noexcept:
    cdef Py_ssize_t i
    for i in range(size):
        if not Py_UNICODE_ISSPACE(text[i]):
            key = (key ^ text[i]) * <uint64_t>0x9E3779B97F4A7C15
            key ^= key >> 29
    return key
