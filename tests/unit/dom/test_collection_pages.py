import pytest

from sitecrawl.dom.page import Page


def page_with(jsonld):
    script = f'<script type="application/ld+json">{jsonld}</script>'
    return Page.from_html(f"<html><head>{script}</head><body><p>Ships</p></body></html>", "https://example.org/")


@pytest.mark.parametrize(
    "jsonld",
    [
        '{"@type": "CollectionPage"}',
        '{"@type": "https://schema.org/SearchResultsPage"}',
        '{"@type": ["WebPage", "CollectionPage"]}',
        '{"@graph": [{"@type": "Organization"}, {"@type": "CollectionPage"}]}',
    ],
)
def test_json_ld_states_a_collection(jsonld):
    assert page_with(jsonld).is_collection


@pytest.mark.parametrize(
    "jsonld",
    [
        '{"@type": "WebPage"}',
        '{"@type": "Article", "isPartOf": {"@type": "CollectionPage"}}',  # it lies in a collection
        '{"@type": "ItemList"}',  # a page may have one beside its text
        '{"@type": "CollectionPage"',
    ],
)
def test_other_json_ld_does_not(jsonld):
    assert not page_with(jsonld).is_collection


def test_a_page_without_its_tree_knows():
    page = page_with('{"@type": "CollectionPage"}')
    page.release(lambda: "<p>Another page</p>")
    assert page.is_collection
