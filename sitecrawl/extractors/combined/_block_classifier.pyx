# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of both passes of `combined`: the same probabilities, from the same columns.

`block_features.py`, `context_features.py`, `expected_region.py` and `forest.py` explain the columns and are the reference. Every
sum is taken in the reference's order, so that probabilities are equal to the last bit.
"""

from libc.math cimport exp, log, log1p
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from sitecrawl.extractors.combined._places cimport CELL, LARGE, TAGS, Block, Place, Places, BlockCounts, places_of
from sitecrawl.extractors.combined._trees cimport Table, Trees

from sitecrawl.dom.labels import HEADINGS, TAG_NUMBERS
from sitecrawl.extractors.combined import block_features as reference
from sitecrawl.extractors.combined import choice
from sitecrawl.extractors.combined import context_features as around
from sitecrawl.extractors.combined import expected_region
from sitecrawl.extractors.combined import word_evidence
from sitecrawl.extractors.combined._trees import probability
from sitecrawl.extractors.combined import block_classifier
from sitecrawl.extractors.combined.block_classifier import Judged
from sitecrawl.extractors.combined.forest import load_model
from sitecrawl.extractors.combined.word_evidence import load_words

cdef extern from "Python.h":
    bint Py_UNICODE_ISUPPER(Py_UCS4 one) noexcept

cdef enum:
    SMALL = 4096
    LEVELS = 4  # the container and the ancestors above it: `BlockEvidence.paths`
    LATIN = 256
    WIDEST = 192  # columns
    DRAWS = 40  # levels: `choice.LEVELS`

cdef double UNKNOWN = reference.UNKNOWN
cdef double FAR = reference.FAR
cdef double EDGE = around.EDGE
cdef double EXTRA = around.EXTRA
cdef double BESIDE = around.BESIDE
cdef double SECOND = around.SECOND
cdef double WITHOUT_REGION = block_classifier.WITHOUT_REGION
cdef double OUTSIDE = expected_region.OUTSIDE
cdef tuple MOST = expected_region.MOST
cdef int AROUND_WIDTH = len(around.NAMES)
cdef int REGION_WIDTH = len(expected_region.REGION_NAMES)
cdef double SCALE = word_evidence.SCALE
cdef double USUAL = choice.USUAL
cdef double MARGIN = choice.MARGIN
cdef int FIRST = choice.FIRST
cdef double[DRAWS] CHANCES
CHANCES[:] = choice.CHANCES
cdef str STOPS = "".join(sorted(reference.STOPS))
cdef tuple STEPS = around.REACH
cdef tuple WIDTHS = around.WIDTHS
cdef tuple REACH = reference.REACH
cdef int AROUND_LEVELS = around.LEVELS
cdef int H1 = TAG_NUMBERS["h1"]
cdef char[LATIN] IS_STOP
cdef char[TAGS] IS_HEADING
cdef double[TAGS] TAG_VALUE
cdef double[SMALL] LOGS
cdef int _number
for _number in range(LATIN):
    IS_STOP[_number] = chr(_number) in STOPS
for _number in range(SMALL):
    LOGS[_number] = log1p(_number)
for _number in range(TAGS):
    TAG_VALUE[_number] = 99.0
for _tag, _number in TAG_NUMBERS.items():
    IS_HEADING[_number] = _tag in HEADINGS
    TAG_VALUE[_number] = reference.TAG_NUMBER.get(_tag, 99.0)


cdef dict _forests = {}


cdef inline double logs(int64_t count) noexcept:
    """Return log1p of a count; small counts, which are the most frequent, are looked up in a table."""
    return LOGS[count] if 0 <= count < SMALL else log1p(<double>count)


cdef inline double log_odds(double chance) noexcept:
    cdef double bounded = min(max(chance, EDGE), 1 - EDGE)
    return log(bounded / (1 - bounded))


cdef inline int is_stop(Py_UCS4 one) except -1:
    if one < LATIN:
        return IS_STOP[one]
    return one in STOPS


cdef inline double share(double part, double whole) noexcept:
    return part / whole if whole > 0 else 0.0


cdef class Look:
    """The columns of the blocks of one page: the twin of `BlockEvidence` and `surroundings`.

    The next object for the same page reuses the same memory, so only one may be used at a time.
    """

    cdef Places page
    cdef readonly int own
    cdef readonly int64_t others
    cdef readonly list text_share
    cdef readonly list shares
    cdef Table columns
    cdef Py_ssize_t n
    cdef Block* blocks
    cdef BlockCounts* counts
    cdef Place* places

    def __init__(self, flat, blocks, site, learned, weights=None):
        self.page = places_of(flat, blocks, site, learned, weights or load_words())
        self.own, self.others, self.n = self.page.own, self.page.others, self.page.n
        self.blocks, self.counts, self.places = self.page.blocks, self.page.counts, self.page.places
        self.columns = Table(self.n, WIDEST)

    def build(self):
        """Compute all columns, in the reference's order."""
        self._own_text()
        self._place()
        self._repeats()
        self._regions()
        self._paths()
        self._marks()
        self._around()
        self._words()

    def lists(self):
        """Return the columns as lists."""
        return self.columns.lists()

    def chances(self, Trees first, Trees second, Trees other=None):
        """Return the probability of each block after both passes; `other` is a further forest for a page alone."""
        cdef double* found
        cdef double* again = NULL
        cdef Table context
        cdef Py_ssize_t i
        found = <double*>malloc(2 * max(self.n, 1) * sizeof(double))
        if not found:
            raise MemoryError
        again = found + self.n
        try:
            first.judge(self.columns, found)
            context = self._surroundings(found, second.width > AROUND_WIDTH)
            second.judge(context, again)
            if self.others:
                return self._blended(found, again, SECOND)
            if other is None:
                return [again[i] for i in range(self.n)]
            other.judge(context, found)
            return self._blended(again, found, WITHOUT_REGION)
        finally:
            free(found)

    cdef list _blended(self, const double* one, const double* two, double weight):
        """The twin of `context_features.blended`."""
        cdef Py_ssize_t i
        return [1 / (1 + exp(-((1 - weight) * log_odds(one[i]) + weight * log_odds(two[i])))) for i in range(self.n)]

    def surroundings(self, chances, region):
        """Return the columns of the second pass as lists, given the probabilities of the first.

        `region` adds those of the expected region.
        """
        cdef double* found = <double*>malloc(max(self.n, 1) * sizeof(double))
        cdef Py_ssize_t i
        if not found:
            raise MemoryError
        try:
            for i in range(self.n):
                found[i] = chances[i]
            return self._surroundings(found, region).lists()
        finally:
            free(found)

    cdef int _own_text(self) except -1:
        cdef Py_ssize_t n = self.n, b
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
        cdef BlockCounts* counts
        cdef double c
        for b in range(n):
            counts, c = &self.counts[b], self.blocks[b].chars
            log_chars[b] = logs(self.blocks[b].chars)
            link_share[b] = self.blocks[b].link_chars / c
            word_chars[b] = c / max(self.blocks[b].words, 1)
            punctuation[b] = counts.marks / c
            digit_share[b] = counts.digits / min(c, 200)
            stop[b] = is_stop(counts.last)
            upper[b] = 1.0 if Py_UNICODE_ISUPPER(counts.first) else 0.0
            tag[b] = TAG_VALUE[self.places[counts.place].tag]
            anchors[b] = counts.anchors
            fragments[b] = share(counts.fragments, counts.anchors)
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
            total += self.blocks[b].chars
            links += self.blocks[b].link_chars
            prose += self.counts[b].prose
        for b in range(n):
            position[b] = <double>b / n
            chars_before[b] = before / total
            log_blocks[b] = logs(n)
            log_page[b] = logs(<int64_t>total)
            link_share[b] = links / total
            prose_share[b] = prose / total
            depth[b] = self.places[self.counts[b].place].depth
            before += self.blocks[b].chars
        return 0

    cdef int _repeats(self) except -1:
        cdef Py_ssize_t n = self.n, b
        cdef double* path_share = self.columns.add()
        cdef double* text_share = self.columns.add()
        cdef double* path_count = self.columns.add()
        cdef double* log_pages = self.columns.add()
        cdef double all_pages
        cdef bint known = self.others > 0
        for b in range(n):
            all_pages = self.blocks[b].chars * self.others
            path_share[b] = self.counts[b].here / all_pages if known else UNKNOWN
            text_share[b] = self.counts[b].anywhere / all_pages if known else UNKNOWN
            path_count[b] = logs(self.counts[b].most)
            log_pages[b] = logs(self.others)
        self.text_share = [text_share[b] for b in range(n)]
        self.shares = [<double>max(self.counts[b].least, 0) / self.others if known else 0.0 for b in range(n)]
        return 0

    cdef int _regions(self) except -1:
        cdef Py_ssize_t b
        cdef Place* place
        cdef double* column
        cdef int k
        for k in range(LARGE):
            column = self.columns.add()
            for b in range(self.n):
                place = &self.places[self.counts[b].place]
                column[b] = place.depth - place.deepest[k] if place.deepest[k] >= 0 else FAR
        column = self.columns.add()
        for b in range(self.n):
            column[b] = TAG_VALUE[self.places[self.places[self.counts[b].place].above].tag]
        return 0

    cdef int _paths(self) except -1:
        cdef Py_ssize_t n = self.n, b
        cdef int level, k
        cdef double page_total = max(self.places[0].fresh, 1), prose_total = max(self.places[0].prose, 1)
        cdef bint known = self.page.site is not None and self.others > 0
        cdef double* same = self.columns.add()
        cdef double* same_share = self.columns.add()
        cdef double* above[5]
        cdef double* shares[3]
        cdef double* cell[CELL]
        cdef double* own
        cdef Place* place
        cdef Place** at = <Place**>malloc(max(n, 1) * sizeof(Place*))
        cdef int32_t* count = <int32_t*>calloc(self.page.kinds + 1, sizeof(int32_t))
        try:
            if not at or not count:
                raise MemoryError
            for b in range(n):
                at[b] = &self.places[self.counts[b].place]
                count[at[b].kind] += 1
            for b in range(n):
                same[b] = logs(count[at[b].kind])
                same_share[b] = <double>count[at[b].kind] / n
            for level in range(LEVELS):
                if level:
                    for k in range(5):
                        above[k] = self.columns.add()
                    for b in range(n):
                        at[b] = place = &self.places[at[b].above]
                        above[0][b] = logs(place.chars)
                        above[1][b] = <double>place.links / place.chars
                        above[2][b] = share(place.fresh, place.plain)
                        above[3][b] = <double>place.prose / place.chars
                        above[4][b] = logs(place.end - place.row)
                for k in range(3):
                    shares[k] = self.columns.add()
                for b in range(n):
                    shares[0][b] = at[b].fresh / page_total
                    shares[1][b] = at[b].prose / prose_total
                    shares[2][b] = at[b].site_fresh if known else UNKNOWN
                if level == LEVELS - 1:
                    break
                for k in range(CELL):
                    cell[k] = self.columns.add()
                for b in range(n):
                    own = self.page.cell(at[b], known)
                    for k in range(CELL):
                        cell[k][b] = own[k]
        finally:
            free(at)
            free(count)
        return 0

    cdef int _marks(self) except -1:
        cdef Py_ssize_t b, n = self.n
        cdef int k, marks = self.page.marks
        cdef double* near = NULL
        cdef double* inner = NULL
        cdef const short* own
        cdef Place* place
        cdef int32_t half, before = -1
        for k in range(2 * marks):
            inner = self.columns.add()
            if not k:
                near = inner
        inner = near + marks * n
        for b in range(n):
            if self.counts[b].place == before:  # all values are the same
                for k in range(marks):
                    near[k * n + b] = near[k * n + b - 1]
                    inner[k * n + b] = inner[k * n + b - 1]
                continue
            before = self.counts[b].place
            place, own = &self.places[before], self.page.near + before * marks
            half = place.deepest[1]
            for k in range(marks):
                near[k * n + b] = place.depth - own[k] if own[k] >= 0 else FAR
                inner[k * n + b] = (1.0 if own[k] > half else 0.0) if own[k] >= 0 else UNKNOWN
        return 0

    cdef int _shifted(self, const double* source, int step) except -1:
        cdef double* column = self.columns.add()
        cdef Py_ssize_t b, n = self.n
        for b in range(n):
            column[b] = source[b + step] if 0 <= b + step < n else UNKNOWN
        return 0

    cdef int _around(self) except -1:
        cdef Py_ssize_t n = self.n, b, first = -1, last = -1, a, z
        cdef int step, width, tag
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
                tag = self.places[self.counts[b].place].tag
                heading[b] = IS_HEADING[tag]
                if first < 0 and tag == H1:
                    first = b
                sums[b + 1] = sums[b] + self.blocks[b].chars * (1 - link_share[b])
                alls[b + 1] = alls[b] + self.blocks[b].chars
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
                count = 0.0 if self.counts[b].prose > 0 else min(count + 1, FAR)
                column[b] = count
            column = self.columns.add()
            count = FAR
            for b in range(n - 1, -1, -1):
                count = 0.0 if self.counts[b].prose > 0 else min(count + 1, FAR)
                column[b] = count
            column, level, distance = self.columns.add(), self.columns.add(), self.columns.add()
            for b in range(n):
                column[b] = text_share[last] if last >= 0 else UNKNOWN
                level[b] = TAG_VALUE[self.places[self.counts[last].place].tag] if last >= 0 else UNKNOWN
                distance[b] = min(<double>(b - last), FAR) if last >= 0 else FAR
                if heading[b] > 0:
                    last = b
            column = self.columns.add()
            for b in range(n):
                column[b] = max(min(<double>(b - first), FAR), -FAR) if first >= 0 else -99.0
        finally:
            free(work)
        return 0

    cdef int _words(self) except -1:
        cdef Py_ssize_t b
        cdef int32_t before = -1
        cdef double* texts = self.columns.add()
        cdef double* names = self.columns.add()
        for b in range(self.n):
            texts[b] = self.counts[b].words / SCALE
            if self.counts[b].place == before:
                names[b] = names[b - 1]
                continue
            before = self.counts[b].place
            names[b] = self.page.names_around(&self.places[before]) / SCALE
        return 0

    cdef Table _surroundings(self, const double* chances, bint region):
        cdef Py_ssize_t n = self.n, b, a, z
        cdef int level, step, width
        cdef Table columns = Table(n, AROUND_WIDTH + REGION_WIDTH * region)
        cdef double* odds = columns.add()
        cdef double* column
        cdef double* other
        cdef double* sums
        cdef double* kept
        cdef double* weights
        cdef double* path_kept
        cdef int32_t* rows
        cdef double* path_weight
        cdef double total = 0, bounded, whole
        cdef int place
        cdef double* work = <double*>malloc((3 * n + 2 * self.page.kinds + 6) * sizeof(double))
        rows = <int32_t*>malloc(max(n, 1) * sizeof(int32_t))
        try:
            if not work or not rows:
                raise MemoryError
            weights, sums, kept = work, work + n, work + 2 * n + 1
            path_weight, path_kept = work + 3 * n + 2, work + 3 * n + 2 + self.page.kinds
            sums[0] = kept[0] = 0.0
            for b in range(n):
                bounded = min(max(chances[b], EDGE), 1 - EDGE)
                odds[b] = log(bounded / (1 - bounded))
                weights[b] = self.blocks[b].chars + EXTRA
                total += weights[b]
                sums[b + 1] = sums[b] + weights[b]
                kept[b + 1] = kept[b] + weights[b] * chances[b]
                rows[b] = self.counts[b].place
            column = columns.add()
            for b in range(n):
                column[b] = logs(self.blocks[b].chars)
            for level in range(AROUND_LEVELS):
                memset(path_weight, 0, 2 * self.page.kinds * sizeof(double))
                for b in range(n):
                    if level:
                        rows[b] = self.places[rows[b]].above
                    place = self.places[rows[b]].kind
                    path_weight[place] += weights[b]
                    path_kept[place] += weights[b] * chances[b]
                column, other = columns.add(), columns.add()
                for b in range(n):
                    place = self.places[rows[b]].kind
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
        if region:
            self._expected_region(columns, chances)
        return columns

    cdef int _expected_region(self, Table columns, const double* chances) except -1:
        """Add the columns of the expected region: the twin of `expected_region`."""
        cdef Py_ssize_t n = self.n, b, i, first, last
        cdef Place* region
        cdef double* column
        cdef double* other
        cdef double least
        cdef double* held = <double*>calloc(self.page.count + 1, sizeof(double))
        if not held:
            raise MemoryError
        try:
            for b in range(n):
                held[self.counts[b].place] += (self.blocks[b].chars + EXTRA) * chances[b]
            for i in range(self.page.count - 1, 0, -1):
                held[self.places[i].above] += held[i]
            for share in MOST:
                least, i = <double>share * held[0], self.page.count - 1
                while held[i] < least:
                    i -= 1
                region = &self.places[i]
                column, other = columns.add(), columns.add()
                first, last = -1, -1
                for b in range(n):
                    if region.row <= self.blocks[b].container < region.end:
                        first, last = b if first < 0 else first, b
                        column[b] = self.places[self.counts[b].place].depth - region.depth
                    else:
                        column[b] = OUTSIDE
                for b in range(n):
                    other[b] = min(max(<double>(min(b - first, 0) + max(b - last, 0)), -FAR), FAR)
        finally:
            free(held)
        column = columns.add()
        for b in range(n):
            column[b] = <double>self.blocks[b].link_chars / self.blocks[b].chars
        return 0


def judge(flat, blocks, site, learned):
    """Return the probabilities of all blocks; `learned` is whether the template of `site` counts this page."""
    cdef Look look = Look(flat, blocks, site, learned)
    cdef str name = "site" if look.others else "page"
    return _judged(look, blocks, _forest(name), _forest(name + "_context"), _forest("doubt_context"))


def judge_blind(flat, blocks):
    """Return the probabilities of all blocks of a page that has a template, without the template."""
    return _judged(Look(flat, blocks, None, False), blocks, _forest("page"), _forest("doubt_context"), None)


cdef object _judged(Look look, blocks, Trees first, Trees second, Trees other):
    look.build()
    chances = look.chances(first, second, other)
    return Judged(chances, look.text_share, look.others, kept_from(blocks.chars, chances), look.shares)


def kept_from(list chars, list chances):
    """Return the threshold of a page; `chars` contains the numbers of characters of its blocks."""
    cdef int64_t[DRAWS + 1] held
    cdef int64_t[DRAWS] sizes  # the distinct numbers of characters above the levels, in descending order
    cdef int[DRAWS] times  # number of levels with each
    cdef int[DRAWS] number  # of each level's size
    cdef int64_t usual = 0, count, above = 0
    cdef int low, high, middle, i, distinct = 0, some = 0
    cdef double one, best, score, found = USUAL
    for i in range(DRAWS + 1):
        held[i] = 0
    for count, one in zip(chars, chances, strict=True):
        low, high = 0, DRAWS
        while low < high:  # `bisect_right`
            middle = (low + high) // 2
            if one < CHANCES[middle]:
                high = middle
            else:
                low = middle + 1
        held[low] += count
        if one >= USUAL:
            usual += count
    for i in range(DRAWS, 0, -1):
        above += held[i]
        held[i] = above
    for i in range(DRAWS):
        if not distinct or held[i + 1] != sizes[distinct - 1]:
            sizes[distinct], times[distinct] = held[i + 1], 0
            distinct += 1
        times[distinct - 1] += 1
        number[i] = distinct - 1
        some += held[i + 1] > 0
    best = _expected(usual, sizes, times, distinct) + MARGIN
    if some <= best * DRAWS:
        return USUAL
    low = -1
    for i in range(FIRST, DRAWS):
        if number[i] != low:
            low = number[i]
            score = _expected(sizes[low], sizes, times, distinct)
            if score > best:
                best, found = score, CHANCES[i]
    return found


cdef double _expected(int64_t kept, const int64_t* sizes, const int* times, int distinct) noexcept:
    """Return the expected F1 of keeping a number of characters."""
    cdef double total = 0.0
    cdef int i
    if not kept:
        return 0.0
    for i in range(distinct):
        total += <double>(times[i] * 2 * min(kept, sizes[i])) / <double>(kept + sizes[i])
    return total / DRAWS


def chance(str forest, list figures):
    """Return the value of a forest of the model for one row of features, 0..1."""
    return probability(_forest(forest), figures)


cdef Trees _forest(str name):
    """Return a forest of the model as C arrays."""
    cdef Trees found = _forests.get(name)
    if found is None:
        found = _forests[name] = Trees(load_model()[name])
    return found
