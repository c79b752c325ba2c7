"""A layout that decided by few pages, because no more were left, decides again before later pages get rows."""

import asyncio

from tests.unit.crawl.test_settled import address, again, misleading, opened, page, records, reextracted

SETTINGS = {"template_min_pages": 16}


def tried(url, *, last=8, **settings):
    """Crawl the first pages of a site only; return the rows."""

    async def visits():
        crawling = opened(url, **{**SETTINGS, **settings})
        rows = [await crawling.page(address(number), misleading(number)) for number in range(1, last + 1)]
        return [row for row in (*rows, *await crawling.end()) if row is not None]

    return asyncio.run(visits())


async def whole(url, numbers, *, kills=()):
    """Crawl the rest; return the state of the crawl, and the rows."""
    crawling, rows = opened(url, **SETTINGS), []
    for count, number in enumerate(numbers):
        if count in kills:
            crawling = again(crawling, url, **SETTINGS)
        rows.append(await crawling.page(address(number), misleading(number)))
        rows += await crawling.waiting()
    rows += await crawling.end()
    return crawling.crawl, [row for row in rows if row is not None]


def test_after_a_trial_the_new_pages_get_one_row_each(sqlite_url):
    assert len(tried(sqlite_url)) == 8
    crawl, rows = asyncio.run(whole(sqlite_url, range(9, 33)))
    assert crawl.learning.version == 2
    new = [row for row in rows if row.status == "new"]
    assert len(new) == len({row.url for row in new}) == 24
    assert {int(row.url.rsplit("/", 1)[1]) for row in rows} - set(range(9, 33)) <= set(range(1, 9))
    assert all("archive" not in row["text"] for row in records(sqlite_url).values())
    assert asyncio.run(reextracted(sqlite_url)) == []


def test_pages_wait_only_until_enough_are_known(sqlite_url):
    tried(sqlite_url)

    async def visits():
        crawling, extracted = opened(sqlite_url, **SETTINGS), []
        for number in range(9, 25):
            row = await crawling.page(address(number), misleading(number))
            extracted.append(len(await crawling.waiting()) + (row is not None))
        await crawling.end()
        return extracted

    # eight pages were known: with the eighth new one there are 16, and the layout decides
    assert asyncio.run(visits()) == [0] * 7 + [8] + [1] * 8


def test_a_kill_while_pages_wait_loses_nothing(sqlite_url, tmp_path):
    plain = f"sqlite:///{tmp_path}/plain.db"
    for url in (plain, sqlite_url):
        tried(url)
    asyncio.run(whole(plain, range(9, 33)))
    asyncio.run(whole(sqlite_url, range(9, 33), kills=(1, 5, 8, 20)))
    assert records(sqlite_url) == records(plain)
    assert asyncio.run(reextracted(sqlite_url)) == []


def test_a_layout_that_has_not_doubled_keeps_its_decision(sqlite_url):
    tried(sqlite_url, last=12)
    crawl, rows = asyncio.run(whole(sqlite_url, range(13, 18)))
    assert crawl.learning.version == 1
    assert [row.status for row in rows] == ["new"] * 5
    assert asyncio.run(reextracted(sqlite_url)) == []


def test_known_pages_alone_do_not_wait(sqlite_url):
    tried(sqlite_url)

    async def visits():
        crawling = opened(sqlite_url, **SETTINGS)
        rows = [await crawling.page(address(number), page(number, prose=3)) for number in range(1, 9)]
        assert not crawling.crawl.waiting.pages
        await crawling.end()
        return rows

    assert [row.status for row in asyncio.run(visits())] == ["changed"] * 8


def test_titles_follow_the_new_decision(sqlite_url):
    """A headline that later pages share is their section; four pages of a trial cannot show that."""

    def titled(number):
        return misleading(number).replace(f"<h1>Report {number}", "<h1>News of the week")

    async def visits():
        crawling = opened(sqlite_url, **SETTINGS)
        for number in range(1, 4):
            await crawling.page(address(number), titled(number))
        await crawling.end()
        crawling = opened(sqlite_url, **SETTINGS)
        for number in range(4, 12):
            await crawling.page(address(number), titled(number))
        await crawling.end()

    asyncio.run(visits())
    assert {row["title"] for row in records(sqlite_url).values()} == {f"Report {number}" for number in range(1, 12)}
