import asyncio
from time import monotonic
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.core.downloader import Slot
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.settings import Settings

from sitecrawl.crawl.work_turns import WorkTurns, work_turns
from sitecrawl.shell import downloading
from sitecrawl.shell.address_pace import AddressPace
from sitecrawl.shell.downloading import StoppableHandler, sent_at
from sitecrawl.shell.exceptions import PostponedRequest


@pytest.mark.parametrize(
    ("taken", "now", "delay", "sent"),
    [
        (10.0, 10.0, 1.0, 10.0),
        (10.0, 10.2, 1.0, 10.4),
        (10.0, 17.0, 1.0, 18.0),
        (10.0, 10.2, 0.0, 10.2),
        (11.0, 10.0, 1.0, 10.0),
    ],
    ids=["punctual", "late", "late-by-more-than-the-delay", "no-delay", "stamped-before"],
)
def test_the_delay_counts_from_when_a_request_is_sent_at_the_latest(taken, now, delay, sent):
    assert sent_at(taken, now, delay) == pytest.approx(sent)


OURS = SimpleNamespace(site_crawl=SimpleNamespace(site_id=1), share=SimpleNamespace(pace=None))


@pytest.mark.parametrize(
    ("spider", "delay", "seen"), [(OURS, 1.0, 100.6), (OURS, 0.0, 100.0), (SimpleNamespace(), 1.0, 100.0)]
)
def test_a_late_request_of_a_site_with_a_delay_moves_the_next_one(monkeypatch, spider, delay, seen):
    slot = Slot(1, delay)
    slot.lastseen = 100.0  # taken from the queue
    downloader = SimpleNamespace(slots={"example.org": slot}, get_slot_key=lambda request: "example.org")
    monkeypatch.setattr(downloading, "monotonic", lambda: 100.3)
    assert download(monkeypatch, downloader, spider, lambda: slot.lastseen) == pytest.approx(seen)


def test_an_answer_that_took_long_moves_the_next_request_to_its_address(monkeypatch):
    pace = AddressPace()
    pace.answered("192.0.2.1", 0.0, 0.1, 1.0)
    spider = SimpleNamespace(site_crawl=OURS.site_crawl, share=SimpleNamespace(pace=pace))
    slot = Slot(1, 1.0)
    downloader = SimpleNamespace(slots={"example.org": slot}, get_slot_key=lambda request: "example.org")
    before = monotonic()
    download(monkeypatch, downloader, spider, lambda: None, "http://192.0.2.1/", {"download_latency": 0.5})
    assert pace._free_at["192.0.2.1"] - before == pytest.approx(1.4, abs=0.2)


def test_another_downloader_may_have_no_slots(monkeypatch):
    assert download(monkeypatch, SimpleNamespace(), OURS, lambda: "sent") == "sent"


def test_a_request_of_a_site_with_a_delay_waits_for_the_steps_of_parsed_pages(monkeypatch):
    came, stamps, slot = [], [], Slot(1, 1.0)
    downloader = SimpleNamespace(slots={"example.org": slot}, get_slot_key=lambda request: "example.org")
    handler = handler_of(monkeypatch, downloader, OURS, lambda: came.append("request"))

    async def page(name):
        await work_turns().of_parsed()
        came.append(name)
        stamps.append(slot.lastseen)
        end = monotonic() + 0.02
        while monotonic() < end:  # work that keeps the event loop
            pass

    async def play():
        slot.lastseen = monotonic()
        request = handler.download_request(Request("http://example.org/"))
        await asyncio.gather(page("at once"), request, page("first"), page("second"))

    asyncio.run(play())
    assert came == ["at once", "first", "second", "request"]
    assert stamps[0] < stamps[1] == stamps[2] < slot.lastseen  # the delay counts from when it is sent at the latest


def test_a_request_that_waits_for_its_turn_is_given_back_at_once_when_the_crawl_stops(monkeypatch):
    downloader = SimpleNamespace(slots={"example.org": Slot(1, 1.0)}, get_slot_key=lambda request: "example.org")
    handler = handler_of(monkeypatch, downloader, OURS, lambda: "sent")
    handler._crawler.crawling = False
    monkeypatch.setattr(downloading, "SLICE", 0.01)
    monkeypatch.setattr(WorkTurns, "of_request", lambda self, site_id: asyncio.sleep(60))

    with pytest.raises(PostponedRequest):
        asyncio.run(asyncio.wait_for(handler.download_request(Request("http://example.org/")), 30))


def download(monkeypatch, downloader, spider, sent, url="http://example.org/", meta=None):
    """Download with these parts of Scrapy; return what `sent` does when the request is sent."""
    handler = handler_of(monkeypatch, downloader, spider, sent)
    return asyncio.run(handler.download_request(Request(url, meta=meta)))


def handler_of(monkeypatch, downloader, spider, sent):
    """Return the handler with these parts of Scrapy; a request that is sent is answered by what `sent` returns."""
    handler = StoppableHandler.__new__(StoppableHandler)
    handler._crawler = SimpleNamespace(
        engine=SimpleNamespace(downloader=downloader), spider=spider, crawling=True, settings=Settings()
    )
    handler._asking = set()

    async def download_request(self, request):
        return sent()

    monkeypatch.setattr(HTTP11DownloadHandler, "download_request", download_request)
    return handler
