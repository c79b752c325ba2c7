# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `measured` in `markup.py`, which is the reference and chooses."""

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND
from libc.stdint cimport uint8_t, uint16_t, uint32_t

cdef extern from *:
    """
    #include <stdint.h>
    /* Which of 16 characters are one of < = > (or ?), one bit for each; maybe all of them. */
    #if defined(__SSE2__)
    #include <emmintrin.h>
    static inline unsigned marks_in(const void *text, int width) {
        const __m128i *here = (const __m128i *)text;
        const __m128i none = _mm_setzero_si128();
        if (width == 1) {
            const __m128i own = _mm_xor_si128(_mm_loadu_si128(here), _mm_set1_epi8(60));
            return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(own, _mm_set1_epi8(-4)), none));
        }
        if (width == 2) {
            const __m128i mask = _mm_set1_epi16(-4), first = _mm_set1_epi16(60);
            const __m128i low = _mm_and_si128(_mm_xor_si128(_mm_loadu_si128(here), first), mask);
            const __m128i high = _mm_and_si128(_mm_xor_si128(_mm_loadu_si128(here + 1), first), mask);
            return (unsigned)_mm_movemask_epi8(
                _mm_packs_epi16(_mm_cmpeq_epi16(low, none), _mm_cmpeq_epi16(high, none)));
        }
        return 0xFFFF;
    }
    #else
    static inline unsigned marks_in(const void *text, int width) { return 0xFFFF; }
    #endif
    """
    unsigned int marks_in(const void* text, int width) noexcept nogil

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 one) noexcept nogil

cdef enum:
    AT_ONCE = 16
    ALL = 0xFFFF

ctypedef fused Unit:
    uint8_t
    uint16_t
    uint32_t


def measured(str html):
    """Return (longest, tagged, hidden) of a page without NUL."""
    cdef int kind = PyUnicode_KIND(html)
    cdef Py_ssize_t[3] found
    if kind == 1:
        _measure(<const uint8_t*>PyUnicode_DATA(html), len(html), found)
    elif kind == 2:
        _measure(<const uint16_t*>PyUnicode_DATA(html), len(html), found)
    else:
        _measure(<const uint32_t*>PyUnicode_DATA(html), len(html), found)
    return found[0], found[1], found[2]


cdef void _measure(const Unit* html, Py_ssize_t size, Py_ssize_t* found) noexcept:
    cdef Py_ssize_t i = -1, block = 0, begin = 0, tag = -1, longest = 0, tagged = 0, hidden = 0, after = 0, k
    cdef unsigned int marks = 0
    cdef Unit one, quote
    while True:
        while not marks and block < size:  # 16 characters without marks are passed over at once
            i = block - 1
            marks = marks_in(html + block, sizeof(Unit)) if block + AT_ONCE <= size else ALL >> (block + AT_ONCE - size)
            block += AT_ONCE
        if not marks:
            break
        i += 1
        while not marks & 1:
            marks >>= 1
            i += 1
        marks >>= 1
        one = html[i]
        if one > c">":
            continue
        if one == c">":
            longest = max(longest, i - begin)
            if tag >= 0:
                tagged = max(tagged, i - tag)
            begin, tag = i + 1, -1
        elif one == c"<":
            if tag < 0 and i + 1 < size and c"a" <= (html[i + 1] | 32) <= c"z":
                tag = i
        elif one == c"=" and i >= after:
            k = i + 1
            while k < size and Py_UNICODE_ISSPACE(html[k]):
                k += 1
            if k >= size or (html[k] != c'"' and html[k] != c"'"):
                continue
            quote = html[k]
            k += 1
            while k < size and html[k] != quote and html[k] != c">":
                k += 1
            if k < size and html[k] == c">":
                hidden += 1
                after = k + 1
    longest = max(longest, size - begin)
    if tag >= 0:
        tagged = max(tagged, size - tag)
    found[0], found[1], found[2] = longest, tagged, hidden
