import asyncio
import datetime as dt
from types import SimpleNamespace

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import DownloadFailedError, IgnoreRequest
from scrapy.http import Response
from scrapy.utils.test import get_crawler
from sqlalchemy import select
from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure

from sitecrawl import stats
from sitecrawl.crawl.hosts import Hosts
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.urls import url_key
from sitecrawl.middlewares import robots
from sitecrawl.middlewares.robots import RobotsMiddleware
from sitecrawl.scheduling import History, Plan
from sitecrawl.shell.exceptions import ForbiddenRequest, PostponedRequest, RefusedRequest, UnreachableRequest
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.pages import Fetch, PageChange, PageRepository, PageState, PageStatus
from sitecrawl.storage.robots import RobotsRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import PAGE

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
HOST = "example.org"
DENY = b"User-agent: *\nDisallow: /private\n"


class Asking:
    """A middleware in a crawl of a site whose robots.txt has the response `answer`: a body, a status, an error."""

    def __init__(self, engine, **settings):
        self.database, self.given_up, self.asked, self.answer = engine, [], 0, 200
        self.hosts = Hosts(10, 60.0, HOST)
        with session_scope(engine) as session:
            self.site = SiteRepository(session).get_or_add(HOST, f"https://{HOST}/", NOW)
        crawler = get_crawler(Spider, {"ROBOTSTXT_OBEY": True, **settings})
        crawler._engine = SimpleNamespace(
            download_async=self.download, downloader=SimpleNamespace(slots={}, get_slot_key=lambda request: "")
        )
        crawler.spider = SimpleNamespace(
            name="site",
            site_crawl=SimpleNamespace(
                scope=SiteScope.of(f"https://{HOST}/", "host"),
                site=self.site,
                site_id=self.site.id,
                writer=SimpleNamespace(submit=self.submit),
                hosts=self.hosts,
                visits=SimpleNamespace(give_up=self.give_up),
            ),
        )
        self.middleware = RobotsMiddleware(crawler)

    async def submit(self, operation):
        with session_scope(self.database) as session:
            return operation(session)

    async def give_up(self, netloc, reason, why):
        self.given_up.append((netloc, reason, why))
        self.hosts.of(netloc).give_up(why, NOW)

    async def download(self, request):
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        status, body = self.answer if isinstance(self.answer, tuple) else (self.answer, b"")
        if isinstance(self.answer, bytes):
            status, body = 200, self.answer
        return Response(request.url, status=status, body=body)

    def ask(self, path, host=HOST):
        return asyncio.run(self.middleware.process_request(Request(f"https://{host}{path}")))

    def counted(self, name):
        return self.middleware.crawler.stats.get_value(f"{stats.ROBOTS}/{name}", 0)

    def stored(self, host=HOST):
        with session_scope(self.database, write=False) as session:
            found = RobotsRepository(session).last(self.site.id, host, NOW)
        return found and found[0]


@pytest.fixture
def later(monkeypatch):
    """Set the seconds that the middleware's clock shows."""
    shown = [0.0]
    monkeypatch.setattr(robots, "monotonic", lambda: shown[0])
    return lambda seconds: shown.__setitem__(0, seconds)


@pytest.mark.parametrize("lost", [503, 429])
def test_what_robots_txt_said_last_counts_while_it_cannot_be_read(engine, lost):
    first = Asking(engine)
    first.answer = DENY
    first.ask("/public")
    again = Asking(engine)
    again.answer = lost
    again.ask("/public")
    with pytest.raises(ForbiddenRequest):
        again.ask("/private")
    assert again.given_up == []
    assert again.asked == 1
    assert again.stored() == DENY
    assert (again.counted("copy"), again.counted("unavailable")) == (1, 0)


@pytest.mark.parametrize("lost", [TimeoutError("no answer"), ConnectionRefusedError("refused")])
def test_a_host_that_does_not_answer_is_left_to_the_next_run_at_once(engine, lost):
    first = Asking(engine)
    first.answer = DENY
    first.ask("/public")
    again = Asking(engine)
    again.answer = lost
    with pytest.raises(PostponedRequest, match=r"robots\.txt cannot be read"):
        again.ask("/public")
    assert [told[0] for told in again.given_up] == [HOST]
    assert (again.counted("copy"), again.counted("unavailable")) == (0, 1)


def test_why_robots_txt_cannot_be_read_is_said_in_words(engine):
    lost = Failure(ConnectionDone())
    asking = Asking(engine)
    asking.answer = DownloadFailedError(str([lost]))
    with pytest.raises(
        PostponedRequest, match=r"cannot be read \(the server closed the connection without an answer\)$"
    ):
        asking.ask("/public")


def test_a_robots_txt_that_is_not_asked_for_now_says_nothing_of_its_host(engine):
    again = Asking(engine)
    again.answer = PostponedRequest("example.org resolves to 10.0.0.5, which is not a public address")
    for path in ("/public", "/other"):
        with pytest.raises(PostponedRequest, match=r"^example\.org resolves to 10\.0\.0\.5"):
            again.ask(path)
    assert again.given_up == []
    assert again.asked == 1


def test_a_robots_txt_that_redirects_to_another_site_forbids_nothing_that_it_did_not_forbid_before(engine):
    """A whole site may redirect for an hour. Its pages are requested, and recorded as redirects."""
    left = RefusedRequest("refused (offsite): https://status.example.net/robots.txt", "offsite")
    never = Asking(engine)
    never.answer = left
    never.ask("/private")
    with pytest.raises(RefusedRequest, match="offsite"):
        never.ask("/", host="status.example.net")  # where a page redirects
    first = Asking(engine)
    first.answer = DENY
    first.ask("/public")
    again = Asking(engine)
    again.answer = left
    again.ask("/public")
    with pytest.raises(ForbiddenRequest):
        again.ask("/private")
    assert (never.given_up, again.given_up, again.stored()) == ([], [], DENY)


@pytest.mark.parametrize(("reason", "netloc"), [("port", "example.org:8081"), ("address", "10.0.0.5")])
def test_a_robots_txt_that_redirects_to_a_forbidden_place_forbids_nothing(engine, reason, netloc):
    """Servers behind a proxy redirect to their own port, and the pages are where they were."""
    led = Asking(engine)
    led.answer = RefusedRequest(f"refused ({reason}): http://{netloc}/robots.txt", reason, netloc)
    led.ask("/private")
    assert led.given_up == []


def test_a_robots_txt_that_redirects_without_end_forbids_nothing_that_it_did_not_forbid_before(engine):
    never = Asking(engine)
    never.answer = IgnoreRequest("max redirections reached")
    assert never.ask("/private") is None
    assert (never.given_up, never.counted("unavailable"), never.stored()) == ([], 0, None)
    before = Asking(engine)
    before.answer = DENY
    before.ask("/public")
    again = Asking(engine)
    again.answer = IgnoreRequest("max redirections reached")
    assert again.ask("/public") is None
    with pytest.raises(ForbiddenRequest):
        again.ask("/private")
    assert again.stored() == DENY


def test_a_robots_txt_of_a_forbidden_host_allows_nothing(engine):
    refused = Asking(engine)
    refused.answer = RefusedRequest("refused (port): http://example.org/robots.txt", "port", "example.org")
    with pytest.raises(RefusedRequest, match="port"):
        refused.ask("/public")


@pytest.mark.parametrize("lost", [503, 429])
def test_without_a_copy_or_with_an_old_one_nothing_is_asked_for(engine, lost, monkeypatch):
    never = Asking(engine)
    never.answer = lost
    with pytest.raises(PostponedRequest, match=r"robots\.txt cannot be read"):
        never.ask("/public")
    assert [told[0] for told in never.given_up] == [HOST]
    monkeypatch.setattr(robots, "now", lambda: NOW)
    first = Asking(engine)
    first.answer = DENY
    first.ask("/public")
    for days, raised in ((29, False), (31, True)):
        monkeypatch.setattr(robots, "now", lambda days=days: NOW + dt.timedelta(days=days))
        again = Asking(engine)
        again.answer = lost
        if raised:
            with pytest.raises(PostponedRequest):
                again.ask("/public")
        else:
            again.ask("/public")
    refusing = Asking(engine, SITECRAWL_ROBOTS_KEEP=0)
    refusing.answer = lost
    with pytest.raises(PostponedRequest):
        refusing.ask("/public")


def test_a_host_without_robots_txt_stays_one(engine):
    first = Asking(engine)
    first.answer = 404
    first.ask("/private")
    again = Asking(engine)
    again.answer = 503
    again.ask("/private")
    assert again.stored() == b""


def test_it_is_capped_and_read_again_after_a_day(engine, later):
    one = Asking(engine)
    one.answer = DENY + b"# more\n" * 200_000
    one.ask("/public")
    assert len(one.stored()) <= robots.MAX_BYTES
    later(robots.FRESH)
    one.answer = b"User-agent: *\nDisallow: /public\n"
    one.ask("/public")
    assert one.asked == 1
    later(robots.FRESH + 1)
    with pytest.raises(ForbiddenRequest):
        one.ask("/public")
    one.ask("/private")
    assert one.asked == 2
    later(2 * robots.FRESH + 2)
    one.answer = 500
    with pytest.raises(ForbiddenRequest):
        one.ask("/public")
    assert one.asked == 3


def test_another_host_has_neither_copy_nor_say(engine):
    one = Asking(engine)
    one.answer = DENY
    one.ask("/public", host="other.example")
    assert (one.stored(), one.stored("other.example")) == (None, None)
    one.answer = 503
    with pytest.raises(RefusedRequest, match="offsite"):
        one.ask("/public", host="third.example")
    assert one.given_up == []


@pytest.mark.parametrize("lost", [503, ConnectionRefusedError("no such host")])
@pytest.mark.parametrize("variant", [f"www.{HOST}", f"{HOST}."])
def test_a_variant_of_the_host_whose_robots_txt_cannot_be_read_fails_alone(engine, lost, variant):
    one = Asking(engine)
    one.answer = lost
    for _ in range(2):
        with pytest.raises(UnreachableRequest, match=f"{variant}: robots.txt cannot be read") as raised:
            one.ask("/public", host=variant)
        assert raised.value.not_before == NOW
    assert [told[0] for told in one.given_up] == [variant]
    assert one.asked == 1
    one.answer = DENY
    one.ask("/public")


def test_a_host_that_was_given_up_is_not_even_asked_for_robots_txt(engine):
    one = Asking(engine)
    one.hosts.of(HOST).give_up("left alone")
    with pytest.raises(PostponedRequest, match="left alone"):
        one.ask("/public")
    assert one.asked == 0


@pytest.mark.parametrize(
    ("asked", "before", "after", "warned"),
    [("2", 1.0, 2.0, False), ("2", 5.0, 5.0, False), ("60", 1.0, 60.0, False), ("61", 1.0, 60.0, True)],
)
def test_the_crawl_delay_is_kept_up_to_a_limit(engine, caplog, asked, before, after, warned):
    one = Asking(engine, SITECRAWL_MAX_CRAWL_DELAY=60)
    slot = SimpleNamespace(delay=before, jitter=0.5)
    one.middleware.crawler._engine.downloader.slots[""] = slot
    one.answer = f"User-agent: *\nCrawl-delay: {asked}\n".encode()
    one.ask("/public")
    assert (slot.delay, slot.jitter) == (after, 0.0)
    assert one.middleware.crawler.stats.get_value(f"{stats.ROBOTS}/crawl_delay") == after
    assert ("the crawl waits 60.0 s" in caplog.text) is warned


def test_without_a_crawl_delay_the_pace_stays(engine):
    one = Asking(engine)
    slot = SimpleNamespace(delay=1.0, jitter=0.5)
    one.middleware.crawler._engine.downloader.slots[""] = slot
    one.answer = DENY
    one.ask("/public")
    assert (slot.delay, slot.jitter) == (1.0, 0.5)


def test_a_spider_of_another_project_waits_for_a_robots_txt_that_cannot_be_read(engine):
    one = Asking(engine)
    one.middleware.crawler.spider = SimpleNamespace(name="another")
    one.answer = ConnectionRefusedError("no answer")
    with pytest.raises(PostponedRequest, match=r"^robots\.txt cannot be read \(.*\); try again later$"):
        one.ask("/public")
    assert one.given_up == []


@pytest.mark.parametrize("status", [400, 403, 410])
def test_what_an_error_page_says_in_place_of_robots_txt_does_not_count(engine, status):
    one = Asking(engine)
    one.answer = status, DENY
    one.ask("/private")
    assert one.stored() == b""


@pytest.mark.parametrize("lost", [PostponedRequest("not now"), ConnectionRefusedError("refused")])
def test_a_host_is_asked_again_after_a_day(engine, later, lost):
    one = Asking(engine)
    one.middleware.crawler.spider = SimpleNamespace(name="another")
    one.answer = lost
    with pytest.raises(PostponedRequest):
        one.ask("/public")
    one.answer = DENY
    later(robots.FRESH + 1)
    one.ask("/public")
    assert one.asked == 2


def test_a_request_that_is_postponed_is_not_forbidden(engine, monkeypatch):
    async def postpone(self, request):
        raise PostponedRequest("the crawl was stopped")

    monkeypatch.setattr(robots.RobotsTxtMiddleware, "process_request", postpone)
    with pytest.raises(PostponedRequest, match="the crawl was stopped"):
        Asking(engine).ask("/public")


@pytest.mark.parametrize(("more", "whole"), [(0, True), (1, False)])
def test_a_robots_txt_of_the_largest_size_is_read_whole(engine, more, whole):
    one = Asking(engine)
    last = b"Disallow: /last"
    one.answer = DENY + b"#" * (robots.MAX_BYTES + more - len(DENY) - len(last) - 1) + b"\n" + last
    one.ask("/public")
    assert len(one.answer) == robots.MAX_BYTES + more
    assert (one.stored() == one.answer) is whole
    assert one.stored().startswith(DENY)


@pytest.mark.parametrize(
    ("body", "due"),
    [(DENY, []), (b"", ["/private", "/private/a"]), (b"User-agent: *\nDisallow: /private/", ["/private"])],
)
def test_urls_that_a_new_robots_txt_forbids_no_more_are_due(engine, body, due):
    first = Asking(engine)
    first.answer = DENY
    first.ask("/public")
    urls = [f"https://{HOST}/private", f"https://{HOST}/private/a", "https://other.example.org/private"]
    later = NOW + dt.timedelta(days=9999)
    with session_scope(engine) as session:
        pages = PageRepository(session)
        for url in urls:
            key = url_key(url)
            given = (PageStatus.EXCLUDED, "forbidden by robots.txt", None, 1, 1, key, None, None, NOW, None, (), key)
            plan = Plan(History(), later, "excluded")
            pages.write(first.site.id, PageChange(key, PageState(), Fetch(key, url, *given), plan=plan))
    again = Asking(engine)
    again.answer = body
    again.ask("/public")
    with session_scope(engine) as session:
        found = session.execute(select(PAGE.c.url).where(PAGE.c.next_fetch_at < later).order_by(PAGE.c.url)).scalars()
        assert [url.removeprefix(f"https://{HOST}") for url in found] == due
