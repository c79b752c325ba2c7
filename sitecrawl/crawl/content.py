"""Converts an extraction to the stored record, and the record to the feed row."""

import datetime as dt

from sitecrawl.config import Config
from sitecrawl.crawl.digest import fingerprints
from sitecrawl.crawl.text_difference import text_difference
from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.page import Page
from sitecrawl.dom.scripts import count_words
from sitecrawl.extractors.base import Extraction
from sitecrawl.items import ContentItem, PageItem
from sitecrawl.links.urls import canonical_url, url_id
from sitecrawl.metadata.dates import chosen_date
from sitecrawl.metadata.describe import describe, read
from sitecrawl.metadata.fields import RowStatus, metadata_fields, shared_fields
from sitecrawl.metadata.shared_values import SiteValues
from sitecrawl.page_kind import Kind
from sitecrawl.storage.records import ContentRecord, StoredContent
from sitecrawl.templates.folded_numbers import without_numbers
from sitecrawl.templates.trie import SiteTemplate


def text_and_kind(page: Page, extraction: Extraction, config: Config) -> tuple[str, Kind]:
    """Return the main content of a page as text, and its kind.

    A text shorter than SITECRAWL_CONTENT_MIN_CHARS is dropped; the page's kind is then `none`, or still `listing`.
    """
    text = page.text(extraction.nodes) if extraction.kind is not Kind.NONE else ""
    if len(text) >= config.content_min_chars:
        return text, extraction.kind
    return "", Kind.LISTING if extraction.kind is Kind.LISTING else Kind.NONE


def content_record(
    item: PageItem,
    extraction: Extraction,
    template: SiteTemplate | None,
    site: SiteValues,
    config: Config,
    crawl_id: int,
    emit_order: int,
    now: dt.datetime,
) -> ContentRecord:
    """Return the record of a page; main content shorter than SITECRAWL_CONTENT_MIN_CHARS is dropped."""
    page = item.page
    text, kind = text_and_kind(page, extraction, config)
    declared = page.canonical_url
    if item.reading is None:
        item.reading = read(page, now)
    nodes, article = extraction.nodes if text else (), kind is Kind.CONTENT
    served = item.content_language
    known = describe(page, item.reading, site, nodes, text, article=article, served=served)
    published = chosen_date(extraction.published, now) if extraction.published else None
    prints = fingerprints(without_numbers(text, item.counting))
    return ContentRecord(
        **{
            **metadata_fields(known),
            "title": extraction.title or known.title,
            "published": published or known.published,
        },
        url_key=item.url_key,
        kind=kind,
        text=text,
        html=page.html(extraction.nodes) if text and (config.content_html or config.content_markdown) else None,
        words=count_words(text),
        digest=prints.digest,
        simhash=prints.simhash,
        duplicate_of=None,
        method=extraction.method,
        confidence=round(extraction.confidence, 4),
        template_version=template.version if template is not None else None,
        canonical_url=canonical_url(declared) if declared else canonical_url(item.url),
        crawl_id=crawl_id,
        emit_order=emit_order,
        extracted_at=now,
    )


def feed_item(stored: StoredContent, site: str, *, with_markdown: bool) -> ContentItem:
    """Return the feed row of a stored content; its Markdown, made from the HTML, only with `with_markdown`."""
    record = stored.record
    changed = stored.status == RowStatus.CHANGED and stored.earlier is not None
    difference = text_difference(stored.earlier or "", record.text) if changed else None
    return ContentItem(
        **shared_fields(record),
        id=url_id(stored.url),
        url=stored.url,
        site=site,
        status=str(stored.status),
        markdown=markdown(record.html) if with_markdown and record.html else None,
        simhash=f"{record.simhash:016x}",
        duplicate_of=record.duplicate_of,
        noindex=stored.noindex,
        http_status=stored.http_status or 0,
        depth=stored.depth,
        fetched_at=stored.fetched_at.isoformat(timespec="seconds") if stored.fetched_at else "",
        added="\n".join(difference.added) if difference is not None else None,
        removed="\n".join(difference.removed) if difference is not None else None,
    )
