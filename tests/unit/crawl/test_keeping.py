import asyncio
from types import SimpleNamespace

from sitecrawl.crawl.keeping import Keeping


def test_a_page_is_counted_before_it_is_described():
    """It is one of the pages that say what is the site's own; a stored page was counted when it was fetched."""
    done = []

    async def record(*_):
        done.append("described")

    async def submit(_):
        done.append("stored")

    site = SimpleNamespace(
        emit_order=0,
        survey=SimpleNamespace(values=None, count=lambda item: done.append("counted") or len),
        extraction=SimpleNamespace(record=record, needs_neighbours=False),
        crawl=SimpleNamespace(id=1),
        site=SimpleNamespace(id=1),
        config=SimpleNamespace(store_bodies=True),
        writer=SimpleNamespace(submit=submit),
    )
    visits = SimpleNamespace(finding=lambda item: None, fetch=lambda *of: None)
    keeping = Keeping(site, visits, SimpleNamespace(take=lambda: None))
    page = {"url_key": 1, "url": "", "http_status": 200, "depth": 0, "layout": None, "counted": False}
    for stored in (False, True):
        item = SimpleNamespace(**page, stored=stored, learned_version=None)
        assert asyncio.run(keeping.extract(item)) is None
    assert done == ["counted", "described", "stored", "described", "stored"]
