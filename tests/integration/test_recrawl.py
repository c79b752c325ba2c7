"""Tests of second crawls: changed pages, gone pages, held deletions, and killed recrawls."""

import datetime as dt
import json
import signal
import subprocess

import pytest
from sqlalchemy import text

from sitecrawl.config import Config
from sitecrawl.crawl.deletions import release as release_held
from sitecrawl.errors import UnknownSiteError
from tests import fork
from tests.integration.server import SiteServer, article, noisy_article, noisy_site, small_site
from tests.integration.test_crawl import MODULE, command, crawl, environment, read, release

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
STATS = ("-s", "LOG_LEVEL=INFO", "-s", "STATS_DUMP=True")


def statuses(rows):
    """The rows of a feed as {path: status}; every page has one at the most."""
    found = {path(row["url"]): row["status"] for row in rows}
    assert len(found) == len(rows)
    return found


def path(url):
    return "/" + url.split("/", 3)[3]


def pages(database):
    with read(database) as connection:
        rows = connection.execute(text("SELECT url, status, reason, strikes, deletion, fetches FROM page"))
        return {path(row.url): row for row in rows}


def outbox(database):
    """The changes for an index: {path: 1 upsert, 2 delete}."""
    with read(database) as connection:
        rows = connection.execute(
            text(
                "SELECT p.url, o.operation FROM outbox o JOIN page p ON p.site_id = o.site_id AND p.url_key = o.url_key"
            )
        )
        return {path(url): operation for url, operation in rows}


def drain(database):
    """Empty the outbox, as an index does."""
    with read(database) as connection:
        connection.execute(text("DELETE FROM outbox"))
        connection.commit()


def test_of_60_pages_exactly_the_5_edited_ones_are_changed(tmp_path, sqlite_url):
    edited = (3, 17, 28, 41, 59)
    with SiteServer(noisy_site()) as site:
        url = site.url("/index.html")
        done, rows = crawl(url, tmp_path, sqlite_url)
        assert set(statuses(rows).values()) == {"new"}
        drain(sqlite_url)
        site.pages.update(noisy_site(2, edited))
        done, rows = crawl(url, tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert statuses(rows) == {f"/reports/{i}.html": "changed" for i in edited}
    assert outbox(sqlite_url) == {f"/reports/{i}.html": 1 for i in edited}


def test_a_site_that_did_not_change_is_asked_with_validators_and_sends_no_body(tmp_path, sqlite_url):
    with SiteServer(small_site(12), etags=True) as site:
        url = site.url("/index.html")
        _, first = crawl(url, tmp_path, sqlite_url)
        site.answers.clear()
        drain(sqlite_url)
        done, rows = crawl(url, tmp_path, sqlite_url, *STATS)
        asked = [answer for answer in site.answers if answer[0] != "/robots.txt"]
    assert done.returncode == 0, done.stderr
    assert len(first) == len(asked) == 15
    assert {status for _, status, _ in asked} == {304}
    assert all(validator for _, _, validator in asked)
    assert rows == []
    assert outbox(sqlite_url) == {}
    assert "'sitecrawl/pages/not_modified': 15," in done.stderr
    assert "'sitecrawl/pages/conditional': 15," in done.stderr
    assert {row.status for row in pages(sqlite_url).values()} == {2}
    with read(sqlite_url) as connection:
        stats = connection.execute(text("SELECT stats FROM crawl ORDER BY id DESC LIMIT 1")).scalar()
    stats = json.loads(stats) if isinstance(stats, str) else stats
    assert stats["rows"] == {"unchanged": 15}
    assert stats["unlinked"] == 0  # the 304 of the front page counts its links as seen


def test_a_site_without_validators_that_did_not_change_is_not_read_again(tmp_path, sqlite_url):
    with SiteServer(small_site(12)) as site:
        url = site.url("/index.html")
        crawl(url, tmp_path, sqlite_url)
        drain(sqlite_url)
        done, rows = crawl(url, tmp_path, sqlite_url, *STATS)
        assert (done.returncode, rows, outbox(sqlite_url)) == (0, [], {}), done.stderr
        assert "'sitecrawl/pages/identical': 15," in done.stderr
        assert "'sitecrawl/pages/parsed'" not in done.stderr
        site.pages["/reports/7.html"] = article(7).replace("<p>", "<p>A sentence that nobody has read before. ", 1)
        site.pages["/reports/8.html"] = article(8).replace("<head>", "<head><meta name=robots content=noindex>", 1)
        done, rows = crawl(url, tmp_path, sqlite_url, *STATS)
        assert statuses(rows) == {"/reports/7.html": "changed", "/reports/8.html": "gone"}
        assert "'sitecrawl/pages/identical': 13," in done.stderr
        done, rows = crawl(url, tmp_path, sqlite_url, *STATS)
        assert (rows, "'sitecrawl/pages/identical': 15," in done.stderr) == ([], True)


def test_unchanged_rows_are_in_the_feed_when_asked_for(tmp_path, sqlite_url):
    with SiteServer(small_site(12), etags=True) as site:
        url = site.url("/index.html")
        _, first = crawl(url, tmp_path, sqlite_url)
        _, rows = crawl(url, tmp_path, sqlite_url, "-s", "SITECRAWL_EMIT_UNCHANGED=True")
    assert set(statuses(rows).values()) == {"unchanged"}
    texts = {row["url"]: row["text"] for row in first}
    assert {row["url"]: row["text"] for row in rows} == texts


def test_a_new_page_is_found_behind_pages_that_answer_304(tmp_path, sqlite_url):
    site_pages = small_site(12)
    with SiteServer(site_pages, etags=True) as site:
        url = site.url("/index.html")
        crawl(url, tmp_path, sqlite_url)
        site.pages["/reports/99.html"] = article(99)
        site.pages["/reports/5.html"] = site_pages["/reports/5.html"].replace(
            '<div class="footer">', '<div class="footer"><a href="/reports/99.html">99</a>'
        )
        done, rows = crawl(url, tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert statuses(rows) == {"/reports/99.html": "new"}


def test_validators_that_lie_are_found_out_by_the_next_whole_fetch(tmp_path, sqlite_url):
    site_pages = small_site(12)
    lying = {"ETag": '"always the same"'}
    site_pages["/reports/3.html"] = (200, lying, article(3))
    with SiteServer(site_pages, etags=True) as site:
        url = site.url("/index.html")
        every = ("-s", "SITECRAWL_FULL_FETCH_EVERY=3")
        crawl(url, tmp_path, sqlite_url, *every)
        site.pages["/reports/3.html"] = (200, lying, article(77))
        seen = []
        for _ in range(3):
            done, rows = crawl(url, tmp_path, sqlite_url, *every)
            assert done.returncode == 0, done.stderr
            seen.append(statuses(rows))
    assert seen[0] == {}
    assert sum(one == {"/reports/3.html": "changed"} for one in seen) == 1
    assert sum(one == {} for one in seen) == 2


def test_pages_that_end_are_deleted_as_the_policy_says(tmp_path, database_url):
    site_pages = noisy_site(articles=30)
    with SiteServer(site_pages) as site:
        url = site.url("/index.html")
        crawl(url, tmp_path, database_url)
        drain(database_url)
        site.pages["/reports/1.html"] = (410, {}, "gone")
        site.pages["/reports/2.html"] = (404, {}, "missing")
        site.pages["/reports/3.html"] = (301, {"Location": "/reports/300.html"}, "")
        site.pages["/reports/300.html"] = noisy_article(3)
        site.pages["/reports/4.html"] = (302, {"Location": "/reports/400.html"}, "")
        site.pages["/reports/400.html"] = noisy_article(400)
        site.pages["/reports/5.html"] = noisy_article(5, head='<meta name="robots" content="noindex">')
        site.pages["/reports/6.html"] = (200, {"X-Robots-Tag": "noindex"}, noisy_article(6))
        site.pages["/reports/7.html"] = noisy_article(7, head='<link rel="canonical" href="/reports/8.html">')
        site.pages["/reports/9.html"] = (500, {}, "oops")
        site.pages["/reports/10.html"] = (403, {}, "no")
        site.pages["/reports/11.html"] = ""
        site.pages["/robots.txt"] = (200, {}, "User-agent: *\nDisallow: /private/\nDisallow: /reports/12.html\n")
        settings = ("-s", "RETRY_ENABLED=False")
        done, rows = crawl(url, tmp_path, database_url, *settings)
        assert done.returncode == 0, done.stderr
        gone = {f"/reports/{i}.html" for i in (1, 3, 5, 6, 7)}
        assert statuses(rows) == {
            **dict.fromkeys(gone, "gone"),
            "/reports/300.html": "new",
            "/reports/400.html": "new",
        }
        assert all(row["text"] == "" and row["title"] is None for row in rows if row["status"] == "gone")
        told = outbox(database_url)
        assert {page for page, operation in told.items() if operation == 2} == gone
        assert {page for page, operation in told.items() if operation == 1} == {
            "/reports/300.html",
            "/reports/400.html",
        }
        state = pages(database_url)
        assert (state["/reports/2.html"].status, state["/reports/2.html"].strikes) == (4, 1)
        assert state["/reports/3.html"].reason.endswith("/reports/300.html for good")
        assert state["/reports/4.html"].reason.endswith("/reports/400.html for now")
        assert state["/reports/12.html"].status == 6

        drain(database_url)
        done, rows = crawl(url, tmp_path, database_url, *settings)
        assert done.returncode == 0, done.stderr
        assert statuses(rows) == {"/reports/2.html": "gone", "/reports/12.html": "gone"}
        assert outbox(database_url) == {"/reports/2.html": 2, "/reports/12.html": 2}

        drain(database_url)
        site.pages["/reports/1.html"] = noisy_article(1)
        site.pages["/reports/5.html"] = noisy_article(5)
        done, rows = crawl(url, tmp_path, database_url, *settings)
    assert done.returncode == 0, done.stderr
    assert statuses(rows) == {"/reports/1.html": "new", "/reports/5.html": "new"}
    assert outbox(database_url) == {"/reports/1.html": 1, "/reports/5.html": 1}


def test_pages_of_a_new_site_that_name_a_canonical_url_are_indexed_once(tmp_path, sqlite_url):
    site_pages = noisy_site(articles=12)
    for number, target in (
        (1, "/reports/2.html"),
        (3, "/nowhere.html"),
        (4, "/reports/5.html"),
        (5, "/reports/4.html"),
    ):
        site_pages[f"/reports/{number}.html"] = noisy_article(number, head=f'<link rel="canonical" href="{target}">')
    with SiteServer(site_pages) as site:
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert {f"/reports/{i}.html" for i in range(12)} < {path(row["url"]) for row in rows}
    told = outbox(sqlite_url)
    assert set(told.values()) == {1}
    assert "/reports/1.html" not in told
    assert {"/reports/2.html", "/reports/3.html"} < set(told)  # 3: what it names does not exist
    assert len({"/reports/4.html", "/reports/5.html"} & set(told)) == 1


def test_session_ids_of_an_unknown_name_do_not_make_a_site_grow(tmp_path, sqlite_url):
    """The start page writes another id into its links at each visit; the pages keep the id by which they were asked for."""
    visits = []

    def start():
        visits.append(f"{len(visits):08d}a1b2c3d4")
        names = [name for name in noisy_site(articles=12) if name.startswith("/reports/")]
        items = "".join(f'<li><a href="{name}?zap={visits[-1]}">A report of the day</a></li>' for name in names)
        return f"<title>Reports</title><h1>Reports</h1><ul>{items}</ul>"

    class Sessions(dict):
        def get(self, asked, default=None):
            return super().get(asked.split("?")[0], default)

    known = []
    with SiteServer({}) as site:
        site.pages = Sessions({**noisy_site(articles=12), "/index.html": start})
        for _ in range(4):
            done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url)
            assert done.returncode == 0, done.stderr
            known.append(sum("zap=" in url for url in pages(sqlite_url)))
    assert known[0] < known[1] == known[2] == known[3]
    assert "the values of 'zap' are session ids" in done.stderr


def test_a_page_that_is_gone_leaves_its_text_to_its_duplicate(tmp_path, sqlite_url):
    site_pages = noisy_site(articles=30)
    site_pages["/reports/8.html"] = site_pages["/reports/2.html"]
    with SiteServer(site_pages) as site:
        url = site.url("/index.html")
        _, rows = crawl(url, tmp_path, sqlite_url)
        (twin,) = [row for row in rows if row["duplicate_of"]]
        first = next(row for row in rows if row["id"] == twin["duplicate_of"])
        assert path(twin["url"]) not in outbox(sqlite_url)
        drain(sqlite_url)
        site.pages[path(first["url"])] = (410, {}, "")
        done, rows = crawl(url, tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert statuses(rows) == {path(first["url"]): "gone", path(twin["url"]): "changed"}
    assert outbox(sqlite_url) == {path(first["url"]): 2, path(twin["url"]): 1}
    assert next(row for row in rows if row["status"] == "changed")["duplicate_of"] is None


def test_30_percent_gone_at_once_are_held_until_they_are_released(tmp_path, database_url):
    with SiteServer(noisy_site(articles=30)) as site:
        url, host = site.url("/index.html"), site.url().split("/")[2]
        crawl(url, tmp_path, database_url)
        drain(database_url)
        removed = {f"/reports/{i}.html" for i in range(9)}
        for one in removed:
            site.pages[one] = (410, {}, "")
        for _ in range(2):  # again in the next crawl
            done, rows = crawl(url, tmp_path, database_url)
            assert done.returncode == 3, done.stderr
            assert (
                f"held: 9 of 33 pages would be deleted, more than 20%; none was."
                f" See: pages {host} --status held; if they are gone indeed: recrawl --release {host}" in done.stderr
            )
            assert rows == []
            assert outbox(database_url) == {}
        assert {one for one, row in pages(database_url).items() if row.deletion} == removed

        site.pages["/reports/0.html"] = noisy_article(0)  # one of them comes back
        done, rows = crawl(url, tmp_path, database_url)
        assert done.returncode == 3
        assert rows == []
        config = Config(database_url=database_url)
        released = fork.run(
            [*MODULE, "recrawl", "--release", host, "-o", "-", "-s", f"SITECRAWL_DATABASE_URL={database_url}"],
            capture_output=True,
            text=True,
            timeout=120,
            env=environment(),
            cwd=tmp_path,
        )
        assert released.returncode == 0, released.stderr
        told = [json.loads(line) for line in released.stdout.splitlines() if line.startswith("{")]
        assert statuses(told) == dict.fromkeys(removed - {"/reports/0.html"}, "gone")
        assert all(row["text"] == "" for row in told)
        assert outbox(database_url) == dict.fromkeys(removed - {"/reports/0.html"}, 2)
        assert release_held(config, host, "test", NOW) == ([], None)
        done, rows = crawl(url, tmp_path, database_url)
    assert done.returncode == 0, done.stderr
    assert rows == []
    with pytest.raises(UnknownSiteError):
        release_held(config, "example.org", "test", NOW)


def test_the_rows_of_a_release_that_was_killed_before_they_were_in_the_feed_are_given_again(tmp_path, sqlite_url):
    with SiteServer(noisy_site(articles=30)) as site:
        url, host = site.url("/index.html"), site.url().split("/")[2]
        crawl(url, tmp_path, sqlite_url)
        gone = {f"/reports/{i}.html" for i in range(9)}
        for one in gone:
            site.pages[one] = (410, {}, "")
        assert crawl(url, tmp_path, sqlite_url)[0].returncode == 3
        released = release_held(Config(database_url=sqlite_url), host, "test", NOW)  # and no more: it was killed
        assert len(released.rows) == 9
        feed = tmp_path / "released.jsonl"
        line = [*MODULE, "recrawl", "--release", host, "-O", str(feed)]
        line += ["-s", f"SITECRAWL_DATABASE_URL={sqlite_url}"]
        for given in (9, 0):
            done = fork.run(line, capture_output=True, text=True, timeout=120, env=environment(), cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            rows = [json.loads(one) for one in feed.read_text().splitlines()]
            assert statuses(rows) == dict.fromkeys(gone if given else (), "gone")
        done, rows = crawl(url, tmp_path, sqlite_url)
    assert (done.returncode, rows) == (0, [])


def test_a_tiny_site_may_lose_a_page(tmp_path, sqlite_url):
    with SiteServer(small_site(2)) as site:
        url = site.url("/index.html")
        crawl(url, tmp_path, sqlite_url)
        site.pages["/reports/1.html"] = (410, {}, "")
        done, rows = crawl(url, tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert statuses(rows) == {"/reports/1.html": "gone"}


def test_a_killed_recrawl_goes_on_and_loses_nothing(tmp_path, database_url):
    with SiteServer(noisy_site()) as site:
        url, feed = site.url("/index.html"), tmp_path / "feed.jsonl"
        crawl(url, tmp_path, database_url)
        drain(database_url)
        site.pages.update(noisy_site(2, edited=(3, 40)))
        site.pages["/reports/7.html"] = (410, {}, "")
        site.pages["/reports/50.html"] = (404, {}, "")
        site.pages["/index.html"] = site.pages["/index.html"].replace(
            '<div class="footer">', '<div class="footer"><a href="/reports/99.html">99</a>'
        )
        site.pages["/reports/99.html"] = noisy_article(99)
        site.log.clear()
        for _ in range(3):
            asked = len(site.log)
            site.hold(20)  # it is killed at any moment, but never at its end
            process = fork.Popen(
                command(url, feed, database_url), env=environment(), cwd=tmp_path, stderr=subprocess.DEVNULL
            )
            site.wait(asked + 12, process)
            process.send_signal(signal.SIGKILL)
            process.wait(60)
            site.hold(None)
            release(database_url)
        assert 2 not in outbox(database_url).values()
        done, rows = crawl(url, tmp_path, database_url)
        asked = [one for one in site.log if one.endswith(".html")]
    assert done.returncode == 0, done.stderr
    assert statuses(rows) == {
        "/reports/3.html": "changed",
        "/reports/40.html": "changed",
        "/reports/99.html": "new",
        "/reports/7.html": "gone",
    }
    assert set(asked) == {one for one in site.pages if one.endswith(".html")}
    assert len(asked) - len(set(asked)) <= 6
    state = pages(database_url)
    assert len(state) == 64
    assert state["/reports/50.html"].strikes == 1
    with read(database_url) as connection:
        assert connection.execute(text("SELECT count(*) FROM crawl")).scalar() == 2


def test_a_clock_that_was_set_back_is_named_and_harms_nothing(tmp_path, sqlite_url):
    with SiteServer(small_site(12), etags=True) as site:
        url = site.url("/index.html")
        crawl(url, tmp_path, sqlite_url)
        with read(sqlite_url) as connection:  # as if that had been next year
            for table, column in (("crawl", "started_at"), ("crawl", "finished_at"), ("page", "fetched_at")):
                connection.execute(text(f"UPDATE {table} SET {column} = '2099-01-01 00:00:00.000000'"))
            connection.commit()
        site.pages["/reports/3.html"] = article(33)
        done, rows = crawl(url, tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert "the clock of this machine is" in done.stderr
    assert statuses(rows) == {"/reports/3.html": "changed"}


def dead_links(articles, count):
    """A small site whose about page links to `count` pages that never existed."""
    site = small_site(articles)
    links = "".join(f'<a href="/missing/{number}.html">missing {number}</a> ' for number in range(count))
    site["/about.html"] = site["/about.html"].replace("</p>", f"</p><p>{links}</p>", 1)
    return site


def asked_dead(site, since=0):
    return sum(path.startswith("/missing/") for path in site.log[since:])


def test_dead_links_are_no_deletions_and_are_tried_again_rarely(tmp_path, sqlite_url):
    with SiteServer(dead_links(26, 105), etags=True) as site:
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
        assert done.returncode == 0, done.stderr
        assert len(rows) == 29
        assert "105 dead links, 29 fetched" in done.stderr
        assert "  changes       29 new, 0 changed, 0 gone\n" in done.stderr
        assert asked_dead(site) == 105
        for _ in range(3):
            before = len(site.log)
            done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
            assert (done.returncode, rows) == (0, []), done.stderr
            assert len(site.log) - before <= 29 + 2  # and robots.txt, for its rules and for its sitemaps
            assert asked_dead(site, before) == 0
        with read(sqlite_url) as connection:  # as if a month had passed
            connection.execute(text("UPDATE page SET next_fetch_at = '2026-01-01 00:00:00.000000' WHERE status = 7"))
            connection.commit()
        site.pages["/missing/7.html"] = article(700)
        before = len(site.log)
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
        assert statuses(rows) == {"/missing/7.html": "new"}
        assert asked_dead(site, before) == 105
        crawl(site.url("/index.html"), tmp_path, sqlite_url)
        assert asked_dead(site, before) == 106  # the page that is there now
    with read(sqlite_url) as connection:
        plans = connection.execute(text("SELECT DISTINCT next_reason FROM page WHERE status = 7")).scalars().all()
    assert all(plan.startswith("a dead link, found so twice: 2") for plan in plans)


def test_bodies_in_a_folder_give_the_same_feed_and_what_is_lost_of_them_is_fetched_again(tmp_path, sqlite_url):
    folder = tmp_path / "bodies"
    store = ("-s", f"SITECRAWL_BODY_STORE={folder}")
    with SiteServer(small_site(12), etags=True) as site:
        url = site.url("/index.html")
        _, inside = crawl(url, tmp_path, f"sqlite:///{tmp_path}/inside.db")
        _, outside = crawl(url, tmp_path, sqlite_url, *store)
        assert {row["url"]: row["text"] for row in outside} == {row["url"]: row["text"] for row in inside}
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        assert len(files) == len(outside) == 15
        files[0].unlink()
        files[1].write_bytes(files[1].read_bytes()[:-1])
        settings = ["-s", f"SITECRAWL_DATABASE_URL={sqlite_url}", *store]
        run = {"cwd": tmp_path, "env": environment(), "capture_output": True, "text": True}
        again = fork.run([*MODULE, "reextract", site.url("/").split("/")[2], *settings], **run)
        assert (again.returncode, "2 cannot be read" in again.stderr) == (3, True), again.stderr
        assert ("is missing in" in again.stderr, "is damaged in" in again.stderr) == (True, True)
        site.answers.clear()
        done, _ = crawl(url, tmp_path, sqlite_url, *store)
        statuses_of = [status for path, status, _ in site.answers if path != "/robots.txt"]
    assert (done.returncode, statuses_of.count(200), statuses_of.count(304)) == (0, 2, 13), done.stderr
    pruned = fork.run([*MODULE, "database", "prune-bodies", *settings], **run)
    # the damaged body was replaced; it may be of a transaction that runs
    young = "Of 16 bodies none is deleted. Without a page, but less than a day old: 1; prune again tomorrow.\n"
    assert pruned.stdout == young, pruned.stderr
    host = site.url("/").split("/")[2]
    forgotten = fork.run([*MODULE, "sites", "forget", host, *settings], **run)
    assert forgotten.stdout.endswith(" Its bodies are deleted by: sitecrawl database prune-bodies\n")
