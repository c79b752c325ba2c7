"""The rows of a finished crawl are deterministic: they depend on the pages only, not on their order or on kills."""

import asyncio
import random
from dataclasses import fields

import pytest
from sqlalchemy import text

from sitecrawl.config import Config
from sitecrawl.crawl.reextraction import SiteReextraction
from sitecrawl.links.urls import url_key
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.writer import BatchWriter
from sitecrawl.storage.sites import SiteRepository
from tests.unit.crawl.crawling import ROOT, Crawling

WORDS = [
    "river",
    "stone",
    "market",
    "winter",
    "letter",
    "garden",
    "window",
    "harbour",
    "engine",
    "paper",
    "minister",
    "bridge",
    "season",
    "village",
]
CHANCE = ("emit_order", "crawl_id", "extracted_at")
"""Fields of a record that depend on the time of its creation."""


def address(number):
    return f"{ROOT}{number}"


def page(number, *, prose=4):
    """An article with a box that every third page has, and a note that a few share: a template distinguishes them."""
    luck = random.Random(number)
    sentences = (f"<p>On day {number} the {' '.join(luck.choices(WORDS, k=22))} were seen.</p>" for _ in range(prose))
    box = "<div class=box><p>Subscribe to our letter and read more of this every week, for free.</p></div>"
    note = f"<p>First published in part {luck.randrange(6)} of the collected reports of this site and its readers.</p>"
    return (
        f"<html><head><title>Report {number} - Site</title></head><body><div class=menu><a href='/'>Home</a></div>"
        f"<div class=main><h1>Report {number}</h1>{''.join(sentences)}{box if number % 3 else ''}{note}</div>"
        "<div class=foot>All rights reserved by the site and its authors</div></body></html>"
    )


def misleading(number):
    """A page with a box of teasers if it is not among the first eight: from those alone teasers look like content."""
    teasers = ("The letter of the village, every week", "Read the market report", "More of this season", "Our archive")
    box = f"<div class=box>{''.join(f'<p>{one}</p>' for one in teasers * 2)}</div>"
    return page(number, prose=2).replace("</h1>", f"</h1>{box}") if number > 8 else page(number, prose=2)


def opened(url, **settings):
    return Crawling(url, **{"template_min_pages": 128, **settings})


def records(url):
    """The stored values of each page, without times."""
    engine = open_database(url)
    with session_scope(engine) as session:
        site = SiteRepository(session).get("example.org")
        keys = session.execute(text("SELECT url_key FROM content ORDER BY url_key")).scalars().all()
        stored = [ContentRepository(session).get(site.id, key) for key in keys]
        found = {one.url: one.record for one in stored}
    engine.dispose()
    names = [field.name for field in fields(stored[0].record) if field.name not in CHANCE]
    return {url: {name: getattr(record, name) for name in names} for url, record in found.items()}


async def reextracted(url):
    """Return the rows that `reextract` changes."""
    engine = open_database(url)
    writer = BatchWriter(engine)
    with session_scope(engine) as session:
        site = SiteRepository(session).get("example.org")
    run = SiteReextraction(Config(database_url=url, content_min_chars=1), writer, site)
    rows = [row async for row in run.rows()]
    assert run.pages > 0
    await writer.close()
    engine.dispose()
    return rows


async def crawled(url, numbers, *, kills=(), shown=page, **settings):
    """Crawl pages in an order; at each of `kills` the process dies, and the next one resumes. Return the rows."""
    crawling, rows = opened(url, **settings), []
    for count, number in enumerate(numbers):
        if count in kills:
            crawling = again(crawling, url, **settings)
        rows += [await crawling.page(address(number), shown(number))]
    return [one for one in (*rows, *await crawling.end()) if one is not None]


def again(crawling, url, **settings):
    """Resume as the next process does after a kill."""
    crawling.crawl.writer.shutdown()
    with session_scope(crawling.crawl.engine) as session:
        session.execute(text("UPDATE site SET lease_owner = NULL, leased_until = NULL"))
    crawling.crawl.engine.dispose()
    resumed = opened(url, **settings)
    assert resumed.crawl.crawl.resumed
    return resumed


def test_the_order_of_pages_and_kills_do_not_count(tmp_path):
    plain, back, killed = (f"sqlite:///{tmp_path}/{name}.db" for name in ("plain", "back", "killed"))
    numbers = list(range(1, 41))
    first = asyncio.run(crawled(plain, numbers))
    asyncio.run(crawled(back, numbers[::-1]))
    asyncio.run(crawled(killed, random.Random(3).sample(numbers, 40), kills=(3, 17, 18, 39)))
    found = records(plain)
    assert len(first) == len(found) == 40
    assert len({row["text"] for row in found.values()}) == 40
    assert records(back) == found
    assert records(killed) == found
    for url in (plain, back, killed):
        assert asyncio.run(reextracted(url)) == []


def test_pages_wait_for_the_decision_and_later_ones_do_not(sqlite_url):
    async def visits():
        crawling = opened(sqlite_url, template_min_pages=8)
        rows = [await crawling.page(address(number), page(number)) for number in range(1, 12)]
        assert [row is None for row in rows] == [True] * 7 + [False] * 4
        await crawling.waiting()
        decided = crawling.crawl.learning.version
        for number in range(12, 15):  # what is learned now is kept apart
            await crawling.page(address(number), page(number))
        assert crawling.crawl.learning.version == decided == 1
        assert crawling.crawl.learning.learner.template.pages_seen == 14
        await crawling.end()

    asyncio.run(visits())
    assert asyncio.run(reextracted(sqlite_url)) == []


def test_a_decision_that_was_wrong_is_made_anew_and_later_rows_replace_earlier_ones(sqlite_url):
    async def visits():
        crawling = opened(sqlite_url, template_min_pages=8)
        rows = [await crawling.page(address(number), misleading(number)) for number in range(1, 25)]
        rows += await crawling.end()
        return crawling.crawl, [row for row in rows if row is not None]

    crawl, rows = asyncio.run(visits())
    assert crawl.learning.version == 2
    last = {row.url: row for row in rows}
    assert len(last) == 24
    assert len(rows) == 24 + len(crawl.report.replaced) > 24
    assert {row.status for row in rows} == {"new"}
    assert all("archive" not in row.text for row in last.values())
    found = records(sqlite_url)
    assert {url: row.text for url, row in last.items()} == {url: row["text"] for url, row in found.items()}
    assert asyncio.run(reextracted(sqlite_url)) == []


def test_a_decision_that_more_pages_would_make_a_little_otherwise_stays(sqlite_url):
    """The decision by four pages keeps a note that, as it turns out, more pages share; it is under a tenth of the text."""

    async def visits():
        crawling = opened(sqlite_url, template_min_pages=4)
        rows = [await crawling.page(address(number), page(number, prose=12)) for number in range(1, 25)]
        rows += await crawling.end()
        return crawling.crawl, [row for row in rows if row is not None]

    crawl, rows = asyncio.run(visits())
    assert crawl.learning.version == 1
    assert len(rows) == len({row.url for row in rows}) == 24
    assert crawl.report.replaced == []
    assert asyncio.run(reextracted(sqlite_url)) == []


def test_what_is_left_to_extract_again_survives_a_kill(sqlite_url, tmp_path):
    settings = {"template_min_pages": 8}
    plain = f"sqlite:///{tmp_path}/plain.db"
    asyncio.run(crawled(plain, range(1, 25), shown=misleading, **settings))

    async def killed():
        crawling = opened(sqlite_url, **settings)
        for number in range(1, 25):
            await crawling.page(address(number), misleading(number))
        await crawling.waiting()
        await crawling.crawl.publishing.exhaust()
        left = len(crawling.crawl.waiting.pages)
        assert left == len(crawling.crawl.waiting.again) == 24
        for _ in range(5):
            await crawling.crawl.page_store.extract(await crawling.crawl.page_store.next_waiting())
        resumed = again(crawling, sqlite_url, **settings)
        await resumed.crawl.publishing.exhaust()
        assert len(resumed.crawl.waiting.again) == 19
        rows = await resumed.waiting()
        await resumed.end()
        return rows

    asyncio.run(killed())
    assert records(sqlite_url) == records(plain)
    assert asyncio.run(reextracted(sqlite_url)) == []


def test_a_site_that_grows_over_several_crawls_decides_anew(sqlite_url):
    """Each crawl finds two more pages; earlier pages are not requested again."""

    async def visits():
        versions = []
        for number in range(1, 13, 2):
            crawling = opened(sqlite_url)
            await crawling.page(address(number), page(number))
            await crawling.page(address(number + 1), page(number + 1))
            await crawling.end()
            learning = crawling.crawl.learning
            versions.append((learning.version, learning.template.pages_seen))
        return versions

    versions = asyncio.run(visits())
    counted = [pages for _, pages in versions]
    assert counted[0] == 2
    assert counted[-1] > 6
    assert asyncio.run(reextracted(sqlite_url)) == []


def test_a_sample_that_is_cut_the_same_keeps_the_decision(sqlite_url):
    def plain(number):
        words = " ".join(random.Random(number).choices(WORDS, k=60))
        return (
            "<html><body><div class=menu><a href='/'>Home</a></div>"
            f"<div class=main><p>{number}: {words}.</p></div></body></html>"
        )

    async def visits():
        crawling = opened(sqlite_url, template_min_pages=8)
        for number in range(1, 25):
            await crawling.page(address(number), plain(number))
        await crawling.end()
        crawl = crawling.crawl
        assert crawl.learning.version == 1
        assert crawl.report.replaced == []
        with session_scope(open_database(sqlite_url)) as session:
            return session.execute(
                text("SELECT learned_version, count(*) FROM page WHERE layout = 1 GROUP BY 1 ORDER BY 1")
            ).all()

    assert asyncio.run(visits()) == [(0, 16), (1, 8)]
    assert asyncio.run(reextracted(sqlite_url)) == []


@pytest.mark.parametrize("reverse", [False, True])
def test_what_is_the_sites_is_decided_once_too(sqlite_url, reverse):
    """A headline that several later pages share is treated the same on the first and on the last of them."""

    def titled(number):
        return page(number).replace(f"<h1>Report {number}</h1>", "<h1>News of the week</h1>" if number % 2 else "<h1/>")

    async def visits():
        crawling = opened(sqlite_url, template_min_pages=8)
        numbers = list(range(1, 21))
        for number in numbers[::-1] if reverse else numbers:
            await crawling.page(address(number), titled(number))
            if number == 15:
                crawling = again(crawling, sqlite_url, template_min_pages=8)
        await crawling.end()

    asyncio.run(visits())
    assert {row["title"] for row in records(sqlite_url).values()} == {f"Report {number}" for number in range(1, 21)}


def test_a_body_that_is_not_kept_cannot_be_extracted_again(sqlite_url):
    async def visits():
        crawling = opened(sqlite_url, template_min_pages=4, store_bodies=False)
        for number in range(1, 25):
            await crawling.page(address(number), page(number))
        await crawling.end()
        return crawling.crawl

    crawl = asyncio.run(visits())
    assert (crawl.report.replaced, crawl.waiting.again) == ([], set())
    assert len(records(sqlite_url)) == 24
    assert url_key(address(1)) in crawl.frontier.settled
