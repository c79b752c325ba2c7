# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `chosen_lines` in `text.py`, which is the reference and chooses."""

from libc.stdlib cimport calloc, free

from sitecrawl.dom.labels import BLOCK, PREFORMATTED, TEXT

cdef str TEXT_TAG = TEXT
cdef frozenset BLOCKS = frozenset(BLOCK)
cdef frozenset BREAKS = frozenset(BLOCK | {"br"})
cdef frozenset KEPT_SPACE = frozenset(PREFORMATTED)


cdef class _Places:
    """Where the rows of a page stand, found when they are asked for."""

    cdef list tag, parent
    cdef int* memory
    cdef int* container  # 0 for what is not known: a row is found to stand in itself or in a row before it, plus 1
    cdef int* item
    cdef int* pre
    cdef int* unknown

    def __init__(self, list tag, list parent):
        cdef Py_ssize_t rows = len(tag)
        if len(parent) != rows:
            raise ValueError("columns of different lengths")
        self.tag, self.parent = tag, parent
        self.memory = <int*>calloc(4 * rows + 4, sizeof(int))
        if not self.memory:
            raise MemoryError
        self.container, self.item, self.pre = self.memory, self.memory + rows, self.memory + 2 * rows
        self.unknown = self.memory + 3 * rows
        self.container[0], self.item[0], self.pre[0] = 1, -1, tag[0] in KEPT_SPACE

    def __dealloc__(self):
        free(self.memory)

    cdef int find(self, int row) except -1:
        cdef int count = 0, above
        while not self.container[row]:
            self.unknown[count] = row
            count += 1
            row = self.parent[row]
        while count:
            above, row = row, self.unknown[count - 1]
            count -= 1
            name = self.tag[row]
            self.container[row], self.item[row], self.pre[row] = self.container[above], self.item[above], self.pre[above]
            if name in BLOCKS:
                self.container[row] = row + 1
                if name == "li":
                    self.item[row] = row
            if name in KEPT_SPACE:
                self.pre[row] = 1
        return 0


def chosen_lines(flat, nodes):
    """Return (container, item, pre, texts) of the lines of the chosen subtrees."""
    cdef list tag = flat.tag, text = flat.text, end = flat.end, parent = flat.parent, lines = [], texts = None
    cdef _Places places = _Places(tag, parent)
    cdef Py_ssize_t i, k, stop, before = -1, rows = len(tag)
    cdef int above, container = -1
    cdef bint broken, apart
    if len(text) != rows or len(end) != rows:
        raise ValueError("columns of different lengths")
    for node in nodes:
        i, stop = node, end[node]
        if i < 0 or stop > rows:
            raise ValueError("a node that the page does not have")
        while i < stop:
            name = tag[i]
            if name is not TEXT_TAG and name != TEXT_TAG:
                i += 1
                continue
            above = parent[i]
            places.find(above)
            broken = apart = False
            if texts is not None:
                if container != places.container[above]:
                    broken = True
                else:
                    for k in range(before + 1, i):
                        name = tag[k]
                        if name is TEXT_TAG or name == TEXT_TAG:
                            apart = True
                        elif name in BREAKS:
                            broken = True
                            break
            if texts is None or broken:
                container = places.container[above]
                texts = []
                lines.append((container - 1, places.item[above], places.pre[above] != 0, texts))
            elif apart:
                texts.append(" ")
            texts.append(text[i])
            before = i
            i += 1
    return lines
