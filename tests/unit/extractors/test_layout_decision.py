"""Tests of the decision of a layout, by the evidence of its pages."""

from types import SimpleNamespace

from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import SiteContext
from sitecrawl.extractors.layout_decision import layout_decision

URL = "https://example.org/"
TEXTS = ("one", "two", "two", "three")


def test_a_copy_of_a_page_gives_no_evidence():
    asked = []
    extractor = SimpleNamespace(evidence=lambda page, site: asked.append(page.text((0,))))
    pages = [Page.from_html(f"<p>{text}</p>", URL) for text in TEXTS]
    assert layout_decision(extractor, SiteContext(), pages) is None
    assert asked == ["one", "two", "three"]


def test_pages_give_back_the_columns_that_their_evidence_needed():
    def evidence(page, site):
        assert page.flat.path
        held.append(_holds(page.flat, "path"))

    held, page = [], Page.from_html("<p>one</p>", URL)
    layout_decision(SimpleNamespace(evidence=evidence), SiteContext(), [page])
    reference = page.flat.columns is None  # whose lists nothing else holds
    assert (held, _holds(page.flat, "path")) == ([True], reference)
    assert len(page.flat.path) == len(page.flat)


def _holds(flat, column):
    try:
        return bool(object.__getattribute__(flat, column))
    except AttributeError:
        return False


def test_a_method_that_obeys_no_decision_makes_none():
    assert layout_decision(object(), SiteContext(), [Page.from_html("<p>one</p>", URL)]) is None
