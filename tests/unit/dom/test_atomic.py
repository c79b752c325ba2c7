"""Tests of atomic blocks, traversal paths and feature vectors."""

from time import process_time
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom.atomic import (
    BLOCK_TAGS,
    HTML5_BLOCK_TAGS,
    IMAGES,
    LINKS,
    MAX_FEATURES,
    FeatureIndex,
    PathKeys,
    TraversalPaths,
    atomic_blocks,
    cosine,
    features,
    pack,
    path_key,
    unpack,
)
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.path_values import PathValues

from .trees import page, pages, row

VECTORS = st.dictionaries(st.integers(0, 2**32 - 1), st.integers(1, 2**32 - 1), max_size=8)
SMALL = st.dictionaries(st.integers(0, 6), st.integers(1, 5), max_size=5)


def _texts(flat, blocks):
    return [[flat.text[i].strip() for i in rows] for rows in blocks.texts]


def test_a_block_is_what_its_sub_blocks_leave():
    flat = page("<div>one <b>two</b><p>three <a href=/x>four</a></p>five <img src=x></div>six<div></div>").flat
    blocks = atomic_blocks(flat)
    assert [flat.tag[node] for node in blocks.node] == ["div", "p"]
    assert _texts(flat, blocks) == [["one", "two", "five"], ["three", "four"]]
    assert (blocks.links, blocks.images) == ([0, 1], [1, 0])
    assert [flat.tag[blocks.node[b]] for b in blocks.innermost_first(flat)] == ["p", "div"]


def test_tags_make_a_block():
    flat = page("<ul><li>one<li>two</ul><h1>three</h1><table><tr><td>four</table>").flat
    assert _texts(flat, atomic_blocks(flat)) == [["one", "two"], ["four"]]
    assert _texts(flat, atomic_blocks(flat, HTML5_BLOCK_TAGS)) == [["one"], ["two"], ["three"], ["four"]]


def test_innermost_first_is_the_order_of_closing():
    flat = page("<div>a<p>b<span>c</span></p><p>d</p></div><div>e</div>").flat
    blocks = atomic_blocks(flat)
    texts = [flat.text[blocks.texts[b][0]] for b in blocks.innermost_first(flat)]
    assert texts == ["c", "b", "d", "a", "e"]


def test_traversal_paths_have_no_tbody():
    flat = page("<table><tbody><tr><td><p>x</p></table><p>y</p>").flat
    paths = TraversalPaths()
    rows = [i for i, tag in enumerate(flat.tag) if tag == "p"]
    assert [paths.of(flat, i) for i in rows] == ["HTML.BODY.TABLE.TR.TD.P", "HTML.BODY.P"]
    without = page("<table><tr><td><p>x</p></table>").flat
    assert paths.of(without, without.tag.index("p")) == "HTML.BODY.TABLE.TR.TD.P"


def test_traversal_paths_are_forgotten_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(PathValues, "LIMIT", 2)
    paths = TraversalPaths()
    flat = page("<div><p>x</p></div><ul></ul>").flat
    found = [paths.of(flat, i) for i, tag in enumerate(flat.tag) if tag != TEXT]
    assert found == ["HTML", "HTML.BODY", "HTML.BODY.DIV", "HTML.BODY.DIV.P", "HTML.BODY.UL"]
    assert len(paths) <= 2 + 3  # one element's own ancestors are kept


def test_path_keys_are_stable():
    assert path_key("HTML.BODY.DIV") == 1231240129305303908, "the same in every process"
    assert path_key("DIV", path_key("HTML.BODY")) == path_key("HTML.BODY.DIV")
    assert len({path_key(path) for path in ("HTML", "HTML.BODY", "BODY.HTML", "HTML.BODY.DIV")}) == 4
    assert all(0 <= path_key(path) < 2**63 for path in ("HTML", "HTML.BODY.DIV.P"))


@given(pages())
def test_paths_and_keys_from_the_parents_are_those_of_all_tags(found):
    flat, paths, keys = found.flat, TraversalPaths(), PathKeys()
    for i in reversed(range(len(flat))):
        tags = [flat.tag[row].upper() for row in (i, *flat.ancestors(i)) if flat.tag[row] != "tbody"]
        assert paths.of(flat, i) == ".".join(reversed(tags))
        assert keys.of(flat, i) == path_key(paths.of(flat, i))


def test_paths_of_a_deep_page_take_linear_time():
    def seconds(depth):
        flat = page("<div>" * depth + "x").flat
        began = process_time()
        keys = PathKeys()
        assert len({keys.of(flat, i) for i in range(len(flat))}) == len(flat)
        return process_time() - began

    assert min(seconds(1600) for _ in range(3)) < 8 * 4 * min(seconds(200) for _ in range(3)) + 0.1


def test_features_are_counted_node_by_node():
    flat = page("<div><a href=/>Home</a><a href=/n>news News</a><img></div>").flat
    blocks = atomic_blocks(flat)
    terms = {crc32(b"home"): 1, crc32(b"news"): 2}
    assert blocks.features(flat, 0) == {**terms, LINKS: 2, IMAGES: 1}


def test_features_are_bounded():
    words = " ".join(f"w{i}" for i in range(2 * MAX_FEATURES))
    flat = page(f"<p>{words} often often</p>").flat
    vector = features(flat, [row(flat, flat.text[-1].strip())], 0, 0)
    assert len(vector) == MAX_FEATURES
    assert vector[crc32(b"often")] == 2


def test_keys_follow_texts_links_and_images():
    parts = (
        "<p>a</p>",
        "<p>a<b>b</b></p>",
        "<p>b<b>a</b></p>",
        "<p><a href=/>a</a></p>",
        "<p>a<img></p>",
        "<p><a href=/>a</a><img></p>",
        "<p>a<img><img></p>",
    )
    flats = [page(part).flat for part in parts]
    keys = [atomic_blocks(flat).keys[0] for flat in flats]
    assert len(set(keys)) == len(parts)
    assert all(0 <= key < 2**63 for key in keys)
    other = page("<div><p>  a  </p></div>").flat
    assert atomic_blocks(other).keys[0] == keys[0]


@given(pages())
def test_every_text_in_a_block_is_in_one_atomic_block(found):
    flat = found.flat
    blocks = atomic_blocks(flat)
    inside = [
        i
        for i, tag in enumerate(flat.tag)
        if tag == TEXT and any(flat.tag[above] in BLOCK_TAGS for above in flat.ancestors(i))
    ]
    assert sorted(i for rows in blocks.texts for i in rows) == inside
    assert sorted(blocks.node) == blocks.node
    for b, rows in enumerate(blocks.texts):
        for i in rows:
            assert next(above for above in flat.ancestors(i) if flat.tag[above] in BLOCK_TAGS) == blocks.node[b]


@given(VECTORS)
def test_packing_loses_nothing(vector):
    assert unpack(pack(vector)) == vector
    assert len(pack(vector)) == 8 * len(vector)


def test_bytes_of_another_length_are_refused():
    with pytest.raises(ValueError, match="7 bytes"):
        unpack(b"7 bytes")


@given(SMALL, st.lists(SMALL, max_size=6), st.sampled_from((0.0, 0.5, 0.9)))
def test_the_index_finds_what_the_cosine_says(vector, others, similarity):
    index = FeatureIndex(others)
    assert len(index) == len(others)
    near = [cosine(vector, other) for other in others]
    found = set(index.similar(vector, similarity))
    assert found >= {number for number, value in enumerate(near) if value > similarity + 1e-9}
    assert found <= {number for number, value in enumerate(near) if value > similarity - 1e-9}


def test_a_cosine_of_just_the_similarity_is_not_greater():
    """27 of the root of 18 times 50 is 0.9; in floats the product of the roots is less than 30."""
    one, other = {1: 3, 2: 3}, {1: 4, 2: 5, 3: 3}
    assert FeatureIndex([one]).similar(other, 0.9) == FeatureIndex([other]).similar(one, 0.9) == []
    assert FeatureIndex([one]).similar({1: 4, 2: 5, 3: 2}, 0.9) == [0]


def test_empty_vectors_are_similar_to_nothing():
    assert cosine({}, {1: 1}) == cosine({}, {}) == 0.0
    assert FeatureIndex([{}]).similar({}) == []
