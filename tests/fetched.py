"""Fetches of pages, as tests store them."""

import datetime as dt

from sitecrawl.storage.page_change import Fetch
from sitecrawl.storage.page_state import PageStatus

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def url(key):
    """Return the URL of a page."""
    return f"https://example.org/{key}"


def fetched(key, **values):
    """Return the fetch of a page by the first crawl; `values` replace fields."""
    fetch = Fetch(
        url_key=key,
        url=url(key),
        status=PageStatus.FETCHED,
        reason=None,
        http_status=200,
        depth=1,
        crawl_id=1,
        fetch_order=key,
        etag=None,
        last_modified=None,
        fetched_at=NOW,
        html="<p>",
        sample=(),
        discovery=key,
    )
    return fetch._replace(**values)
