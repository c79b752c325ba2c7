"""Tests of Web-ConEx."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Kind, Need, SiteContext, extractor_class, get_extractor
from sitecrawl.extractors.papers.equality import Equality, occurrences
from sitecrawl.extractors.papers.sample import without_copies
from sitecrawl.extractors.papers.webconex import EQUALITY, main_branch, main_content

from ...dom.trees import is_disjoint_and_sorted, page, pages, row

TEMPLATE = "<div class=menu><a>Home</a><a>News</a></div><div class=main>{}</div><div class=foot>Imprint</div>"


def _site(*contents):
    return SiteContext(neighbours=tuple(page(TEMPLATE.format(content)).flat for content in contents))


OTHERS = ("<p>one</p>", "<p>two</p>", "<p>three</p>", "<p>four</p>")
NOTHING = Extraction((), "webconex", 0.0, Kind.NONE)


def by_labels(**options):
    return get_extractor("webconex", equality="labels", **options)


def test_content_of_its_own_is_found():
    found = page(TEMPLATE.format("<section class=own><h2>Own</h2><p>text</p></section>"))
    extraction = get_extractor("webconex").extract(found, _site(*OTHERS))
    assert extraction.nodes == (row(found.flat, "section.own"),)
    assert extraction.confidence == 1.0
    assert (extraction.method, extraction.kind) == ("webconex", Kind.CONTENT)
    assert extraction.evidence == {"pages": 4, "candidates": 5, "reduced": 1, "branch": -1, "greedy": 0}


def test_candidates_outside_the_branch_are_discarded():
    html = TEMPLATE.replace("</a></div>", "</a><i>mine</i></div>")
    found = page(html.format("<h1>abc</h1><h2>def</h2><h3>ghi</h3><h4>jkl</h4>"))
    extraction = by_labels().extract(found, _site(*OTHERS))
    assert extraction.nodes == (row(found.flat, "div.main"),)
    assert extraction.evidence["branch"] == row(found.flat, "div.main")
    assert extraction.confidence == pytest.approx(12 / 16)


def test_without_neighbours_there_is_no_content():
    found = page(TEMPLATE.format("<p>own</p>"))
    method = get_extractor("webconex")
    assert method.extract(found) == NOTHING
    assert method.extract(found, SiteContext()) == NOTHING
    assert extractor_class("webconex").needs == {Need.NEIGHBOURS}


def test_copies_of_the_key_page_are_ignored():
    own = "<p>own</p>"
    found = page(TEMPLATE.format(own))
    method = get_extractor("webconex")
    assert method.extract(found, _site(own, own, own, own)) == NOTHING
    with_copies = method.extract(found, _site(own, own, own, own, *OTHERS))
    assert found.text(with_copies.nodes) == "own"
    assert with_copies.evidence["pages"] == 4
    assert len(without_copies(found.flat, _site(own, "<p>other</p>").neighbours)) == 1


def test_without_candidates_there_is_no_content():
    found = page(TEMPLATE.format("<p>own</p>"))
    assert by_labels().extract(found, _site("<p>own</p><p>more</p>")) == NOTHING


def test_a_page_unlike_all_others_is_content_as_a_whole():
    found = page(TEMPLATE.format("x"))
    counts = [0] * len(found.flat)
    assert main_content(found.flat, counts) == ([0], [0], -1)


def test_a_page_counts_once_however_many_nodes_are_equal():
    key_page = page("<ul><li>a</li><li>a</li></ul>").flat
    other = page("<ul><li>a</li><li>a</li><li>a</li></ul>").flat
    assert occurrences(key_page, [other]).counts == [1] * len(key_page)
    assert occurrences(key_page, [other, other]).counts == [2] * len(key_page)
    assert occurrences(key_page, []).counts == [0] * len(key_page)


def test_nodes_are_equal_only_below_equal_ancestors():
    key_page = page("<div class=a><p>x</p></div>").flat
    counts, _ = occurrences(key_page, [page("<div class=b><p>x</p></div>").flat])
    assert counts == [1, 1, 0, 0, 0]


def test_the_first_of_equal_branches_is_taken():
    flat = page("<div class=a><p>1</p><p>2</p></div><div class=b><p>3</p><p>4</p></div>").flat
    reduced = [i for i, name in enumerate(flat.tag) if name == "p"]
    assert main_branch(flat, reduced) == row(flat, "div.a")


def test_only_the_first_pages_of_the_set_are_compared():
    found = page(TEMPLATE.format("<p>own</p>"))
    site = _site("<p>one</p>", "<p>own</p><p>two</p>")
    assert by_labels(size=1).extract(found, site).nodes
    assert by_labels(size=2).extract(found, site) == NOTHING
    for options in ({"size": 0}, {"equality": "sounds"}):
        with pytest.raises(ConfigError, match=next(iter(options))):
            get_extractor("webconex", **options)


@given(pages(), st.lists(pages(), max_size=4))
def test_choices_are_disjoint_and_theorem_1_holds(found, others):
    flat, equality = found.flat, Equality.read(EQUALITY)
    counts, _ = occurrences(flat, [other.flat for other in others], equality)
    for i in range(1, len(flat)):
        assert counts[i] <= counts[flat.parent[i]]
    site = SiteContext(neighbours=tuple(other.flat for other in others))
    extraction = get_extractor("webconex").extract(found, site)
    assert is_disjoint_and_sorted(flat, extraction.nodes)
    assert 0 <= extraction.confidence <= 1
    own = [other for other in others if other.flat.subtree[0] != flat.subtree[0]]
    left = 0 in occurrences(flat, [other.flat for other in own[:4]], equality).counts
    assert bool(extraction.nodes) == bool(own and left)


def test_all_candidates_are_kept_when_asked_for():
    """With `labels` paragraphs of the same look are mapped whatever they say, so that the candidates are their texts; the
    branch is then one paragraph, the first of equals, and the others are lost."""
    sections = "<section><p>a one</p><p>a two</p></section><section><p>b one</p><p>b two</p></section>"
    others = [sections.replace("a ", f"{i} ").replace("b ", f"{i}{i} ") for i in range(4)]
    found, site = page(TEMPLATE.format(sections)), _site(*others)
    plain = found.text(by_labels().extract(found, site).nodes)
    assert plain == "a one"
    whole = by_labels(branch=False).extract(found, site)
    assert found.text(whole.nodes).split("\n") == ["a one", "a two", "b one", "b two"]
    assert whole.evidence["branch"] == -1
