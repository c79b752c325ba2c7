# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `kept_from` in `choice.py`, which is the reference; `looks.py` chooses."""

from libc.stdint cimport int64_t

from sitecrawl.extractors import choice

cdef enum:
    DRAWS = 40  # `choice.LEVELS`

cdef double USUAL = choice.USUAL
cdef double MARGIN = choice.MARGIN
cdef int FIRST = choice.FIRST
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
