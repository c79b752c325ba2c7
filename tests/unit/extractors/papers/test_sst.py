"""Tests of SST."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Kind, SiteContext, get_extractor, no_content
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

from ...dom.trees import is_disjoint_and_sorted, page, pages

PAGE = "<div class=menu><a>Home</a><a>News</a></div><div class=main><h1>Title {0}</h1>{1}</div><p>Imprint</p>"


def site(*htmls):
    template = SiteTemplate(min_share=0.0)
    for html in htmls:
        template.learn(page(html).flat)
    return SiteContext(template=snapshot(template, 1))


SITE = site(*(PAGE.format(i, f"<p>Story {i}</p>" * (i + 1)) for i in range(6)))


def test_what_the_site_repeats_is_deleted():
    found = page(PAGE.format(9, "<p>Story 9</p><p>with more</p>"))
    extraction = get_extractor("sst").extract(found, SITE)
    assert found.text(extraction.nodes) == "Title 9\nStory 9\nwith more"
    assert (extraction.method, extraction.kind, extraction.confidence) == ("sst", Kind.CONTENT, 6 / 30)
    assert extraction.evidence["pages"] == 6
    assert extraction.evidence["noisy"] == 3
    assert extraction.evidence["meaningful"] >= 2


def test_what_the_tree_does_not_know_is_kept():
    found = page(PAGE.format(9, "<table><tr><td>News</td></tr></table>"))
    assert found.text(get_extractor("sst").extract(found, SITE).nodes) == "Title 9\nNews"


def test_texts_of_mixed_nodes_are_judged_one_by_one():
    context = site(*(f"<div>Share this <b>Story {i}</b> Teaser {i} <i>ad</i></div>" for i in range(4)))
    found = page("<div>Share this <b>Story 9</b> Teaser 9 <i>ad</i></div>")
    assert found.text(get_extractor("sst").extract(found, context).nodes) == "Story 9 Teaser 9"


def test_a_page_of_repeated_nodes_has_no_content():
    found = page("<div class=menu><a>Home</a><a>News</a></div><p>Imprint</p>")
    assert get_extractor("sst").extract(found, SITE) == no_content("sst")
    assert get_extractor("sst").extract(found, SiteContext(template=SiteTemplate())) == no_content("sst")


def test_the_threshold_decides():
    found = page(PAGE.format(9, "<p>Story 9</p>"))
    assert get_extractor("sst", threshold=1.0).extract(found, SITE) == no_content("sst")
    # Nothing is less important than 0; what is exactly as important is noise
    assert "Home" not in found.text(get_extractor("sst", threshold=0.0).extract(found, SITE).nodes)
    for options in ({"threshold": 1.5}, {"gamma": -1.0}):
        with pytest.raises(ConfigError, match=next(iter(options))):
            get_extractor("sst", **options)


def test_one_method_reads_several_sites():
    method = get_extractor("sst")
    found = page(PAGE.format(9, "<p>Story 9</p>"))
    other = site(*(f"<h1>Title {i}</h1>" for i in range(3)))
    own = method.extract(found, SITE)
    assert method.extract(found, other) != own
    assert method.extract(found, SITE) == own


MENU = "<div><a>Home</a><a>News</a></div>"


def test_the_published_tree_keeps_sequences_that_it_does_not_know():
    others = tuple(page(f"{MENU}<h1>Title {i}</h1><p>Story {i}</p>").flat for i in range(4))
    method = get_extractor("sst", merged=False)

    def text(html, neighbours=others):
        found = page(html)
        return found.text(method.extract(found, SiteContext(neighbours=neighbours)).nodes)

    assert text(f"{MENU}<h1>Title 9</h1><p>Story 9</p>") == "Title 9\nStory 9"
    assert text(f"{MENU}<h1>Title 9</h1><p>Story 9</p><p>more</p>") == "Home News\nTitle 9\nStory 9\nmore"
    assert text("<p>x</p>", tuple(page("<p>same</p><i></i>").flat for _ in range(2))) == ""
    extraction = method.extract(page(f"{MENU}<h1>Title 9</h1><p>Story 9</p>"), SiteContext(neighbours=others))
    assert extraction.confidence == 4 / 30
    assert extraction.evidence == {"pages": 4, "elements": 7, "noisy": 3}


def test_the_published_tree_needs_neighbours():
    method = get_extractor("sst", merged=False)
    assert method.extract(page("<p>x</p>"), SITE) == method.extract(page("<p>x</p>")) == no_content("sst")


@settings(max_examples=40)
@given(pages(), st.lists(pages(), max_size=5))
def test_choices_of_the_published_tree_are_disjoint_and_sorted(found, others):
    context = SiteContext(neighbours=tuple(other.flat for other in others))
    extraction = get_extractor("sst", merged=False).extract(found, context)
    assert is_disjoint_and_sorted(found.flat, extraction.nodes)
    assert 0 <= extraction.confidence <= 1
    assert bool(extraction.nodes) == (extraction.kind is Kind.CONTENT)


@settings(max_examples=40)
@given(pages(), st.lists(pages(), max_size=5))
def test_choices_are_disjoint_and_sorted(found, others):
    template = SiteTemplate(min_share=0.0)
    for other in others:
        template.learn(other.flat)
    extraction = get_extractor("sst").extract(found, SiteContext(template=snapshot(template, 1)))
    assert is_disjoint_and_sorted(found.flat, extraction.nodes)
    assert 0 <= extraction.confidence <= 1
    assert bool(extraction.nodes) == (extraction.kind is Kind.CONTENT)
