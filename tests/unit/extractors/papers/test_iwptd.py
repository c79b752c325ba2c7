"""Tests of IWPTD."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Kind, Need, SiteContext, extractor_class, get_extractor, no_content
from sitecrawl.extractors.papers.iwptd import block_ratios, content_texts, least_pages
from sitecrawl.templates.segments import SegmentTable

from ...dom.trees import is_disjoint_and_sorted, page, pages, row

PAGE = "<div><a>Home</a> <a>News</a></div><div><p>Story {0} told at length</p><p>Share</p></div><p>Imprint</p>"
FLATS = tuple(page(PAGE.format(i)).flat for i in range(9))


def table_of(flats):
    table = SegmentTable()
    for flat in flats:
        table.add(flat)
    return table


def test_blocks_of_template_segments_are_removed():
    found = page(PAGE.format("Own"))
    extraction = get_extractor("iwptd").extract(found, SiteContext(neighbours=FLATS[:4]))
    assert found.text(extraction.nodes) == "Story Own told at length\nShare"
    assert (extraction.method, extraction.kind, extraction.confidence) == ("iwptd", Kind.CONTENT, 1.0)
    assert extraction.evidence == {"pages": 4, "segments": 8, "template": 4, "least": 3}
    assert extractor_class("iwptd").needs == {Need.NEIGHBOURS}


def test_segments_may_be_counted_instead_of_characters():
    found = page(PAGE.format("Own"))
    context = SiteContext(neighbours=FLATS)
    assert get_extractor("iwptd", weight="segments").extract(found, context) == no_content("iwptd")
    higher = get_extractor("iwptd", weight="segments", ratio=0.6).extract(found, context)
    assert found.text(higher.nodes) == "Story Own told at length\nShare"


def test_the_innermost_block_decides():
    flat = page("<div><p>a</p><p>b</p><p>c</p><div><p>d</p></div></div><p>e</p><p>f</p>").flat
    template = [flat.text[i] in ("a", "b", "c", "e") for i in range(len(flat))]
    ratios = block_ratios(flat, template)
    assert ratios[row(flat, "html")] == pytest.approx(4 / 6)
    kept = content_texts(flat, template, ratios)
    assert [flat.text[i] for i in range(len(flat)) if kept[i]] == ["d", "f"]


def test_a_ratio_at_the_limit_is_template():
    flat = page("<div><p>a</p><p>b</p></div>").flat
    template = [flat.text[i] == "a" for i in range(len(flat))]
    assert not any(content_texts(flat, template, block_ratios(flat, template), 0.5))
    assert sum(content_texts(flat, template, block_ratios(flat, template), 0.51)) == 2


def test_half_of_few_pages_make_a_template():
    assert [least_pages(5, pages) for pages in (1, 2, 3, 4, 5, 6, 8, 9, 10, 100)] == [2, 2, 2, 2, 3, 3, 4, 5, 5, 5]
    assert least_pages(2, 100) == 2


def test_a_table_may_be_given():
    found = page(PAGE.format("Own"))
    table = table_of(FLATS)
    method = get_extractor("iwptd", table=table)
    assert method.extract(found) == get_extractor("iwptd").extract(found, SiteContext(neighbours=FLATS))
    assert table.pages_seen == len(FLATS), "reading leaves the table alone"
    assert get_extractor("iwptd", table=SegmentTable()).extract(found) == no_content("iwptd")


def test_a_page_of_template_segments_has_no_content():
    found = page("<div><a>Home</a> <a>News</a></div><p>Imprint</p>")
    assert get_extractor("iwptd").extract(found, SiteContext(neighbours=FLATS)) == no_content("iwptd")


@pytest.mark.parametrize("options", [{"pages": 1}, {"ratio": 1.5}, {"weight": "words"}])
def test_options_that_cannot_be_used(options):
    with pytest.raises(ConfigError, match=next(iter(options))):
        get_extractor("iwptd", **options)


@settings(max_examples=40)
@given(pages(), st.lists(pages(), max_size=5), st.sampled_from(("characters", "segments")))
def test_choices_are_disjoint_and_sorted(found, others, weight):
    context = SiteContext(neighbours=tuple(other.flat for other in others))
    extraction = get_extractor("iwptd", weight=weight).extract(found, context)
    assert is_disjoint_and_sorted(found.flat, extraction.nodes)
    assert 0 <= extraction.confidence <= 1
    assert bool(extraction.nodes) == (extraction.kind is Kind.CONTENT)


@given(pages(), st.data(), st.sampled_from(("characters", "segments")))
def test_ratios_are_shares(found, data, weight):
    flat = found.flat
    template = [name == "#text" and data.draw(st.booleans()) for name in flat.tag]
    for i, ratio in enumerate(block_ratios(flat, template, weight)):
        texts = [k for k in range(i, flat.end[i]) if flat.tag[k] == "#text"]
        own = [flat.chars[k] if weight == "characters" else 1 for k in texts]
        known = sum(value for k, value in zip(texts, own, strict=True) if template[k])
        assert ratio == (known / sum(own) if texts else 0)
