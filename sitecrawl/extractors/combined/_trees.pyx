# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `forest.probabilities`: the same numbers, summed in the same order.

64 rows are evaluated at a time. First each number is replaced by its rank among the thresholds that the forest compares
its column with. A rank is one byte and decides every comparison as the number does. Then each tree is walked once for
all 64 rows, with one byte per row that tells whether the row reaches the node. One comparison of 64 bytes gives the
rows that go left, and nodes that no row reaches are skipped. No branch depends on a single row, because a processor
would predict many of them wrongly.
"""

from libc.math cimport exp
from libc.stdint cimport uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #if defined(_MSC_VER)
    #define restrict __restrict
    #endif
    static inline void settle(const uint8_t *restrict here, uint8_t leaf, uint8_t *restrict leaves) {
        int i;
        for (i = 0; i < 64; i++)
            leaves[i] |= here[i] & leaf;
    }
    #if defined(__SSE2__)
    #include <emmintrin.h>
    /* Which of 64 rows (all bits or none) go left, and which right; whether any do: bit 0 and bit 1. */
    static inline int part(const uint8_t *ranks, uint8_t cut, const uint8_t *here, uint8_t *left, uint8_t *right) {
        const __m128i most = _mm_set1_epi8((char)cut);
        __m128i on_left = _mm_setzero_si128(), on_right = on_left;
        int i;
        for (i = 0; i < 64; i += 16) {
            const __m128i rank = _mm_loadu_si128((const __m128i *)(ranks + i));
            const __m128i all = _mm_loadu_si128((const __m128i *)(here + i));
            const __m128i up_to = _mm_cmpeq_epi8(_mm_min_epu8(rank, most), rank);
            const __m128i one = _mm_and_si128(up_to, all), other = _mm_andnot_si128(up_to, all);
            _mm_storeu_si128((__m128i *)(left + i), one);
            _mm_storeu_si128((__m128i *)(right + i), other);
            on_left = _mm_or_si128(on_left, one);
            on_right = _mm_or_si128(on_right, other);
        }
        return (_mm_movemask_epi8(on_left) != 0) | (_mm_movemask_epi8(on_right) != 0) << 1;
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
    static inline int part(const uint8_t *ranks, uint8_t cut, const uint8_t *restrict here, uint8_t *restrict left,
                           uint8_t *restrict right) {
        uint8_t on_left = 0, on_right = 0;
        int i;
        for (i = 0; i < 64; i++) {
            const uint8_t one = ranks[i] <= cut ? here[i] : 0, other = here[i] ^ one;
            left[i] = one;
            right[i] = other;
            on_left |= one;
            on_right |= other;
        }
        return (on_left != 0) | (on_right != 0) << 1;
    }
    static inline void rank_all(const double *values, const double *cuts, int many, int size, uint8_t *ranks) {
        int i, j;
        for (i = 0; i < size; i++) {
            uint8_t count = 0;
            for (j = 0; j < many; j++)
                count += !(values[i] <= cuts[j]);
            ranks[i] = count;
        }
    }
    #endif
    static inline void add_all(const double *values, const uint8_t *leaves, int size, double *restrict scores) {
        int i;
        for (i = 0; i < size; i++)
            scores[i] += values[leaves[i]];
    }
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
    """
    int part(const uint8_t* ranks, uint8_t cut, const uint8_t* here, uint8_t* left, uint8_t* right) noexcept nogil
    void settle(const uint8_t* here, uint8_t leaf, uint8_t* leaves) noexcept nogil
    void rank_all(const double* values, const double* cuts, int many, int size, uint8_t* ranks) noexcept nogil
    void add_all(const double* values, const uint8_t* leaves, int size, double* scores) noexcept nogil
    bint differ(const double* values, int size) noexcept nogil

cdef enum:
    AT_ONCE = 64  # rows
    FEW = 4  # up to this number of rows are evaluated one by one
    BEHIND = 8  # numbers after the last column that may be read
    MOST_LEAVES = 255  # of a tree
    MOST_THRESHOLDS = 255  # of a column: ranks go up to their number

cdef double FLAT = 30.0

# Large pieces of memory are expensive to allocate. With each one that is freed, the C library also merges the small free
# pieces, and the trees of pages leave many. So one piece of each size, a power of two, is kept for the next page. All
# callers hold the GIL.
cdef enum:
    SMALLEST = 1 << 15  # bytes of a piece that is kept
    SIZES = 8  # up to 4 MB

cdef void* _kept[SIZES]


cdef inline int _number(size_t size) noexcept:
    """Return the index of the kept size to which a size is rounded up; SIZES if it is too large to be kept."""
    cdef int number = 0
    while number < SIZES and size > <size_t>SMALLEST << number:
        number += 1
    return number


cdef void* take(size_t size) except NULL:
    """Return uninitialised memory of at least this size. Raises MemoryError."""
    cdef int number = _number(size)
    cdef void* memory
    if number < SIZES:
        size = <size_t>SMALLEST << number
        if _kept[number] != NULL:
            memory = _kept[number]
            _kept[number] = NULL
            return memory
    memory = malloc(size)
    if memory == NULL:
        raise MemoryError
    return memory


cdef void give(void* memory, size_t size) noexcept:
    """Free memory from `take` or keep it for the next page; it may be NULL, and `size` is the requested size."""
    cdef int number = _number(size)
    if memory != NULL and number < SIZES and _kept[number] == NULL:
        _kept[number] = memory
    else:
        free(memory)


cdef class Table:
    """Columns of equal length, one after the other."""

    def __cinit__(self, Py_ssize_t rows, int width):
        self.rows = rows
        self.width = width
        self.used = 0
        self.data = <double*>take((rows * width + BEHIND) * sizeof(double))

    def __dealloc__(self):
        give(self.data, (self.rows * self.width + BEHIND) * sizeof(double))

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
    """A forest as C arrays, created from a `forest.Forest`."""

    def __init__(self, forest):
        cdef int i, base = 0, leaves = 0, total = 0
        cdef Py_ssize_t nodes = sum(len(tree.feature) for tree in forest.trees)
        cuts = {feature: set() for feature in forest.used}
        for tree in forest.trees:
            for feature, threshold in zip(tree.feature, tree.threshold):
                if feature >= 0:
                    cuts[feature].add(threshold)
        ordered = [sorted(cuts[feature]) for feature in forest.used]
        self.count, self.width, self.features = len(forest.trees), len(forest.names), len(forest.used)
        self.trees = <Planted*>malloc(max(self.count, 1) * sizeof(Planted))
        self.values = <double*>malloc((nodes + 1) * sizeof(double))
        self.nodes = <Node*>calloc(max(nodes, 1), sizeof(Node))
        self.column = <int*>malloc((3 * self.features + 1) * sizeof(int))
        self.thresholds = <double*>malloc((sum(map(len, ordered)) + 1) * sizeof(double))
        if not (self.trees and self.values and self.nodes and self.column and self.thresholds):
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
            if sum([feature < 0 for feature in tree.feature]) > MOST_LEAVES or len(tree.feature) > 2 * MOST_LEAVES:
                raise ValueError("a tree has too many leaves")
            self.trees[i].nodes, self.trees[i].values = base, leaves
            leaves += self._plant(tree, base, leaves, forest.used, ordered)
            base += len(tree.feature)

    def __dealloc__(self):
        free(self.trees)
        free(self.values)
        free(self.nodes)
        free(self.column)
        free(self.thresholds)

    def _plant(self, tree, int base, int values, list used, list ordered):
        """Add the nodes of one tree in preorder, the left child first; return the number of its leaves."""
        cdef Node* own
        cdef int number = 0, leaves = 0
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
                self.values[values + leaves] = tree.value[node]
                leaves += 1
                own.place, own.leaf = -1, leaves
            else:
                own.place = used.index(feature)
                own.cut = ordered[own.place].index(tree.threshold[node])
                stack += [(tree.right[node], number), (tree.left[node], -1)]
            number += 1
        return leaves

    cdef int rank(self, const double* columns, Py_ssize_t rows, Py_ssize_t begin, int size, uint8_t* ranks) noexcept:
        """Set, for some rows, the rank of each number that the forest reads: the number of thresholds below it.

        Many columns have the same number in all rows; then one rank is copied.
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
        cdef int t, n, right, size, ways, top
        cdef uint8_t[2 * MOST_LEAVES][AT_ONCE] here  # by node: the rows that reach it
        cdef int[2 * MOST_LEAVES] waiting  # right nodes that must still be visited
        cdef uint8_t[AT_ONCE] leaves
        cdef const Node* nodes
        cdef const double* values
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
            if size <= FEW:
                for t in range(self.count):
                    nodes, values = self.nodes + self.trees[t].nodes, self.values + self.trees[t].values - 1
                    for i in range(size):
                        n = 0
                        while nodes[n].place >= 0:
                            n = n + 1 if ranks[nodes[n].place * AT_ONCE + i] <= nodes[n].cut else nodes[n].right
                        scores[i] += values[nodes[n].leaf]
                break
            memset(here[0], 0, AT_ONCE)
            memset(here[0], 255, size)
            for t in range(self.count):
                nodes, values = self.nodes + self.trees[t].nodes, self.values + self.trees[t].values - 1
                memset(leaves, 0, AT_ONCE)
                n = top = 0
                while True:
                    if nodes[n].place < 0:
                        settle(here[n], nodes[n].leaf, leaves)
                    else:
                        right = nodes[n].right
                        ways = part(
                            ranks + nodes[n].place * AT_ONCE, nodes[n].cut, here[n], here[n + 1], here[right]
                        )
                        waiting[top] = right
                        top += ways >> 1
                        if ways & 1:
                            n += 1
                            continue
                    if not top:
                        break
                    top -= 1
                    n = waiting[top]
                add_all(values, leaves, size, scores)
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


def probability(Trees trees, list row):
    """Return the value of a forest for one row, 0..1."""
    cdef Table own = Table(1, len(row))
    cdef double* column
    cdef double found
    for value in row:
        column = own.add()
        column[0] = value
    trees.judge(own, &found)
    return found


def probabilities(Trees trees, columns):
    """Return one value per row of the columns, 0..1."""
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
