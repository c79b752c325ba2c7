"""Tests of TemEx."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Kind, Need, SiteContext, extractor_class, get_extractor, no_content
from sitecrawl.extractors.papers.equality import occurrences
from sitecrawl.extractors.papers.sample import without_copies

from ...dom.trees import is_disjoint_and_sorted, page, pages, text_rows

TEMPLATE = "<div class=menu><a>Home</a><a>News</a></div><div class=main>{}</div><div class=foot>Imprint</div>"
OTHERS = ("<p>one</p><i>ad</i>", "<p>two</p><i>ad</i>", "<p>three</p>", "<p>own</p>")


def site(*contents):
    return SiteContext(neighbours=tuple(page(TEMPLATE.format(content)).flat for content in contents))


def test_what_two_pages_repeat_is_template():
    found = page(TEMPLATE.format("<h1>own</h1><p>three</p><i>ad</i>"))
    extraction = get_extractor("temex").extract(found, site(*OTHERS))
    assert found.text(extraction.nodes) == "own\nthree"
    assert (extraction.method, extraction.kind, extraction.confidence) == ("temex", Kind.CONTENT, 1.0)
    assert extraction.evidence == {"pages": 3, "votes": 2, "template": 13, "greedy": 0}
    assert extractor_class("temex").needs == {Need.NEIGHBOURS}


def test_votes_and_pages_are_options():
    found = page(TEMPLATE.format("<h1>own</h1><p>three</p><p>own</p><i>ad</i>"))

    def text(**options):
        return found.text(get_extractor("temex", **options).extract(found, site(*OTHERS)).nodes)

    assert text(votes=1) == "own\nown"
    assert text(votes=1, size=4) == "own"
    assert text(votes=3) == "own\nthree\nown\nad"
    for options in ({"votes": 0}, {"size": 0}, {"equality": "sounds"}):
        with pytest.raises(ConfigError, match=next(iter(options))):
            get_extractor("temex", **options)


def test_all_of_fewer_pages_must_vote():
    found = page(TEMPLATE.format("<p>own</p>"))
    extraction = get_extractor("temex").extract(found, site("<p>other</p>"))
    assert found.text(extraction.nodes) == "own"
    assert (extraction.evidence["votes"], extraction.confidence) == (1, 1 / 3)


def test_copies_do_not_vote():
    found = page(TEMPLATE.format("<p>own</p>"))
    assert get_extractor("temex").extract(found, site("<p>own</p>", "<p>own</p>")) == no_content("temex")
    assert get_extractor("temex").extract(found, site("<p>own</p>", "<p>other</p>")).evidence["pages"] == 1


def test_a_page_of_template_nodes_has_no_content():
    found = page(TEMPLATE.format("<i>ad</i>"))
    assert get_extractor("temex").extract(found, site(*OTHERS)) == no_content("temex")


def test_similar_siblings_are_equal_whatever_they_say():
    found = page(TEMPLATE.format("<h1>own</h1><p>text</p>"))
    method = get_extractor("temex", equality="siblings")
    assert found.text(method.extract(found, site("<b>1</b><p>x</p>", "<b>2</b><p>y</p>")).nodes) == "own"


@settings(max_examples=40)
@given(pages(), st.lists(pages(), max_size=5), st.sampled_from(("labels", "siblings")), st.integers(1, 3))
def test_choices_are_the_texts_with_too_few_votes(found, others, equality, votes):
    context = SiteContext(neighbours=tuple(other.flat for other in others))
    extraction = get_extractor("temex", equality=equality, votes=votes).extract(found, context)
    assert is_disjoint_and_sorted(found.flat, extraction.nodes)
    assert 0 <= extraction.confidence <= 1
    own = without_copies(found.flat, context.neighbours)[:3]
    if equality == "labels" and own:
        counts = occurrences(found.flat, own).counts
        rest = [i for i, count in enumerate(counts) if count < min(votes, len(own)) and found.flat.tag[i] == "#text"]
        assert text_rows(found.flat, extraction.nodes) == rest
