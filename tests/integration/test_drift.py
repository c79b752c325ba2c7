"""A site changes its design between two crawls: the new one is learned besides the old one, no page counts as changed."""

import json
import signal
import subprocess
import sys

import pytest
from sqlalchemy import text

from sitecrawl.dom.labels import LABEL_RULE
from sitecrawl.storage.db.engine import open_database
from tests import fork
from tests.integration.redesign import ARTICLES, MENU, paragraphs, report, site
from tests.integration.server import SiteServer
from tests.integration.test_crawl import MODULE, command, crawl, environment, read, release

PAGES = ARTICLES + len(MENU)
VERBOSE = ("-s", "LOG_LEVEL=INFO", "-s", "SITECRAWL_EMIT_UNCHANGED=True")


def query(database_url, sql):
    with read(database_url) as connection:
        return [tuple(row) for row in connection.execute(text(sql))]


def by_status(rows):
    counts = {}
    for row in rows:
        counts[row["status"]] = counts.get(row["status"], 0) + 1
    return counts


def show(tmp_path, database_url, *more):
    host = query(database_url, "SELECT host FROM site")[0][0]
    done = fork.run(
        [*MODULE, "template", "show", host, *more, "-s", f"SITECRAWL_DATABASE_URL={database_url}"],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def texts(rows):
    return {row["url"]: row["text"] for row in rows}


def test_a_redesign_is_learned_beside_the_old_look_and_changes_nothing(tmp_path, database_url):
    with SiteServer(site()) as server:
        url = server.url("/front.html")
        _, before = crawl(url, tmp_path, database_url, *VERBOSE)
        server.pages.update(site(look="new"))
        done, after = crawl(url, tmp_path, database_url, *VERBOSE)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert by_status(before) == {"new": PAGES}
    assert by_status(after) == {"unchanged": PAGES}
    assert texts(after) == texts(before)
    assert "pages no longer match template version" in done.stderr
    assert "no page has layout 1 any more" in done.stderr
    heads = query(database_url, "SELECT layout, pages_seen, retired_at IS NULL FROM template ORDER BY layout")
    assert heads[0][0::2] == (1, False)
    assert heads[1] == (2, 40, True)  # it decides at so many
    assert query(database_url, "SELECT DISTINCT layout FROM page") == [(2,)]
    assert query(database_url, "SELECT DISTINCT layout FROM template_node") == [(2,)]
    assert query(database_url, "SELECT count(*) FROM body WHERE previous IS NOT NULL") == [(0,)]


def test_the_new_look_is_extracted_by_its_own_template(tmp_path, sqlite_url):
    """Every text is edited too, so that every page is extracted from its new design."""
    with SiteServer(site()) as server:
        url = server.url("/front.html")
        crawl(url, tmp_path, sqlite_url, *VERBOSE)
        server.pages.update(site(look="new"))
        for number in range(ARTICLES):
            edited = [line.replace("very", "strange") for line in paragraphs(number)]
            server.pages[f"/reports/{number}.html"] = report(number, "new", texts=edited)
        _, after = crawl(url, tmp_path, sqlite_url, *VERBOSE)
    reports = [row for row in after if "/reports/" in row["url"]]
    assert by_status(reports) == {"changed": ARTICLES}
    for row in reports:
        number = int(row["url"].rsplit("/", 1)[1].split(".")[0])
        for line in paragraphs(number):
            assert line.replace("very", "strange") in row["text"]
        assert "All rights reserved" not in row["text"]
        assert "Read also" not in row["text"]
        assert "Imprint" not in row["text"]


def test_edits_are_seen_through_a_redesign(tmp_path, sqlite_url):
    with SiteServer(site()) as server:
        url = server.url("/front.html")
        crawl(url, tmp_path, sqlite_url, *VERBOSE)
        server.pages.update(site(look="new"))
        for number in (3, 8):
            longer = [*paragraphs(number), "One more paragraph was added after the new look had been made, by hand."]
            server.pages[f"/reports/{number}.html"] = report(number, "new", texts=longer)
        server.pages["/reports/11.html"] = report(11, "new", texts=paragraphs(11)[:-1])
        _, after = crawl(url, tmp_path, sqlite_url, *VERBOSE)
    changed = sorted(row["url"].rsplit("/", 1)[1] for row in after if row["status"] == "changed")
    assert changed == ["11.html", "3.html", "8.html"]


def test_a_section_in_another_look_has_its_own_layout_and_nothing_flaps(tmp_path, sqlite_url):
    with SiteServer(site()) as server:
        url = server.url("/front.html")
        crawl(url, tmp_path, sqlite_url, *VERBOSE)
        for number in range(20, ARTICLES):
            server.pages[f"/reports/{number}.html"] = report(number, "new")
        seen = []
        for _ in range(3):
            done, rows = crawl(url, tmp_path, sqlite_url, *VERBOSE)
            assert by_status(rows) == {"unchanged": PAGES}
            seen.append(query(sqlite_url, "SELECT layout, count(*) FROM page GROUP BY layout ORDER BY layout"))
            versions = query(sqlite_url, "SELECT layout, version, retired_at IS NULL FROM template ORDER BY layout")
    assert seen == [[(1, 26), (2, 30)]] * 3
    assert [layout for layout, _, live in versions if live] == [1, 2]
    assert "no longer match" not in done.stderr
    shown = show(tmp_path, sqlite_url)
    assert "layout 1" in shown
    assert "layout 2" in shown
    assert "on 26 pages now" in shown
    assert "article.leaf" in show(tmp_path, sqlite_url, "--layout", "2")
    assert "article.leaf" not in show(tmp_path, sqlite_url, "--layout", "1")


def test_a_redesign_is_noticed_by_crawls_of_few_pages(tmp_path, sqlite_url):
    """The start page and another one a crawl: the fourth crawl has seen enough, and extracts the earlier pages again."""
    with SiteServer(site()) as server:
        url = server.url("/front.html")
        crawl(url, tmp_path, sqlite_url, *VERBOSE)
        server.pages.update(site(look="new"))
        versions = []
        for _ in range(4):
            _, rows = crawl(url, tmp_path, sqlite_url, *VERBOSE, "-a", "max_pages=2")
            assert {row["status"] for row in rows} == {"unchanged"}
            versions.append(query(sqlite_url, "SELECT max(layout) FROM template")[0][0])
    assert versions == [1, 1, 1, 2]
    # the start page too, although the fourth crawl found it unchanged and did not read it
    assert query(sqlite_url, "SELECT count(*) FROM page WHERE layout = 2") == [(5,)]
    assert query(sqlite_url, "SELECT layout FROM page WHERE url LIKE '%/front.html'") == [(2,)]


def test_a_crawl_killed_while_it_relearns_goes_on(tmp_path, sqlite_url):
    with SiteServer(site()) as server:
        url, feed = server.url("/front.html"), tmp_path / "feed.jsonl"
        crawl(url, tmp_path, sqlite_url, *VERBOSE)
        server.pages.update(site(look="new"))
        for stop in (7, 15, 40):  # while outliers gather, when they are a layout, and while it grows
            asked = len(server.log)
            server.hold(stop + 5)  # it is killed at any moment, but never at its end, and enough is left for the next
            process = fork.Popen(
                command(url, feed, sqlite_url, *VERBOSE, "-s", "SITECRAWL_LEASE_SECONDS=10"),
                env=environment(),
                cwd=tmp_path,
                stderr=subprocess.DEVNULL,
            )
            server.wait(asked + stop, process)
            process.send_signal(signal.SIGKILL)
            process.wait(60)
            server.hold(None)
            release(sqlite_url)
        done, rows = crawl(url, tmp_path, sqlite_url, *VERBOSE)
    assert done.returncode == 0, done.stderr
    assert by_status(rows) == {"unchanged": PAGES}
    assert query(sqlite_url, "SELECT DISTINCT layout FROM page") == [(2,)]
    heads = query(sqlite_url, "SELECT layout, pages_seen, retired_at IS NULL FROM template ORDER BY layout")
    assert [head[::2] for head in heads] == [(1, False), (2, True)]
    assert heads[1][1] == 40


@pytest.mark.parametrize("unlike", [1, 4])
def test_a_few_odd_pages_are_no_layout(tmp_path, sqlite_url, unlike):
    odd = {
        f"/odd/{i}.html": f"<body><table class=odd{'x' * i}><tr><td class=c{'y' * i}><p>Odd page {i} stands alone."
        f" It says things that nobody else says, {i} times.</table>"
        for i in range(unlike)
    }
    with SiteServer(site()) as server:
        url = server.url("/front.html")
        crawl(url, tmp_path, sqlite_url, *VERBOSE)
        server.pages.update(odd)
        anchors = "".join(f'<a href="{path}">odd</a>' for path in odd)
        server.pages["/front.html"] = server.pages["/front.html"].replace("<h1>", f"{anchors}<h1>", 1)
        done, rows = crawl(url, tmp_path, sqlite_url, *VERBOSE)
    assert done.returncode == 0, done.stderr
    assert sum(row["url"].rsplit("/", 2)[1] == "odd" for row in rows) == unlike
    assert query(sqlite_url, "SELECT DISTINCT layout FROM template") == [(1,)]
    assert "no longer match" not in done.stderr


def reextract(tmp_path, database_url, *more, file=None):
    feed = tmp_path / "again.jsonl"
    done = fork.run(
        [*MODULE, "reextract", *more, "-O", file or str(feed), "-s", f"SITECRAWL_DATABASE_URL={database_url}"],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment(),
        cwd=tmp_path,
    )
    rows = [json.loads(line) for line in feed.read_text().splitlines()] if feed.exists() else []
    return done, rows


def test_rows_of_reextract_that_cannot_be_written_are_given_by_the_next_call(tmp_path, sqlite_url):
    with SiteServer(site(4)) as server:
        _, before = crawl(server.url("/front.html"), tmp_path, sqlite_url)
    everything = ("-s", "SITECRAWL_EXTRACTOR=everything")
    done, _ = reextract(tmp_path, sqlite_url, *everything, file="/dev/full:jsonlines")
    assert done.returncode == 3, done.stderr
    assert "sitecrawl: the feed cannot be written (No space left on device); free some space" in done.stderr
    assert "Traceback" not in done.stderr
    done, rows = reextract(tmp_path, sqlite_url, *everything)
    assert done.returncode == 0, done.stderr
    assert {row["url"] for row in rows} == {row["url"] for row in before}


def test_reextract_emits_what_another_extractor_makes_of_stored_pages(tmp_path, database_url):
    with SiteServer(site(20)) as server:
        one_version = ("-s", "SITECRAWL_TEMPLATE_MIN_PAGES=26")
        _, before = crawl(server.url("/front.html"), tmp_path, database_url, *one_version)
    done, rows = reextract(tmp_path, database_url)
    assert done.returncode == 0, done.stderr
    assert rows == []
    assert "26 pages extracted again, 0 changed" in done.stderr
    with read(database_url) as connection:
        connection.execute(text("DELETE FROM outbox"))
        connection.commit()
    host = before[0]["site"]
    done, rows = reextract(tmp_path, database_url, host, "-s", "SITECRAWL_EXTRACTOR=everything")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert {row["url"] for row in rows} == {row["url"] for row in before}
    assert {(row["status"], row["method"]) for row in rows} == {("changed", "everything")}
    assert "All rights reserved" in rows[0]["text"]
    assert query(database_url, "SELECT count(*) FROM outbox") == [(26,)]
    assert query(database_url, "SELECT count(*) FROM content WHERE method = 'everything'") == [(26,)]
    assert query(database_url, "SELECT reason FROM crawl ORDER BY id") == [
        ("finished",),
        ("reextract",),
        ("reextract",),
    ]
    done, rows = reextract(tmp_path, database_url, host, "-s", "SITECRAWL_EXTRACTOR=everything")
    assert (done.returncode, rows) == (0, [])


def test_reextract_says_what_is_in_the_way(tmp_path, sqlite_url):
    open_database(sqlite_url).dispose()
    done, _ = reextract(tmp_path, sqlite_url, "nowhere.example")
    assert done.returncode == 1
    assert "holds nothing about this site" in done.stderr
    with SiteServer(site(20)) as server:
        crawl(server.url("/front.html"), tmp_path, sqlite_url)
    with read(sqlite_url) as connection:
        connection.execute(text("UPDATE crawl SET finished_at = NULL"))
        connection.commit()
    done, rows = reextract(tmp_path, sqlite_url)
    assert done.returncode == 1
    assert "its last crawl did not end" in done.stderr
    assert "Traceback" not in done.stderr
    assert rows == []
    done, _ = reextract(tmp_path, sqlite_url, "-s", "SITECRAWL_EXTRACTOR=nothing-like-it")
    assert done.returncode == 2


KILLED = """
import os, signal
from scrapy.cmdline import execute
from sitecrawl.storage.contents import ContentRepository

write, calls = ContentRepository.write, []


def killing(*arguments, **named):
    calls.append(1)
    if len(calls) == 60:
        os.kill(os.getpid(), signal.SIGKILL)
    return write(*arguments, **named)


ContentRepository.write = killing
execute()
"""
"""A command that is killed while it stores the 60th page."""


def test_a_killed_reextract_goes_on_and_its_feed_is_whole(tmp_path, sqlite_url):
    with SiteServer(site(60)) as server:
        _, before = crawl(server.url("/front.html"), tmp_path, sqlite_url)
    settings = ["-s", f"SITECRAWL_DATABASE_URL={sqlite_url}", "-s", "SITECRAWL_EXTRACTOR=everything"]
    line = [sys.executable, "-c", KILLED, "reextract", "-O", str(tmp_path / "again.jsonl"), *settings]
    assert fork.run(line, env=environment(), cwd=tmp_path).returncode == -signal.SIGKILL
    release(sqlite_url)
    ((stored,),) = query(sqlite_url, "SELECT count(*) FROM content WHERE method = 'everything'")
    assert 0 < stored < 66
    done, rows = reextract(tmp_path, sqlite_url, "-s", "SITECRAWL_EXTRACTOR=everything")
    assert done.returncode == 0, done.stderr
    assert sorted(row["url"] for row in rows) == sorted(row["url"] for row in before)


def test_counts_of_another_label_rule_are_learned_again_from_stored_pages(tmp_path, sqlite_url):
    with SiteServer(site()) as server:
        url = server.url("/front.html")
        crawl(url, tmp_path, sqlite_url, *VERBOSE, "-s", f"SITECRAWL_TEMPLATE_MIN_PAGES={PAGES}")
        with read(sqlite_url) as connection:
            connection.execute(text("UPDATE template SET label_rule = 0"))
            connection.execute(text("UPDATE template_node SET key = key + 1"))
            connection.commit()
        done, rows = reextract(tmp_path, sqlite_url)
        assert done.returncode == 0, done.stderr
        assert "learned by label rule 0" in done.stderr
        assert rows == []
        assert query(sqlite_url, "SELECT layout, label_rule, pages_seen FROM template") == [(1, LABEL_RULE, PAGES)]
        done, rows = crawl(url, tmp_path, sqlite_url, *VERBOSE)
    assert by_status(rows) == {"unchanged": PAGES}
    assert "label rule" not in done.stderr
