"""The memory of a crawl equals the database, whichever statement of a visit fails.

Each statement of each kind of visit fails in turn, on a real SQLite database. Afterwards a newly opened crawl must
know the same; and the crawl continues, and ends with the rows of an undisturbed one.
"""

import asyncio
import shutil
from dataclasses import dataclass

import pytest
from sqlalchemy import text

from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.errors import StorageError
from sitecrawl.links.urls import url_key
from sitecrawl.storage.anchor_texts import LinkTextRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.templates import TemplateRepository
from tests.unit.crawl.crawling import PAGES, Crawling, html
from tests.unit.crawl.faults import Driver, memory, opened_again, rows

LINKS = ("/8", "/9?page=1", "/9?page=2")


def address(number):
    return f"https://example.org/{number}"


async def first_crawl(url):
    """Crawl a small site to its end; page 7 has validators and links."""
    crawling = Crawling(url)
    for number in range(1, 7):
        await crawling.page(address(number), html(number))
    await crawling.page(address(7), html(7, links=("/1", "/2")), etag='"seven"')
    await crawling.end()


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """Return the database of a site that was crawled once."""
    folder = tmp_path_factory.mktemp("crawled")
    asyncio.run(first_crawl(f"sqlite:///{folder}/site.db"))
    return folder / "site.db"


@dataclass
class Disturbed:
    """A crawl whose visits can be made to fail."""

    crawling: Crawling
    driver: Driver
    failures: int = 0

    async def visit(self, make):
        """Make a visit; in a disturbed crawl, first make each of its statements fail in turn."""
        number = 1
        while True:
            before = memory(self.crawling.crawl)
            with self.driver.failing_at(number if self.failures >= 0 else 0):
                try:
                    result = await make()
                except StorageError:
                    assert self.driver.failed
                else:
                    assert not self.driver.failed, self.driver.statements[number - 1]
                    return result
                statement = self.driver.statements[number - 1]
            self.failures += 1
            after = memory(self.crawling.crawl)
            assert after == opened_again(self.crawling.crawl), statement
            assert after["settled"] == before["settled"], statement
            number += 1


async def learned(crawling):
    for number in range(1, PAGES + 2):
        await crawling.page(address(number), html(number))
    await crawling.waiting()


def page(number, **given):
    fields = {key: given.pop(key) for key in ("noindex", "etag") if key in given}

    def visit(crawling):
        return lambda: crawling.page(address(number), html(number, **given), **fields)

    return visit


def ended(number, answer, why, status):
    def visit(crawling):
        url = address(number)
        return lambda: crawling.crawl.visits.settle(url_key(url), url, FetchOutcome(answer, why), status, 1)

    return visit


def not_modified(crawling):
    return lambda: crawling.crawl.visits.not_modified(url_key(address(7)), address(7), 1)


async def nothing(crawling):
    """Begin at once."""


async def asked(crawling):
    """Request all due pages, with their validators."""
    assert any(page.etag for page in await crawling.due())


async def one_waits(crawling):
    await crawling.page(address(1), html(1, links=LINKS))
    crawling.crawl.frontier.exhausted = True


def extraction(crawling):
    crawl = crawling.crawl

    async def visit():
        crawl.waiting.pages.extend(crawl.waiting.unextracted)
        crawl.waiting.unextracted.clear()
        item = await crawl.page_store.next_waiting()
        if item is None:
            raise StorageError("the page could not be read")
        return await crawl.page_store.extract(item)

    return visit


FIRST = {
    "waits for the template": (nothing, page(1, links=LINKS)),
    "has a template": (learned, page(7, links=LINKS)),
    "holds content under a query": (learned, page("9?page=1", links=LINKS)),
    "may not be indexed": (learned, page(7, links=LINKS, noindex=True)),
    "names a canonical page": (learned, page(7, links=LINKS, head="<link rel=canonical href='/70'>")),
    "waited and is extracted": (one_waits, extraction),
    "fails": (nothing, ended(1, FetchResult.FAILED, "HTTP 503", 503)),
    "redirects": (nothing, ended(1, FetchResult.MOVED, "https://example.org/2", None)),
    "is refused": (nothing, ended(1, FetchResult.REFUSED, "a trap", None)),
    "does not exist": (nothing, ended(1, FetchResult.NOT_FOUND, "HTTP 404", 404)),
}
SECOND = {
    "changed": (nothing, page(7, text="An edited story, with other words.", links=LINKS)),
    "did not change": (nothing, page(7, links=("/1", "/2"))),
    "was redesigned": (nothing, page(7, links=LINKS, head="<base href='/'>")),
    "was not modified": (asked, not_modified),
    "fails": (nothing, ended(7, FetchResult.FAILED, "HTTP 503", 503)),
    "redirects": (nothing, ended(7, FetchResult.MOVED, "https://example.org/2", None)),
    "is missing": (nothing, ended(7, FetchResult.NOT_FOUND, "HTTP 404", 404)),
    "is gone": (nothing, ended(7, FetchResult.REMOVED, "HTTP 410", 410)),
    "may not be indexed any more": (nothing, page(7, noindex=True)),
    "names a canonical page now": (nothing, page(7, head="<link rel=canonical href='/1'>")),
}


async def crawl_with(database, prepare, make, disturbed):
    """Crawl with one visit between others; return all rows at the end, and the number of failures."""
    crawling = Crawling(f"sqlite:///{database}", recrawl_policy="fixed")
    crawling.crawl.order.fetched = 0
    one = Disturbed(crawling, Driver(crawling.crawl.engine), 0 if disturbed else -1)
    await prepare(crawling)
    await one.visit(make(crawling))
    for number in (20, 21):
        await crawling.page(address(number), html(number, links=("/22", *LINKS)))
    await crawling.end()
    return rows(crawling.crawl.engine), one.failures


def compare(tmp_path, origin, prepare, make):
    found = {}
    for disturbed in (False, True):
        database = tmp_path / f"{disturbed}.db"
        if origin is not None:
            shutil.copy(origin, database)
        found[disturbed] = asyncio.run(crawl_with(database, prepare, make, disturbed))
    undisturbed, _ = found[False]
    rest, failures = found[True]
    assert rest == undisturbed
    return failures


@pytest.mark.parametrize("kind", FIRST)
def test_a_first_visit(kind, tmp_path):
    assert compare(tmp_path, None, *FIRST[kind]) > 3


@pytest.mark.parametrize("kind", SECOND)
def test_a_later_visit(kind, tmp_path, crawled):
    assert compare(tmp_path, crawled, *SECOND[kind]) > 3


def test_a_publication_is_the_same_if_each_statement_fails_once(tmp_path):
    """Each of its statements fails once and is tried again at once, so the result is the same."""

    async def publish(name, failing):
        crawling = Crawling(f"sqlite:///{tmp_path}/{name}.db")
        driver = Driver(crawling.crawl.engine)
        for number in range(1, PAGES):
            await crawling.page(address(number), html(number))
        item = crawling.item(address(PAGES), html(PAGES, links=LINKS))
        with driver.failing_at(failing):
            await crawling.crawl.publishing.learn(item)
            count, failed = len(driver.statements), driver.failed
        found = memory(crawling.crawl)
        claimed = {key: found[key] for key in ("under way", "discovery")}  # the page itself is not stored yet
        assert found == opened_again(crawling.crawl) | claimed
        assert crawling.crawl.learning.version == 1
        await crawling.crawl.page_store.extract(item)
        assert memory(crawling.crawl) == opened_again(crawling.crawl)
        await crawling.end()
        return rows(crawling.crawl.engine), count, failed

    undisturbed, count, _ = asyncio.run(publish("undisturbed", 0))
    for number in range(1, count + 1):
        rest, _, failed = asyncio.run(publish(number, number))
        assert failed
        assert rest == undisturbed
    assert count > 5


def test_a_publication_that_cannot_be_stored_is_made_with_more_pages(sqlite_url, monkeypatch):
    async def visits():
        crawling = Crawling(sqlite_url)
        crawl = crawling.crawl
        with monkeypatch.context() as broken:
            broken.setattr(TemplateRepository, "add", refuse)
            for number in range(1, PAGES + 2):
                await crawling.page(address(number), html(number))
                assert memory(crawl) == opened_again(crawl)
            assert crawl.learning.version == 0
            assert (crawl.publishing.failed, len(crawl.waiting.pages)) == (4, PAGES + 1)
        await crawling.page(address(9), html(9))
        assert memory(crawl) == opened_again(crawl)
        assert (crawl.learning.version, crawl.learning.template.pages_seen) == (1, PAGES + 2)
        return await crawling.end()

    assert len(asyncio.run(visits())) == PAGES + 1


def refuse(*_args, **_named):
    raise ValueError("refused")


def test_urls_are_stored_though_the_page_that_names_them_is_not(sqlite_url, monkeypatch):
    """Pages that were read meanwhile treated them as known, and do not add them again."""

    async def visits():
        crawling = Crawling(sqlite_url)
        first, second = (crawling.item(address(number), html(number, links=("/deep",))) for number in (1, 2))
        assert [one.url for one in first.found if "deep" in one.url] == ["https://example.org/deep"]
        assert not second.found
        with monkeypatch.context() as broken:
            broken.setattr(LinkTextRepository, "record", refuse)
            with pytest.raises(ValueError, match="refused"):
                await crawling.store(first)
        assert memory(crawling.crawl) | {"under way": ()} == opened_again(crawling.crawl) | {"under way": ()}
        await crawling.store(second)
        assert memory(crawling.crawl) == opened_again(crawling.crawl)
        return {page.url for page in await crawling.due()}

    assert asyncio.run(visits()) == {"https://example.org/deep", "https://example.org/"}


def test_a_page_that_cannot_be_stored_is_asked_for_twice(sqlite_url, monkeypatch):
    async def visits():
        crawling = Crawling(sqlite_url)
        start = crawling.crawl.frontier.add(url_key("https://example.org/"), "https://example.org/", 0, 1000)
        await crawling.crawl.visits.discover([start])
        monkeypatch.setattr(LinkTextRepository, "record", refuse)
        asked = 0
        while pages := await crawling.due():
            asked += len(pages)
            assert asked < 5
            with pytest.raises(ValueError, match="refused"):
                await crawling.page(pages[0].url, html(0))
        frontier = crawling.crawl.frontier
        return asked, frontier.postponed, frontier.settled

    assert asyncio.run(visits()) == (2, {url_key("https://example.org/")}, set())


def test_many_pages_at_once_of_which_one_fails(sqlite_url, monkeypatch):
    """They are learned before the first of them is committed, and the failing one is forgotten alone."""
    record = LinkTextRepository.record
    bad = url_key(address(2))

    def fail_one(self, site_id, source, said, **named):
        if source == bad:
            raise ValueError("refused")
        record(self, site_id, source, said, **named)

    async def visits():
        crawling = Crawling(sqlite_url)
        monkeypatch.setattr(LinkTextRepository, "record", fail_one)
        items = [crawling.item(address(number), html(number)) for number in range(1, 8)]
        results = await asyncio.gather(*(crawling.store(item) for item in items), return_exceptions=True)
        assert [str(one) for one in results if isinstance(one, Exception)] == ["refused"]
        assert memory(crawling.crawl) == opened_again(crawling.crawl)
        assert bad not in crawling.crawl.frontier.settled
        monkeypatch.setattr(LinkTextRepository, "record", record)
        await crawling.page(address(2), html(2))
        await crawling.end()
        with session_scope(crawling.crawl.engine) as session:
            counted = session.execute(text("SELECT count(*) FROM page WHERE learned_version > 0")).scalar()
            return counted, session.execute(text("SELECT pages_seen FROM template")).scalar()

    assert asyncio.run(visits()) == (PAGES, PAGES)


def test_a_damaged_earlier_body_does_not_keep_a_page_from_being_stored(tmp_path, crawled):
    database = tmp_path / "damaged.db"
    shutil.copy(crawled, database)

    async def visits():
        crawling = Crawling(f"sqlite:///{database}")
        with session_scope(crawling.crawl.engine) as session:
            session.execute(text("UPDATE body SET html = x'00'"))
            session.execute(text("UPDATE content SET template_version = 0"))
        other = "<html><body><main><section><h3>Redesigned</h3><p>Other words of it.</p></section></main></body></html>"
        rows = [await crawling.page(address(7), other), *await crawling.end()]
        return [row.status for row in rows if row is not None and row.url == address(7)]

    assert asyncio.run(visits()) == ["changed"]
