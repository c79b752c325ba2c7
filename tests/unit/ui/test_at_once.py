"""The UI and a crawl at once on one SQLite file."""

import threading
import time
from contextlib import suppress

from sitecrawl.errors import SiteLeasedError
from sitecrawl.storage.site_report import SiteReportRepository
from sitecrawl.ui.decide import digest_of, keep_held
from tests.unit.ui.conftest import crawl_apart


def test_views_and_decisions_while_a_crawl_writes(url, ui, client):
    crawl = threading.Thread(target=crawl_apart, args=(url, range(1, 61)))
    crawl.start()
    statuses = set()
    deadline = time.monotonic() + 300
    while crawl.is_alive() or not statuses:
        assert time.monotonic() < deadline
        for path in ("/", "/sites/example.org", "/sites/example.org/pages", "/search?q=story", "/decide"):
            statuses.add(client.get(path).status_code)
        with suppress(SiteLeasedError):  # as it should be while the site is crawled
            keep_held(ui, "example.org", digest_of([]))
    assert statuses == {200}
    with ui.reading() as session:
        (state,) = SiteReportRepository(session).states()
    assert state.ended == "finished"
    assert "https://example.org/60" in client.get("/sites/example.org/pages?q=/60").text
