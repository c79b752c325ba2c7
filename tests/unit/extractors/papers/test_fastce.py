"""Tests of FastContentExtractor."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.dom.atomic import HTML5_BLOCK_TAGS, FeatureIndex, TraversalPaths
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Kind, Need, SiteContext, get_extractor, no_content
from sitecrawl.extractors.papers.fastce import extracted_blocks
from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.preparation import BlockTemplate

from ...dom.trees import is_disjoint_and_sorted, page, pages

PAGE = "<div><a href=/>Home</a><a href=/n>News</a></div><div>{0}</div><p>Imprint</p>"


def site(*htmls, **options):
    store = BlockStore(**options)
    for html in htmls:
        store.learn(page(html).flat)
    return SiteContext(blocks=store)


def counted(**options):
    return get_extractor("fastce", preparation="counted", **options)


def sample(*htmls):
    return SiteContext(neighbours=tuple(page(html).flat for html in htmls))


SITE = site(*(PAGE.format(f"Story {i} is told here") for i in range(5)))


def test_content_is_found_and_the_menu_is_not():
    found = page(PAGE.format("A new story, with <b>bold</b> words"))
    extraction = counted().extract(found, SITE)
    assert found.text(extraction.nodes) == "A new story, with bold words"
    assert (extraction.method, extraction.kind, extraction.confidence) == ("fastce", Kind.CONTENT, 0.25)
    assert extraction.evidence == {"pages": 5, "paths": 1, "noise": 1, "blocks": 2, "content": 1}


def test_the_published_preparation_compares_the_blocks_of_a_sample():
    """Blocks with other words, but a cosine over 0.9, count as one; a path with content on one page is enough."""
    dates = "<p>It is {0} o'clock in the harbour of the town, and all is well, say the keepers of the tower</p>"
    pages = [dates.format(i) + f"<div>Story {i}: {words}</div>" for i, words in enumerate(("a b c", "d e f", "g h i"))]
    found = page(dates.format(9) + "<div>Another story told</div>")
    method = get_extractor("fastce", with_page=False)
    extraction = method.extract(found, sample(*pages))
    assert found.text(extraction.nodes) == "Another story told"
    assert (extraction.evidence["pages"], extraction.confidence) == (3, 0.15)
    assert found.text(counted().extract(found, site(*pages)).nodes) != "Another story told"
    assert (method.needs, counted().needs) == ({Need.NEIGHBOURS}, {Need.BLOCKS})
    assert (method.sample_size, counted().sample_size) == (25, 0)
    for context in (None, SiteContext(), sample("<p>same</p>", "<p>same</p>")):
        assert method.extract(found, context) == no_content("fastce")


def test_a_page_is_prepared_with_a_sample_of_a_few_pages():
    """Its paths are on none of three pages, so the page alone distinguishes them; twenty pages are enough."""
    own = "<p>All rights reserved</p><ul><li>A story that stands in a list, on this page only</li></ul>"
    others = [f"<p>All rights reserved</p><div>Story number {i}</div>" for i in range(20)]
    found = page(own)
    few, many = sample(*others[:3]), sample(*others)
    assert found.text(get_extractor("fastce").extract(found, few).nodes).endswith("on this page only")
    for method, context in ((get_extractor("fastce", with_page=False), few), (get_extractor("fastce"), many)):
        assert not method.extract(found, context).nodes


def test_copies_in_the_sample_count_once():
    stories = [f"<div>Story {words}</div>" for words in ("a b c", "d e f")]
    found = page("<div>Another story</div>")
    assert get_extractor("fastce", with_page=False).extract(found, sample(*stories, *stories)).nodes


def test_blocks_on_unknown_paths_are_not_extracted():
    found = page("<ul><li>Story 7</li></ul>")
    assert counted().extract(found, SITE) == no_content("fastce")


def test_similarity_decides_what_is_noise():
    found = page("<div><a href=/>Home</a><a href=/n>Archive</a></div>")
    assert counted().extract(found, SITE).nodes
    assert not counted(similarity=0.5).extract(found, SITE).nodes
    for options in ({"similarity": 2}, {"preparation": "guessed"}, {"size": 1}):
        with pytest.raises(ConfigError, match=f"{next(iter(options))} is"):
            get_extractor("fastce", **options)


def test_a_site_without_content_paths_gives_nothing():
    context = site(*["<p>same</p>"] * 3)
    assert counted().extract(page("<p>other</p>"), context) == no_content("fastce")


def test_other_tags_are_read_as_they_were_learned():
    context = site(*(f"<article>Story {i}</article>" for i in range(3)), tags=HTML5_BLOCK_TAGS)
    found = page("<article>Story 9</article><h1>Other</h1>")
    assert found.text(counted().extract(found, context).nodes) == "Story 9"


def test_blocks_inside_an_extracted_one_are_not_extracted_again():
    template = BlockTemplate(frozenset(("HTML.BODY.DIV", "HTML.BODY.DIV.DIV")), FeatureIndex())
    flat = page("<div>a<div>b</div><p>c</p></div><div>d</div>").flat
    found = extracted_blocks(flat, template, TraversalPaths())
    assert [[flat.text[i] for i in block.rows if flat.text[i]] for block in found] == [["a", "b"], ["d"]]


@settings(max_examples=40)
@given(pages(), st.lists(pages(), max_size=5))
def test_choices_are_disjoint_and_sorted(found, others):
    store = BlockStore()
    for other in others:
        store.learn(other.flat)
    extraction = counted().extract(found, SiteContext(blocks=store))
    assert is_disjoint_and_sorted(found.flat, extraction.nodes)
    assert 0 <= extraction.confidence <= 1
    assert bool(extraction.nodes) == (extraction.kind is Kind.CONTENT)
