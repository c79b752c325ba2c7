# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `model.probabilities`: the same numbers, summed in the same order.

Rows are judged 64 at a time. First each number becomes its rank among the thresholds that the forest compares its
column with: one byte, which says as much as the number itself. Then a tree is not walked row by row, but once, with
one bit for each row: one comparison of 64 bytes tells which of them go left, and nodes that no row comes to are left
out. There is no branch that depends on a single row, so none that a processor guesses wrong.
"""

from libc.math cimport exp
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #if defined(__SSE2__)
    #include <emmintrin.h>
    static inline uint64_t rows_up_to(const uint8_t *ranks, uint8_t cut) {
        const __m128i most = _mm_set1_epi8((char)cut);
        uint64_t found = 0;
        int i;
        for (i = 0; i < 4; i++) {
            const __m128i own = _mm_loadu_si128((const __m128i *)(ranks + 16 * i));
            const int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(own, most), own));
            found |= (uint64_t)(uint16_t)bits << (16 * i);
        }
        return found;
    }
    /* Eight rows at a time, so that up to seven behind the last one are read and written. */
    static inline void rank_all(const double *values, const double *cuts, int many, int size, uint8_t *ranks) {
        int i, j, k;
        for (i = 0; i < size; i += 8) {
            __m128d own[4];
            __m128i count[4];
            for (k = 0; k < 4; k++) {
                own[k] = _mm_loadu_pd(values + i + 2 * k);
                count[k] = _mm_setzero_si128();
            }
            for (j = 0; j < many; j++) {
                const __m128d cut = _mm_set1_pd(cuts[j]);
                for (k = 0; k < 4; k++)
                    count[k] = _mm_sub_epi64(count[k], _mm_castpd_si128(_mm_cmpnle_pd(own[k], cut)));
            }
            for (k = 0; k < 4; k += 2)
                count[k] = _mm_castps_si128(
                    _mm_shuffle_ps(_mm_castsi128_ps(count[k]), _mm_castsi128_ps(count[k + 1]), 0x88));
            count[0] = _mm_packs_epi32(count[0], count[2]);
            _mm_storel_epi64((__m128i *)(ranks + i), _mm_packus_epi16(count[0], count[0]));
        }
    }
    #else
    static inline void rank_all(const double *values, const double *cuts, int many, int size, uint8_t *ranks) {
        int i, j;
        for (i = 0; i < size; i++) {
            uint8_t count = 0;
            for (j = 0; j < many; j++)
                count += !(values[i] <= cuts[j]);
            ranks[i] = count;
        }
    }
    static inline uint64_t rows_up_to(const uint8_t *ranks, uint8_t cut) {
        const uint64_t most = (uint64_t)(cut | 128) * 0x0101010101010101ULL;
        uint64_t found = 0, own;
        int i;
        for (i = 0; i < 8; i++) {  /* ranks are below 128: no byte borrows from the next */
            memcpy(&own, ranks + 8 * i, 8);
            own = ((most - own) >> 7) & 0x0101010101010101ULL;
            found |= (own * 0x0102040810204080ULL >> 56) << (8 * i);
        }
        return found;
    }
    #endif
    static inline int differ(const double *values, int size) {
        uint64_t first, one, found = 0;
        int i;
        memcpy(&first, values, 8);
        for (i = 1; i < size; i++) {
            memcpy(&one, values + i, 8);
            found |= one ^ first;
        }
        return found != 0;
    }
    #if defined(_MSC_VER)
    #include <intrin.h>
    static inline int lowest(uint64_t bits) { unsigned long i; _BitScanForward64(&i, bits); return (int)i; }
    #else
    static inline int lowest(uint64_t bits) { return __builtin_ctzll(bits); }
    #endif
    """
    uint64_t rows_up_to(const uint8_t* ranks, uint8_t cut) noexcept nogil
    void rank_all(const double* values, const double* cuts, int many, int size, uint8_t* ranks) noexcept nogil
    bint differ(const double* values, int size) noexcept nogil
    int lowest(uint64_t bits) noexcept nogil

cdef enum:
    AT_ONCE = 64  # rows
    BEHIND = 8  # numbers that may be read behind the last column
    MOST_NODES = 1024  # of a tree
    MOST_THRESHOLDS = 127  # of a column: ranks go up to their number

cdef double FLAT = 30.0


cdef class Table:
    """Columns of equal length, one after the other."""

    def __cinit__(self, Py_ssize_t rows, int width):
        self.rows = rows
        self.width = width
        self.used = 0
        self.data = <double*>malloc((rows * width + BEHIND) * sizeof(double))
        if not self.data:
            raise MemoryError

    def __dealloc__(self):
        free(self.data)

    cdef double* add(self) except NULL:
        if self.used >= self.width:
            raise IndexError("more columns than there is room for")
        self.used += 1
        return self.data + (self.used - 1) * self.rows

    def lists(self):
        """Return the columns as lists."""
        cdef Py_ssize_t i
        cdef int c
        return [[self.data[c * self.rows + i] for i in range(self.rows)] for c in range(self.used)]


cdef class Trees:
    """A forest as arrays of C; made of a `model.Forest`."""

    def __init__(self, forest):
        cdef int i, base = 0, total = 0
        cdef Py_ssize_t nodes = sum(len(tree.feature) for tree in forest.trees)
        cuts = {feature: set() for feature in forest.used}
        for tree in forest.trees:
            for feature, threshold in zip(tree.feature, tree.threshold):
                if feature >= 0:
                    cuts[feature].add(threshold)
        ordered = [sorted(cuts[feature]) for feature in forest.used]
        self.count, self.width, self.features = len(forest.trees), len(forest.names), len(forest.used)
        self.root = <int*>malloc(max(self.count, 1) * sizeof(int))
        self.nodes = <Node*>calloc(max(nodes, 1), sizeof(Node))
        self.column = <int*>malloc((3 * self.features + 1) * sizeof(int))
        self.thresholds = <double*>malloc((sum(map(len, ordered)) + 1) * sizeof(double))
        if not (self.root and self.nodes and self.column and self.thresholds):
            raise MemoryError
        self.begin, self.stop = self.column + self.features, self.column + 2 * self.features
        for i in range(self.features):
            if not 0 <= forest.used[i] < self.width:
                raise ValueError("a tree reads a column that there is not")
            if len(ordered[i]) > MOST_THRESHOLDS:
                raise ValueError("a column has too many thresholds")
            self.column[i] = forest.used[i]
            self.begin[i] = total
            for threshold in ordered[i]:
                self.thresholds[total] = threshold
                total += 1
            self.stop[i] = total
        for i, tree in enumerate(forest.trees):
            if len(tree.feature) > MOST_NODES:
                raise ValueError("a tree has too many nodes")
            self.root[i] = base
            self._plant(tree, base, forest.used, ordered)
            base += len(tree.feature)

    def __dealloc__(self):
        free(self.root)
        free(self.nodes)
        free(self.column)
        free(self.thresholds)

    def _plant(self, tree, int base, list used, list ordered):
        """Set the nodes of one tree, each before those below it, those on the left first."""
        cdef Node* own
        cdef int number = 0
        stack = [(0, -1)]
        while stack:
            node, above = stack.pop()
            if number >= len(tree.feature):
                raise ValueError("a tree's nodes are not a tree")
            if above >= 0:
                self.nodes[base + <int>above].right = number
            own = &self.nodes[base + number]
            feature = tree.feature[node]
            if feature < 0:
                own.place, own.value = -1, tree.value[node]
            else:
                own.place = used.index(feature)
                own.cut = ordered[own.place].index(tree.threshold[node])
                stack += [(tree.right[node], number), (tree.left[node], -1)]
            number += 1
        for node in range(number - 1, -1, -1):
            own = &self.nodes[base + <int>node]
            own.after = node + 1 if own.place < 0 else self.nodes[base + own.right].after

    cdef int rank(self, const double* columns, Py_ssize_t rows, Py_ssize_t begin, int size, uint8_t* ranks) noexcept:
        """Set for some rows the rank of each number that is read: how many thresholds it is not up to.

        Many columns hold one number for all blocks of a page, or for all of these rows.
        """
        cdef const double* values
        cdef uint8_t* own
        cdef int f
        for f in range(self.features):
            values, own = columns + self.column[f] * rows + begin, ranks + f * AT_ONCE
            if differ(values, size):
                rank_all(values, self.thresholds + self.begin[f], self.stop[f] - self.begin[f], size, own)
            else:
                rank_all(values, self.thresholds + self.begin[f], self.stop[f] - self.begin[f], 1, own)
                memset(own, own[0], size)
        return 0

    cdef int judge(self, Table columns, double* chances) except -1:
        """Set the probability of each row."""
        cdef Py_ssize_t begin = 0, rows = columns.rows, i
        cdef int t, n, stop, size
        cdef uint64_t[MOST_NODES] here
        cdef uint64_t own, left
        cdef const Node* nodes
        cdef double* scores
        cdef double score
        cdef uint8_t* ranks
        if columns.used < self.width:
            raise ValueError("fewer columns than the forest reads")
        ranks = <uint8_t*>calloc(max(self.features, 1), AT_ONCE)
        if not ranks:
            raise MemoryError
        for i in range(rows):
            chances[i] = 0.0
        while begin < rows:
            size = <int>min(rows - begin, AT_ONCE)
            scores = chances + begin
            self.rank(columns.data, rows, begin, size, ranks)
            for t in range(self.count):
                nodes = self.nodes + self.root[t]
                stop, n = nodes[0].after, 0
                here[0] = ~<uint64_t>0 >> (AT_ONCE - size)
                while n < stop:
                    own = here[n]
                    if not own:
                        n = nodes[n].after
                    elif nodes[n].place < 0:
                        while own:
                            scores[lowest(own)] += nodes[n].value
                            own &= own - 1
                        n += 1
                    else:
                        left = own & rows_up_to(ranks + nodes[n].place * AT_ONCE, nodes[n].cut)
                        here[n + 1], here[nodes[n].right] = left, own ^ left
                        n += 1
            begin += size
        free(ranks)
        for i in range(rows):
            score = chances[i]
            if score > FLAT:
                score = FLAT
            elif score < -FLAT:
                score = -FLAT
            chances[i] = 1 / (1 + exp(-score))
        return 0


def probabilities(Trees trees, columns):
    """Return one value a row of the columns, 0..1: `model.probabilities`."""
    cdef Py_ssize_t i, rows = len(columns[0])
    cdef Table own = Table(rows, len(columns))
    cdef double* column
    cdef double* chances
    for values in columns:
        column = own.add()
        for i in range(rows):
            column[i] = values[i]
    chances = <double*>malloc(max(rows, 1) * sizeof(double))
    if not chances:
        raise MemoryError
    try:
        trees.judge(own, chances)
        return [chances[i] for i in range(rows)]
    finally:
        free(chances)
