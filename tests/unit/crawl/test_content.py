"""Tests of the way from an extraction to the stored record and the feed row."""

import dataclasses
import datetime as dt

import pytest

from sitecrawl.config import Config
from sitecrawl.crawl.content import content_record, feed_item
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extraction, Kind
from sitecrawl.items import PageItem
from sitecrawl.links.urls import url_id
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.metadata.shared_values import SiteValues
from sitecrawl.storage.records import StoredContent
from sitecrawl.templates.trie import SiteTemplate

NOW = dt.datetime(2026, 3, 1, 12, 30, 5, 123456, tzinfo=dt.UTC)
URL = "https://example.org/1"
TEXT = "A story of some words."
BODY = "<html lang=en><head><title>The title</title>{}</head><body><p>" + TEXT + "</p></body></html>"


def record(kind=Kind.CONTENT, *, head="", template=None, title=None, published=None, **settings):
    page = Page.from_html(BODY.format(head), URL)
    item = PageItem(page, 7, "", 200, 3, NOW)
    nodes = tuple(i for i, tag in enumerate(page.flat.tag) if tag == "p")
    extraction = Extraction(nodes, "some", 0.123456, kind, title=title, published=published)
    config = Config(content_min_chars=1, **settings)
    made = content_record(item, extraction, template, SiteValues(), config, 5, 9, NOW)
    return made, item


def test_what_is_stored_of_a_page():
    made, item = record()
    assert (made.url_key, made.kind, made.text, made.words) == (7, "content", TEXT, 5)
    assert (made.method, made.confidence, made.template_version) == ("some", 0.1235, None)
    assert (made.crawl_id, made.emit_order, made.extracted_at) == (5, 9, NOW)
    assert (made.html, made.duplicate_of, made.canonical_url) == (None, None, URL)
    assert (made.title, made.language) == ("The title", "en")
    assert item.reading is not None  # it is read once
    assert made.digest
    assert made.simhash


def test_the_title_of_the_method_comes_first():
    assert record(title="Its own title")[0].title == "Its own title"


@pytest.mark.parametrize(
    ("found", "shortest", "kind"),
    [
        (Kind.CONTENT, len(TEXT), "content"),
        (Kind.CONTENT, len(TEXT) + 1, "none"),
        (Kind.LISTING, len(TEXT), "listing"),
        (Kind.LISTING, len(TEXT) + 1, "listing"),
    ],
)
def test_content_that_is_too_short_is_dropped_and_its_page_is_none_unless_it_is_a_listing(found, shortest, kind):
    page = Page.from_html(BODY.format(""), URL)
    item = PageItem(page, 7, "", 200, 3, NOW)
    nodes = tuple(i for i, tag in enumerate(page.flat.tag) if tag == "p")
    extraction = Extraction(nodes=nodes, kind=found, method="some", confidence=1.0)
    config = Config(content_min_chars=shortest, content_html=True)
    made = content_record(item, extraction, None, SiteValues(), config, 5, 9, NOW)
    assert made.kind == kind
    assert bool(made.text) is bool(made.html) is (shortest == len(TEXT))


def test_a_page_without_content_has_no_text_whatever_the_method_chose():
    made, _ = record(Kind.NONE)
    assert (made.kind, made.text, made.words) == ("none", "", 0)


@pytest.mark.parametrize("wanted", ["content_html", "content_markdown"])
def test_markup_is_stored_where_a_row_shows_it(wanted):
    assert record(**{wanted: True})[0].html == f"<p>{TEXT}</p>"


def test_the_version_of_the_template_and_the_canonical_url_are_kept():
    made, _ = record(head="<link rel=canonical href='/main?b=1&a=2'>", template=SiteTemplate(version=4))
    assert made.template_version == 4
    assert made.canonical_url == "https://example.org/main?a=2&b=1"


def test_a_feed_row_has_the_values_of_the_record():
    made, _ = record(content_html=True)
    row = feed_item(StoredContent(made, "changed", URL, 203, 3, NOW), "example.org", with_markdown=True)
    same = {one.name for one in dataclasses.fields(row)} & {one.name for one in dataclasses.fields(made)} - {"simhash"}
    assert {name: getattr(row, name) for name in same} == {name: getattr(made, name) for name in same}
    assert (row.id, row.url, row.site, row.status) == (url_id(URL), URL, "example.org", "changed")
    assert (row.http_status, row.depth, row.fetched_at) == (203, 3, "2026-03-01T12:30:05+00:00")
    assert row.markdown == TEXT
    assert (len(row.simhash), int(row.simhash, 16)) == (16, made.simhash)


@pytest.mark.parametrize(
    ("chosen", "published"),
    [
        (None, "2026-01-31"),
        ("2026-02-03T10:00Z", "2026-02-03T10:00:00+00:00"),
        (
            "Posted on 3 February 2026 by someone, who wrote more than a date, and a sentence or two beside it",
            "2026-02-03",
        ),
        ("3/4/2026", "2026-01-31"),
        ("3 February 2036", "2026-01-31"),
    ],
)
def test_the_date_that_a_person_chose_counts_if_it_is_one(chosen, published):
    head = "<meta property=article:published_time content=2026-01-31>"
    made, _ = record(head=head, published=chosen)
    assert made.published == published


@pytest.mark.parametrize(
    ("status", "earlier", "added", "removed"),
    [
        (RowStatus.CHANGED, "What was there.", TEXT, "What was there."),
        (RowStatus.CHANGED, TEXT, "", ""),
        (RowStatus.CHANGED, None, None, None),
        (RowStatus.NEW, "What was there.", None, None),
        (RowStatus.UNCHANGED, "What was there.", None, None),
    ],
)
def test_the_row_of_a_changed_page_tells_how_its_text_differs(status, earlier, added, removed):
    made, _ = record()
    row = feed_item(StoredContent(made, status, URL, 200, 3, NOW, earlier), "example.org", with_markdown=False)
    assert (row.added, row.removed) == (added, removed)


def test_markdown_is_made_only_if_it_is_asked_for():
    made, _ = record(content_html=True)
    row = feed_item(StoredContent(made, "changed", URL, 203, 3, NOW), "example.org", with_markdown=False)
    assert (row.html, row.markdown) == (made.html, None)


def test_a_feed_row_of_little():
    made, _ = record()
    row = feed_item(StoredContent(made, "gone", URL, None, 0, None), "example.org", with_markdown=True)
    assert (row.http_status, row.fetched_at, row.markdown, row.html) == (0, "", None, None)
