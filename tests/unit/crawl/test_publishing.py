"""Tests of when pages wait for a template, and of layouts that go."""

import asyncio
from time import perf_counter

import pytest
from sqlalchemy import text

from sitecrawl.errors import DatabaseLostError
from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.layouts import LayoutRepository
from tests.unit.crawl.crawling import PAGES, ROOT, crawled, during, html, pauses

TABLE = (
    "<html><body><header><h2>T {0}</h2></header><table><tr><th>Row</th><td>Cell of {0} and more words</td></tr>"
    "</table><footer><i>{0}</i></footer></body></html>"
)


async def learn(crawling, number, body=None):
    item = crawling.item(f"{ROOT}{number}", body or html(number))
    return item, await crawling.crawl.publishing.learn(item)


def test_pages_wait_until_there_is_a_template(sqlite_url):
    async def ready(crawling):
        publishing, states = crawling.crawl.publishing, []
        for number in range(1, PAGES + 1):
            item, learned = await learn(crawling, number)
            states.append((learned, publishing.ready, publishing.ready_for(item), item.layout, item.learned_version))
        again, learned = await learn(crawling, 1)
        states.append((learned, publishing.ready, again.counted, again.layout, again.learned_version))
        return states

    states = during(sqlite_url, ready)
    assert states[: PAGES - 1] == [(True, False, False, 1, None)] * (PAGES - 1)
    assert states[PAGES - 1] == (True, True, True, 1, 1)
    assert states[PAGES] == (False, True, True, 1, 1)


def test_a_page_that_a_stable_template_passes_over_is_marked_as_such(sqlite_url):
    async def passed(crawling):
        for number in range(1, PAGES + 1):
            await learn(crawling, number)
        for layout in crawling.crawl.learning.layouts.published:
            layout.learner.stable_since = PAGES
        item, learned = await learn(crawling, PAGES + 1)
        return learned, item.counted, item.layout, item.learned_version

    assert during(sqlite_url, passed) == (False, False, 1, 0)


def test_nothing_waits_when_nothing_more_will_come(sqlite_url):
    async def exhausted(crawling):
        publishing, crawl = crawling.crawl.publishing, crawling.crawl
        item = crawling.item(f"{ROOT}1", html(1, head="<link rel=canonical href='/70'>"))
        await crawling.store(item)
        before = (
            publishing.ready,
            list(crawl.waiting.pages),
            list(crawl.waiting.aliases),
            crawl.page_store.is_alias(item),
        )
        await publishing.exhaust()
        after = (
            publishing.ready,
            list(crawl.waiting.pages),
            list(crawl.waiting.aliases),
            crawl.page_store.is_alias(item),
        )
        return before, after, crawl.learning.version, item.url_key

    before, after, version, key = during(sqlite_url, exhausted)
    assert before == (False, [], [key], True)
    assert after == (True, [key], [], False)
    assert version == 1


def test_a_method_that_compares_pages_waits_for_all_of_them(sqlite_url):
    async def ready(crawling):
        for number in range(1, PAGES + 1):
            item, _ = await learn(crawling, number)
        publishing = crawling.crawl.publishing
        before = publishing.ready, publishing.ready_for(item)
        assert not crawling.crawl.frontier.exhausted
        await publishing.exhaust()
        assert crawling.crawl.frontier.exhausted
        return before, publishing.ready, publishing.ready_for(item), crawling.crawl.rules.keep_body

    assert during(sqlite_url, ready, extractor="rbm-td", store_bodies=False) == ((False, False), True, True, True)


def test_strangers_wait_while_they_may_become_a_layout_and_the_others_do_not(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")

    async def outliers(crawling):
        publishing = crawling.crawl.publishing
        outlier, learned = await learn(crawling, 20, TABLE.format(20))
        usual, _ = await learn(crawling, 21)
        return learned, outlier.layout, publishing.ready_for(outlier), usual.layout, publishing.ready_for(usual)

    assert during(sqlite_url, outliers) == (True, None, False, 1, True)


@pytest.mark.parametrize(("left", "retired"), [((), [1]), ((1,), [])])
def test_a_layout_that_no_page_has_any_more_is_retired(sqlite_url, left, retired):
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")

    async def redesigned(crawling):
        for number in range(1, PAGES + 4):
            body = html(number) if number in left else TABLE.format(number)
            await crawling.page(f"{ROOT}{number}", body)
        await crawled(crawling, ())
        await crawling.crawl.publishing.retire()
        layouts = [one.number for one in crawling.crawl.learning.layouts.published]
        return crawling.crawl.report.retired, layouts

    assert during(sqlite_url, redesigned) == (retired, [2] if retired else [1, 2])

    async def later(crawling):
        return [one.number for one in crawling.crawl.learning.layouts.published]

    assert during(sqlite_url, later) == ([2] if retired else [1, 2])


async def outliers(crawling):
    """Visit two pages that fit no layout, beside those of the first crawl."""
    for number in (20, 21):
        await crawling.page(f"{ROOT}{number}", TABLE.format(number))
    await crawled(crawling, range(1, PAGES + 1))


def test_pages_of_earlier_crawls_that_fit_a_new_layout_are_extracted_with_it(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")

    async def enough(crawling):
        recalled = list(crawling.crawl.waiting.recalled)
        for number in range(22, 26):
            await crawling.page(f"{ROOT}{number}", TABLE.format(number))
        await crawling.crawl.publishing.exhaust()
        layouts = [one.number for one in crawling.crawl.learning.layouts.published]
        return len(recalled), set(recalled) <= set(crawling.crawl.waiting.pages), layouts

    during(sqlite_url, outliers, reason="finished")
    assert during(sqlite_url, enough) == (2, True, [1, 2])


def test_the_counts_of_a_page_that_could_not_be_stored_are_dropped_and_no_others(sqlite_url):
    async def loses(crawling):
        publishing, learning = crawling.crawl.publishing, crawling.crawl.learning
        (first, _), (second, _), (third, _) = [await learn(crawling, number) for number in (1, 2, 3)]
        await crawling.crawl.page_store.keep(third)
        await publishing.lost(first.url_key)
        await publishing.lost(third.url_key)  # it is stored
        again = [learning.has_learned(item.url_key) for item in (first, second, third)]
        publishing.stored(second.url_key)
        await publishing.lost(second.url_key)
        return again, learning.has_learned(second.url_key)

    assert during(sqlite_url, loses) == ([False, True, True], True)


def failing(crawling, monkeypatch, error, times):
    """Let the next operations of the writer fail."""
    submit, left = crawling.crawl.writer.submit, [error] * times

    async def submits(operation, **how):
        if left:
            raise left.pop()
        return await submit(operation, **how)

    monkeypatch.setattr(crawling.crawl.writer, "submit", submits)
    return left


@pytest.mark.parametrize(("times", "failed", "version"), [(0, 0, 1), (1, 1, 1), (2, 2, 0)])
def test_a_publication_that_fails_is_tried_twice_and_again_with_the_next_page(
    sqlite_url, monkeypatch, caplog, times, failed, version
):
    async def publishes(crawling):
        publishing, learning = crawling.crawl.publishing, crawling.crawl.learning
        for number in range(1, PAGES):
            await learn(crawling, number)
        failing(crawling, monkeypatch, ValueError("refused"), times)
        await learn(crawling, PAGES)
        before = publishing.failed, learning.version
        await learn(crawling, PAGES + 1)
        return before, learning.version

    before, after = during(sqlite_url, publishes)
    assert (before, after) == ((failed, version), 1)
    assert caplog.text.count("template version 1 could not be stored") == failed


def test_a_publication_is_not_tried_again_when_nothing_can_be_written(sqlite_url, monkeypatch):
    async def publishes(crawling):
        for number in range(1, PAGES):
            await learn(crawling, number)
        left = failing(crawling, monkeypatch, DatabaseLostError("the disk is full"), 2)
        with pytest.raises(DatabaseLostError):
            await learn(crawling, PAGES)
        count = len(left)
        left.clear()
        return crawling.crawl.publishing.failed, count

    assert during(sqlite_url, publishes) == (0, 1)


def test_the_seconds_of_learning_are_those_that_passed(sqlite_url):
    async def timed(crawling):
        started = perf_counter()
        await crawled(crawling, range(1, PAGES + 1))
        return crawling.crawl.report.seconds["learn"], perf_counter() - started

    learning, all_ = during(sqlite_url, timed)
    assert 0 < learning < all_


def test_pages_whose_layout_decided_anew_are_extracted_again_at_the_end(sqlite_url):
    async def ends(crawling):
        crawl, site_id = crawling.crawl, crawling.crawl.site_id
        await crawled(crawling, range(1, PAGES + 1), conclude=False)
        with session_scope(crawl.engine) as session:
            LayoutRepository(session).unsettle(site_id, 1)
        waits = crawling.item(f"{ROOT}1", html(1)).url_key
        crawl.waiting.pages.append(waits)
        await crawl.publishing.exhaust()
        return waits, crawl.waiting.again, list(crawl.waiting.pages)

    waits, again, waiting = during(sqlite_url, ends)
    assert again == {url_key(f"{ROOT}{number}") for number in range(2, PAGES + 1)}
    assert (waiting[0], set(waiting[1:])) == (waits, again)


def test_a_page_that_is_counted_is_told_its_version_at_later_visits_too(sqlite_url):
    async def again(crawling):
        for number in range(1, PAGES + 1):
            item, _ = await learn(crawling, number)
            crawling.crawl.publishing.stored(item.url_key)
        item, learned = await learn(crawling, 1)
        return learned, item.counted, item.layout, item.learned_version

    assert during(sqlite_url, again) == (False, True, 1, 1)


def asked(crawling, sql):
    with session_scope(crawling.crawl.engine, write=False) as session:
        return [tuple(row) for row in session.execute(text(sql))]


def test_the_database_says_of_each_page_of_a_publication_that_it_is_counted(sqlite_url):
    """Of the target of a redirect too, which has no row yet."""

    async def publishes(crawling):
        for number in range(1, PAGES + 1):
            await learn(crawling, number)
        (layout,) = crawling.crawl.learning.layouts.published
        known = {key for key, _, _ in asked(crawling, "SELECT url_key, url, depth FROM page")}
        rows = asked(crawling, "SELECT url, layout, learned_version FROM page")
        return rows, layout.decision.pages, known <= crawling.crawl.frontier.known

    rows, decided, known = during(sqlite_url, publishes)
    assert sorted(rows) == [(f"{ROOT}{number}", 1, 1) for number in range(1, PAGES + 1)]
    assert (decided, known) == (PAGES, True)


def test_a_layout_that_decides_anew_has_its_pages_extracted_again_and_a_new_one_those_without_a_layout(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")

    async def publishes(crawling):
        crawl, found = crawling.crawl, []
        await crawling.page(f"{ROOT}9", TABLE.format(9))
        await crawled(crawling, (), conclude=False)
        (layout,) = crawl.learning.layouts.published
        for anew in (None, False, True):
            if anew is not None:
                await crawl.publishing._publish(layout, anew=anew)
            found.append({url for (url,) in asked(crawling, "SELECT url FROM page WHERE unsettled")})
        return found

    layout = {f"{ROOT}{number}" for number in range(1, PAGES + 1)}
    assert during(sqlite_url, publishes) == [set(), {f"{ROOT}9"}, {f"{ROOT}9"} | layout]


def test_whether_a_stored_page_has_a_layout_now(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")

    async def found(crawling):
        await crawling.page(f"{ROOT}9", TABLE.format(9))
        return [await crawling.crawl.publishing._found_a_layout(url_key(f"{ROOT}{one}")) for one in (1, 9, "nowhere")]

    assert during(sqlite_url, found) == [True, False, False]


@pytest.mark.parametrize("wrong", [False, True])
def test_a_layout_that_has_grown_decides_anew_only_if_its_decision_was_wrong(sqlite_url, monkeypatch, wrong):
    """The main content of its pages is compared, as it is and as it would be."""
    compared = []

    def judged(texts):
        compared.extend(texts)
        return wrong

    monkeypatch.setattr("sitecrawl.crawl.layout_decisions.wrong", judged)

    async def grows(crawling):
        await crawled(crawling, range(1, 4 * PAGES + 1))
        return crawling.crawl.learning.version, asked(crawling, "SELECT min(learned_version) FROM page")

    assert during(sqlite_url, grows) == ((2, [(1,)]) if wrong else (1, [(0,)]))
    assert len(compared) == 4 * PAGES
    assert {f"Story number {number} is" in old for number in (1, 9) for old, _ in compared} == {True, False}
    assert all(old == new for old, new in compared)


def test_pages_of_earlier_crawls_that_no_template_counts_are_learned_when_a_layout_has_grown(sqlite_url):
    more = range(PAGES + 1, 4 * PAGES + 1)
    during(sqlite_url, lambda crawling: crawled(crawling, [*range(1, PAGES + 1), *more]), reason="finished")

    async def grown(crawling):
        before = await crawling.crawl.publishing._grown()
        keys = ", ".join(str(url_key(f"{ROOT}{number}")) for number in more)
        with session_scope(crawling.crawl.engine) as session:
            session.execute(text(f"UPDATE page SET learned_version = NULL WHERE url_key IN ({keys})"))
            session.execute(text(f"DELETE FROM body WHERE url_key = {url_key(f'{ROOT}{more[0]}')}"))
        layouts = await crawling.crawl.publishing._grown()
        return before, [one.number for one in layouts], crawling.crawl.learning.unpublished

    before, numbers, learned = during(sqlite_url, grown)
    assert (before, numbers) == ([], [1])
    assert learned == {1: sorted(url_key(f"{ROOT}{number}") for number in more[1:])}


def test_a_layout_may_decide_anew_once_it_has_twice_the_pages_of_its_decision(sqlite_url):
    async def grown(crawling):
        await crawled(crawling, range(1, PAGES + 1))
        layouts = []
        for number in range(20, 20 + PAGES):
            await crawling.page(f"{ROOT}{number}", html(number))
            layouts.append(await crawling.crawl.publishing._grown())
        return [len(one) for one in layouts]

    assert during(sqlite_url, grown) == [0, 0, 0, 1]


def test_pages_that_an_interrupted_run_extracted_without_a_layout_are_extracted_again_with_one(sqlite_url):
    enough = {"template_min_pages": 6}
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, 7)), reason="finished", **enough)

    async def run(crawling, numbers):
        crawl = crawling.crawl
        for number in numbers:
            await crawling.page(f"{ROOT}{number}", TABLE.format(number))
        await crawl.publishing.exhaust()
        again = crawl.waiting.again.copy()
        await crawling.waiting()
        return [one.number for one in crawl.learning.layouts.published], again

    first = during(sqlite_url, lambda crawling: run(crawling, (20, 21)), **enough)
    second = during(sqlite_url, lambda crawling: run(crawling, (22, 23, 24)), **enough)
    assert first == ([1], set())
    assert second == ([1, 2], {url_key(f"{ROOT}{number}") for number in (20, 21)})


def test_a_page_is_stored_once_the_publication_in_progress_is_over(sqlite_url):
    async def waits(crawling):
        publishing = crawling.crawl.publishing
        await asyncio.wait_for(publishing.settled(), 60)
        async with publishing._turn:
            waiting = asyncio.create_task(publishing.settled())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            before = waiting.done()
        await asyncio.wait_for(waiting, 60)
        return before

    assert during(sqlite_url, waits) is False


def test_other_requests_go_on_before_a_large_page_is_learned(sqlite_url, monkeypatch):
    async def learns(crawling):
        item, noted = crawling.item(f"{ROOT}1", html(1)), pauses(monkeypatch)
        await crawling.crawl.publishing.learn(item)
        return noted

    assert during(sqlite_url, learns) == [0]


def test_a_page_of_an_earlier_crawl_that_has_no_content_is_extracted_once_it_has_a_layout(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")

    async def few(crawling):
        for number in (20, 21):
            await crawling.page(f"{ROOT}{number}", TABLE.format(number))
        crawling.crawl.waiting.pages.clear()  # as if their contents could not be stored
        await crawled(crawling, range(1, PAGES + 1))

    async def enough(crawling):
        rows = [await crawling.page(f"{ROOT}{number}", TABLE.format(number)) for number in range(22, 26)]
        await crawling.crawl.publishing.exhaust()
        rows += await crawling.waiting()
        return sorted(row.url for row in rows if row is not None)

    during(sqlite_url, few, reason="finished")
    assert during(sqlite_url, enough) == [f"{ROOT}{number}" for number in range(20, 26)]


def test_a_page_that_waited_for_its_layout_is_not_extracted_again_by_the_next_crawl(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")

    async def more(crawling):
        for number in range(22, 26):
            await crawling.page(f"{ROOT}{number}", TABLE.format(number))
        await crawling.crawl.publishing.exhaust()
        rows = await crawling.waiting()
        site_id = crawling.crawl.site_id
        unsettled = await crawling.crawl.writer.submit(lambda s: LayoutRepository(s).unsettled(site_id))
        return {f"{ROOT}20", f"{ROOT}21"} <= {row.url for row in rows}, unsettled

    during(sqlite_url, outliers, reason="finished")
    assert during(sqlite_url, more) == (True, [])
