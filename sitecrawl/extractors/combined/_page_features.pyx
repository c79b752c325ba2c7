# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `kept_figures` in `page_features.py`, with what it calls in `entries.py`: the reference.

Every sum is taken in the reference's order, so that figures are equal to the last bit.
"""

from libc.math cimport fabs, log1p
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

from sitecrawl.dom._flat cimport Columns, Row, columns_of
from sitecrawl.extractors.combined._numbers cimport Numbers, drop, make, number
from sitecrawl.extractors.combined._places cimport TAGS, Site, Sums, site_of

from sitecrawl.dom.labels import HEADINGS, TAG_NUMBERS
from sitecrawl.extractors.combined import entries, page_features

cdef int64_t LONG = page_features.LONG
cdef double SURE_BELOW, SURE_ABOVE
SURE_BELOW, SURE_ABOVE = page_features.OPEN
cdef int LEVELS = entries.LEVELS
cdef tuple HERE = entries.HERE
cdef str HERE_BEGINS = "".join(sorted({one for begin in HERE for one in (begin[0], begin[0].upper())}))
cdef char[TAGS] IS_HEADING
for _tag in HEADINGS:
    IS_HEADING[<int>TAG_NUMBERS[_tag]] = True


cdef struct Block:  # a kept one
    int64_t chars
    int64_t linked
    double chance
    double shared
    int32_t first
    int32_t stop
    int32_t container


cdef struct Group:  # rows beside one another that look alike
    uint64_t path
    int64_t chars
    int32_t parent
    int32_t rows


cdef struct Below:  # what was kept up to LEVELS below a row
    int64_t chars
    int32_t blocks
    int32_t group  # -1 for none


cdef struct Totals:  # of all blocks of a page
    int64_t chars
    int64_t linked
    int64_t unsure
    int64_t switches
    double weighted
    double certain


cdef class Kept:
    """The kept blocks of one page, and the rows above them."""

    cdef list anchors
    cdef Columns columns
    cdef Site site  # None if there is nothing to compare with
    cdef Totals totals
    cdef Py_ssize_t n, count, links, alike
    cdef Block* blocks
    cdef int32_t* places  # rows of the anchors
    cdef int32_t* met  # rows of which groups are made, in the order in which they were met
    cdef Below* below  # by row
    cdef Group* groups
    cdef Numbers paths, pairs

    def __init__(self, flat, blocks, list chances, double threshold, list text_share, site):
        cdef Py_ssize_t i, rows
        if not chances:
            raise ValueError("a page without blocks")
        self.columns = columns_of(flat)
        rows = self.columns.count
        self.site = site_of(site)
        self.anchors = flat.anchors
        self.n, self.links = len(chances), len(self.anchors)
        self.places = <int32_t*>malloc((self.links + rows + 1) * sizeof(int32_t))
        self.below = <Below*>calloc(rows + 1, sizeof(Below))
        self.blocks = <Block*>malloc((self.n + 1) * sizeof(Block))
        if self.places == NULL or self.below == NULL or self.blocks == NULL:
            raise MemoryError
        self.met = self.places + self.links
        for i in range(self.links):
            self.places[i] = (<tuple>self.anchors[i])[0]
        self.read(blocks, chances, threshold, text_share)
        self.group()

    def __dealloc__(self):
        free(self.places)
        free(self.below)
        free(self.blocks)
        free(self.groups)
        drop(&self.paths)
        drop(&self.pairs)

    cdef int read(self, blocks, list chances, double threshold, list text_share) except -1:
        """Add up all blocks, and copy the kept ones. Raises ValueError for blocks of another page."""
        cdef Totals* totals = &self.totals
        cdef Block* own
        cdef int64_t chars, linked
        cdef int32_t first, stop, container
        cdef double chance, shared
        cdef bint before = <double>chances[0] >= threshold
        columns = blocks.first, blocks.stop, blocks.container, blocks.chars, blocks.link_chars, chances, text_share
        for first, stop, container, chars, linked, chance, shared in zip(*columns, strict=True):
            totals.chars += chars
            totals.linked += linked
            totals.weighted += chars * chance
            totals.certain += chars * fabs(2 * chance - 1)
            if SURE_BELOW < chance < SURE_ABOVE:
                totals.unsure += chars
            if (chance >= threshold) != before:
                totals.switches += 1
                before = not before
            if chance >= threshold:
                if not 0 <= container < self.columns.count:
                    raise ValueError("blocks of another page")
                own = &self.blocks[self.count]
                own.first, own.stop, own.container = first, stop, container
                own.chars, own.linked, own.chance, own.shared = chars, linked, chance, shared
                self.count += 1
        return 0

    cdef int group(self) except -1:
        """Count what is below each row, and group rows beside one another that look alike."""
        cdef Row* rows = self.columns.rows
        cdef Py_ssize_t k, met = 0
        cdef int32_t row, level, place
        cdef Group* own
        for k in range(self.count):
            row = self.blocks[k].container
            for level in range(LEVELS):
                if not self.below[row].blocks:
                    self.below[row].group = -1
                    self.met[met] = row
                    met += 1
                self.below[row].blocks += 1
                self.below[row].chars += self.blocks[k].chars
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

    cdef Py_ssize_t up_to(self, int64_t row) noexcept:
        """Return how many anchors stand at a row or before it: `bisect_right`."""
        cdef Py_ssize_t low = 0, high = self.links, middle
        while low < high:
            middle = (low + high) // 2
            if row < self.places[middle]:
                high = middle
            else:
                low = middle + 1
        return low

    cdef int32_t repeats(self, int32_t row) noexcept:
        """Return the maximum number of similar siblings of a row or one of its ancestors: `entries.repeats`."""
        cdef int32_t level, group, most = 0
        for level in range(LEVELS):
            if row < 0:
                break
            group = self.below[row].group if self.below[row].blocks else -1
            if group >= 0 and self.groups[group].rows > most:
                most = self.groups[group].rows
            row = self.columns.rows[row].parent
        return most

    cdef tuple targets(self):
        """Return the number of different targets around the kept blocks, and the share of links within the page."""
        cdef Py_ssize_t begin, stop, k
        cdef int64_t fragments = 0
        cdef str href
        cdef set other = set()
        if not self.count:
            return 0, 0.0
        begin, stop = self.up_to(self.blocks[0].first - 3), self.up_to(self.blocks[self.count - 1].stop - 1)
        for k in range(begin, stop):
            href = <str>(<tuple>self.anchors[k])[1]
            if len(href) and href[0] == u"#":
                fragments += 1
            else:
                other.add(href)
        return len(other), <double>fragments / max(stop - begin, 1)


def kept_figures(flat, blocks, list chances, double threshold, list text_share, Py_ssize_t pages, site):
    """Return the features of `KEPT_NAMES` and `ENTRY_NAMES`."""
    cdef Kept own = Kept(flat, blocks, chances, threshold, text_share, site if pages else None)
    cdef Totals* totals = &own.totals
    cdef Block* block
    cdef Py_ssize_t k, some
    cdef int32_t place
    cdef int64_t chars = 0, linked = 0, lines = 0, long_chars = 0, longest = 0, anchors = 0, top = 0
    cdef int64_t headings = 0, linked_headings = 0, part
    cdef double weighted = 0, repeated = 0, alike = 0
    cdef Numbers paths
    cdef int64_t* held  # characters by the number of a path
    make(&paths, own.count)
    held = <int64_t*>calloc(own.count + 1, sizeof(int64_t))
    if held == NULL:
        drop(&paths)
        raise MemoryError
    for k in range(own.count):
        block = &own.blocks[k]
        chars += block.chars
        linked += block.linked
        weighted += block.chars * block.chance
        lines += block.linked > 0.8 * block.chars
        if block.chars >= LONG:
            long_chars += block.chars
        longest = max(longest, block.chars)
        place = number(&paths, own.columns.rows[block.container].path)
        held[place] += block.chars
        top = max(top, held[place])
        anchors += own.up_to(block.stop) - own.up_to(block.first - 2)
        if IS_HEADING[own.columns.rows[block.container].tag]:
            headings += 1
            linked_headings += block.linked >= block.chars
        if block.shared > 0:
            repeated += block.shared * block.chars
        alike += block.chars * log1p(own.repeats(block.container))
    drop(&paths)
    free(held)
    some, part = max(own.count, 1), max(chars, 1)
    targets, fragments = own.targets()
    figures = [
        log1p(chars),
        log1p(totals.chars),
        <double>chars / totals.chars,
        log1p(own.count),
        <double>own.count / own.n,
        <double>linked / part,
        <double>totals.linked / totals.chars,
        totals.certain / totals.chars,
        weighted / part,
        (totals.weighted - weighted) / max(totals.chars - chars, 1),
        <double>totals.unsure / totals.chars,
        <double>long_chars / part,
        log1p(longest),
        <double>chars / some,
        <double>totals.switches / own.n,
        <double>lines / some,
        <double>anchors / some,
        <double>headings / some,
        repeated / part,
        <double>paths.count / some,
        <double>top / part,
        log1p(pages),
        <double>linked_headings / max(headings, 1),
        log1p(headings),
        alike / part,
        log1p(targets),
        fragments,
    ]
    return figures + _entry_figures(own, part)


cdef list _entry_figures(Kept own, int64_t total):
    """Return the features of `entries.ENTRY_NAMES`."""
    cdef Group* most = NULL
    cdef Group* one
    cdef Py_ssize_t k
    cdef double ours, firsts, share, excess = 0.0
    for k in range(own.pairs.count):
        one = &own.groups[k]
        if one.rows > 1 and (most == NULL or _is_more(one, most)):
            most = one
    if most == NULL:
        return [0.0] * 7 + _path_figures(own, total)
    ours, firsts = _targets(own, <int32_t>(most - own.groups), most.rows)
    share = <double>most.chars / total
    if own.site is not None:
        excess = _excess(most.rows, own.site.path(most.path))
    entries = [share, log1p(most.rows), ours, firsts, excess, log1p(<double>most.chars / most.rows), share * ours]
    return entries + _path_figures(own, total)


cdef bint _is_more(const Group* one, const Group* other) noexcept:
    if one.chars != other.chars:
        return one.chars > other.chars
    if one.rows != other.rows:
        return one.rows > other.rows
    if one.parent != other.parent:
        return one.parent > other.parent
    return one.path > other.path


cdef tuple _targets(Kept own, int32_t group, Py_ssize_t count):
    """Return the share of entries with a link that no other entry has, and the distinct first links per entry."""
    cdef Py_ssize_t i, row, k, ours = 0
    cdef dict holders = {}
    cdef list entries = []
    cdef set firsts = set(), entry
    cdef str href, target
    for i in range(own.alike):
        row = own.met[i]
        if own.below[row].group != group:
            continue
        entry = set()
        first = None
        for k in range(own.up_to(row - 1), own.up_to(<Py_ssize_t>own.columns.rows[row].end - 1)):
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


cdef list _path_figures(Kept own, int64_t total):
    """Return how many more blocks are on the kept paths than usual, and how usual these are."""
    cdef Py_ssize_t k
    cdef int32_t place
    cdef double more = 0, often = 0, pages
    cdef Numbers paths
    cdef int32_t* count
    cdef Block* block
    cdef Sums* found
    cdef uint64_t path
    if own.site is None:
        return [0.0, 0.0]
    make(&paths, own.count)
    count = <int32_t*>calloc(own.count + 1, sizeof(int32_t))
    if count == NULL:
        drop(&paths)
        raise MemoryError
    for k in range(own.count):
        count[number(&paths, own.columns.rows[own.blocks[k].container].path)] += 1
    pages = max(own.site.pages, 1)
    for k in range(own.count):
        block = &own.blocks[k]
        path = own.columns.rows[block.container].path
        place, found = number(&paths, path), own.site.path(path)
        more += block.chars * _excess(count[place], found)
        often += block.chars * (<double>found.pages / pages if found != NULL else 0.0)
    drop(&paths)
    free(count)
    return [more / total, often / total]
