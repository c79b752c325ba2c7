"""Tests of the chars-nodes ratio."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.errors import ConfigError, ExtractorError
from sitecrawl.extractors.base import Extraction, Kind, get_extractor
from sitecrawl.extractors.papers.cnr import MORE_NON_CONTENT, NON_CONTENT, chars_nodes_ratios, left_out, top_rated
from sitecrawl.extractors.papers.menus import menus

from ...dom.trees import is_disjoint_and_sorted, page, pages, row

ARTICLE = (
    "<nav><ul><li><a>Home</a><li><a>News</a></ul></nav>"
    "<div class=main><h1>A headline</h1><p>A long paragraph of the article, with much text in it.</p>"
    "<p>Another long paragraph of the article, with more text in it.</p></div>"
    "<footer><div><p>A shorter notice stands here, of all the rights reserved.</p></div></footer>"
)


def test_the_block_with_most_text_is_the_main_content():
    found = page(ARTICLE)
    extraction = get_extractor("cnr", share=0.6).extract(found)
    assert extraction.nodes == (row(found.flat, "div.main"),)
    assert extraction.method == "cnr"
    assert extraction.kind is Kind.CONTENT
    assert extraction.confidence == found.flat.chars[extraction.nodes[0]] / (found.flat.chars[0] - len("HomeNews"))
    assert extraction.evidence["blocks"] == 2
    assert found.text(extraction.nodes).startswith("A headline\nA long")


def test_text_in_links_counts_nothing_and_a_link_is_one_node():
    flat = page("<p>See the <a>linked words<b>here</b></a> now.</p>").flat
    ratios = chars_nodes_ratios(flat)
    p, link = row(flat, "p"), row(flat, "a")
    assert (ratios.weight[p], ratios.chars[p], ratios.ratio(p)) == (4, 10, 2.5)
    assert (ratios.weight[link], ratios.chars[link], ratios.ratio(link)) == (1, 0, 0.0)
    assert ratios.weight[link + 1 : flat.end[link]] == [0, 0, 0]


def test_an_element_with_one_child_is_rated_below_it():
    flat = page("<div><section><p>some words</p></section></div>").flat
    ratios = chars_nodes_ratios(flat)
    rated = [ratios.ratio(row(flat, name)) for name in ("div", "section", "p", "some words")]
    assert rated == sorted(rated)
    assert len(set(rated)) == 4


def test_more_tags_are_non_content_by_a_switch():
    form = "<div><select><option>One<option>Two</select></div>"
    flat = page(form).flat
    assert chars_nodes_ratios(flat, NON_CONTENT).chars[0] == 6
    assert chars_nodes_ratios(flat, NON_CONTENT | MORE_NON_CONTENT).chars[0] == 0
    assert get_extractor("cnr").extract(page(form)) == Extraction((), "cnr", 0.0, Kind.NONE)
    assert get_extractor("cnr", more_non_content=False).extract(page(form)).nodes


def test_top_rated_is_a_share_of_the_best_element():
    flat = page("<div><p>0123456789</p><b>01234</b></div>").flat
    ratios = chars_nodes_ratios(flat)
    names = {share: [flat.tag[i] for i in top_rated(flat, ratios, share)] for share in (0.4, 0.5, 0.55, 1.0)}
    assert names[1.0] == ["p"]
    assert names[0.55] == ["div", "p"]
    assert names[0.5] == ["body", "div", "p", "b"]
    assert names[0.4] == ["html", "body", "div", "p", "b"]


def test_equal_blocks_give_the_first():
    found = page("<div><section><p>0123456789</p></section><i>x</i><section><p>abcdefghij</p></section></div>")
    extraction = get_extractor("cnr", share=1).extract(found)
    assert found.text(extraction.nodes) == "0123456789"


@pytest.mark.parametrize("html", ["<p> </p>", "<a href=x>only a link</a>", "<img src=x>"])
def test_pages_without_counted_text_have_no_content(html):
    assert get_extractor("cnr").extract(page(html)) == Extraction((), "cnr", 0.0, Kind.NONE)


@pytest.mark.parametrize("share", [0, -1, 1.01, float("nan")])
def test_a_share_out_of_range_is_refused(share):
    with pytest.raises((ConfigError, ExtractorError), match="share"):
        get_extractor("cnr", share=share)


@given(pages())
def test_one_node_or_none(found):
    nodes = get_extractor("cnr").extract(found).nodes
    assert len(nodes) == (1 if chars_nodes_ratios(found.flat, NON_CONTENT | MORE_NON_CONTENT).chars[0] else 0)
    assert is_disjoint_and_sorted(found.flat, nodes)


@given(pages())
def test_weights_and_characters_are_those_of_the_definition(found):
    flat = found.flat
    ratios = chars_nodes_ratios(flat)
    for i in range(len(flat)):
        cut = [a for a in flat.ancestors(i) if flat.tag[a] in NON_CONTENT]
        if cut:
            assert (ratios.weight[i], ratios.chars[i]) == (0, 0)
            continue
        inside = [j for j in range(i, flat.end[i]) if not any(flat.tag[a] in NON_CONTENT for a in flat.ancestors(j))]
        assert ratios.weight[i] == len(inside)
        assert ratios.chars[i] == sum(flat.chars[j] for j in inside if flat.tag[j] == "#text")


BLOCKS = page(
    "<div id=a><p>The first text is the longest one of all the texts on this page, by far, as it goes on.</p>"
    "<p>It has a second paragraph that makes it longer still than the others could ever be.</p></div>"
    "<div id=b><p>The second text is shorter than the first one.</p><p>It has two paragraphs as well.</p></div>"
    "<ul><li><a href=/1>Home</a></li><li><a href=/2>News</a></li><li><a href=/3>Help</a></li></ul>"
)


def test_the_knob_moves_towards_the_root_and_towards_the_leaves():
    flat = BLOCKS.flat
    (plain,) = get_extractor("cnr", share=0.5).extract(BLOCKS).nodes
    (above,) = get_extractor("cnr", share=0.5, levels=1).extract(BLOCKS).nodes
    (below,) = get_extractor("cnr", share=0.5, levels=-1).extract(BLOCKS).nodes
    assert flat.parent[plain] == above
    assert flat.parent[below] == plain
    assert get_extractor("cnr", levels=99).extract(BLOCKS).nodes == (0,)
    deepest = get_extractor("cnr", levels=-99).extract(BLOCKS).nodes[0]
    assert flat.tag[deepest] == "p"


def test_blocks_come_in_the_order_of_relevance_and_are_disjoint():
    flat = BLOCKS.flat
    found = get_extractor("cnr", share=0.6).blocks(BLOCKS)
    assert [flat.names[node] for node in found[:2]] == ["a", "b"]
    spans = sorted((node, flat.end[node]) for node in found)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))
    assert get_extractor("cnr", share=0.6).blocks(BLOCKS, 1) == found[:1]


def test_what_is_left_of_an_element_is_no_block_with_it():
    """The body contains the first block; the rest is found part by part, not as the same body again."""
    sections = ("The longest text of the page, it goes on and on.", "Next to it", "Last words.")
    found = page("".join(f"<div id=s{i}><p>{text}</p></div>" for i, text in enumerate(sections)))
    rows = get_extractor("cnr", share=0.5).blocks(found)
    assert [found.flat.names[node] for node in rows] == ["s0", "s2", "s1"]


@given(pages(), st.sampled_from((0.05, 0.16, 0.6, 1.0)))
def test_all_blocks_hold_all_counted_text_but_what_lies_between_them(found, share):
    flat = found.flat
    rows = get_extractor("cnr", share=share, more_non_content=False).blocks(found, len(flat))
    assert is_disjoint_and_sorted(flat, sorted(rows))
    inside = {i for node in rows for i in range(node, flat.end[node])}
    opened = {above for node in rows for above in flat.ancestors(node)}
    counted = chars_nodes_ratios(flat).chars
    for i, name in enumerate(flat.tag):
        if name == "#text" and counted[i]:
            assert i in inside or flat.parent[i] in opened


def test_menus_are_concentrations_of_short_links():
    flat = BLOCKS.flat
    (menu,) = menus(flat)
    assert (flat.tag[menu.node], menu.links, menu.link_chars) == ("ul", 3, 4.0)
    teasers = "".join(
        f"<li><a href=/{i}>{'A long headline of a story that is told elsewhere'} {i}</a></li>" for i in range(9)
    )
    assert menus(page(f"<ul>{teasers}</ul>").flat) == []
    assert menus(page("<p>No link at all.</p>").flat) == []


def test_in_the_papers_universe_scripts_and_frames_are_nodes():
    found = page("<p>Some words<script>x</script><svg><g><a/></g></svg></p><iframe></iframe>")
    flat = found.flat
    extra = left_out(found)
    assert (extra[row(flat, "p")], extra[row(flat, "body")]) == (2, 1)
    plain, whole = chars_nodes_ratios(flat), chars_nodes_ratios(flat, more=extra)
    assert (plain.weight[row(flat, "p")], whole.weight[row(flat, "p")]) == (2, 4)
    assert whole.weight[0] == plain.weight[0] + sum(extra)
    assert whole.chars == plain.chars


def test_blocks_and_menus_are_parts_that_can_be_asked_for():
    found = page(ARTICLE)
    extraction = get_extractor("cnr", parts="blocks", most=2, share=0.6).extract(found)
    method = get_extractor("cnr", share=0.6)
    ordered = method.blocks(found, 2)
    assert extraction.nodes == tuple(sorted(ordered))
    assert extraction.evidence == {"part_1": ordered[0], "part_2": ordered[1]}
    found = page(f"<nav><a href=/>Home</a><a href=/n>News</a></nav>{'<p>Words and <b>more</b> of them.</p>' * 5}")
    assert get_extractor("cnr", parts="menus").extract(found).nodes == (row(found.flat, "nav"),)
    assert not get_extractor("cnr", parts="menus").extract(page("<p>No link stands here.</p>")).nodes


@pytest.mark.parametrize("options", [{"parts": "all"}, {"universe": "own"}, {"most": 0}])
def test_unknown_parts_are_an_error(options):
    with pytest.raises(ConfigError, match=f"{next(iter(options))} is"):
        get_extractor("cnr", **options)
