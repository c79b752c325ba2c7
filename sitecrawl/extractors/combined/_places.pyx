# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Counts for the features of blocks: by block, and by place, which is a row that contains blocks.

`block_features.py` explains the counts and is the reference. `_block_classifier.pyx` computes the columns from them.
"""

from array import array
from itertools import chain

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND
from libc.math cimport log1p
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from sitecrawl.dom._flat cimport Row, columns_of
from sitecrawl.extractors.combined._trees cimport give, take

from sitecrawl.dom.labels import TAG_NUMBERS
from sitecrawl.extractors.combined import block_features as reference
from sitecrawl.extractors.combined import word_evidence
from sitecrawl.extractors.combined.class_hints import COMMENT, MARKS, OWN_MARKS, TAG_MARKS, UNSEEN, is_thread

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 one) noexcept
    bint Py_UNICODE_ISDIGIT(Py_UCS4 one) noexcept
    bint Py_UNICODE_ISALNUM(Py_UCS4 one) noexcept
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 one) noexcept
    Py_UCS4 Py_UNICODE_TOLOWER(Py_UCS4 one) noexcept

ctypedef fused Unit:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    LATIN = 256
    WIDE = 32
    DIGITS_IN = 200  # characters at the beginning of a block
    MOST_NAMES = 50_000
    FREE = 0  # kinds of characters: not in a word,
    LETTER = 1  # a letter of a word,
    LONE = 2  # a word by itself
    SLOTS = 0x100000  # `word_evidence.SLOTS`
    NEAR = 3
    OWN = 2

cdef double UNKNOWN = reference.UNKNOWN
cdef double PROSE_CHARS = reference.PROSE_CHARS
cdef double PROSE_LINKS = reference.PROSE_LINKS
cdef double[3] SHARES
SHARES[0], SHARES[1], SHARES[2] = reference.SHARES
cdef char[LATIN] IS_MARK, IS_DIGIT, IS_SPACE
cdef Py_UCS4[WIDE] WIDE_MARKS
cdef int wide_marks = 0
cdef int32_t _one
for _one in range(LATIN):
    IS_MARK[_one] = chr(_one) in reference.PUNCTUATION
    IS_DIGIT[_one] = chr(_one).isdigit()
    IS_SPACE[_one] = chr(_one).isspace()
for _mark in sorted(reference.PUNCTUATION):
    if ord(_mark) >= LATIN:
        if wide_marks == WIDE:
            raise ValueError("too many punctuation marks")
        WIDE_MARKS[wide_marks] = ord(_mark)
        wide_marks += 1
cdef list _named = [{} for _ in range(TAGS)]  # by tag number: a dict from names to marks and the slots of the names, as bytes
cdef int _names = 0
cdef uint32_t[3] UNNAMED = [0, 0, 0]
cdef char[LATIN] KIND_OF
cdef int WORDS = word_evidence.WORDS, WHOLE = word_evidence.WHOLE, KINDS = word_evidence.KINDS
cdef int WORD = word_evidence.WORD, PAIR = word_evidence.PAIR, FIRST = word_evidence.FIRST, LAST = word_evidence.LAST
cdef int FIRST_PAIR = word_evidence.FIRST_PAIR, TEXT = word_evidence.TEXT, SIZE = word_evidence.SIZE
cdef int SHORT = word_evidence.SIZES[0], MIDDLE = word_evidence.SIZES[1]
cdef str SIGNS = word_evidence.SIGNS
cdef Py_UCS4[6] SPACELESS
for _one in range(3):
    SPACELESS[2 * _one], SPACELESS[2 * _one + 1] = word_evidence.SPACELESS[_one]


cdef int kind_of(Py_UCS4 one) except -1:
    """Return the kind of a character for `word_evidence`: FREE, LETTER or LONE."""
    cdef int i
    if not Py_UNICODE_ISALNUM(one):
        return LONE if one in SIGNS else FREE
    for i in range(3):
        if SPACELESS[2 * i] <= one <= SPACELESS[2 * i + 1]:
            return LONE
    return LETTER


for _one in range(LATIN):
    KIND_OF[_one] = kind_of(_one)


cdef inline uint32_t slot_of(int kind, uint32_t word) noexcept:
    """Return the slot of a hash, as `word_evidence.slot`."""
    cdef uint32_t mixed = word ^ <uint32_t>kind * <uint32_t>0x9E3779B9
    mixed = (mixed ^ mixed >> 16) * <uint32_t>0x85EBCA6B
    mixed = (mixed ^ mixed >> 13) * <uint32_t>0xC2B2AE35
    return (mixed ^ mixed >> 16) & (SLOTS - 1)


cdef struct Spoken:  # the first words of a block
    const signed char* weights
    int64_t sum
    uint32_t word  # the hash of the current word
    uint32_t before  # the hash of the word before it
    uint32_t whole  # the hash of all words
    int kind  # of the size of the block
    int count
    bint inside  # whether a word is not ended yet
    bint digits  # whether the last character of that word is a digit
    bint full  # whether enough words were read


cdef void end_word(Spoken* own) noexcept:
    cdef uint32_t word = own.word
    own.inside = own.digits = False
    own.whole = own.whole * 31 + word
    own.sum += own.weights[slot_of(own.kind + WORD, word)]
    if own.count:
        own.sum += own.weights[slot_of(own.kind + PAIR, own.before * 31 + word)]
    if own.count < 2:
        own.sum += own.weights[slot_of(own.kind + (FIRST_PAIR if own.count else FIRST), own.whole)]
    own.before = word
    own.count += 1


cdef int _speak(const Unit* text, Py_ssize_t size, Spoken* own) except -1:
    """Add one text of a block to its first words, as `word_evidence.text_slots`."""
    cdef Py_ssize_t i
    cdef Py_UCS4 one
    cdef int kind
    for i in range(size):
        one = text[i]
        kind = KIND_OF[one] if one < LATIN else kind_of(one)
        if own.inside and kind != LETTER:
            end_word(own)
        if kind == FREE:
            continue
        if not own.inside:
            if own.count == WORDS:
                own.full = True
                return 0
            own.word, own.inside = <uint32_t>2166136261, True
        if not Py_UNICODE_ISDECIMAL(one):
            own.word = (own.word ^ <uint32_t>Py_UNICODE_TOLOWER(one)) * <uint32_t>16777619
            own.digits = False
        elif not own.digits:
            own.word = (own.word ^ <uint32_t>48) * <uint32_t>16777619
            own.digits = True
        if kind == LONE:
            end_word(own)
    return 0


cdef inline int is_space(Py_UCS4 one) noexcept:
    if one < LATIN:
        return IS_SPACE[one]
    return Py_UNICODE_ISSPACE(one)


cdef inline int is_digit(Py_UCS4 one) noexcept:
    if one < LATIN:
        return IS_DIGIT[one]
    return Py_UNICODE_ISDIGIT(one)


cdef inline int is_mark(Py_UCS4 one) noexcept:
    cdef int i
    if one < LATIN:
        return IS_MARK[one]
    for i in range(wide_marks):
        if WIDE_MARKS[i] == one:
            return 1
    return 0


cdef Py_ssize_t _measure(const Unit* text, Py_ssize_t size, Py_ssize_t before, BlockCounts* counts) noexcept:
    """Add one text of a block; return how many characters of the block are read, without leading white space."""
    cdef Py_ssize_t i, begin = 0, stop = size, some
    cdef int64_t marks = 0
    cdef int digits = 0
    while begin < stop and is_space(text[begin]):
        begin += 1
    if begin == stop:
        return before + size if before else 0
    while is_space(text[stop - 1]):
        stop -= 1
    counts.last = text[stop - 1]
    if not before:
        counts.first = text[begin]
        some = min(stop, begin + DIGITS_IN)
    else:
        some = min(stop, DIGITS_IN - before)
    for i in range(begin, some):
        digits += is_digit(text[i])
        marks += is_mark(text[i])
    for i in range(max(some, begin), stop):
        marks += is_mark(text[i])
    counts.digits += digits
    counts.marks += marks
    return before + size if before else size - begin


cdef inline bint has(const uint32_t* slots, uint32_t count, uint32_t slot) noexcept:
    cdef uint32_t k
    for k in range(count):
        if slots[k] == slot:
            return True
    return False


cdef inline uint64_t bit_of(uint32_t slot) noexcept:
    return <uint64_t>1 << (slot & 63)


cdef inline const uint32_t* near_of(const Place* place) noexcept:
    return place.slots + 3 + place.slots[0]


cdef inline const uint32_t* own_of(const Place* place) noexcept:
    return place.slots + 3 + place.slots[0] + place.slots[1]


cdef bytes _slots_of(str tag, str names):
    """Return the numbers of the three kinds of slots of an element's names, and the slots; None if there are none."""
    found = word_evidence.name_slots(tag, names)
    if not found.always:
        return None
    return array("I", [*map(len, found), *chain.from_iterable(found)]).tobytes()


# A table that numbers keys in the order in which they are first seen.
cdef struct Numbers:
    uint64_t* keys
    int32_t* numbers  # number by slot of the table, plus 1; 0 for a free slot
    uint64_t last  # place, a power of two less one
    int32_t count


cdef inline int make(Numbers* own, Py_ssize_t most) except -1:
    """Allocate room for a number of keys. Raises MemoryError."""
    own.last, own.count = 3, 0
    while own.last < 2 * <uint64_t>most:
        own.last = 2 * own.last + 1
    own.keys = <uint64_t*>calloc(own.last + 1, sizeof(uint64_t) + sizeof(int32_t))
    if own.keys == NULL:
        raise MemoryError
    own.numbers = <int32_t*>(own.keys + own.last + 1)
    return 0


cdef inline int32_t number(Numbers* own, uint64_t key) noexcept:
    """Return the number of a key."""
    cdef uint64_t place = (key ^ key >> 32) * <uint64_t>0x9E3779B97F4A7C15
    place = place >> 32 & own.last
    while own.numbers[place]:
        if own.keys[place] == key:
            return own.numbers[place] - 1
        place = (place + 1) & own.last
    own.keys[place] = key
    own.count += 1
    own.numbers[place] = own.count
    return own.count - 1


cdef inline void drop(Numbers* own) noexcept:
    free(own.keys)
    own.keys = NULL


cdef class Site:
    """The sums of a site by path, and the pages that hold a text, by its label."""

    def __init__(self, statistics):
        cdef uint64_t place
        cdef int32_t number = 0
        cdef Sums* sums
        cdef Text* text
        paths, texts = statistics.paths, statistics.texts
        self.pages, self.fresh = statistics.pages, statistics.fresh
        self.last_path, self.last_text = _last(len(paths)), _last(len(texts))
        self.path_places = <int32_t*>calloc(self.last_path + 1, sizeof(int32_t))
        self.text_places = <int32_t*>calloc(self.last_text + 1, sizeof(int32_t))
        self.sums = <Sums*>malloc((len(paths) + 1) * sizeof(Sums))
        self.texts = <Text*>malloc((len(texts) + 1) * sizeof(Text))
        if self.path_places == NULL or self.text_places == NULL or self.sums == NULL or self.texts == NULL:
            raise MemoryError
        for path, found in paths.items():
            sums = &self.sums[number]
            sums.path = path
            sums.pages, sums.nodes, sums.variants, sums.chars, sums.plain, sums.fresh = found
            place = _first(sums.path) & self.last_path
            while self.path_places[place]:
                place = (place + 1) & self.last_path
            number += 1
            self.path_places[place] = number
        number = 0
        for label, pages in texts.items():
            text = &self.texts[number]
            text.label, text.pages = label, pages
            place = text.label & self.last_text
            while self.text_places[place]:
                place = (place + 1) & self.last_text
            number += 1
            self.text_places[place] = number

    def __dealloc__(self):
        free(self.path_places)
        free(self.text_places)
        free(self.sums)
        free(self.texts)

    cdef Sums* path(self, uint64_t path) noexcept:
        """Return the sums of a path; NULL if it is unknown."""
        cdef uint64_t place = _first(path) & self.last_path
        cdef Sums* sums
        while self.path_places[place]:
            sums = &self.sums[self.path_places[place] - 1]
            if sums.path == path:
                return sums
            place = (place + 1) & self.last_path
        return NULL

    cdef int64_t text(self, uint32_t label) noexcept:
        """Return the maximum number of pages with a text in one place; 0 if it is unknown."""
        cdef uint64_t place = label & self.last_text
        cdef Text* text
        while self.text_places[place]:
            text = &self.texts[self.text_places[place] - 1]
            if text.label == label:
                return text.pages
            place = (place + 1) & self.last_text
        return 0


cdef inline uint64_t _first(uint64_t path) noexcept:
    return path ^ path >> 32


cdef uint64_t _last(Py_ssize_t count) noexcept:
    """Return the last index of a hash table that is at most half full."""
    cdef uint64_t places = 4
    while places < 2 * <uint64_t>count:
        places *= 2
    return places - 1


cdef Site site_of(object statistics):
    """Return the tables of a site, which are created once."""
    cdef list made
    if statistics is None:
        return None
    made = statistics.compiled
    if not made:
        made.append(Site(statistics))
    return <Site>made[0]


cdef class Places:
    """The places of one page, and the counts of its blocks: those of the page alone, then those that a site adds."""

    def __init__(self, flat, blocks, weights):
        self.columns = columns_of(flat)
        self.given, self.weights = blocks, weights
        self.pack(blocks)
        self.marks = MARKS
        self.counts = <BlockCounts*>calloc(self.n + 1, sizeof(BlockCounts))
        self.place_of = <int32_t*>malloc((self.columns.count + 1) * sizeof(int32_t))
        if self.counts == NULL or self.place_of == NULL:
            raise MemoryError
        self.find()
        self.read(flat.text, weights.texts)
        self.count_anchors(flat.anchors)
        self.name_weights = weights.names
        if len(self.name_weights) != SLOTS:
            raise ValueError("a table of weights of another length")
        self.name(flat.tag, flat.names, flat.hidden)

    def __dealloc__(self):
        free(self.blocks)
        free(self.counts)
        free(self.place_of)
        give(self.places, self.asked[0])
        give(self.near, self.asked[1])

    cdef int compare(self, statistics, learned) except -1:
        """Count with the statistics of a site, or without for None, in place of those counted before."""
        cdef Place* place
        cdef BlockCounts* counts
        cdef Py_ssize_t i
        self.site = site_of(statistics)
        self.own = 1 if self.site is not None and learned else 0
        self.others = max(self.site.pages - self.own, 0) if self.site is not None else 0
        self.kinds = 0
        for i in range(self.n):
            counts = &self.counts[i]
            counts.here, counts.anywhere, counts.most = 0, 0, 0
        for i in range(self.count):
            place = &self.places[i]
            place.plain, place.fresh, place.prose, place.site_fresh = 0, 0, 0, 0
            place.filled = False
        self.repeats()
        self.regions()
        return 0

    cdef int pack(self, blocks) except -1:
        """Copy the text blocks. Raises ValueError for blocks of another page."""
        cdef Block* block
        cdef int32_t before = 0
        lists = blocks.first, blocks.stop, blocks.container, blocks.chars, blocks.words, blocks.link_chars
        self.n = 0
        self.blocks = <Block*>calloc(len(blocks) + 1, sizeof(Block))
        if self.blocks == NULL:
            raise MemoryError
        for first, stop, container, chars, words, link_chars in zip(*lists, strict=True):
            block = &self.blocks[self.n]
            block.first, block.stop, block.container = first, stop, container
            block.chars, block.words, block.link_chars = chars, words, link_chars
            if not (before <= block.first < block.stop <= self.columns.count and 0 <= block.container <= block.first):
                raise ValueError("blocks of another page")
            before = block.stop
            self.n += 1
        return 0

    cdef int find(self) except -1:
        """Number the rows that contain blocks, in document order."""
        cdef Row* rows = self.columns.rows
        cdef Place* own
        cdef Py_ssize_t b, i
        cdef int32_t row
        for i in range(self.columns.count):
            self.place_of[i] = -1
        for b in range(self.n):
            row = self.blocks[b].container
            while row >= 0 and self.place_of[row] < 0:
                self.place_of[row] = 0
                row = rows[row].parent
                self.count += 1
        self.asked[0] = (self.count + 1) * sizeof(Place)
        self.asked[1] = (self.count + 1) * self.marks * sizeof(short)
        self.places = <Place*>take(self.asked[0])
        self.near = <short*>take(self.asked[1])
        memset(self.places, 0, self.asked[0])
        self.count = 0
        for i in range(self.columns.count):
            if self.place_of[i] < 0:
                continue
            self.place_of[i] = <int32_t>self.count
            own = &self.places[self.count]
            own.row, own.end, own.tag = <int32_t>i, rows[i].end, rows[i].tag
            own.chars, own.links = rows[i].chars, rows[i].link_chars
            if i:
                own.above = self.place_of[rows[i].parent]
                own.depth = self.places[own.above].depth + 1
            self.count += 1
        for b in range(self.n):
            self.counts[b].place = self.place_of[self.blocks[b].container]
        return 0

    cdef int read(self, list texts, const signed char[::1] weights) except -1:
        """Count marks and digits of all blocks, and sum up the weights of their first words."""
        cdef Row* rows = self.columns.rows
        cdef Block* block
        cdef BlockCounts* counts
        cdef Py_ssize_t b, i, before
        cdef str text
        cdef int kind
        cdef Spoken own
        if len(texts) != self.columns.count:
            raise ValueError("columns of different lengths")
        if len(weights) != SLOTS:
            raise ValueError("a table of weights of another length")
        for b in range(self.n):
            block, counts, before = &self.blocks[b], &self.counts[b], 0
            memset(&own, 0, sizeof(Spoken))
            own.weights = &weights[0]
            own.kind = ((block.chars > SHORT) + (block.chars > MIDDLE)) * KINDS
            own.sum = own.weights[slot_of(own.kind + SIZE, 0)]
            for i in range(block.first, block.stop):
                if not rows[i].is_text:
                    continue
                text = <str>texts[i]
                kind = PyUnicode_KIND(text)
                if kind == 1:
                    before = _measure(<const uint8_t*>PyUnicode_DATA(text), len(text), before, counts)
                    if not own.full:
                        _speak(<const uint8_t*>PyUnicode_DATA(text), len(text), &own)
                elif kind == 2:
                    before = _measure(<const uint16_t*>PyUnicode_DATA(text), len(text), before, counts)
                    if not own.full:
                        _speak(<const uint16_t*>PyUnicode_DATA(text), len(text), &own)
                else:
                    before = _measure(<const uint32_t*>PyUnicode_DATA(text), len(text), before, counts)
                    if not own.full:
                        _speak(<const uint32_t*>PyUnicode_DATA(text), len(text), &own)
            if own.inside:
                end_word(&own)
            if not own.full and own.count:
                own.sum += own.weights[slot_of(own.kind + LAST, own.before)]
                if own.count <= WHOLE:
                    own.sum += own.weights[slot_of(own.kind + TEXT, own.whole)]
            counts.words = own.sum
            if block.chars >= PROSE_CHARS and counts.marks and <double>block.link_chars / block.chars < PROSE_LINKS:
                counts.prose = block.chars
        return 0

    cdef int count_anchors(self, list anchors) except -1:
        """Count the anchors of all blocks; an anchor precedes its first text."""
        cdef Py_ssize_t rows = self.columns.count, i, b, a, z
        cdef int32_t* all_anchors = <int32_t*>calloc(2 * rows + 2, sizeof(int32_t))
        cdef int32_t* fragments = all_anchors + rows + 1
        cdef tuple anchor
        cdef str href
        if all_anchors == NULL:
            raise MemoryError
        try:
            for anchor in anchors:
                i = anchor[0]
                if not 0 <= i < rows:
                    raise ValueError("an anchor of another page")
                href = anchor[1]
                all_anchors[i + 1] = 1
                fragments[i + 1] = len(href) > 0 and href[0] == u"#"
            for i in range(1, rows + 1):
                all_anchors[i] += all_anchors[i - 1]
                fragments[i] += fragments[i - 1]
            for b in range(self.n):
                a, z = max(self.blocks[b].first - 1, 0), self.blocks[b].stop
                self.counts[b].anchors = all_anchors[z] - all_anchors[a]
                self.counts[b].fragments = fragments[z] - fragments[a]
        finally:
            free(all_anchors)
        return 0

    cdef int repeats(self) except -1:
        """Count the texts that occur on other pages, and sum them up by place."""
        cdef Row* rows = self.columns.rows
        cdef Block* block
        cdef BlockCounts* counts
        cdef Place* own
        cdef Place* above
        cdef Sums* sums
        cdef Py_ssize_t b, i
        cdef int64_t pages, on_site, plain
        cdef int32_t row
        for b in range(self.n):
            block, counts = &self.blocks[b], &self.counts[b]
            counts.least = INT64_MAX
            for i in range(block.first, block.stop):
                if not rows[i].is_text:
                    continue
                pages = 0
                if self.others:
                    sums = self.site.path(rows[i].path)
                    if sums != NULL:
                        pages = sums.pages - self.own
                    on_site = max(self.site.text(rows[i].label) - self.own, pages)
                    counts.here += <double>(rows[i].chars * pages)
                    counts.anywhere += <double>(rows[i].chars * on_site)
                    counts.most = max(counts.most, pages)
                    counts.least = min(counts.least, pages)
                plain = rows[i].chars - rows[i].link_chars
                row = rows[i].parent
                while self.place_of[row] < 0:
                    row = rows[row].parent
                own = &self.places[self.place_of[row]]
                own.plain += plain
                if pages <= 0:
                    own.fresh += plain
                if i == block.first:
                    own.prose += counts.prose
        for i in range(self.count - 1, 0, -1):
            own = &self.places[i]
            above = &self.places[own.above]
            above.plain += own.plain
            above.fresh += own.fresh
            above.prose += own.prose
        return 0

    cdef int regions(self) except -1:
        """Find the places with a large share of the text, and number the paths of places."""
        cdef Row* rows = self.columns.rows
        cdef Place* own
        cdef Py_ssize_t i
        cdef int k, group
        cdef double page_total = max(self.places[0].fresh, 1), prose_total = max(self.places[0].prose, 1)
        cdef double site_total = self.site.fresh if self.site is not None else 1
        cdef double[3] value
        cdef int32_t kind
        cdef int32_t* first  # place of each kind
        cdef Numbers paths
        make(&paths, self.count)
        first = <int32_t*>malloc((self.count + 1) * sizeof(int32_t))
        if first == NULL:
            drop(&paths)
            raise MemoryError
        for i in range(self.count):
            own = &self.places[i]
            own.kind = kind = number(&paths, rows[own.row].path)
            if paths.count > self.kinds:
                self.kinds, first[kind] = paths.count, <int32_t>i
                own.sums = self.site.path(rows[own.row].path) if self.site is not None else NULL
            else:
                own.sums = self.places[first[kind]].sums
            if own.sums != NULL:
                own.site_fresh = <double>own.sums.fresh / site_total
            if i:
                memcpy(own.deepest, self.places[own.above].deepest, LARGE * sizeof(int32_t))
            else:
                for k in range(LARGE):
                    own.deepest[k] = -1
            value[0], value[1], value[2] = own.fresh / page_total, own.prose / prose_total, own.site_fresh
            for group in range(3):
                for k in range(3):
                    if value[group] >= SHARES[k]:
                        own.deepest[3 * group + k] = own.depth
        drop(&paths)
        free(first)
        return 0

    cdef int name(self, list tags, list names, list hidden) except -1:
        """Find, for each place and mark, the nearest ancestor place with the mark; sum up the weights of names."""
        global _names
        cdef Py_ssize_t i, size, row
        cdef Place* own
        cdef short* near
        cdef const unsigned char* marks
        cdef bytes found
        cdef tuple value
        cdef dict known
        cdef str name
        cdef int k, unmarked
        if len(names) != self.columns.count:
            raise ValueError("columns of different lengths")
        self.held = []
        unmarked = COMMENT if is_thread(tags, names) else -1
        for row in hidden:
            if 0 <= row < self.columns.count and self.place_of[row] >= 0:
                self.places[self.place_of[row]].unseen = True
        for i in range(self.count):
            own, near = &self.places[i], self.near + i * self.marks
            if i:
                memcpy(near, self.near + own.above * self.marks, self.marks * sizeof(short))
            else:
                for k in range(self.marks):
                    near[k] = -1
            name = <str>names[own.row]
            known = <dict>_named[own.tag]
            value = <tuple>known.get(name)
            if value is None:
                if _names >= MOST_NAMES:
                    _names = 0
                    for one in _named:
                        one.clear()
                value = bytes(OWN_MARKS[_TAGS[own.tag], name]), _slots_of(_TAGS[own.tag], name)
                known[name] = value
                _names += 1
            found = <bytes>value[0]
            own.slots = UNNAMED
            if value[1] is not None:
                self.held.append(value[1])
                own.slots = <const uint32_t*><const char*><bytes>value[1]
            if i:
                own.always, own.met = self.places[own.above].always, self.places[own.above].met
            self.add_names(own)
            size, marks = len(found), found
            for k in range(size):
                if marks[k] != unmarked:
                    near[marks[k]] = <short>own.depth
            if own.unseen:
                near[self.marks - 1] = <short>own.depth
        return 0

    cdef void add_names(self, Place* own) noexcept:
        """Add the weights of those names of a place that no ancestor place has."""
        cdef const uint32_t* always = own.slots + 3
        cdef Place* above
        cdef uint32_t k
        cdef bint known
        for k in range(own.slots[0]):
            known, above = False, own
            while own.met & bit_of(always[k]) and above.row and not known:
                above = &self.places[above.above]
                known = has(above.slots + 3, above.slots[0], always[k])
            if not known:
                own.always += self.name_weights[always[k]]
        for k in range(own.slots[0]):
            own.met |= bit_of(always[k])

    cdef int64_t names_around(self, Place* own) noexcept:
        """Return the weights of the names of a place and of its ancestors, as `word_evidence.names_around`."""
        cdef int64_t total = own.always
        cdef Place* nearest[NEAR]
        cdef int level, below
        cdef bint known
        cdef uint32_t k
        for level in range(NEAR):
            nearest[level] = own
            for k in range(own.slots[1]):
                known = False
                for below in range(level):
                    known = known or has(near_of(nearest[below]), nearest[below].slots[1], near_of(own)[k])
                if not known:
                    total += self.name_weights[near_of(own)[k]]
            for k in range(own.slots[2] if level < OWN else 0):
                known = False
                for below in range(level):
                    known = known or has(own_of(nearest[below]), nearest[below].slots[2], own_of(own)[k])
                if not known:
                    total += self.name_weights[own_of(own)[k]]
            if not own.row:
                break
            own = &self.places[own.above]
        return total

    cdef double* cell(self, Place* own, bint known) noexcept:
        """Return the site's statistics on the path of a place; they are computed once for all blocks below it."""
        cdef double chars, nodes, pages
        cdef int k
        if own.filled:
            return own.cells
        own.filled = True
        if not known or own.sums == NULL:
            own.cells[0] = 0.0 if known else UNKNOWN
            for k in range(1, CELL):
                own.cells[k] = UNKNOWN
            return own.cells
        pages, nodes, chars = <double>own.sums.pages, <double>own.sums.nodes, <double>own.sums.chars
        own.cells[0] = (pages - self.own) / <double>max(self.others, 1)
        own.cells[1] = min(own.sums.variants / nodes, 9.0)
        own.cells[2] = log1p(chars / nodes)
        own.cells[3] = 1 - (own.sums.plain / chars if chars > 0 else 0.0)
        own.cells[4] = <double>own.sums.fresh / own.sums.plain if own.sums.plain > 0 else 0.0
        own.cells[5] = log1p(nodes / pages)
        return own.cells


cdef Places places_of(flat, blocks, statistics, learned, weights):
    """Return the places and counts of a page.

    Those of the latest page are kept, since a page is often judged first with a template and then without, and only the
    site's counts differ.
    """
    global _latest
    if _latest is None or not (
        _latest.columns is flat.columns and _latest.given is blocks and _latest.weights is weights
    ):
        _latest = None
        _latest = Places(flat, blocks, weights)
    _latest.compare(statistics, learned)
    return _latest


cdef Places _latest = None
cdef list _TAGS = [""] * TAGS  # the tag of each number; "" stands for all tags without a number
for _tag, _number in TAG_NUMBERS.items():
    _TAGS[_number] = _tag
if (word_evidence.SLOTS, word_evidence.NEAR, word_evidence.OWN) != (SLOTS, NEAR, OWN):
    raise ImportError("the numbers of slots or of levels are not as this module takes them")
if UNSEEN != MARKS - 1 or MARKS >= LATIN or not {*reference.TAG_NUMBER, *sum(TAG_MARKS, ())} <= set(TAG_NUMBERS):
    raise ImportError("the numbers of marks or tags are not as this module takes them")
