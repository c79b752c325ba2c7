"""Tests of RTDM-TD."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Kind, Need, SiteContext, extractor_class, get_extractor, no_content
from sitecrawl.extractors.papers.rtdm_td import equal_nodes, tree_template
from sitecrawl.templates.mapping import labelled_tree

from ...dom.trees import is_disjoint_and_sorted, page, pages, text_rows

PAGE = "<ul><li>Home</li><li>News</li></ul><div class=main>{}</div><p>Imprint</p>"


def site(*contents):
    return SiteContext(neighbours=tuple(page(PAGE.format(content)).flat for content in contents))


SITE = site("<h1>One</h1><i>ad</i>", "<h1>Two</h1><i>ad</i>", "<h1>Three</h1><p>x</p>")


def test_what_all_pages_have_is_removed():
    found = page(PAGE.format("<h1>Own</h1><p>text</p><i>ad</i>"))
    extraction = get_extractor("rtdm-td").extract(found, SITE)
    assert found.text(extraction.nodes) == "Own\ntext\nad"
    assert (extraction.method, extraction.kind, extraction.confidence) == ("rtdm-td", Kind.CONTENT, 3 / 25)
    assert extraction.evidence == {"pages": 3, "template": 11, "removed": 11, "greedy": 0}
    assert extractor_class("rtdm-td").needs == {Need.NEIGHBOURS}


def test_only_the_first_pages_of_the_sample_are_read():
    found = page(PAGE.format("<h1>Own</h1><i>ad</i>"))
    assert found.text(get_extractor("rtdm-td", size=2).extract(found, SITE).nodes) == "Own"
    for options in ({"size": 0}, {"max_cells": -1}):
        with pytest.raises(ConfigError, match=next(iter(options))):
            get_extractor("rtdm-td", **options)


def test_what_is_below_a_replaced_node_stays_when_restricted():
    found = page("<div><p>same</p></div>")
    context = SiteContext(neighbours=(page("<section><p>same</p></section>").flat,))
    assert found.text(get_extractor("rtdm-td").extract(found, context).nodes) == "same"
    assert get_extractor("rtdm-td", restricted=False).extract(found, context) == no_content("rtdm-td")


def test_greedy_alignments_are_counted():
    found = page(PAGE.format("<h1>Own</h1>"))
    extraction = get_extractor("rtdm-td", max_cells=0, size=1).extract(found, SITE)
    assert extraction.evidence["greedy"] > 0
    assert "Home" not in found.text(extraction.nodes)


def test_a_page_of_template_nodes_has_no_content():
    found = page(PAGE.format(""))
    assert get_extractor("rtdm-td").extract(found, SITE) == no_content("rtdm-td")


def test_one_method_reads_several_sites():
    method = get_extractor("rtdm-td")
    found = page(PAGE.format("<h1>Own</h1>"))
    own = method.extract(found, SITE)
    assert method.extract(found, SiteContext(neighbours=(page("<p>x</p>").flat,))) != own
    assert method.extract(found, SITE) == own


@settings(max_examples=40)
@given(st.lists(pages(), min_size=1, max_size=4), st.booleans())
def test_all_pages_of_the_sample_hold_the_template(found, restricted):
    template = tree_template([each.flat for each in found], restricted=restricted).tree
    assert len(template) <= min(len(each.flat) for each in found) or not restricted
    if restricted:
        for each in found:
            pairs, _ = equal_nodes(template, labelled_tree(each.flat))
            assert pairs[0] == (0, 0)
            assert len({b for _, b in pairs}) == len(pairs)


@settings(max_examples=40)
@given(pages(), st.lists(pages(), max_size=4), st.booleans())
def test_choices_are_the_texts_that_are_not_mapped(found, others, restricted):
    flat = found.flat
    context = SiteContext(neighbours=tuple(other.flat for other in others))
    extraction = get_extractor("rtdm-td", restricted=restricted).extract(found, context)
    assert is_disjoint_and_sorted(flat, extraction.nodes)
    assert 0 <= extraction.confidence <= 1
    own = [other for other in context.neighbours if other.subtree[0] != flat.subtree[0]]
    if own:
        tree = tree_template(own, restricted=restricted).tree
        removed = {b for _, b in equal_nodes(tree, labelled_tree(flat), restricted=restricted)[0]}
        rest = [i for i, name in enumerate(flat.tag) if name == "#text" and i not in removed]
        assert text_rows(flat, extraction.nodes) == rest
