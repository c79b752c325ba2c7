# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `kept_figures` in `page_features.py`, which is the reference and chooses.

Every sum is taken in the reference's order, so that figures are equal to the last bit.
"""

from libc.math cimport fabs, log1p
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

from sitecrawl.dom._blocks cimport Block, BlockColumns, blocks_of
from sitecrawl.dom._flat cimport Columns, Row, columns_of
from sitecrawl.extractors.combined._numbers cimport Numbers, drop, make, number
from sitecrawl.extractors.combined._site cimport Site, Sums, site_of

from sitecrawl.dom.labels import HEADINGS, TAG_NUMBERS
from sitecrawl.extractors.combined import entries as entries_reference
from sitecrawl.extractors.combined import page_features as reference

cdef enum:
    TAGS = 256

cdef int64_t LONG = reference.LONG
cdef double SURE_BELOW, SURE_ABOVE
SURE_BELOW, SURE_ABOVE = reference.OPEN
cdef int LEVELS = entries_reference.LEVELS
cdef tuple HERE = entries_reference.HERE
cdef str HERE_BEGINS = "".join(sorted({one for begin in HERE for one in (begin[0], begin[0].upper())}))
cdef char[TAGS] IS_HEADING
for _tag in HEADINGS:
    IS_HEADING[<int>TAG_NUMBERS[_tag]] = True


cdef struct Group:  # rows beside one another that look alike
    uint64_t path
    int64_t chars
    int32_t parent
    int32_t rows


cdef struct Below:  # what was kept up to LEVELS below a row
    int64_t chars
    int32_t blocks
    int32_t group  # -1 for none


cdef class Kept:
    """The kept blocks of one page, and the rows above them."""

    cdef list anchors
    cdef Columns columns
    cdef BlockColumns blocks
    cdef Site site
    cdef Py_ssize_t n, count, links, alike
    cdef int32_t* places  # rows of the anchors
    cdef int32_t* kept  # blocks
    cdef int32_t* met  # rows of which groups are made, in the order in which they were met
    cdef Below* below  # by row
    cdef Group* groups
    cdef double* chances
    cdef Numbers paths, pairs

    def __init__(self, flat, blocks, list chances, double threshold, site):
        cdef Py_ssize_t i, rows
        self.columns = columns_of(flat)
        rows = self.columns.count
        self.blocks = blocks_of(blocks, rows)
        self.site = site_of(site)
        self.anchors = flat.anchors
        self.n, self.links = self.blocks.count, len(self.anchors)
        if len(chances) != self.n:
            raise ValueError("columns of different lengths")
        self.places = <int32_t*>malloc((self.links + self.n + rows + 1) * sizeof(int32_t))
        self.below = <Below*>calloc(rows + 1, sizeof(Below))
        self.chances = <double*>malloc((self.n + 1) * sizeof(double))
        if self.places == NULL or self.below == NULL or self.chances == NULL:
            raise MemoryError
        self.kept = self.places + self.links
        self.met = self.kept + self.n
        for i in range(self.links):
            self.places[i] = (<tuple>self.anchors[i])[0]
        for i in range(self.n):
            self.chances[i] = chances[i]
            if self.chances[i] >= threshold:
                self.kept[self.count] = <int32_t>i
                self.count += 1
        self.group()

    def __dealloc__(self):
        free(self.places)
        free(self.below)
        free(self.chances)
        free(self.groups)
        drop(&self.paths)
        drop(&self.pairs)

    cdef Py_ssize_t up_to(self, int64_t row) noexcept:
        """Return how many anchors stand at a row or before it: bisect_right."""
        cdef Py_ssize_t low = 0, high = self.links, middle
        while low < high:
            middle = (low + high) // 2
            if row < self.places[middle]:
                high = middle
            else:
                low = middle + 1
        return low

    cdef int group(self) except -1:
        """Count what is below each row, and group rows beside one another that look alike."""
        cdef Row* rows = self.columns.rows
        cdef Py_ssize_t k, met = 0
        cdef int32_t row, level, place
        cdef Block* block
        cdef Group* own
        for k in range(self.count):
            block = &self.blocks.blocks[self.kept[k]]
            row = block.container
            for level in range(LEVELS):
                if not self.below[row].blocks:
                    self.below[row].group = -1
                    self.met[met] = row
                    met += 1
                self.below[row].blocks += 1
                self.below[row].chars += block.chars
                row = rows[row].parent
                if row < 0:
                    break
        make(&self.paths, met)
        make(&self.pairs, met)
        self.groups = <Group*>calloc(met + 1, sizeof(Group))
        if self.groups == NULL:
            raise MemoryError
        for k in range(met):
            row = self.met[k]
            if self.below[row].blocks < 2 or rows[row].parent < 0:
                continue
            place = number(&self.paths, rows[row].path)
            place = number(&self.pairs, <uint64_t>rows[row].parent << 32 | <uint64_t>place)
            own = &self.groups[place]
            own.path, own.parent = rows[row].path, rows[row].parent
            own.chars += self.below[row].chars
            own.rows += 1
            self.below[row].group = place
            self.met[self.alike] = row
            self.alike += 1
        return 0


def kept_figures(flat, blocks, list chances, double threshold, list text_share, Py_ssize_t pages, site):
    """Return the figures of `figures.KEPT_NAMES` and `entries.ENTRY_NAMES`."""
    cdef Kept own = Kept(flat, blocks, chances, threshold, site)
    cdef Row* rows = own.columns.rows
    cdef Block* block
    cdef Py_ssize_t n = own.n, k, b, some
    cdef int32_t row, level, most
    cdef int64_t total = 0, linked = 0, unsure = 0, switches = 0, c, x
    cdef int64_t chars = 0, links = 0, link_blocks = 0, long_chars = 0, longest = 0, anchors = 0, top = 0
    cdef int64_t headings = 0, linked_headings = 0, part, begin = 0, stop = 0, fragments = 0, targets = 0
    cdef double all_sum = 0, certain = 0, weighted = 0, repeated = 0, alike = 0, p, share
    cdef bint before, now
    cdef Numbers paths
    cdef int64_t* path_chars = NULL
    cdef str href
    cdef set other = set()
    if len(text_share) != n:
        raise ValueError("columns of different lengths")
    before = own.chances[0] >= threshold
    for b in range(n):
        c, p = own.blocks.blocks[b].chars, own.chances[b]
        total += c
        linked += own.blocks.blocks[b].link_chars
        all_sum += c * p
        certain += c * fabs(2 * p - 1)
        if SURE_BELOW < p < SURE_ABOVE:
            unsure += c
        now = p >= threshold
        if now != before:
            switches += 1
            before = now
    make(&paths, own.count)
    path_chars = <int64_t*>calloc(own.count + 1, sizeof(int64_t))
    if path_chars == NULL:
        drop(&paths)
        raise MemoryError
    for k in range(own.count):
        b = own.kept[k]
        block = &own.blocks.blocks[b]
        c, x, row = block.chars, block.link_chars, block.container
        chars += c
        links += x
        weighted += c * own.chances[b]
        link_blocks += x > 0.8 * c
        if c >= LONG:
            long_chars += c
        if c > longest:
            longest = c
        level = number(&paths, rows[row].path)
        path_chars[level] += c
        if path_chars[level] > top:
            top = path_chars[level]
        anchors += own.up_to(block.stop) - own.up_to(block.first - 2)
        if IS_HEADING[rows[row].tag]:
            headings += 1
            linked_headings += x >= c
        share = text_share[b]
        if share > 0:
            repeated += share * c
        most = 0
        for level in range(LEVELS):
            if row < 0:
                break
            if own.below[row].group >= 0 and own.groups[own.below[row].group].rows > most:
                most = own.groups[own.below[row].group].rows
            row = rows[row].parent
        alike += c * log1p(most)
    drop(&paths)
    free(path_chars)
    some, part = max(own.count, 1), max(chars, 1)
    if own.count:
        begin, stop = own.blocks.blocks[own.kept[0]].first - 2, own.blocks.blocks[own.kept[own.count - 1]].stop
        for k in range(own.links):
            if begin <= own.places[k] < stop:
                href = <str>(<tuple>own.anchors[k])[1]
                targets += 1
                if len(href) and href[0] == u"#":
                    fragments += 1
                else:
                    other.add(href)
    figures = [
        log1p(chars),
        log1p(total),
        <double>chars / total,
        log1p(own.count),
        <double>own.count / n,
        <double>links / part,
        <double>linked / total,
        certain / total,
        weighted / part,
        (all_sum - weighted) / max(total - chars, 1),
        <double>unsure / total,
        <double>long_chars / part,
        log1p(longest),
        <double>chars / some,
        <double>switches / n,
        <double>link_blocks / some,
        <double>anchors / some,
        <double>headings / some,
        repeated / part,
        <double>paths.count / some,
        <double>top / part,
        log1p(pages),
        <double>linked_headings / max(headings, 1),
        log1p(headings),
        alike / part,
        log1p(len(other)),
        <double>fragments / max(targets, 1),
    ]
    return figures + _entries(own, part, pages > 0)


cdef list _entries(Kept own, int64_t total, bint known):
    """Return the figures of `entries.ENTRY_NAMES`."""
    cdef Group* most = NULL
    cdef Group* one
    cdef Py_ssize_t k
    cdef double ours, firsts, share
    for k in range(own.pairs.count):
        one = &own.groups[k]
        if one.rows > 1 and (most == NULL or _is_more(one, most)):
            most = one
    if most == NULL:
        return [0.0] * 7 + _paths(own, total, known)
    ours, firsts = _targets(own, <int32_t>(most - own.groups), most.rows)
    share = <double>most.chars / total
    return [
        share,
        log1p(most.rows),
        ours,
        firsts,
        _excess(most.rows, own.site.path(most.path)) if known and own.site is not None else 0.0,
        log1p(<double>most.chars / most.rows),
        share * ours,
    ] + _paths(own, total, known)


cdef bint _is_more(const Group* one, const Group* other) noexcept:
    if one.chars != other.chars:
        return one.chars > other.chars
    if one.rows != other.rows:
        return one.rows > other.rows
    if one.parent != other.parent:
        return one.parent > other.parent
    return one.path > other.path


cdef tuple _targets(Kept own, int32_t group, Py_ssize_t count):
    """Return the share of entries with a link that is in no other entry, and distinct first links by entry."""
    cdef Py_ssize_t i, row, k, a, z, ours = 0
    cdef dict holders = {}
    cdef list entries = []
    cdef set firsts = set(), entry
    cdef str href, target
    for i in range(own.alike):
        row = own.met[i]
        if own.below[row].group != group:
            continue
        a, z = own.up_to(row - 1), own.up_to(<Py_ssize_t>own.columns.rows[row].end - 1)
        entry = set()
        first = None
        for k in range(a, z):
            href = <str>(<tuple>own.anchors[k])[1]
            if len(href) and href[0] in HERE_BEGINS and href.lower().startswith(HERE):
                continue
            target = href.partition("#")[0] if "#" in href else href
            if first is None:
                first = target
            if target not in entry:
                entry.add(target)
                holders[target] = holders.get(target, 0) + 1
        if first is not None:
            firsts.add(first)
        entries.append(entry)
    for entry in entries:
        for target in entry:
            if <Py_ssize_t>holders[target] == 1:
                ours += 1
                break
    return <double>ours / count, <double>len(firsts) / count


cdef double _excess(Py_ssize_t count, const Sums* found) noexcept:
    if found == NULL:
        return 0.0
    return log1p(<double>count) - log1p(<double>found.nodes / <double>found.pages)


cdef list _paths(Kept own, int64_t total, bint known):
    """Return by how much the kept blocks on each path exceed the site's average, and how usual their paths are."""
    cdef Py_ssize_t k
    cdef int32_t place
    cdef double excess = 0, usual = 0, pages
    cdef Numbers paths
    cdef int32_t* count
    cdef Block* block
    cdef Sums* found
    cdef uint64_t path
    if not known or own.site is None:
        return [0.0, 0.0]
    make(&paths, own.count)
    count = <int32_t*>calloc(own.count + 1, sizeof(int32_t))
    if count == NULL:
        drop(&paths)
        raise MemoryError
    for k in range(own.count):
        count[number(&paths, own.columns.rows[own.blocks.blocks[own.kept[k]].container].path)] += 1
    pages = max(own.site.pages, 1)
    for k in range(own.count):
        block = &own.blocks.blocks[own.kept[k]]
        path = own.columns.rows[block.container].path
        place, found = number(&paths, path), own.site.path(path)
        excess += block.chars * _excess(count[place], found)
        usual += block.chars * (<double>found.pages / pages if found != NULL else 0.0)
    drop(&paths)
    free(count)
    return [excess / total, usual / total]
