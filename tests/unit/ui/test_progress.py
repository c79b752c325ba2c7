"""The progress of crawls, as pages load it again and again."""

import datetime as dt
import re

import pytest
from sqlalchemy import text

from sitecrawl.clock import now
from sitecrawl.storage.crawl_progress import CrawlState
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.site_register import SiteRegister
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.ui.progress import Phase, phase
from sitecrawl.ui.report import report
from sitecrawl.ui.responses import lasting, rate

HOST = "example.org"
ELSEWHERE = "crawler7:4711:otherboot.1:token"
"""A process of another machine: whether it has ended only its lease tells."""
HOUR = dt.timedelta(hours=1)


def begin(ui, owner=ELSEWHERE, *, until=HOUR):
    """Begin a crawl of the site that a process holds until a time from now; return its number."""
    with ui.writing() as session:
        sites, moment = SiteRepository(session), now()
        site = sites.get_or_add(HOST, f"https://{HOST}/", moment)
        crawl = CrawlRepository(session).begin(site.id, moment - dt.timedelta(minutes=2))
        sites.lease(site.id, owner, moment, 3600)
        session.execute(text("UPDATE page SET crawl_id = :crawl, status = 4 WHERE url LIKE '%/3'"), {"crawl": crawl.id})
        renewed = {"owner": owner, "site": site.id, "until": (moment + until).strftime("%Y-%m-%d %H:%M:%S.000000")}
        session.execute(text("UPDATE site SET leased_until = :until WHERE id = :site"), renewed)
    return crawl.id


def end(ui, crawl, reason="finished"):
    with ui.writing() as session:
        sites = SiteRepository(session)
        CrawlRepository(session).finish(crawl, now(), reason, {})
        sites.release(sites.get(HOST).id, ELSEWHERE)


def figures(page):
    """Return what the list of figures says."""
    return dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", page))


def test_a_running_crawl_is_shown_and_asked_for_again(ui, client):
    begin(ui)
    page = client.get(f"/sites/{HOST}").text
    assert f'data-poll="/sites/{HOST}/progress"' in page
    for answer in (page, client.get(f"/sites/{HOST}/progress").text):
        assert "<b>Crawling</b> for 2 min" in answer and "process 4711 on crawler7" in answer
        shown = figures(answer)
        assert (shown["URLs done"], shown["failed"], shown["to be tried again"]) == ("1", "1", "0")
    assert "data-done" not in page


def plan(ui):
    """Make the site due in an hour, with a URL that no crawl has fetched and one that leads nowhere."""
    with ui.writing() as session:
        later = {"later": (now() + HOUR).strftime("%Y-%m-%d %H:%M:%S.000000")}
        session.execute(text("UPDATE site SET next_crawl_at = :later"), later)
        session.execute(text("UPDATE page SET status = 0, reason = NULL WHERE url LIKE '%/5'"))
        session.execute(text("UPDATE page SET status = 4, reason = 'HTTP 500' WHERE url LIKE '%/6'"))


def test_what_is_said_of_a_site_is_true_while_it_is_crawled(ui, client):
    crawl = begin(ui)
    plan(ui)
    page, sites, told = client.get(f"/sites/{HOST}").text, client.get("/").text, report(ui, HOST)
    assert "It is being crawled." in page and "It is being crawled." in told
    assert all("due in" not in one and ">running</td>" in one for one in (page, sites))
    assert "killed" not in page + told and ">running</td>" in told
    assert "failed: HTTP 500" in page and "the crawl is not finished" not in page + told
    end(ui, crawl)
    page = client.get(f"/sites/{HOST}").text
    assert "being crawled" not in page and "due in" in page and "running</td>" not in page
    assert "given up: the last crawl ended before" in page


def test_a_crawl_that_has_died_is_not_running(ui, client):
    begin(ui, until=-HOUR)
    plan(ui)
    page = client.get(f"/sites/{HOST}").text
    assert ">killed</td>" in page and "being crawled" not in page and "given up: the crawl is not finished" in page


def test_a_site_that_is_paused_during_a_crawl(ui, client):
    crawl = begin(ui)
    with ui.writing() as session:
        SiteRegister(session).pause(HOST, now())
    said = "the running crawl continues to its end; after that it is never due."
    assert said in client.get(f"/sites/{HOST}").text
    end(ui, crawl)
    page = client.get(f"/sites/{HOST}").text
    assert said not in page and "it is never due." in page


def test_a_running_crawl_in_the_list_of_sites(ui, client):
    begin(ui)
    page = client.get("/").text
    (poll,) = re.findall(r'data-poll="([^"]*)"', page)
    assert poll == "/progress?sites=1" and 'id="progress-1"' in page
    answer = client.get(poll).text
    assert 'data-for="progress-1" data-live' in answer and "hidden" not in re.search("<tr class=.progress.*", page)[0]
    assert all("1 URL done" in one and "1 failed" in one for one in (page, answer))


def test_a_crawl_that_has_ended_meanwhile_is_asked_for_no_more(ui, client):
    end(ui, begin(ui), "max_pages")
    assert "data-done" in client.get(f"/sites/{HOST}/progress").text
    assert "data-live" not in client.get("/progress?sites=1").text
    for path in (f"/sites/{HOST}/progress", "/progress?sites=1"):
        answer = client.get(path).text
        assert "<b>The crawl has ended</b> after 2 min" in answer and "max_pages" in answer
    assert figures(client.get(f"/sites/{HOST}/progress").text)["URLs done"] == "1"
    assert "data-poll" not in client.get(f"/sites/{HOST}").text
    assert '<tr class="progress" hidden>' in client.get("/").text


def test_a_crawl_whose_lease_has_expired_has_died(ui, client):
    begin(ui, until=-HOUR)
    page = client.get(f"/sites/{HOST}").text
    assert "<b>The crawl has died</b>" in page and f"sitecrawl recrawl {HOST}" in page
    assert "data-poll" not in page
    assert "data-done" in client.get(f"/sites/{HOST}/progress").text
    assert "crawling</span>" not in client.get("/").text


def test_a_site_that_was_never_crawled_shows_no_progress(ui, client):
    with ui.writing() as session:
        SiteRepository(session).get_or_add("new.example", "https://new.example/", now())
    assert 'id="progress"' not in client.get("/sites/new.example").text
    answer = client.get("/sites/new.example/progress").text
    assert "never crawled" in answer and "data-done" in answer


def test_a_site_that_was_forgotten_and_numbers_that_are_none(client):
    assert client.get("/sites/nowhere.example/progress").status_code == 404
    for query in ("", "?sites=", "?sites=x,-1,99999999999999999999,4711"):
        answer = client.get(f"/progress{query}")
        assert answer.status_code == 200 and "data-for" not in answer.text


NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("owner", "until", "crawl", "finished", "expected"),
    [
        (None, None, None, None, Phase.NEVER),
        (ELSEWHERE, NOW + HOUR, None, None, Phase.BUSY),
        (ELSEWHERE, NOW + HOUR, 1, NOW, Phase.BUSY),
        (ELSEWHERE, NOW + HOUR, 1, None, Phase.RUNNING),
        (new_owner(), NOW + HOUR, 1, None, Phase.RUNNING),
        (re.sub(r"\.\d+:", ".1:", new_owner()), NOW + HOUR, 1, None, Phase.DIED),
        (ELSEWHERE, NOW, 1, None, Phase.DIED),
        (ELSEWHERE, NOW, 1, NOW, Phase.ENDED),
        (None, None, 1, None, Phase.STOPPED),
        (None, None, 1, NOW, Phase.ENDED),
    ],
    ids=[
        "never",
        "busy",
        "busy-after-its-end",
        "running",
        "running-here",
        "died-here",
        "died",
        "ended",
        "stopped",
        "over",
    ],
)
def test_what_a_crawl_does_now(owner, until, crawl, finished, expected):
    assert phase(CrawlState(1, HOST, owner, until, crawl, NOW, finished, None), NOW) is expected


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (59.9, "59 s"), (125, "2 min 5 s"), (7260, "2 h 1 min"), (90_000, "1 d 1 h")]
)
def test_a_length_of_time(seconds, said):
    assert lasting(dt.timedelta(seconds=seconds)) == said
    assert lasting(None) == "–"


@pytest.mark.parametrize(
    ("value", "said"), [(None, "–"), (0, "0"), (0.42, "0.4"), (9.9, "9.9"), (1234.5, "1\u202f234")]
)
def test_speeds_are_rounded_by_their_size(value, said):
    assert rate(value) == said
