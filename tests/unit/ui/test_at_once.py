"""The UI and a crawl at once on one SQLite file."""

import threading
from contextlib import suppress

from sitecrawl.errors import SiteLeasedError
from sitecrawl.storage.site_report import SiteReportRepository
from sitecrawl.ui.decide import keep_held
from tests.unit.ui.conftest import crawl_apart


def test_views_and_decisions_while_a_crawl_writes(url, ui, client):
    crawl = threading.Thread(target=crawl_apart, args=(url, range(1, 61)))
    crawl.start()
    statuses = set()
    while crawl.is_alive():
        for path in ("/", "/sites/example.org", "/sites/example.org/pages", "/search?q=story", "/decide"):
            statuses.add(client.get(path).status_code)
        with suppress(SiteLeasedError):  # as it should be while the site is crawled
            keep_held(ui, "example.org")
    crawl.join()
    assert statuses == {200}
    with ui.reading() as session:
        (state,) = SiteReportRepository(session).states()
    assert state.ended == "finished"
    assert "https://example.org/60" in client.get("/sites/example.org/pages?q=/60").text
