import json

from sitecrawl.fleet.crawl_line import CrawlLine

LINE = CrawlLine(
    time="2026-11-23T06:00:00Z", site="example.org", outcome="finished", result="done", crawl=7, pages=12, new=3,
    changed=2, gone=1, failed=4, requests=20, seconds=21.5,
)  # fmt: skip


def test_the_line_for_people():
    assert LINE.text() == "example.org: finished, 12 pages in 21.5 s, 3 new, 2 changed, 1 gone, 4 failed"


def test_a_message_names_the_site_once():
    line = CrawlLine(
        time="", site="example.org", outcome="failed", result="failed", crawl=1, message="example.org: held: 9 pages"
    )
    assert line.text() == "example.org: failed, 0 pages in 0.0 s, 0 new, 0 changed, 0 gone; held: 9 pages"


def test_a_site_that_could_not_be_opened():
    line = CrawlLine(time="", site="example.org", outcome="failed", result="failed", message="no table of that name")
    assert line.text() == "example.org: no table of that name"


def test_the_line_as_json():
    row = json.loads(LINE.json())
    assert row["site"] == "example.org"
    assert (row["pages"], row["new"], row["seconds"], row["resumed"]) == (12, 3, 21.5, False)
    assert "\n" not in LINE.json()
