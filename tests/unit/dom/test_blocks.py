"""Tests of text blocks and of sets of nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom.blocks import cover, cover_texts, join_siblings, outermost, subtract, text_blocks

from .trees import is_disjoint_and_sorted, page, pages, row, text_rows


def _texts(flat, blocks):
    rows = [range(first, stop) for first, stop in zip(blocks.first, blocks.stop, strict=True)]
    return ["".join(flat.text[i] for i in span).strip() for span in rows]


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>a <b>b</b> c</p><p>d</p>", ["a b c", "d"]),
        ("<div>a<p>b</p>c</div>", ["a", "b", "c"]),
        ("a<br>b<br><br>c<br> <br>d", ["ab", "c", "d"]),
        ("<div>a<div></div>b</div>", ["a", "b"]),
        ("<ul><li>a<li><a href=x>b</a></ul>", ["a", "b"]),
        ("<table><tr><td>a<td>b</table>", ["a", "b"]),
        ("<p>a<img src=x>b<hr>c", ["ab", "c"]),
        ("<div> </div>", []),
    ],
)
def test_blocks_are_runs_of_inline_content(html, texts):
    flat = page(html).flat
    blocks = text_blocks(flat)
    assert _texts(flat, blocks) == texts
    assert len(blocks) == len(texts)


def test_columns_of_a_block():
    flat = page("<div><p>some <a href=x>linked words</a></p>tail</div>").flat
    blocks = text_blocks(flat)
    assert [flat.tag[i] for i in blocks.container] == ["p", "div"]
    assert (blocks.chars, blocks.words, blocks.link_chars) == ([15, 4], [3, 1], [11, 0])


@given(pages())
def test_blocks_hold_each_text_once(found):
    flat = found.flat
    blocks = text_blocks(flat)
    rows = [
        i
        for first, stop in zip(blocks.first, blocks.stop, strict=True)
        for i in range(first, stop)
        if flat.tag[i] == "#text"
    ]
    assert rows == [i for i, name in enumerate(flat.tag) if name == "#text"]
    assert sum(blocks.chars) == flat.chars[0]
    assert sum(blocks.words) == flat.words[0]
    assert sum(blocks.link_chars) == flat.link_chars[0]


@given(pages(), st.randoms(use_true_random=False))
def test_cover_holds_exactly_the_chosen_blocks(found, random):
    flat = found.flat
    blocks = text_blocks(flat)
    chosen = [random.random() < 0.6 for _ in range(len(blocks))]
    nodes = cover(flat, blocks, chosen)
    wanted = [
        i
        for first, stop, yes in zip(blocks.first, blocks.stop, chosen, strict=True)
        for i in range(first, stop)
        if yes and flat.tag[i] == "#text"
    ]
    assert text_rows(flat, nodes) == wanted
    assert is_disjoint_and_sorted(flat, nodes)
    assert not {"html", "body"} & {flat.tag[i] for i in nodes}


def test_cover_takes_the_largest_subtrees():
    flat = page("<div><p>a <b>b</b></p><p>c</p></div><div><p>d</p>e</div><img src=x>").flat
    kept = [name == "#text" for name in flat.tag]
    assert [flat.tag[i] for i in cover_texts(flat, kept)] == ["div", "div"]
    kept[row(flat, "e")] = False
    assert [flat.tag[i] for i in cover_texts(flat, kept)] == ["div", "p"]
    kept[row(flat, "a")] = False
    assert [flat.tag[i] for i in cover_texts(flat, kept)] == ["b", "p", "p"]
    assert cover_texts(flat, [False] * len(flat)) == ()


def test_rows_inside_others_are_left_out():
    flat = page("<div><p>a</p><p>b</p></div><div>c</div>").flat
    rows = [row(flat, name) for name in ("b", "c", "a")]
    first = flat.tag.index("div")
    assert outermost(flat, [*rows, first]) == [first, row(flat, "c")]
    assert outermost(flat, []) == []


def test_siblings_become_their_parent_with_all_below_it():
    flat = page("<div class=x><p>a</p><p>b</p><section><i>c</i></section></div><div class=y>d</div>").flat
    x = row(flat, "div.x")
    first, second, deep = row(flat, "a") - 1, row(flat, "b") - 1, row(flat, "i")
    assert join_siblings(flat, [first, second]) == [x]
    assert join_siblings(flat, [first, second, deep]) == [x]
    assert join_siblings(flat, [first, deep]) == [first, deep]
    assert join_siblings(flat, [first, second, row(flat, "div.y")]) == [1]
    assert join_siblings(flat, [0]) == [0]
    assert join_siblings(flat, []) == []


@given(pages(), st.randoms(use_true_random=False))
def test_joining_is_the_fix_point_of_the_papers(found, random):
    flat = found.flat
    nodes = [i for i in range(len(flat)) if random.random() < 0.3]
    expected = {i for i in nodes if not any(above in nodes for above in flat.ancestors(i))}
    while True:
        parents = [flat.parent[i] for i in expected]
        twice = {above for above in parents if parents.count(above) > 1}
        if not twice:
            break
        joined = random.choice(sorted(twice))
        expected = {i for i in expected if joined not in flat.ancestors(i)} | {joined}
    assert join_siblings(flat, nodes) == sorted(expected)


def test_the_blocks_of_a_page_are_made_once():
    flat = page("<p>one").flat
    assert text_blocks(flat) is text_blocks(flat)


@given(pages(), st.randoms(use_true_random=False))
def test_subtract_keeps_exactly_the_rest(page, random):
    flat = page.flat
    nodes = [i for i in range(len(flat)) if random.random() < 0.3]
    dropped = [i for i in range(len(flat)) if random.random() < 0.2]
    kept = subtract(flat, nodes, dropped)
    assert is_disjoint_and_sorted(flat, kept)
    wanted = {i for node in nodes for i in range(node, flat.end[node])}
    wanted -= {i for node in dropped for i in range(node, flat.end[node])}
    covered = {i for node in kept for i in range(node, flat.end[node])}
    assert covered <= wanted
    # what is not covered only leads to something dropped
    assert all(any(i < node < flat.end[i] for node in dropped) for i in wanted - covered)
