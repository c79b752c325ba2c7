"""Tests of pages on their way into the database and the feed: waiting pages, their order, and their rows."""

import pytest
from sqlalchemy import text

from sitecrawl.errors import DatabaseLostError, StorageError
from sitecrawl.links.closed_trap import Closed, ClosedKind
from sitecrawl.links.same_answers import WAYS_BACK
from sitecrawl.links.traps import Judgement
from sitecrawl.links.urls import url_key
from sitecrawl.links.withheld_answers import PAGES as LEFT_ALONE
from sitecrawl.storage.closed import ClosedRepository
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from tests.unit.crawl.crawling import PAGES, ROOT, during, html


async def learned(crawling, count=PAGES):
    for number in range(1, count + 1):
        await crawling.page(f"{ROOT}{number}", html(number))


def test_pages_that_wait_are_extracted_in_their_order_and_numbered(sqlite_url):
    async def waits(crawling):
        crawl = crawling.crawl
        await learned(crawling, PAGES - 1)
        before = list(crawl.waiting.pages), crawl.page_store.waiting, crawl.page_store.storing, crawl.order.emitted.last
        await crawling.page(f"{ROOT}{PAGES}", html(PAGES))
        rows = await crawling.waiting()
        return before, [row.url for row in rows], crawl.page_store.waiting, crawl.order.emitted.last

    before, urls, waiting, last = during(sqlite_url, waits)
    assert before == ([url_key(f"{ROOT}{n}") for n in range(1, PAGES)], True, 0, 0)
    assert urls == [f"{ROOT}{number}" for number in range(1, PAGES)]
    assert (waiting, last) == (False, PAGES)


def test_a_page_that_names_a_canonical_one_waits_until_nothing_else_is_left(sqlite_url):
    async def alias(crawling):
        crawl = crawling.crawl
        await learned(crawling)
        head = "<link rel=canonical href='/2'>"
        row = await crawling.page(f"{ROOT}print", html("print", head=head))
        held = list(crawl.waiting.aliases)
        await crawling.waiting()
        crawl.frontier.exhausted = True
        last = await crawling.page(f"{ROOT}other", html("other", head=head))
        return row, held, last

    row, held, last = during(sqlite_url, alias)
    assert row is None
    assert held == [url_key(f"{ROOT}print")]
    assert last.url == f"{ROOT}other"


def test_a_waiting_page_that_names_a_canonical_one_lets_others_pass(sqlite_url):
    async def alias(crawling):
        crawl = crawling.crawl
        item = crawling.item(f"{ROOT}1", html(1, head="<link rel=canonical href='/2'>"))
        await crawl.publishing.learn(item)
        await crawl.page_store.keep(item)
        crawl.waiting.pages.extend(crawl.waiting.aliases)
        crawl.waiting.aliases.clear()
        found = await crawl.page_store.next_waiting()
        return found, list(crawl.waiting.aliases), list(crawl.waiting.pages)

    assert during(sqlite_url, alias) == (None, [url_key(f"{ROOT}1")], [])


def test_a_waiting_page_whose_body_is_gone_is_passed_over(sqlite_url):
    async def gone(crawling):
        crawl = crawling.crawl
        await learned(crawling, 2)
        with session_scope(crawl.engine) as session:
            session.execute(text("DELETE FROM body WHERE url_key = :key"), {"key": url_key(f"{ROOT}1")})
        found = [await crawl.page_store.next_waiting() for _ in range(2)]
        return found[0], found[1].url, list(crawl.waiting.pages)

    assert during(sqlite_url, gone) == (None, f"{ROOT}2", [])


def test_a_waiting_page_that_is_damaged_is_tried_twice_and_left_to_the_next_run(sqlite_url):
    async def damaged(crawling):
        crawl = crawling.crawl
        await learned(crawling, 1)
        with session_scope(crawl.engine) as session:
            session.execute(text("UPDATE body SET html = x'00'"))
        states = []
        while crawl.waiting.pages:
            found = await crawl.page_store.next_waiting()
            states.append((found, len(crawl.waiting.pages), list(crawl.waiting.unextracted)))
        return states

    key = url_key(f"{ROOT}1")
    assert during(sqlite_url, damaged) == [(None, 1, []), (None, 0, [key])]


@pytest.mark.parametrize("noindex", [False, True])
def test_no_index_is_told_of_a_page_that_forbids_indexing(sqlite_url, noindex):
    async def stores(crawling):
        await learned(crawling)
        row = await crawling.page(f"{ROOT}9", html(9), noindex=noindex)
        with session_scope(crawling.crawl.engine) as session:
            indexed = ContentRepository(session).indexed(crawling.crawl.site_id, url_key(row.url))
        return indexed, url_key(row.url) in crawling.crawl.frontier.settled

    assert during(sqlite_url, stores) == (not noindex, True)


def test_links_of_a_page_that_is_stored_are_seen_and_known(sqlite_url):
    async def stores(crawling):
        await crawling.page(f"{ROOT}1", html(1, links=("/a", "/b")))
        frontier = crawling.crawl.frontier
        return frontier.seen, frontier.known, frontier.claimed, frontier.pages

    keys = {url_key(f"{ROOT}{path}") for path in ("a", "b", "")}
    assert during(sqlite_url, stores) == (keys, keys | {url_key(f"{ROOT}1")}, set(), 1)


class Judge:
    """A guard against traps that releases and closes the given pages, and records its calls."""

    def __init__(self, crawl, released=(), closed=()):
        self.judgement, self.told = Judgement(tuple(released), tuple(closed)), []
        crawl.guard.judge = self.judge

    def judge(self, url: str, *, content: bool, url_key: int, links: tuple[int, ...]) -> Judgement:
        self.told.append((url, content))
        return self.judgement


CLOSED = Closed(77, ClosedKind.FULL, f"{ROOT}list?page", "a trap: too many pages")


def test_what_a_page_shows_of_its_path_is_stored(sqlite_url):
    async def judged(crawling):
        crawl = crawling.crawl
        await learned(crawling)
        Judge(crawl, [f"{ROOT}list?page=9", f"{ROOT}1"], [CLOSED])
        await crawling.page(f"{ROOT}list?page=1", html("list"))
        with session_scope(crawl.engine) as session:
            stored = [one.closed for one in ClosedRepository(session).all(crawl.site_id)]
        due = {one.url: one.priority for one in await crawling.due()}
        return due, stored, crawl.closed_traps.closed, crawl.frontier.claimed

    due, stored, closed, claimed = during(sqlite_url, judged)
    assert due[f"{ROOT}list?page=9"] == 0  # the least urgent
    assert f"{ROOT}1" not in due
    assert (stored, closed, claimed) == ([CLOSED], 1, set())


def test_a_variant_is_released_by_a_page_that_closes_nothing(sqlite_url):
    async def judged(crawling):
        await learned(crawling)
        Judge(crawling.crawl, [f"{ROOT}list?page=9"])
        await crawling.page(f"{ROOT}list?page=1", html("list"))
        return [one.url for one in await crawling.due()]

    assert f"{ROOT}list?page=9" in during(sqlite_url, judged)


def test_a_parameter_whose_values_give_the_same_page_is_closed(sqlite_url):
    """The pages of the first values wait for their template; those of the last are extracted at once."""

    async def compared(crawling):
        crawl, form = crawling.crawl, html("log in")
        for number in range(1, WAYS_BACK + 1):
            await crawling.page(f"{ROOT}{number}", html(number))
            await crawling.page(f"{ROOT}login?next=%2F{number}", form)
        with session_scope(crawl.engine) as session:
            stored = [one.closed.kind for one in ClosedRepository(session).all(crawl.site_id)]
        return stored, crawl.closed_traps.refusal(f"{ROOT}login?next=%2F99"), crawl.closed_traps.closed

    stored, refusal, closed = during(sqlite_url, compared)
    assert (stored, closed) == ([ClosedKind.SAME], 1)
    assert refusal.startswith(f"a trap: {WAYS_BACK} values of 'next' gave the same page at ")


@pytest.mark.parametrize(("nofollow", "closed"), [(True, 1), (False, 0)])
def test_a_parameter_whose_pages_ask_to_be_left_alone_is_closed(sqlite_url, nofollow, closed):
    async def read(crawling):
        for number in range(1, LEFT_ALONE + 1):
            await crawling.page(f"{ROOT}{number}", html(number))
            await crawling.page(f"{ROOT}{number}?do=diff", html(f"-{number}"), noindex=True, nofollow=nofollow)
        return crawling.crawl.closed_traps.refusal(f"{ROOT}99?do=diff"), crawling.crawl.closed_traps.closed

    refusal, stored = during(sqlite_url, read)
    assert (refusal is not None, stored) == (nofollow, closed)


def test_a_failure_to_store_that_does_not_lose_the_row(sqlite_url, monkeypatch):
    def refuse(*_):
        raise StorageError("the disk is full")

    async def judged(crawling):
        await learned(crawling)
        Judge(crawling.crawl, closed=[CLOSED])
        monkeypatch.setattr(ClosedRepository, "put", refuse)
        return (await crawling.page(f"{ROOT}9", html(9))).url

    assert during(sqlite_url, judged) == f"{ROOT}9"


@pytest.mark.parametrize(
    ("text", "repeated", "content"),
    [("", False, True), ("", True, False), (" ".join(map(str, range(2000))), False, True)],
)
def test_the_guard_is_told_whether_a_page_holds_content_of_its_own(sqlite_url, text, repeated, content):
    async def judged(crawling):
        await learned(crawling)
        await crawling.page(f"{ROOT}8", html(8, text=text))
        judge = Judge(crawling.crawl)
        await crawling.page(f"{ROOT}9", html(8 if repeated else 9, text=text))
        return judge.told

    assert during(sqlite_url, judged) == [(f"{ROOT}9", content)]


def test_a_page_waits_on_where_it_was_when_the_database_is_lost(sqlite_url, monkeypatch):
    async def lost(_):
        raise DatabaseLostError("the disk is full")

    async def waits(crawling):
        crawl = crawling.crawl
        await learned(crawling, 2)
        before = list(crawl.waiting.pages)
        with monkeypatch.context() as full:
            full.setattr(crawl.bodies, "get", lost)
            with pytest.raises(DatabaseLostError):
                await crawl.page_store.next_waiting()
        return before == list(crawl.waiting.pages)

    assert during(sqlite_url, waits)


def test_the_first_waiting_pages_are_read_from_the_database_at_once(sqlite_url):
    async def ahead(crawling):
        crawl = crawling.crawl
        await learned(crawling, 3)
        await crawl.page_store.read_ahead(2)
        before = crawl.writer.batch.operations
        urls = [(await crawl.page_store.next_waiting()).url for _ in range(3)]
        await crawl.writer.flush()
        return urls, crawl.writer.batch.operations - before

    urls, operations = during(sqlite_url, ahead)
    assert urls == [f"{ROOT}{number}" for number in (1, 2, 3)]
    assert operations == 2  # the third page, and the flush


@pytest.mark.parametrize(("together", "later"), [(None, [False, False]), (True, [True, False])])
def test_only_pages_that_waited_share_a_commit_and_only_where_that_is_wanted(sqlite_url, monkeypatch, together, later):
    async def extracted(crawling):
        crawl = crawling.crawl
        await learned(crawling)
        waited = await crawl.page_store.next_waiting()
        fresh = crawling.item(f"{ROOT}9", html(9))
        await crawl.publishing.learn(fresh)
        if together is not None:
            crawl.page_store.together = together
        submit, found = crawl.writer.submit, []

        async def submits(operation, **how):
            found.append(how.get("later"))
            return await submit(operation, **({} if how.get("later") else how))

        monkeypatch.setattr(crawl.writer, "submit", submits)
        firsts = []
        for item in (waited, fresh):
            found.clear()
            await crawl.page_store.extract(item)
            firsts.append(next(one for one in found if one is not None))
        return firsts

    assert during(sqlite_url, extracted) == later


def test_a_page_that_was_extracted_again_is_no_longer_to_be(sqlite_url):
    async def again(crawling):
        crawl, keys = crawling.crawl, [url_key(f"{ROOT}{number}") for number in (1, 2)]
        await learned(crawling)
        await crawling.waiting()
        crawl.waiting.again.update(keys)
        crawl.waiting.pages.extend(keys)
        await crawl.page_store.extract(await crawl.page_store.next_waiting())
        return crawl.waiting.again == {keys[1]}, await crawling.waiting(), crawl.waiting.again

    assert during(sqlite_url, again) == (True, [], set())
