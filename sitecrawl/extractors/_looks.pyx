# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of both looks of `combined`: the same numbers, from the same columns.

`evidence.py`, `surroundings.py` and `model.py` say what the columns mean and are the reference; `looks.py` compares
the two and chooses. Every sum is taken in the reference's order, so that probabilities are equal to the last bit.
"""

from cpython.long cimport PyLong_AsLongLong
from libc.math cimport exp, fabs, log, log1p
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from sitecrawl.dom.labels import HEADINGS, TEXT
from sitecrawl.extractors import choice
from sitecrawl.extractors import evidence as reference
from sitecrawl.extractors import surroundings as around
from sitecrawl.extractors._trees cimport Table, Trees
from sitecrawl.extractors.hints import MARKS, OWN_MARKS

cdef extern from "Python.h":
    ctypedef struct PyObject

cdef enum:
    CELL = 6  # columns of what the site knows of a path: `BlockEvidence.paths`
    ASCII = 128
    TABLE = 4096
    LEVELS = 4  # the container and the ancestors above it: `BlockEvidence.paths`
    LARGE = 9  # three shares of three kinds of text: `BlockEvidence.regions`
    WIDEST = 400  # columns
    DRAWS = 40  # `choice.LEVELS`

cdef double UNKNOWN = reference.UNKNOWN
cdef double FAR = reference.FAR
cdef double PROSE_CHARS = reference.PROSE_CHARS
cdef double PROSE_LINKS = reference.PROSE_LINKS
cdef double EDGE = around.EDGE
cdef double EXTRA = around.EXTRA
cdef double BESIDE = around.BESIDE
cdef double SECOND = around.SECOND
cdef int MARK_COUNT = MARKS
cdef double[3] SHARES
SHARES[0], SHARES[1], SHARES[2] = reference.SHARES
cdef dict TAG_NUMBER = reference.TAG_NUMBER
cdef str PUNCTUATION = "".join(sorted(reference.PUNCTUATION))
cdef str STOPS = "".join(sorted(reference.STOPS))
cdef tuple STEPS = around.REACH
cdef tuple WIDTHS = around.WIDTHS
cdef tuple REACH = reference.REACH
cdef int AROUND_LEVELS = around.LEVELS
cdef double USUAL = choice.USUAL
cdef double MARGIN = choice.MARGIN
cdef int FIRST = choice.FIRST
cdef double[DRAWS] CHANCES
CHANCES[:] = choice.CHANCES


cdef char[ASCII] IS_MARK
cdef double[TABLE] LOGS
cdef int _number
for _number in range(ASCII):
    IS_MARK[_number] = chr(_number) in PUNCTUATION
for _number in range(TABLE):
    LOGS[_number] = log1p(_number)


cdef inline double logs(int64_t count) noexcept:
    """Return log1p of a count, most of which are small."""
    return LOGS[count] if 0 <= count < TABLE else log1p(<double>count)


cdef inline double log_odds(double chance) noexcept:
    cdef double bounded = min(max(chance, EDGE), 1 - EDGE)
    return log(bounded / (1 - bounded))


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


cdef inline double share(double part, double whole) noexcept:
    return part / whole if whole > 0 else 0.0


cdef class Look:
    """The blocks of one page, with what was found of them: the twin of `BlockEvidence` and of the second look."""

    cdef object flat, blocks, site
    cdef readonly int own, others
    cdef readonly list text_share
    cdef Table columns
    cdef Py_ssize_t n, rows
    cdef int64_t* memory
    # by block
    cdef int64_t* first
    cdef int64_t* stop
    cdef int64_t* container
    cdef int64_t* chars
    cdef int64_t* links
    cdef int64_t* prose
    # by row
    cdef int64_t* parent
    cdef int64_t* depth
    cdef int64_t* end
    cdef int64_t* row_chars
    cdef int64_t* row_links
    cdef int64_t* fresh
    cdef int64_t* plain
    cdef int64_t* row_prose
    cdef int64_t* anchors
    cdef int64_t* fragments
    cdef int64_t* deepest  # LARGE a row
    cdef double* site_fresh
    cdef double* cells  # CELL a row, filled where it was asked for
    cdef char* filled
    cdef PyObject** sums  # what the site knows of the path of a row, borrowed from `site`
    cdef int* kind  # number of the path of a row that holds blocks, -1 for others
    cdef int kinds
    cdef list path, tag, text

    def __init__(self, flat, blocks, site, learned):
        self.flat, self.blocks, self.site = flat, blocks, site
        self.own = 1 if site is not None and learned else 0
        self.others = max(site.pages - self.own, 0) if site is not None else 0
        self.path, self.tag, self.text = flat.path, flat.tag, flat.text
        self.n, self.rows = len(blocks.first), len(flat.tag)
        self.columns = Table(self.n, WIDEST)
        self._take()

    def __dealloc__(self):
        free(self.memory)
        free(self.site_fresh)
        free(self.cells)
        free(self.filled)
        free(self.sums)
        free(self.kind)

    cdef int _take(self) except -1:
        """Copy the lists of numbers, and make room for sums."""
        cdef Py_ssize_t n = self.n, rows = self.rows
        cdef int64_t* here
        self.memory = <int64_t*>calloc(6 * n + (8 + LARGE) * rows + 2 * (rows + 1) + 1, sizeof(int64_t))
        self.site_fresh = <double*>calloc(rows + 1, sizeof(double))
        self.cells = <double*>malloc((CELL * rows + 1) * sizeof(double))
        self.filled = <char*>calloc(rows + 1, 1)
        self.sums = <PyObject**>calloc(rows + 1, sizeof(PyObject*))
        self.kind = <int*>malloc((rows + 1) * sizeof(int))
        if not (self.memory and self.site_fresh and self.cells and self.filled and self.sums and self.kind):
            raise MemoryError
        here = self.memory
        self.first, self.stop, self.container = here, here + n, here + 2 * n
        self.chars, self.links, self.prose = here + 3 * n, here + 4 * n, here + 5 * n
        here += 6 * n
        self.parent, self.depth, self.end = here, here + rows, here + 2 * rows
        self.row_chars, self.row_links, self.fresh = here + 3 * rows, here + 4 * rows, here + 5 * rows
        self.plain, self.row_prose = here + 6 * rows, here + 7 * rows
        here += 8 * rows
        self.deepest = here
        here += LARGE * rows
        self.anchors, self.fragments = here, here + rows + 1
        _copy(self.blocks.first, self.first, n)
        _copy(self.blocks.stop, self.stop, n)
        _copy(self.blocks.container, self.container, n)
        _copy(self.blocks.chars, self.chars, n)
        _copy(self.blocks.link_chars, self.links, n)
        _copy(self.flat.parent, self.parent, rows)
        _copy(self.flat.depth, self.depth, rows)
        _copy(self.flat.end, self.end, rows)
        _copy(self.flat.chars, self.row_chars, rows)
        _copy(self.flat.link_chars, self.row_links, rows)
        return 0

    def build(self):
        """Add all columns, in the reference's order."""
        self._own_text()
        self._place()
        self._repeats()
        self._regions()
        self._paths()
        self._marks()
        self._around()

    def lists(self):
        """Return the columns as lists."""
        return self.columns.lists()

    def chances(self, Trees first, Trees second):
        """Return the probability of each block after both looks."""
        cdef double* found
        cdef double* again = NULL
        cdef Table context
        cdef Py_ssize_t i
        found = <double*>malloc(max(self.n, 1) * sizeof(double))
        if not found:
            raise MemoryError
        try:
            first.judge(self.columns, found)
            context = self._surroundings(found)
            again = <double*>malloc(max(self.n, 1) * sizeof(double))
            if not again:
                raise MemoryError
            second.judge(context, again)
            if not self.others:
                return [again[i] for i in range(self.n)]
            for i in range(self.n):  # `surroundings.blended`
                found[i] = 1 / (1 + exp(-((1 - SECOND) * log_odds(found[i]) + SECOND * log_odds(again[i]))))
            return [found[i] for i in range(self.n)]
        finally:
            free(again)
            free(found)

    def surroundings(self, chances):
        """Return the columns of the second look as lists, for these probabilities of the first."""
        cdef double* found = <double*>malloc(max(self.n, 1) * sizeof(double))
        cdef Py_ssize_t i
        if not found:
            raise MemoryError
        try:
            for i in range(self.n):
                found[i] = chances[i]
            return self._surroundings(found).lists()
        finally:
            free(found)

    cdef int _own_text(self) except -1:
        cdef Py_ssize_t n = self.n, b, k, a, z, digits, marks, size
        cdef double* log_chars = self.columns.add()
        cdef double* link_share = self.columns.add()
        cdef double* word_chars = self.columns.add()
        cdef double* punctuation = self.columns.add()
        cdef double* digit_share = self.columns.add()
        cdef double* stop = self.columns.add()
        cdef double* upper = self.columns.add()
        cdef double* tag = self.columns.add()
        cdef double* anchors = self.columns.add()
        cdef double* fragments = self.columns.add()
        cdef list words = self.blocks.words
        cdef list parts
        cdef str text
        cdef Py_UCS4 one
        cdef double c
        for node, href, _ in self.flat.anchors:
            k = node
            self.anchors[k + 1] = 1
            self.fragments[k + 1] = 1 if (<str>href).startswith("#") else 0
        for k in range(1, self.rows + 1):
            self.anchors[k] += self.anchors[k - 1]
            self.fragments[k] += self.fragments[k - 1]
        for b in range(n):
            c = self.chars[b]
            if self.stop[b] - self.first[b] == 1:
                text = (<str>self.text[self.first[b]]).strip()
            else:
                parts = [self.text[k] for k in range(self.first[b], self.stop[b]) if self.tag[k] == TEXT]
                text = "".join(parts).strip()
            size = len(text)
            digits = marks = 0
            for k in range(size):
                one = text[k]
                if k < 200 and (c"0" <= one <= c"9" or (one > 127 and one.isdigit())):
                    digits += 1
                if IS_MARK[one] if one < ASCII else one in PUNCTUATION:
                    marks += 1
            log_chars[b] = logs(self.chars[b])
            link_share[b] = self.links[b] / c
            word_chars[b] = c / max(<int64_t>words[b], 1)
            punctuation[b] = marks / c
            digit_share[b] = digits / min(c, 200)
            stop[b] = 1.0 if size and (<Py_UCS4>text[size - 1]) in STOPS else 0.0
            upper[b] = 1.0 if size and (<Py_UCS4>text[0]).isupper() else 0.0
            tag[b] = TAG_NUMBER.get(self.tag[self.container[b]], 99.0)
            a, z = max(self.first[b] - 1, 0), self.stop[b]
            anchors[b] = self.anchors[z] - self.anchors[a]
            fragments[b] = share(self.fragments[z] - self.fragments[a], anchors[b])
            self.prose[b] = self.chars[b] if c >= PROSE_CHARS and link_share[b] < PROSE_LINKS and marks else 0
        return 0

    cdef int _place(self) except -1:
        cdef Py_ssize_t n = self.n, b
        cdef double total = 0, links = 0, prose = 0, before = 0
        cdef double* position = self.columns.add()
        cdef double* chars_before = self.columns.add()
        cdef double* log_blocks = self.columns.add()
        cdef double* log_page = self.columns.add()
        cdef double* link_share = self.columns.add()
        cdef double* prose_share = self.columns.add()
        cdef double* depth = self.columns.add()
        for b in range(n):
            total += self.chars[b]
            links += self.links[b]
            prose += self.prose[b]
        for b in range(n):
            position[b] = <double>b / n
            chars_before[b] = before / total
            log_blocks[b] = logs(n)
            log_page[b] = logs(<int64_t>total)
            link_share[b] = links / total
            prose_share[b] = prose / total
            depth[b] = self.depth[self.container[b]]
            before += self.chars[b]
        return 0

    cdef int _repeats(self) except -1:
        cdef Py_ssize_t n = self.n, b, i, p
        cdef int64_t c, pages, on_site, most
        cdef double here, anywhere
        cdef double* path_share = self.columns.add()
        cdef double* text_share = self.columns.add()
        cdef double* path_count = self.columns.add()
        cdef double* log_pages = self.columns.add()
        cdef dict paths, texts
        cdef list label = self.flat.label
        cdef bint known = self.others > 0
        if known:
            paths, texts = self.site.paths, self.site.texts
        for b in range(n):
            here = anywhere = 0.0
            most = 0
            for i in range(self.first[b], self.stop[b]):
                if self.tag[i] != TEXT:
                    continue
                c = self.row_chars[i]
                self.plain[i] = c - self.row_links[i]
                pages = 0
                if known:
                    found = paths.get(self.path[i])
                    if found is not None:
                        pages = <int64_t>(<tuple>found)[0] - self.own
                    on_site = <int64_t>texts.get(label[i], 0) - self.own
                    if on_site < pages:
                        on_site = pages
                    here += c * pages
                    anywhere += c * on_site
                    if pages > most:
                        most = pages
                if pages <= 0:
                    self.fresh[i] = self.plain[i]
            path_share[b] = here / (self.chars[b] * self.others) if known else UNKNOWN
            text_share[b] = anywhere / (self.chars[b] * self.others) if known else UNKNOWN
            path_count[b] = logs(most) if known else 0.0
            log_pages[b] = logs(self.others)
            self.row_prose[self.first[b]] += self.prose[b]
        self.text_share = [text_share[b] for b in range(n)]
        for i in range(self.rows - 1, 0, -1):
            p = self.parent[i]
            self.fresh[p] += self.fresh[i]
            self.plain[p] += self.plain[i]
            self.row_prose[p] += self.row_prose[i]
        return 0

    cdef int _regions(self) except -1:
        cdef Py_ssize_t i, b, c
        cdef int k, group
        cdef double page_total = max(self.fresh[0], 1), prose_total = max(self.row_prose[0], 1)
        cdef double site_total = 1, fresh
        cdef double[3] value
        cdef int64_t* own
        cdef double* column
        cdef dict paths = {}
        cdef dict kinds = {}
        cdef bint known = self.site is not None
        if known:
            paths, site_total = self.site.paths, self.site.fresh
        for i in range(self.rows):
            self.kind[i] = -1
        for b in range(self.n):
            c = self.container[b]
            while c >= 0 and self.kind[c] < 0:
                self.kind[c] = 0
                c = self.parent[c]
        for i in range(self.rows):
            if self.kind[i] < 0:
                continue
            key = self.path[i]
            number = kinds.get(key)
            if number is None:
                number = len(kinds)
                kinds[key] = number
            self.kind[i] = number
            own = self.deepest + i * LARGE
            if i:
                memcpy(own, self.deepest + self.parent[i] * LARGE, LARGE * sizeof(int64_t))
            else:
                for k in range(LARGE):
                    own[k] = -1
            fresh = 0.0
            if known:
                found = paths.get(key)
                if found is not None:
                    self.sums[i] = <PyObject*>found
                    fresh = <double>(<tuple>found)[5] / site_total
            self.site_fresh[i] = fresh
            value[0], value[1], value[2] = self.fresh[i] / page_total, self.row_prose[i] / prose_total, fresh
            for group in range(3):
                for k in range(3):
                    if value[group] >= SHARES[k]:
                        own[3 * group + k] = self.depth[i]
        self.kinds = len(kinds)
        for k in range(LARGE):
            column = self.columns.add()
            for b in range(self.n):
                c = self.container[b]
                own = self.deepest + c * LARGE
                column[b] = self.depth[c] - own[k] if own[k] >= 0 else FAR
        column = self.columns.add()
        for b in range(self.n):
            column[b] = TAG_NUMBER.get(self.tag[max(self.parent[self.container[b]], 0)], 99.0)
        return 0

    cdef int _paths(self) except -1:
        cdef Py_ssize_t n = self.n, b, c
        cdef int level, k
        cdef double page_total = max(self.fresh[0], 1), prose_total = max(self.row_prose[0], 1)
        cdef bint known = self.site is not None and self.others > 0
        cdef double* same = self.columns.add()
        cdef double* same_share = self.columns.add()
        cdef double* column
        cdef double* cell[CELL]
        cdef double* own
        cdef int64_t* rows = <int64_t*>malloc(max(n, 1) * sizeof(int64_t))
        cdef int* count = <int*>calloc(self.kinds + 1, sizeof(int))
        try:
            if not rows or not count:
                raise MemoryError
            for b in range(n):
                rows[b] = self.container[b]
                count[self.kind[rows[b]]] += 1
            for b in range(n):
                k = count[self.kind[rows[b]]]
                same[b] = logs(k)
                same_share[b] = <double>k / n
            for level in range(LEVELS):
                if level:
                    for b in range(n):
                        rows[b] = max(self.parent[rows[b]], 0)
                    column = self.columns.add()
                    for b in range(n):
                        column[b] = logs(self.row_chars[rows[b]])
                    column = self.columns.add()
                    for b in range(n):
                        column[b] = <double>self.row_links[rows[b]] / self.row_chars[rows[b]]
                    column = self.columns.add()
                    for b in range(n):
                        column[b] = share(self.fresh[rows[b]], self.plain[rows[b]])
                    column = self.columns.add()
                    for b in range(n):
                        column[b] = <double>self.row_prose[rows[b]] / self.row_chars[rows[b]]
                    column = self.columns.add()
                    for b in range(n):
                        column[b] = logs(self.end[rows[b]] - rows[b])
                column = self.columns.add()
                for b in range(n):
                    column[b] = self.fresh[rows[b]] / page_total
                column = self.columns.add()
                for b in range(n):
                    column[b] = self.row_prose[rows[b]] / prose_total
                column = self.columns.add()
                for b in range(n):
                    column[b] = self.site_fresh[rows[b]] if known else UNKNOWN
                if level == LEVELS - 1:
                    break
                for k in range(CELL):
                    cell[k] = self.columns.add()
                for b in range(n):
                    own = self._cell(rows[b], known)
                    for k in range(CELL):
                        cell[k][b] = own[k]
        finally:
            free(rows)
            free(count)
        return 0

    cdef double* _cell(self, Py_ssize_t row, bint known) except NULL:
        """Return what the site knows of the path of a row: blocks share the rows above them."""
        cdef double* own = self.cells + CELL * row
        cdef double chars, nodes, pages
        cdef tuple sums
        cdef int k
        if self.filled[row]:
            return own
        self.filled[row] = 1
        if not known or self.sums[row] == NULL:
            own[0] = 0.0 if known else UNKNOWN
            for k in range(1, CELL):
                own[k] = UNKNOWN
            return own
        sums = <tuple><object>self.sums[row]
        pages, nodes, chars = sums[0], sums[1], sums[3]
        own[0] = (pages - self.own) / <double>max(self.others, 1)
        own[1] = min(<double>sums[2] / nodes, 9.0)
        own[2] = log1p(chars / nodes)
        own[3] = 1 - share(sums[4], chars)
        own[4] = share(sums[5], sums[4])
        own[5] = log1p(nodes / pages)
        return own

    cdef int _marks(self) except -1:
        cdef Py_ssize_t i, b, c, rows = self.rows
        cdef int k, marks = MARK_COUNT
        cdef double* column
        cdef int64_t half
        cdef list names = self.flat.names
        cdef object found
        cdef short* near = <short*>malloc(max(rows, 1) * marks * sizeof(short))
        cdef short* own
        if not near:
            raise MemoryError
        try:
            hidden = set(self.flat.hidden)
            for i in range(rows):
                if self.kind[i] < 0:  # no block is in it
                    continue
                own = near + i * marks
                if self.parent[i] >= 0:
                    memcpy(own, near + self.parent[i] * marks, marks * sizeof(short))
                else:
                    for k in range(marks):
                        own[k] = -1
                name = self.tag[i]
                for found in <tuple>OWN_MARKS[name, names[i]]:
                    own[<int>found] = <short>self.depth[i]
                if hidden and i in hidden:
                    own[marks - 1] = <short>self.depth[i]
            for k in range(marks):
                column = self.columns.add()
                for b in range(self.n):
                    c = self.container[b]
                    own = near + c * marks
                    column[b] = self.depth[c] - own[k] if own[k] >= 0 else FAR
            for k in range(marks):
                column = self.columns.add()
                for b in range(self.n):
                    c = self.container[b]
                    own = near + c * marks
                    half = self.deepest[c * LARGE + 1]
                    column[b] = (1.0 if own[k] > half else 0.0) if own[k] >= 0 else UNKNOWN
        finally:
            free(near)
        return 0

    cdef int _shifted(self, const double* source, int step) except -1:
        cdef double* column = self.columns.add()
        cdef Py_ssize_t b, n = self.n
        for b in range(n):
            column[b] = source[b + step] if 0 <= b + step < n else UNKNOWN
        return 0

    cdef int _around(self) except -1:
        cdef Py_ssize_t n = self.n, b, first = -1, last = -1, a, z
        cdef int step, width
        cdef double* log_chars = self.columns.data
        cdef double* link_share = self.columns.data + n
        cdef double* text_share
        cdef double* heading
        cdef double* sums
        cdef double* alls
        cdef double* column
        cdef double* level
        cdef double* distance
        cdef double* work = <double*>malloc((4 * n + 4) * sizeof(double))
        cdef double count
        if not work:
            raise MemoryError
        text_share, heading = work, work + n
        sums, alls = work + 2 * n, work + 3 * n + 1
        try:
            sums[0] = alls[0] = 0.0
            for b in range(n):
                text_share[b] = self.text_share[b]
                name = self.tag[self.container[b]]
                heading[b] = 1.0 if name in HEADINGS else 0.0
                if first < 0 and name == "h1":
                    first = b
                sums[b + 1] = sums[b] + self.chars[b] * (1 - link_share[b])
                alls[b + 1] = alls[b] + self.chars[b]
            for step in REACH:
                self._shifted(log_chars, step)
                self._shifted(link_share, step)
                self._shifted(text_share, step)
            self._shifted(heading, -1)
            self._shifted(heading, 1)
            for width in (3, 8):
                column = self.columns.add()
                for b in range(n):
                    column[b] = log1p(sums[min(b + width + 1, n)] - sums[max(b - width, 0)])
                column = self.columns.add()
                for b in range(n):
                    a, z = max(b - width, 0), min(b + width + 1, n)
                    column[b] = 1 - share(sums[z] - sums[a], alls[z] - alls[a])
            column = self.columns.add()
            count = FAR
            for b in range(n):
                count = 0.0 if self.prose[b] > 0 else min(count + 1, FAR)
                column[b] = count
            column = self.columns.add()
            count = FAR
            for b in range(n - 1, -1, -1):
                count = 0.0 if self.prose[b] > 0 else min(count + 1, FAR)
                column[b] = count
            column, level, distance = self.columns.add(), self.columns.add(), self.columns.add()
            for b in range(n):
                column[b] = text_share[last] if last >= 0 else UNKNOWN
                level[b] = TAG_NUMBER[self.tag[self.container[last]]] if last >= 0 else UNKNOWN
                distance[b] = min(<double>(b - last), FAR) if last >= 0 else FAR
                if heading[b] > 0:
                    last = b
            column = self.columns.add()
            for b in range(n):
                column[b] = max(min(<double>(b - first), FAR), -FAR) if first >= 0 else -99.0
        finally:
            free(work)
        return 0

    cdef Table _surroundings(self, const double* chances):
        cdef Py_ssize_t n = self.n, b, a, z
        cdef int level, step, width
        cdef Table columns = Table(n, 2 + 2 * AROUND_LEVELS + 2 * len(STEPS) + len(WIDTHS) + 3)
        cdef double* odds = columns.add()
        cdef double* column
        cdef double* other
        cdef double* sums
        cdef double* kept
        cdef double* weights
        cdef double* path_kept
        cdef int64_t* rows
        cdef double* path_weight
        cdef double total = 0, bounded, whole
        cdef int place
        cdef double* work = <double*>malloc((3 * n + 2 * self.kinds + 6) * sizeof(double))
        rows = <int64_t*>malloc(max(n, 1) * sizeof(int64_t))
        try:
            if not work or not rows:
                raise MemoryError
            weights, sums, kept = work, work + n, work + 2 * n + 1
            path_weight, path_kept = work + 3 * n + 2, work + 3 * n + 2 + self.kinds
            sums[0] = kept[0] = 0.0
            for b in range(n):
                bounded = min(max(chances[b], EDGE), 1 - EDGE)
                odds[b] = log(bounded / (1 - bounded))
                weights[b] = self.chars[b] + EXTRA
                total += weights[b]
                sums[b + 1] = sums[b] + weights[b]
                kept[b + 1] = kept[b] + weights[b] * chances[b]
                rows[b] = self.container[b]
            column = columns.add()
            for b in range(n):
                column[b] = logs(self.chars[b])
            for level in range(AROUND_LEVELS):
                memset(path_weight, 0, 2 * self.kinds * sizeof(double))
                for b in range(n):
                    if level:
                        rows[b] = max(self.parent[rows[b]], 0)
                    place = self.kind[rows[b]]
                    path_weight[place] += weights[b]
                    path_kept[place] += weights[b] * chances[b]
                column, other = columns.add(), columns.add()
                for b in range(n):
                    place = self.kind[rows[b]]
                    column[b] = path_kept[place] / path_weight[place]
                    other[b] = log(path_weight[place] / total)
            for step in STEPS:
                column, other = columns.add(), columns.add()
                for b in range(n):
                    column[b] = odds[b + step] if b + step < n else BESIDE
                    other[b] = odds[b - step] if b - step >= 0 else BESIDE
            for width in WIDTHS:
                column = columns.add()
                for b in range(n):
                    a, z = max(b - width, 0), min(b + width + 1, n)
                    column[b] = (kept[z] - kept[a]) / (sums[z] - sums[a])
            whole = max(kept[n], 1e-6)
            column = columns.add()
            for b in range(n):
                column[b] = kept[b] / whole
            column = columns.add()
            for b in range(n):
                column[b] = (kept[n] - kept[b + 1]) / whole
            column = columns.add()
            for b in range(n):
                column[b] = kept[n] / total
        finally:
            free(work)
            free(rows)
        return columns


cdef int _copy(list values, int64_t* target, Py_ssize_t size) except -1:
    """Copy a column of integers; each fits, because all count what is in one page."""
    cdef Py_ssize_t i
    if len(values) != size:
        raise ValueError("columns of different lengths")
    for i in range(size):
        target[i] = PyLong_AsLongLong(values[i])
    return 0
