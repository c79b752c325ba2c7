"""Tests of ContentExtractor."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.dom.atomic import atomic_blocks
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Kind, Need, SiteContext, extractor_class, get_extractor, no_content
from sitecrawl.extractors.papers.contentextractor import published_order
from sitecrawl.extractors.papers.sample import without_copies
from sitecrawl.templates.preparation import block_pages, noise_threshold

from ...dom.trees import is_disjoint_and_sorted, page, pages, text_rows

PAGE = "<div><a href=/>Home</a><a href=/n>News</a></div><div>{0}</div><p>Imprint</p>"


def site(*stories):
    return SiteContext(neighbours=tuple(page(PAGE.format(story)).flat for story in stories))


SITE = site("Fire in the town", "Rain all week", "Cup final drawn")


def test_blocks_that_other_pages_have_are_removed():
    found = page(PAGE.format("A new story, with <b>bold</b> words"))
    extraction = get_extractor("contentextractor").extract(found, SITE)
    assert found.text(extraction.nodes) == "A new story, with bold words"
    assert (extraction.method, extraction.kind, extraction.confidence) == ("contentextractor", Kind.CONTENT, 3 / 20)
    assert extraction.evidence == {"pages": 3, "noise": 5, "blocks": 3, "content": 1}
    assert extractor_class("contentextractor").needs == {Need.NEIGHBOURS}


def test_theta_and_similarity_decide():
    found = page(PAGE.format("Rain all week again"))

    def text(**options):
        return found.text(get_extractor("contentextractor", **options).extract(found, SITE).nodes)

    assert text() == "Rain all week again"
    assert text(similarity=0.8) == ""
    assert text(theta=5) == "Home News\nRain all week again\nImprint"


def test_todays_tags_may_make_blocks():
    stories = ("Fire", "Rain", "Cup")
    neighbours = tuple(page(f"<article><h2>News</h2>{story}</article>").flat for story in stories)
    found = page("<article><h2>News</h2>Own</article>")
    context = SiteContext(neighbours=neighbours)
    assert get_extractor("contentextractor").extract(found, context) == no_content("contentextractor")
    extraction = get_extractor("contentextractor", blocks="html5").extract(found, context)
    assert found.text(extraction.nodes) == "Own"


def test_a_page_of_repeated_blocks_has_no_content():
    found = page("<div><a href=/>Home</a><a href=/n>News</a></div><p>Imprint</p>")
    assert get_extractor("contentextractor").extract(found, SITE) == no_content("contentextractor")


@pytest.mark.parametrize("options", [{"theta": 1}, {"similarity": 2}, {"blocks": "html3"}])
def test_options_that_cannot_be_used(options):
    with pytest.raises(ConfigError, match=next(iter(options))):
        get_extractor("contentextractor", **options)


def test_inner_blocks_come_first_in_the_published_order():
    flat = page("<div>a<p>b<span>c</span></p>d<p><img></p></div><div>e</div>").flat
    assert published_order(flat, atomic_blocks(flat), range(5)) == ["c", "b", "a d", "e"]


@settings(max_examples=40)
@given(pages(), st.lists(pages(), max_size=5))
def test_choices_are_those_of_comparing_all_blocks_of_all_pages(found, others):
    flat = found.flat
    context = SiteContext(neighbours=tuple(other.flat for other in others))
    extraction = get_extractor("contentextractor").extract(found, context)
    assert is_disjoint_and_sorted(flat, extraction.nodes)
    assert 0 <= extraction.confidence <= 1
    everyone = [flat, *without_copies(flat, context.neighbours)]
    if len(everyone) > 1:
        blocks = [atomic_blocks(each) for each in everyone]
        least = noise_threshold(len(everyone))
        rare = [b for b, count in enumerate(block_pages(everyone, blocks)[0]) if count < least]
        assert text_rows(flat, extraction.nodes) == sorted(i for b in rare for i in blocks[0].texts[b])
