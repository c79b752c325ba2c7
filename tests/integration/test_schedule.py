"""`recrawl`: which sites and pages are visited again, by real crawls of local websites."""

import datetime as dt
import json
import os
import signal
import subprocess
from contextlib import ExitStack

import pytest
from sqlalchemy import select, update

from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import PAGE, SITE
from tests import fork
from tests.integration.server import SiteServer, article
from tests.integration.test_crawl import MODULE, command, crawl, environment

HOUR = dt.timedelta(hours=1)
ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""For tests in which PostgreSQL has no other part than in the rest."""


def tiny_site(name, pages=6):
    links = "".join(f'<li><a href="/{name}/{number}.html">{number}</a></li>' for number in range(pages))
    return {
        "/": f"<html><head><title>{name}</title></head><body><ul>{links}</ul></body></html>",
        **{f"/{name}/{number}.html": article(number) for number in range(pages)},
    }


def run(folder, database, *arguments, words=("recrawl",), **more):
    settings = [f"SITECRAWL_DATABASE_URL={database}", "SITECRAWL_EMIT_UNCHANGED=1"]
    flags = [part for setting in settings for part in ("-s", setting)]
    return fork.run(
        [*MODULE, *words, *arguments, *flags],
        **{"capture_output": True, "text": True, "timeout": 240, "env": environment(), "cwd": folder, **more},
    )


def rows(folder):
    return [json.loads(line) for line in (folder / "feed.jsonl").read_text().splitlines()]


def change(database, statement):
    engine = open_database(database)
    with session_scope(engine) as session:
        session.execute(statement)
    engine.dispose()


def sites(database):
    engine = open_database(database)
    with session_scope(engine, write=False) as session:
        found = {row.host: row for row in session.execute(select(*SITE.c))}
    engine.dispose()
    return found


def pages(database):
    """The pages that were found; the articles link to some that are not there."""
    engine = open_database(database)
    with session_scope(engine, write=False) as session:
        found = {row.url: row for row in session.execute(select(*PAGE.c).where(PAGE.c.visited_at.is_not(None)))}
    engine.dispose()
    return found


def host(site):
    return site.url().split("/")[2]


@pytest.fixture
def two(tmp_path, database_url):
    """Two websites that were crawled a day ago, and when they were."""
    with ExitStack() as stack:
        both = [stack.enter_context(SiteServer(tiny_site(name))) for name in ("north", "south")]
        for site in both:
            done, _ = crawl(site.url(), tmp_path, database_url)
            assert done.returncode == 0, done.stderr
            site.log.clear()
        (tmp_path / "feed.jsonl").unlink()
        yield both


@ON_SQLITE
def test_a_crawl_plans_the_next_visits(database_url, two):
    known = pages(database_url)
    assert len(known) == 14
    for page in known.values():
        assert page.next_reason.startswith("new: ")
        assert 21 * HOUR < page.next_fetch_at - page.visited_at <= 24 * HOUR
    for site in two:
        first = min(page.next_fetch_at for url, page in known.items() if url.startswith(site.url()))
        assert first <= sites(database_url)[host(site)].next_crawl_at <= first + 24 * HOUR / 20  # few pages: a bit late


def test_only_what_is_due_is_visited(tmp_path, database_url, two):
    north, south = two
    nothing = run(tmp_path, database_url, "--due")
    assert nothing.returncode == 0
    assert "nothing is due; next is 127.0.0.1:" in nothing.stderr
    assert (north.log, south.log) == ([], [])

    past = dt.datetime.now(dt.UTC) - HOUR
    due = [north.url(f"/north/{number}.html") for number in (1, 4)]
    change(database_url, update(PAGE).where(PAGE.c.url.in_(due)).values(next_fetch_at=past))
    change(database_url, update(SITE).where(SITE.c.host == host(north)).values(next_crawl_at=past))
    north.pages["/north/4.html"] = article(99)
    done = run(tmp_path, database_url, "--due", "-O", "feed.jsonl")
    assert done.returncode == 0, done.stderr
    assert {row["url"]: row["status"] for row in rows(tmp_path)} == {due[0]: "unchanged", due[1]: "changed"}
    assert sorted(path for path in north.log if path != "/robots.txt") == ["/north/1.html", "/north/4.html"]
    assert south.log == []
    known = pages(database_url)
    assert known[due[0]].next_reason.startswith("unchanged once")
    assert known[due[1]].next_reason.startswith("changed once, ")
    assert sites(database_url)[host(north)].next_crawl_at > past + HOUR
    assert sites(database_url)[host(north)].lease_owner is None
    assert "1 site: 1 done; 2 rows in feed.jsonl" in done.stderr


def test_all_sites_at_once_into_one_feed(tmp_path, database_url, two):
    done = run(tmp_path, database_url, "--sites", "2", "-O", "feed.jsonl")
    assert done.returncode == 0, done.stderr
    assert sorted(row["url"] for row in rows(tmp_path)) == sorted(pages(database_url))
    assert not (tmp_path / "feed.jsonl.parts").exists()
    hosts = {line.split(": ")[0] for line in done.stderr.splitlines() if "finished" in line}
    assert hosts == {host(site) for site in two}


@ON_SQLITE
def test_what_goes_wrong_is_said_and_the_rest_done(tmp_path, database_url, two):
    north, south = two
    engine = open_database(database_url)
    with session_scope(engine) as session:
        held = SiteRepository(session).get(host(south))
        SiteRepository(session).lease(held.id, "another machine", dt.datetime.now(dt.UTC), 3600)
    engine.dispose()
    partial = run(tmp_path, database_url, host(north), host(south))
    assert partial.returncode == 3
    assert f"{host(south)} is being crawled by another machine" in partial.stderr
    assert "2 sites: 1 done, 1 crawled by another process" in partial.stderr
    assert south.log == []

    north.server.shutdown()
    north.server.server_close()
    failed = run(tmp_path, database_url, host(north))
    assert failed.returncode == 1
    assert "1 failed" in failed.stderr
    assert sites(database_url)[host(north)].lease_owner is None
    assert run(tmp_path, database_url, "no.example").returncode == 1
    assert run(tmp_path, database_url, "--sites", "0").returncode == 2
    assert run(tmp_path, database_url, "-O", "feed.csv").returncode == 2


def test_pages_that_changed_or_ended_are_noticed_before_the_whole_site_was_seen(tmp_path, sqlite_url):
    """44 pages, ten a crawl: five of them were known before, the start page always, and each of the others in turn."""
    limited = ("-a", "max_pages=10")
    with SiteServer(tiny_site("north", 43)) as site:
        _, first = crawl(site.url(), tmp_path, sqlite_url, *limited)
        assert len(first) == 10
        known = sorted({row["url"] for row in first} - {site.url()})
        edited, ended = (url.removeprefix(site.url()[:-1]) for url in known[:2])
        site.pages[edited] = article(1000)
        site.pages[ended] = (410, {}, "")
        told, asked = [], []
        for _ in range(3):
            site.log.clear()
            _, rows = crawl(site.url(), tmp_path, sqlite_url, *limited)
            told += [(row["status"], row["url"].removeprefix(site.url()[:-1])) for row in rows]
            asked.append([path for path in site.log if path in site.pages])
    assert ("changed", edited) in told
    assert ("gone", ended) in told
    assert all("/" in paths for paths in asked)
    assert [sum(status == "new" for status, _ in told)] == [16]  # five each, and one in the place of the deleted page
    assert len({path for paths in asked for path in paths}) == 16 + 10


@ON_SQLITE
@pytest.mark.parametrize(
    ("words", "told"), [(("recrawl",), "pages are visited every 10 min to 5 h"), (("sites", "set"), "set")]
)
def test_intervals_of_one_site(tmp_path, database_url, two, words, told):
    north, south = two
    done = run(tmp_path, database_url, "--every", "10min-5h", host(north), words=words)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{host(north)}: {told}\n"
    soon = dt.datetime.now(dt.UTC) + 5 * HOUR
    for url, page in pages(database_url).items():
        assert (page.next_fetch_at < soon) == url.startswith(north.url())
    assert sites(database_url)[host(north)].next_crawl_at < soon < sites(database_url)[host(south)].next_crawl_at
    assert run(tmp_path, database_url, "--every", "often", host(north)).returncode == 2


def test_an_interrupted_recrawl_ends_in_order_and_is_gone_on_with(tmp_path, database_url, two):
    for site in two:
        site.hold(2)  # neither crawl can end by itself
    flags = ["-s", f"SITECRAWL_DATABASE_URL={database_url}", "-s", "SITECRAWL_EMIT_UNCHANGED=1"]
    process = fork.Popen(
        [*MODULE, "recrawl", "-O", "feed.jsonl", *flags],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        cwd=tmp_path,
        start_new_session=True,
    )
    for site in two:
        site.wait(3, process)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=120)[1]
    for site in two:
        site.hold(None)
    assert process.returncode == 0, said
    assert "stopped by a signal; 2 sites: 0 done, 2 in part" in said
    assert "Traceback" not in said
    assert [site.lease_owner for site in sites(database_url).values()] == [None, None]
    done = run(tmp_path, database_url, "-O", "feed.jsonl")
    assert done.returncode == 0, done.stderr
    assert sorted(row["url"] for row in rows(tmp_path)) == sorted(pages(database_url))


def test_a_site_whose_machine_died_is_crawled_when_its_lease_has_ended(tmp_path, database_url, two):
    """Nothing of it is due: `next_crawl_at` was moved on when the site was taken."""
    first, second = two
    now = dt.datetime.now(dt.UTC)
    owner = {"lease_owner": "another-machine:1:0123abcd.77:ffff", "next_crawl_at": now + 2 * HOUR}
    change(database_url, update(SITE).values(leased_until=now + HOUR, **owner))
    change(database_url, update(SITE).where(SITE.c.host == host(first)).values(leased_until=now))
    change(database_url, update(PAGE).values(next_fetch_at=now))
    first.log.clear()
    second.log.clear()
    done = run(tmp_path, database_url, "--due", "-O", "feed.jsonl")
    assert done.returncode == 0, done.stderr
    assert "1 site: 1 done" in done.stderr
    assert len([path for path in first.log if path != "/robots.txt"]) >= 7
    assert second.log == []
    assert sites(database_url)[host(first)].lease_owner is None


def test_another_start_url_of_a_crawl_that_is_gone_on_with_is_asked_for(tmp_path, sqlite_url):
    pages = tiny_site("one", 20)
    pages["/island.html"] = article(77)
    with SiteServer(pages) as site:

        def kill():
            child.kill()
            child.wait(60)
            return article(3)

        site.pages["/one/3.html"] = kill
        with fork.Popen(
            command(site.url(), tmp_path / "x.jsonl", sqlite_url), env=environment(), cwd=tmp_path
        ) as child:
            child.wait(120)
        assert child.returncode == -signal.SIGKILL
        site.pages["/one/3.html"] = article(3)
        done, found = crawl(site.url("/island.html"), tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert site.url("/island.html") in {row["url"] for row in found}
    assert site.url("/one/19.html") in {row["url"] for row in found}
