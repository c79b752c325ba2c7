"""Pages that no method may fail on."""

from itertools import pairwise

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extraction, Kind, SiteContext, extractor_names, get_extractor
from sitecrawl.templates.learner import TemplateLearner
from tests.unit.evaluation.site import page as ordinary

HOSTILE = {
    "empty": "<html></html>",
    "one text": "Only this.",
    "deep": "<div>" * 3000 + "deep text",
    "wide": "<p>one sibling of many</p>" * 3_000,
    "wide, each its own": "".join(f"<p>sibling number {i}</p>" for i in range(3_000)),
    "scripts": "<script>var x = 1;</script>" * 500,
    "links": '<a href="/x">x</a>' * 2_500,
    "binary": bytes(range(256)) * 40,
    "entities": "&#0;&#xD800;&amp;&lt;&nbsp;" * 100,
    "tables": "<table><tr><td>" * 400 + "cell",
}


def contexts():
    pages = [Page.from_html(ordinary(i), f"https://harbour.example/{i}") for i in range(3)]
    learner = TemplateLearner(min_pages=1, learn_blocks=True)
    for page in pages:
        learner.see(page)
    template, _ = learner.publish()
    return SiteContext(template, learner.published_blocks, tuple(page.flat for page in pages))


@pytest.fixture(scope="module")
def site():
    return contexts()


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("method", extractor_names())
def test_every_method_answers(method, name, site):
    page = Page.from_html(HOSTILE[name], "https://harbour.example/x")
    flat = page.flat
    for context in (None, site, SiteContext(site.template, site.blocks, (*site.neighbours, flat), learned=True)):
        found = get_extractor(method).extract(page, context)
        assert isinstance(found, Extraction)
        assert found.method == method
        assert 0 <= found.confidence <= 1
        assert (found.kind is Kind.NONE) == (not found.nodes)
        nodes = found.nodes
        assert all(flat.end[a] <= b for a, b in pairwise(nodes))
        assert all(0 <= node < len(flat) for node in nodes)
        page.text(nodes)
