"""A trap that one run closed is still closed in the next run, until its record expires."""

import asyncio
import datetime as dt

import pytest

from sitecrawl.clock import now
from sitecrawl.crawl.closed_traps import ClosedTraps, by_age, read_again
from sitecrawl.links.closed_trap import Closed, ClosedKind
from sitecrawl.links.discovered import Discovered
from sitecrawl.links.infinite_spaces import InfiniteSpaces
from sitecrawl.links.same_answers import SameAnswers, parameters
from sitecrawl.links.traps import TrapGuard, TrapLimits
from sitecrawl.links.urls import url_key
from sitecrawl.links.variants import LEADS, describe
from sitecrawl.links.withheld_answers import PAGES, WithheldAnswers
from sitecrawl.storage.closed import ClosedRepository, StoredClosed
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.writer import BatchWriter
from sitecrawl.storage.pages import Fetch, PageRepository, PageStatus
from sitecrawl.storage.sites import SiteRepository
from tests.fetched import fetched
from tests.unit.storage.test_contents import record

TRAP = "https://example.org/t/"
SHOP = [f"https://example.org/shop?n={n}" for n in range(9)]
DAY = 86_400


@pytest.fixture
def writer(engine):
    made = BatchWriter(engine, batch=50)
    yield made
    made.shutdown()


@pytest.fixture
def site_id(writer):
    return writer.run(lambda s: SiteRepository(s).get_or_add("example.org", TRAP, now())).id


def opened(writer, site_id, keep=DAY):
    guard, infinite_spaces = TrapGuard(TrapLimits(query_variants=3, folder_variants=3)), InfiniteSpaces(50)
    made = ClosedTraps(writer, site_id, guard, infinite_spaces, SameAnswers(), WithheldAnswers())
    made.load(writer.run(lambda s: ClosedRepository(s).all(site_id)), keep)
    return made


def trap(closed_traps):
    """Have a folder and a path closed, and stored."""
    guard = closed_traps.guard
    for url in SHOP[:3]:
        assert guard.allows(url) is None
    asyncio.run(closed_traps.store([closed_traps.infinite_spaces.close(TRAP)]))
    return guard


def test_a_folder_is_stored_when_it_is_closed_and_refused_in_the_next_run(writer, site_id):
    trap(opened(writer, site_id))
    later = opened(writer, site_id)
    assert "answers any URL" in later.refusal(f"{TRAP}x")
    assert later.infinite_spaces.take() == []
    assert later.refusal("https://example.org/other") is None


def test_a_folder_that_was_closed_long_ago_is_asked_for_and_opened_by_an_honest_answer(writer, site_id):
    trap(opened(writer, site_id))
    later = opened(writer, site_id, keep=0)
    assert later.refusal(f"{TRAP}x") is None
    assert later.infinite_spaces.take() == [TRAP]
    later.infinite_spaces.clear(TRAP)
    asyncio.run(later.open(TRAP))
    assert writer.run(lambda s: ClosedRepository(s).all(site_id)) == []


def test_the_variants_of_a_closed_path_are_counted_anew_after_a_long_time(writer, site_id):
    closed = Closed(1, ClosedKind.COMBINATIONS, "example.org/shop?", "a trap: filters")
    writer.run(lambda s: ClosedRepository(s).put(site_id, [closed], now() - dt.timedelta(days=40)))
    assert opened(writer, site_id).guard.closed == {}
    assert writer.run(lambda s: ClosedRepository(s).all(site_id)) == []


def test_urls_that_are_stored_count_as_let_through(writer, site_id):
    found = [Discovered(url_key(url), url, 1, 0, 0, 0, number) for number, url in enumerate(SHOP[:3])]
    writer.run(lambda s: PageRepository(s).discover(site_id, found, now()))
    guard = opened(writer, site_id).guard
    assert [guard.allows(url) is None for url in SHOP[:5]] == [True, True, True, False, False]


def test_places_are_told_apart_by_age():
    since = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    young, old = (Closed(number, ClosedKind.FULL, "p", "r") for number in (1, 2))
    stored = [StoredClosed(young, since), StoredClosed(old, since - dt.timedelta(seconds=1))]
    assert by_age(stored, since) == ([young], [old])


def test_a_path_that_was_closed_lately_stays_closed(writer, site_id):
    closed = Closed(1, ClosedKind.COMBINATIONS, "example.org/shop?", "a trap: filters")
    writer.run(lambda s: ClosedRepository(s).put(site_id, [closed], now()))
    later = opened(writer, site_id)
    assert list(later.guard.closed) == [closed.key]
    assert later.infinite_spaces.closed == {}
    assert [one.closed for one in writer.run(lambda s: ClosedRepository(s).all(site_id))] == [closed]


class Noting(InfiniteSpaces):
    """Records its calls for the pages that were read."""

    def __init__(self):
        super().__init__(50)
        self.told = []

    def read(self, url, new):
        self.told.append((url, sorted(new)))
        return super().read(url, new)


def test_a_run_that_goes_on_reads_again_which_pages_led_to_which_new_ones(writer, site_id):
    since = now()
    urls = {number: f"https://example.org/{number}" for number in range(1, 6)}
    keys = {number: url_key(url) for number, url in urls.items()}

    def store(session):
        pages = PageRepository(session)
        old = [Discovered(keys[5], urls[5], 1, 0, 0, 0, 5)]
        pages.discover(site_id, old, since - dt.timedelta(days=1))
        pages.discover(site_id, [Discovered(keys[n], urls[n], 1, 0, 0, 0, n) for n in (1, 2, 3, 4)], since)
        for number, crawl_id, links in ((1, 7, (2, 3, 5)), (2, 7, (3, 4)), (3, 6, (4,))):
            fetch = fetched(
                keys[number],
                url=urls[number],
                crawl_id=crawl_id,
                fetch_order=number,
                fetched_at=since,
                discovery=number,
                links=tuple(keys[n] for n in links),
            )
            pages.record(site_id, [fetch])

    writer.run(store)
    spaces = Noting()
    seen = writer.run(lambda s: read_again(s, spaces, site_id, 7, since))
    assert seen == {keys[number] for number in (2, 3, 4, 5)}
    assert spaces.told == [(urls[1], sorted((urls[2], urls[3]))), (urls[2], [urls[4]])]


def test_a_listing_that_led_to_content_in_an_earlier_run_is_still_worth_asking_for(writer, site_id):
    """Of a path that was closed, only such variants are requested again, and those that are content themselves."""
    articles = [f"https://example.org/{number}" for number in range(LEADS)]
    urls = [*SHOP[:3], *articles]
    found = [Discovered(url_key(url), url, 1, 0, 0, 0, number) for number, url in enumerate(urls)]
    keys = [one.url_key for one in found]
    shop = describe(SHOP[0])
    closed = Closed(shop.variant.path, ClosedKind.COMBINATIONS, shop.path, "a trap: filters")

    def store(session):
        PageRepository(session).discover(site_id, found, now())
        for number, (key, url) in enumerate(zip(keys, urls, strict=True)):
            links = tuple(keys[3:]) if number < 2 else ()
            about = (PageStatus.FETCHED, None, 200, 1, 1, number, None, None, now(), "<p>", ())
            PageRepository(session).record(site_id, [Fetch(key, url, *about, number, links=links)])
            kind, words = ("content", f"text {number}") if number == 0 or url in articles else ("listing", "")
            ContentRepository(session).put(site_id, record(key, words=words, kind=kind))
        ClosedRepository(session).put(site_id, [closed], now())

    writer.run(store)
    later = opened(writer, site_id)
    assert [later.refusal(url) for url in SHOP[:3]] == [None, None, "a trap: filters"]
    assert [later.refusal(url) for url in articles] == [None] * LEADS


def test_of_a_closed_parameter_only_the_value_that_holds_the_content_is_requested(writer, site_id):
    """Three values gave one page: the first has its content, the second is a duplicate, the third was not read."""
    [parameter] = parameters(SHOP[0])
    closed = Closed(parameter.key, ClosedKind.SAME, parameter.place, "a trap: the same page")
    found = [Discovered(url_key(url), url, 1, 0, 0, 0, number) for number, url in enumerate(SHOP[:3])]

    def store(session):
        PageRepository(session).discover(site_id, found, now())
        for one in found[:2]:
            about = (PageStatus.FETCHED, None, 200, 1, 1, one.discovery, None, None, now(), "<p>", ())
            PageRepository(session).record(site_id, [Fetch(one.url_key, one.url, *about, one.discovery)])
            made = record(one.url_key, words="text", kind="content" if one is found[0] else "listing")
            ContentRepository(session).put(site_id, made)
        ClosedRepository(session).put(site_id, [closed], now())

    writer.run(store)
    later = opened(writer, site_id)
    assert [later.refusal(url) for url in SHOP[:3]] == [None, closed.reason, closed.reason]
    assert later.guard.closed == {}
    assert opened(writer, site_id, keep=-1).refusal(SHOP[2]) is None
    assert writer.run(lambda s: ClosedRepository(s).all(site_id)) == []


def test_a_parameter_of_pages_that_ask_to_be_left_alone_stays_closed_in_the_next_run(writer, site_id):
    edit, traps = "https://example.org/mole/{}?action=edit", opened(writer, site_id)
    for number in range(PAGES):
        traps.withheld_answers.read(f"https://example.org/mole/{number}", withheld=False)
        asyncio.run(traps.store(traps.withheld_answers.read(edit.format(number), withheld=True)))
    assert traps.refusal(edit.format(99)) is not None
    later = opened(writer, site_id)
    assert later.refusal(edit.format(99)) == traps.refusal(edit.format(99))
    assert later.guard.closed == {}
