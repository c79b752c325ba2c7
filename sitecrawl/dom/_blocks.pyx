# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of `text_blocks` and `cover_texts` in `blocks.py`, which is the reference and chooses."""

from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free, malloc

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.labels import BLOCK, TEXT

cdef str TEXT_TAG = TEXT
cdef frozenset BLOCK_TAGS = BLOCK


def text_blocks(flat):
    """Return the text blocks of a page in one pass."""
    cdef list tag = flat.tag, parent = flat.parent, chars = flat.chars, words = flat.words, links = flat.link_chars
    cdef list first = [], stop = [], containers = [], block_chars = [], block_words = [], block_links = []
    cdef Py_ssize_t rows = len(tag), i, container
    cdef Py_ssize_t current = -1
    cdef int breaks = 0
    cdef bint begun = True, joined = False
    cdef int64_t c = 0, w = 0, x = 0
    cdef Py_ssize_t end = 0
    cdef Py_ssize_t* above
    if not (len(parent) == len(chars) == len(words) == len(links) == rows):
        raise ValueError("columns of different lengths")
    above = <Py_ssize_t*>malloc(max(rows, 1) * sizeof(Py_ssize_t))
    if not above:
        raise MemoryError
    try:
        for i in range(rows):
            name = tag[i]
            if name is not TEXT_TAG and name != TEXT_TAG:
                if name in BLOCK_TAGS:
                    above[i] = i
                    begun = True
                else:
                    above[i] = above[<Py_ssize_t>parent[i]] if i else 0
                    if name == "br":
                        breaks += 1
                continue
            container = above[<Py_ssize_t>parent[i]] if i else 0
            if begun or breaks > 1 or container != current:
                if joined:
                    stop.append(end)
                    block_chars.append(c)
                    block_words.append(w)
                    block_links.append(x)
                first.append(i)
                containers.append(container)
                c = w = x = 0
                joined = True
            end = i + 1
            c += <int64_t>chars[i]
            w += <int64_t>words[i]
            x += <int64_t>links[i]
            current, breaks, begun = container, 0, False
        if joined:
            stop.append(end)
            block_chars.append(c)
            block_words.append(w)
            block_links.append(x)
    finally:
        free(above)
    return Blocks(first, stop, containers, block_chars, block_words, block_links)


def cover_texts(flat, list kept):
    """Return the fewest disjoint subtrees with exactly the text nodes marked in `kept`, in document order."""
    cdef list tag = flat.tag, parent = flat.parent, end = flat.end, nodes = []
    cdef Py_ssize_t rows = len(tag), i, p
    cdef char* whole
    cdef char* some
    if not (len(parent) == len(end) == len(kept) == rows):
        raise ValueError("columns of different lengths")
    whole = <char*>calloc(2 * max(rows, 1), 1)
    if not whole:
        raise MemoryError
    some = whole + rows
    try:
        for i in range(rows):
            if tag[i] == TEXT_TAG:
                some[i] = 1
                whole[i] = bool(kept[i])
            else:
                whole[i] = 1
        for i in range(rows - 1, 0, -1):
            p = parent[i]
            if some[i]:
                some[p] = 1
                if not whole[i]:
                    whole[p] = 0
        i = 1
        while i < rows:
            if some[i] and whole[i] and tag[i] != "body":
                nodes.append(i)
                i = end[i]
            else:
                i += 1
    finally:
        free(whole)
    return tuple(nodes)
