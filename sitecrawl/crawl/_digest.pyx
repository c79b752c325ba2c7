# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `read_words` and `majority` in `digest.py`."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.long cimport PyLong_AsUnsignedLongLong, PyLong_FromUnsignedLongLong
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

from sitecrawl.crawl import digest as reference
from sitecrawl.dom.scripts import UNSPACED

cdef extern from "Python.h":
    int Py_UNICODE_ISALNUM(Py_UCS4)

cdef enum:
    BITS = 64
    ROUNDS = 12
    BLOCK = 128  # bytes of a block of blake2b
    SIZE = 8  # bytes of the hash of a word
    REMEMBERED = 8192  # entries of the cache of hashes, which is addressed by a simple hash of the word
    SHORT = 24  # maximum bytes of a word whose hash is cached

cdef struct Word:
    uint64_t found
    uint8_t size  # 0 for none
    char[SHORT] text

cdef Word[REMEMBERED] _words
memset(_words, 0, sizeof(_words))

cdef uint64_t[8] START
START[:] = [
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
]
cdef uint8_t[ROUNDS][16] SIGMA
_sigma = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    (11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    (7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    (9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    (2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    (12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    (13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    (6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    (10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
)
cdef int _i, _j
for _i in range(ROUNDS):
    for _j in range(16):
        SIGMA[_i][_j] = _sigma[_i % 10][_j]


cdef inline uint64_t _right(uint64_t x, int bits) noexcept nogil:
    return x >> bits | x << (BITS - bits)


cdef inline void _mix(uint64_t* v, int a, int b, int c, int d, uint64_t x, uint64_t y) noexcept nogil:
    v[a] += v[b] + x
    v[d] = _right(v[d] ^ v[a], 32)
    v[c] += v[d]
    v[b] = _right(v[b] ^ v[c], 24)
    v[a] += v[b] + y
    v[d] = _right(v[d] ^ v[a], 16)
    v[c] += v[d]
    v[b] = _right(v[b] ^ v[c], 63)


cdef uint64_t _blake(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Return blake2b (RFC 7693) of a text of at most BLOCK bytes, SIZE bytes long, as a little-endian number."""
    cdef uint8_t[BLOCK] block
    cdef uint64_t[16] m
    cdef uint64_t[16] v
    cdef uint8_t* s
    cdef int i, k
    memset(block, 0, BLOCK)
    memcpy(block, text, size)
    for i in range(16):
        m[i] = 0
        for k in range(7, -1, -1):
            m[i] = m[i] << 8 | block[8 * i + k]
    for i in range(8):
        v[i] = v[i + 8] = START[i]
    v[0] ^= 0x01010000 ^ SIZE
    v[12] ^= <uint64_t>size
    v[14] = ~v[14]
    for i in range(ROUNDS):
        s = SIGMA[i]
        _mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]])
        _mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]])
        _mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]])
        _mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]])
        _mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]])
        _mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]])
        _mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]])
        _mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]])
    return START[0] ^ 0x01010000 ^ SIZE ^ v[0] ^ v[8]


cdef inline uint64_t _hashed(const uint8_t* text, Py_ssize_t size, uint32_t place) noexcept nogil:
    """Return the same hash; the hashes of short words are cached."""
    cdef Word* word
    if size > SHORT:
        return _blake(text, size)
    word = &_words[place % REMEMBERED]
    if word.size != size or memcmp(word.text, text, size):
        word.found = _blake(text, size)
        word.size = <uint8_t>size
        memcpy(word.text, text, size)
    return word.found


cdef inline bint _stands_alone(uint32_t c) noexcept nogil:
    """Return whether a character is of a script without spaces."""
    cdef int i
    if c < ALONE[0]:
        return False
    for i in range(0, ALONE_COUNT, 2):
        if ALONE[i] <= c <= ALONE[i + 1]:
            return True
    return False


cdef inline int _encoded(uint32_t c, uint8_t* into) noexcept nogil:
    """Write a character in UTF-8; return the number of bytes."""
    if c < 0x80:
        into[0] = <uint8_t>c
        return 1
    if c < 0x800:
        into[0] = <uint8_t>(0xC0 | c >> 6)
        into[1] = <uint8_t>(0x80 | c & 63)
        return 2
    if c < 0x10000:
        into[0] = <uint8_t>(0xE0 | c >> 12)
        into[1] = <uint8_t>(0x80 | c >> 6 & 63)
        into[2] = <uint8_t>(0x80 | c & 63)
        return 3
    into[0] = <uint8_t>(0xF0 | c >> 18)
    into[1] = <uint8_t>(0x80 | c >> 12 & 63)
    into[2] = <uint8_t>(0x80 | c >> 6 & 63)
    into[3] = <uint8_t>(0x80 | c & 63)
    return 4


cdef class _Tokens:
    """The hashes of tokens, in the order of the text."""

    cdef list hashes
    cdef uint8_t* start  # of the current token
    cdef uint32_t place

    cdef int begin(self, uint8_t* start) except -1:
        self.start = start
        self.place = 2166136261
        return 0

    cdef inline void meet(self, uint32_t c) noexcept:
        self.place = (self.place ^ c) * 16777619

    cdef int end(self, uint8_t* stop) except -1:
        """End the current token. An empty one does not count; one of more than BLOCK bytes is hashed by Python."""
        cdef Py_ssize_t size = stop - self.start
        if size > BLOCK:
            word = bytes(self.start[:size]).decode()
            self.hashes.append(reference._hash(word))
        elif size:
            self.place ^= self.place >> 15
            self.hashes.append(PyLong_FromUnsignedLongLong(_hashed(self.start, size, self.place)))
        return self.begin(stop)


def read_words(str lower not None):
    """Return (UTF-8 of the words joined by spaces, hashes of the tokens)."""
    cdef Py_ssize_t size = len(lower), i
    cdef int kind = PyUnicode_KIND(lower)
    cdef const void* data = PyUnicode_DATA(lower)
    cdef uint8_t* joined = <uint8_t*>malloc((kind if kind == 4 else kind + 1) * size + size + 1)
    cdef uint8_t* end = joined
    cdef uint8_t[4] alone
    cdef uint32_t c
    cdef bint inside = False
    cdef _Tokens found = _Tokens()
    found.hashes = []
    if joined == NULL:
        raise MemoryError
    try:
        for i in range(size):
            c = PyUnicode_READ(kind, data, i)
            if ASCII_WORD[c] if c < 128 else Py_UNICODE_ISALNUM(c):
                if not inside:
                    inside = True
                    if end != joined:
                        end[0] = 32
                        end += 1
                    found.begin(end)
                if _stands_alone(c):
                    found.end(end)
                    end += _encoded(c, end)
                    found.meet(c)
                    found.end(end)
                else:
                    end += _encoded(c, end)
                    found.meet(c)
                continue
            if inside:
                inside = False
                found.end(end)
            if _stands_alone(c):
                found.begin(alone)
                found.meet(c)
                found.end(alone + _encoded(c, alone))
        if inside:
            found.end(end)
        return PyBytes_FromStringAndSize(<char*>joined, end - joined), found.hashes
    finally:
        free(joined)


cdef enum:
    MOST_ALONE = 64

cdef uint32_t[MOST_ALONE] ALONE
cdef int ALONE_COUNT = 0
for _first, _last in UNSPACED:
    ALONE[ALONE_COUNT], ALONE[ALONE_COUNT + 1] = ord(_first), ord(_last)
    ALONE_COUNT += 2

cdef uint8_t[128] ASCII_WORD
for _i in range(128):
    ASCII_WORD[_i] = chr(_i).isalnum() or chr(_i) == "_"

cdef uint64_t FIRST, SECOND
FIRST, SECOND = reference.FACTORS


cdef int _order(const void* one, const void* other) noexcept nogil:
    cdef uint64_t a = (<const uint64_t*>one)[0], b = (<const uint64_t*>other)[0]
    return (a > b) - (a < b)


def majority(list hashed):
    """Return the bits that the majority of the distinct 3-grams have, given the hashes of at least three tokens."""
    cdef Py_ssize_t size = len(hashed), i, different = 0
    cdef uint64_t a, b, c, found = 0
    cdef int bit
    cdef int[BITS] votes
    cdef uint64_t* grams
    if size < 3:
        raise ValueError("fewer tokens than a gram has")
    grams = <uint64_t*>malloc(size * sizeof(uint64_t))
    if not grams:
        raise MemoryError
    try:
        a, b = PyLong_AsUnsignedLongLong(hashed[0]), PyLong_AsUnsignedLongLong(hashed[1])
        for i in range(2, size):
            c = PyLong_AsUnsignedLongLong(hashed[i])
            grams[i - 2] = a * FIRST + b * SECOND + c
            a, b = b, c
        qsort(grams, size - 2, sizeof(uint64_t), _order)
        memset(votes, 0, sizeof(votes))
        for i in range(size - 2):
            if i and grams[i] == grams[i - 1]:
                continue
            different += 1
            a = grams[i]
            for bit in range(BITS):
                votes[bit] += <int>(a >> bit & 1)
        for bit in range(BITS):
            if 2 * <Py_ssize_t>votes[bit] > different:
                found |= <uint64_t>1 << bit
        return found
    finally:
        free(grams)
