# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `kept_figures` in `figures.py`, which is the reference and chooses.

Every sum is taken in the reference's order, so that figures are equal to the last bit.
"""

from cpython.long cimport PyLong_AsLongLong
from libc.math cimport fabs, log1p
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free, malloc

from sitecrawl.dom.labels import HEADINGS
from sitecrawl.extractors import entries as entries_reference
from sitecrawl.extractors import figures as reference

cdef int64_t LONG = reference.LONG
cdef double SURE_BELOW, SURE_ABOVE
SURE_BELOW, SURE_ABOVE = reference.OPEN
cdef int LEVELS = entries_reference.LEVELS
cdef tuple HERE = entries_reference.HERE
cdef frozenset HEADING_TAGS = frozenset(HEADINGS)


cdef class Kept:
    """The kept blocks of one page, and the rows above them."""

    cdef list tag, path, parent, end, anchors
    cdef Py_ssize_t n, rows, count, links
    cdef int64_t* memory
    cdef int64_t* first
    cdef int64_t* stop
    cdef int64_t* container
    cdef int64_t* chars
    cdef int64_t* link_chars
    cdef int64_t* places  # rows of the anchors
    cdef int64_t* kept  # blocks
    cdef int64_t* number  # by row: kept blocks up to LEVELS below
    cdef int64_t* below  # by row: their characters
    cdef int64_t* alike  # by row: rows beside it that look like it, itself counted
    cdef double* chances

    def __init__(self, flat, blocks, list chances, double threshold):
        cdef Py_ssize_t i, n = len(blocks.first), rows = len(flat.tag), links = len(flat.anchors)
        self.tag, self.path, self.parent, self.end, self.anchors = flat.tag, flat.path, flat.parent, flat.end, flat.anchors
        self.n, self.rows, self.links, self.count = n, rows, links, 0
        if len(chances) != n or len(self.path) != rows or len(self.parent) != rows or len(self.end) != rows:
            raise ValueError("columns of different lengths")
        self.memory = <int64_t*>calloc(6 * n + links + 3 * rows + 1, sizeof(int64_t))
        self.chances = <double*>malloc(max(n, 1) * sizeof(double))
        if not self.memory or not self.chances:
            raise MemoryError
        self.first, self.stop, self.container = self.memory, self.memory + n, self.memory + 2 * n
        self.chars, self.link_chars, self.kept = self.memory + 3 * n, self.memory + 4 * n, self.memory + 5 * n
        self.places = self.memory + 6 * n
        self.number = self.places + links
        self.below, self.alike = self.number + rows, self.number + 2 * rows
        _copy(blocks.first, self.first, n)
        _copy(blocks.stop, self.stop, n)
        _copy(blocks.container, self.container, n)
        _copy(blocks.chars, self.chars, n)
        _copy(blocks.link_chars, self.link_chars, n)
        for i in range(links):
            self.places[i] = PyLong_AsLongLong((<tuple>self.anchors[i])[0])
        for i in range(n):
            self.chances[i] = chances[i]
            if self.chances[i] >= threshold:
                self.kept[self.count] = i
                self.count += 1

    def __dealloc__(self):
        free(self.memory)
        free(self.chances)

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

    cdef list groups(self):
        """Count what is below each row; return groups of rows beside one another that look alike, as they were met.

        A group is (parent, path, rows); only those of two rows or more are returned, and all set `alike`.
        """
        cdef Py_ssize_t k, row, size, level
        cdef list met = []
        cdef dict places = {}
        cdef list rows
        for k in range(self.count):
            row, size = self.container[self.kept[k]], self.chars[self.kept[k]]
            for level in range(LEVELS):
                if not self.number[row]:
                    met.append(row)
                self.number[row] += 1
                self.below[row] += size
                row = self.parent[row]
                if row < 0:
                    break
        for row in met:
            if self.number[row] > 1 and <Py_ssize_t>self.parent[row] >= 0:
                key = (self.parent[row], self.path[row])
                found = places.get(key)
                if found is None:
                    places[key] = [row]
                else:
                    (<list>found).append(row)
        result = []
        for key, found in places.items():
            rows = <list>found
            for row in rows:
                self.alike[row] = len(rows)
            if len(rows) > 1:
                result.append((key, rows))
        return result


def kept_figures(flat, blocks, list chances, double threshold, list text_share, Py_ssize_t pages, site):
    """Return the figures of `figures.KEPT_NAMES` and `entries.ENTRY_NAMES`."""
    cdef Kept own = Kept(flat, blocks, chances, threshold)
    cdef Py_ssize_t n = own.n, k, b, row, level, some
    cdef int64_t total = 0, linked = 0, unsure = 0, switches = 0, c, x, most
    cdef int64_t chars = 0, links = 0, link_blocks = 0, long_chars = 0, longest = 0, anchors = 0
    cdef int64_t headings = 0, linked_headings = 0, part, begin, stop, fragments, targets
    cdef double all_sum = 0, certain = 0, weighted = 0, repeated = 0, alike = 0, p, share
    cdef bint before, now
    cdef dict paths = {}
    if len(text_share) != n:
        raise ValueError("columns of different lengths")
    groups = own.groups()
    before = own.chances[0] >= threshold
    for b in range(n):
        c, p = own.chars[b], own.chances[b]
        total += c
        linked += own.link_chars[b]
        all_sum += c * p
        certain += c * fabs(2 * p - 1)
        if SURE_BELOW < p < SURE_ABOVE:
            unsure += c
        now = p >= threshold
        if now != before:
            switches += 1
            before = now
    for k in range(own.count):
        b = own.kept[k]
        c, x, row = own.chars[b], own.link_chars[b], own.container[b]
        chars += c
        links += x
        weighted += c * own.chances[b]
        link_blocks += x > 0.8 * c
        if c >= LONG:
            long_chars += c
        if c > longest:
            longest = c
        path = own.path[row]
        found = paths.get(path)
        paths[path] = c if found is None else <int64_t>found + c
        anchors += own.up_to(own.stop[b]) - own.up_to(own.first[b] - 2)
        if own.tag[row] in HEADING_TAGS:
            headings += 1
            linked_headings += x >= c
        share = text_share[b]
        if share > 0:
            repeated += share * c
        most = 0
        for level in range(LEVELS):
            if row < 0:
                break
            if own.alike[row] > most:
                most = own.alike[row]
            row = own.parent[row]
        alike += c * log1p(most)
    some, part = max(own.count, 1), max(chars, 1)
    begin = stop = fragments = targets = 0
    other = set()
    if own.count:
        begin, stop = own.first[own.kept[0]] - 2, own.stop[own.kept[own.count - 1]]
        for k in range(own.links):
            if begin <= own.places[k] < stop:
                href = <str>(<tuple>own.anchors[k])[1]
                targets += 1
                if href.startswith("#"):
                    fragments += 1
                else:
                    other.add(href)
    top = 0
    for found in paths.values():
        if <int64_t>found > <int64_t>top:
            top = found
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
        <double>len(paths) / some,
        <double><int64_t>top / part,
        log1p(pages),
        <double>linked_headings / max(headings, 1),
        log1p(headings),
        alike / part,
        log1p(len(other)),
        <double>fragments / max(targets, 1),
    ]
    return figures + _entries(own, groups, part, site if pages else None)


cdef list _entries(Kept own, list groups, int64_t total, site):
    """Return the figures of `entries.ENTRY_NAMES`."""
    cdef Py_ssize_t row
    cdef int64_t chars
    most = None
    for key, rows in groups:
        chars = 0
        for row in <list>rows:
            chars += own.below[row]
        found = (chars, len(<list>rows), key)
        if most is None or found > most[0]:
            most = (found, rows)
    if most is None:
        return [0.0] * 7 + _paths(own, total, site)
    (chars, count, key), rows = most
    ours, firsts = _targets(own, rows)
    share = <double>chars / total
    return [
        share,
        log1p(count),
        ours,
        firsts,
        _excess(count, key[1], site),
        log1p(<double>chars / <Py_ssize_t>count),
        share * ours,
    ] + _paths(own, total, site)


cdef tuple _targets(Kept own, list rows):
    """Return the share of entries with a link that is in no other entry, and distinct first links by entry."""
    cdef Py_ssize_t row, k, a, z, ours = 0
    cdef dict holders = {}
    cdef list entries = []
    firsts = set()
    for row in rows:
        a, z = own.up_to(row - 1), own.up_to(<Py_ssize_t>own.end[row] - 1)
        entry = set()
        first = None
        for k in range(a, z):
            href = <str>(<tuple>own.anchors[k])[1]
            if not (<str>href).lower().startswith(HERE):
                target = (<str>href).partition("#")[0]
                if first is None:
                    first = target
                entry.add(target)
        if first is not None:
            firsts.add(first)
        for target in entry:
            holders[target] = holders.get(target, 0) + 1
        entries.append(entry)
    for entry in entries:
        for target in entry:
            if <Py_ssize_t>holders[target] == 1:
                ours += 1
                break
    return <double>ours / len(rows), <double>len(firsts) / len(rows)


cdef double _excess(count, path, site) except? -1.5:
    if site is None:
        return 0.0
    found = site.paths.get(path)
    if found is None:
        return 0.0
    return log1p(<double>count) - log1p(<double>(<tuple>found)[1] / <double>(<tuple>found)[0])


cdef list _paths(Kept own, int64_t total, site):
    """Return by how much the kept blocks on each path exceed the site's average, and how usual their paths are."""
    cdef Py_ssize_t k, b
    cdef double excess = 0, usual = 0, pages
    cdef dict count = {}
    cdef dict figures = {}
    if site is None:
        return [0.0, 0.0]
    for k in range(own.count):
        path = own.path[own.container[own.kept[k]]]
        count[path] = count.get(path, 0) + 1
    pages = max(site.pages, 1)
    for path, number in count.items():
        found = site.paths.get(path)
        figures[path] = (
            _excess(number, path, site),
            <double>(<tuple>found)[0] / pages if found is not None else 0.0,
        )
    for k in range(own.count):
        b = own.kept[k]
        one = <tuple>figures[own.path[own.container[b]]]
        excess += own.chars[b] * <double>one[0]
        usual += own.chars[b] * <double>one[1]
    return [excess / total, usual / total]


cdef int _copy(list values, int64_t* target, Py_ssize_t size) except -1:
    """Copy a column of integers; each fits, because all count what is in one page."""
    cdef Py_ssize_t i
    if len(values) != size:
        raise ValueError("columns of different lengths")
    for i in range(size):
        target[i] = PyLong_AsLongLong(values[i])
    return 0
