"""Tests of the pages that a crawl fetches twice, and of the results."""

from sqlalchemy import select, text

from sitecrawl.crawl.second_fetches import LEAST
from sitecrawl.dom.page import Page
from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.second_fetches import SecondFetchRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import TEMPLATE
from sitecrawl.templates.volatile import VolatileBlocks, VolatilePlace
from sitecrawl.templates.volatile_records import volatile_record
from tests.unit.crawl.crawling import ROOT, during, pauses
from tests.unit.crawl.test_settled import page as article

MANY = 30


def html(number, offer):
    return article(number).replace("</h1>", f"</h1><div class=offer>{offer} is sold at half of the price.</div>")


async def visited(crawling, count=MANY):
    for number in range(count):
        await crawling.page(f"{ROOT}{number}", html(number, f"Soap {number}"))


async def compared(crawling, chosen, offer="A boat"):
    for one in chosen:
        number = int(one.url.rsplit("/", 1)[1])
        second = Page.from_html(html(number, f"{offer} of type {number}"), one.url)
        await crawling.crawl.second_fetches.store(one.layout, one.url_key, second)


async def ended(crawling):
    rows = await crawling.waiting()
    await crawling.crawl.publishing.exhaust()
    return rows + await crawling.waiting()


def stored(url):
    engine = open_database(url)
    with session_scope(engine) as session:
        site = SiteRepository(session).get("example.org")
        assert site is not None
        found = SecondFetchRepository(session).all(site.id)
    engine.dispose()
    return found


def settings(**more):
    return {"template_min_pages": 128, **more}


def test_a_fifth_of_the_pages_at_most_and_none_of_a_small_layout(sqlite_url):
    async def choose(crawling):
        counts = []
        for number in range(MANY):
            await crawling.page(f"{ROOT}{number}", html(number, "Soap"))
            await crawling.crawl.writer.flush()
            counts.append(len(await crawling.crawl.second_fetches.choose(last=True)))
        return counts

    counts = during(sqlite_url, choose, **settings())
    assert sum(counts[: LEAST - 1]) == 0
    assert sum(counts[:LEAST]) == LEAST // 5
    assert sum(counts) == 4  # of pages that are all alike


def test_a_page_is_chosen_once(sqlite_url):
    async def choose(crawling):
        await visited(crawling)
        return [await crawling.crawl.second_fetches.choose(last=True) for _ in range(2)]

    first, again = during(sqlite_url, choose, **settings())
    assert len({one.url_key for one in first}) == 4
    assert again == []


def test_a_second_fetch_with_the_same_body_is_the_first_page(sqlite_url):
    async def fetched(crawling):
        await visited(crawling)
        second = crawling.crawl.second_fetches
        (one, *_) = await second.choose(last=True)
        number = int(one.url.rsplit("/", 1)[1])
        same, other = html(number, f"Soap {number}"), html(number, "A boat")
        page = await second.first(one.url_key, same)
        await second.store(one.layout, one.url_key, page, same=True)
        return page, await second.first(one.url_key, other), await second.first(1, same)

    page, *others = during(sqlite_url, fetched, **settings())
    assert page is not None
    assert others == [None, None]
    (row,) = stored(sqlite_url)
    assert row.difference is not None
    assert row.difference.stood
    assert not row.difference.paths


def test_none_is_chosen_where_that_is_turned_off(sqlite_url):
    async def choose(crawling):
        await visited(crawling)
        return await crawling.crawl.second_fetches.choose(last=True), crawling.crawl.second_fetches.due

    assert during(sqlite_url, choose, **settings(second_fetches=0)) == ([], False)


def test_they_are_due_when_a_layout_has_half_of_the_pages_by_which_it_decides(sqlite_url):
    async def learn(crawling):
        second = crawling.crawl.second_fetches
        due = []
        for number in range(21):
            await crawling.page(f"{ROOT}{number}", html(number, "Soap"))
            due.append(second.due)
        await crawling.crawl.writer.flush()
        return due.index(True), len(await second.choose()), second.due

    assert during(sqlite_url, learn, **settings(template_min_pages=40)) == (19, 4, False)


def test_what_was_compared_before_a_kill_is_not_fetched_again(sqlite_url):
    async def half(crawling):
        await visited(crawling)
        chosen = await crawling.crawl.second_fetches.choose(last=True)
        await compared(crawling, chosen[:2])
        return chosen[:2]

    async def rest(crawling):
        chosen = await crawling.crawl.second_fetches.choose(last=True)
        await compared(crawling, chosen)
        return chosen, await ended(crawling)

    before = during(sqlite_url, half, **settings())
    chosen, rows = during(sqlite_url, rest, **settings())
    assert len(chosen) == 2
    assert not {one.url_key for one in chosen} & {one.url_key for one in before}
    assert len(stored(sqlite_url)) == 4
    assert len(rows) == MANY
    assert not [row.url for row in rows if "half of the price" in row.text]


def test_an_answer_that_is_no_page_counts_and_says_nothing(sqlite_url):
    async def fail(crawling):
        await visited(crawling)
        counts = []
        for _ in range(3):
            chosen = await crawling.crawl.second_fetches.choose(last=True)
            counts.append(len(chosen))
            for one in chosen:
                await crawling.crawl.second_fetches.store(one.layout, one.url_key, None)
        return counts

    assert during(sqlite_url, fail, **settings()) == [4, 2, 0]
    assert [one.difference for one in stored(sqlite_url)] == [None] * 6


def test_a_page_that_was_not_answered_is_left_to_the_next_run(sqlite_url):
    async def fail(crawling):
        await visited(crawling)
        chosen = await crawling.crawl.second_fetches.choose(last=True)
        for one in chosen:
            crawling.crawl.second_fetches.unanswered(one.url_key)
        return len(chosen)

    assert during(sqlite_url, fail, **settings()) == 4
    assert stored(sqlite_url) == []
    assert during(sqlite_url, lambda crawling: crawling.crawl.second_fetches.choose(last=True), **settings())


def test_a_site_that_arranges_its_texts_anew_keeps_them(sqlite_url):
    """Most of the main content differs, so nothing is left out."""

    def shuffled(number, turn):
        texts = "".join(f"<p>At turn {turn} report {number} gives part {i} of all it has.</p>" for i in range(6))
        menu = "".join(f"<li>Section {i} of this site and its readers</li>" for i in range(12))
        return (
            f"<html><body><ul class=menu>{menu}</ul><h1>Report {number}</h1><div class=body>{texts}</div></body></html>"
        )

    async def crawl(crawling):
        for number in range(MANY):
            await crawling.page(f"{ROOT}{number}", shuffled(number, "one"))
        for one in await crawling.crawl.second_fetches.choose(last=True):
            second = Page.from_html(shuffled(int(one.url.rsplit("/", 1)[1]), "two"), one.url)
            await crawling.crawl.second_fetches.store(one.layout, one.url_key, second)
        return await ended(crawling)

    rows = during(sqlite_url, crawl, **settings())
    assert all(one.difference is not None and one.difference.paths for one in stored(sqlite_url))
    assert all("gives part 5" in row.text for row in rows)


def test_second_fetches_after_the_decision_leave_out_what_differs(sqlite_url):
    """The pages are extracted again without it."""

    async def crawl(crawling):
        await visited(crawling)
        await ended(crawling)
        (layout,) = crawling.crawl.learning.layouts.published
        before = layout.volatile
        await compared(crawling, await crawling.crawl.second_fetches.choose(last=True))
        await crawling.crawl.second_fetches.revise(layout)
        found = layout.volatile
        await crawling.crawl.second_fetches.revise(layout)  # they are in use: nothing is to be done
        site_id = crawling.crawl.site_id
        again = await crawling.crawl.writer.submit(lambda s: LayoutRepository(s).unsettled(site_id))
        kept = await crawling.crawl.writer.submit(
            lambda s: s.scalars(select(TEMPLATE.c.volatile).where(TEMPLATE.c.site_id == site_id)).all()
        )
        return before, found, layout.volatile is found, len(again), kept

    before, found, same, again, kept = during(sqlite_url, crawl, **settings(template_min_pages=20))
    assert not before.paths
    assert found.paths
    assert kept == [volatile_record(found)]
    assert same
    assert again == MANY


def test_only_pages_that_are_extracted_already_are_extracted_again_for_what_differs(sqlite_url):
    async def crawl(crawling):
        site_id, second = crawling.crawl.site_id, crawling.crawl.second_fetches
        found = []

        async def unsettled():
            found.append(set(await crawling.crawl.writer.submit(lambda s: LayoutRepository(s).unsettled(site_id))))

        await visited(crawling)
        first, *others = await second.choose(last=True)
        await compared(crawling, [first])
        await unsettled()
        crawling.crawl.publishing.failed = 0
        await ended(crawling)
        before = found[0]
        await compared(crawling, others[:1], "A house")
        await unsettled()
        crawling.crawl.waiting.pages.append(others[1].url_key)
        await compared(crawling, others[1:2], "A house")
        await unsettled()
        return before, found[1] - before, found[2] - found[1], {others[0].url_key}

    before, extracted, waiting, expected = during(sqlite_url, crawl, **settings())
    assert (before, waiting) == (set(), set())
    assert extracted == expected


def test_a_first_page_that_cannot_be_read_is_not_compared(sqlite_url, caplog):
    async def fetched(crawling):
        await visited(crawling, 1)
        (key,) = crawling.crawl.waiting.pages
        with session_scope(crawling.crawl.engine) as session:
            session.execute(text("UPDATE body SET html = x'00'"))
        found = [await crawling.crawl.second_fetches.first(key, html(0, "Soap 0")) for _ in range(2)]
        return found, crawling.crawl.bodies.unreadable == {key}

    assert during(sqlite_url, fetched, **settings()) == ([None, None], True)
    assert "the stored body is damaged" in caplog.text


def test_second_fetches_of_a_layout_whose_number_is_free_again_are_forgotten(sqlite_url):
    async def forgets(crawling):
        crawl, found = crawling.crawl, []
        await visited(crawling, 1)
        (key,) = crawl.waiting.pages
        for layout in (1, 2):
            await crawl.second_fetches.store(layout, key, None)
        for layout in (3, 2):
            await crawl.second_fetches.forget(layout)
            found.append(sorted(crawl.learning.second_fetches))
        return found

    assert during(sqlite_url, forgets, **settings()) == [[1, 2], [1]]
    assert [one.layout for one in stored(sqlite_url)] == [1]


def test_so_many_pages_of_a_layout_are_fetched_twice_in_a_crawl_at_most(sqlite_url):
    async def choose(crawling):
        second, counts = crawling.crawl.second_fetches, []
        await visited(crawling)
        await crawling.crawl.writer.flush()
        for _ in range(2):
            chosen = await second.choose(last=True)
            counts.append(len(chosen))
            for one in chosen:
                second.unanswered(one.url_key)
        return counts, len({one.url_key for one in chosen})

    assert during(sqlite_url, choose, **settings(second_fetches=2)) == ([2, 2], 2)


def test_a_layout_without_second_fetches_keeps_what_it_knows_to_be_volatile(sqlite_url):
    async def revises(crawling):
        await visited(crawling)
        await ended(crawling)
        (layout,) = crawling.crawl.learning.layouts.published
        known = layout.volatile = VolatileBlocks(paths={7: VolatilePlace(7, "div", 1, 1)})
        await crawling.crawl.second_fetches.revise(layout)
        site_id = crawling.crawl.site_id
        again = await crawling.crawl.writer.submit(lambda s: LayoutRepository(s).unsettled(site_id))
        return layout.volatile is known, again

    assert during(sqlite_url, revises, **settings(template_min_pages=20)) == (True, [])


def test_other_requests_go_on_before_a_large_page_is_compared(sqlite_url, monkeypatch):
    async def compares(crawling):
        await crawling.page(f"{ROOT}1", html(1, "Soap"))
        second, noted = Page.from_html(html(1, "Tea"), f"{ROOT}1"), pauses(monkeypatch)
        await crawling.crawl.second_fetches.store(1, url_key(f"{ROOT}1"), second)
        return noted

    assert during(sqlite_url, compares) == [0]


def test_the_first_page_is_parsed_again_only_when_it_is_no_longer_held(sqlite_url):
    async def fetched(crawling):
        await visited(crawling, 1)
        (key,), body = crawling.crawl.waiting.pages, html(0, "Soap 0")
        held = crawling.crawl.bodies.held(key)
        first = await crawling.crawl.second_fetches.first(key, body)
        await ended(crawling)
        again = await crawling.crawl.second_fetches.first(key, body)
        return held is not None and first is held, again is not None and again is not held

    assert during(sqlite_url, fetched, **settings()) == (True, True)
