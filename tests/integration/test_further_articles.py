"""A site whose pages go on with the next articles: each row has the text of its own article, and so has no change."""

import re

import pytest

from tests.integration.server import SiteServer, article, frame
from tests.integration.test_crawl import crawl
from tests.integration.test_volatile import EVERY, changed, run

REPORTS = 30
ARTICLE = re.compile(r"<article>.*</article>", re.DOTALL)


def report(number, following, mark):
    """Return the page of a report with the articles of others below its own, in elements named `mark`."""
    parts = [ARTICLE.search(article(one))[0] for one in (number, *following)]
    parts = [part.replace("<article>", f"<{mark}>").replace("</article>", f"</{mark}>") for part in parts]
    return frame(f"Report {number}", "".join(parts))


def site(mark, step=1):
    links = "".join(f'<li><a href="/reports/{i}.html">Report {i}</a></li>' for i in range(REPORTS))
    robots = (200, {"Content-Type": "text/plain"}, "User-agent: *\nAllow: /\n")
    pages = {"/robots.txt": robots, "/index.html": frame("Front page", f"<h1>Reports</h1><ul>{links}</ul>")}
    for number in range(REPORTS):
        following = [(number + step * k) % REPORTS for k in (1, 2, 3)]
        pages[f"/reports/{number}.html"] = report(number, following, mark)
    return pages


@pytest.mark.parametrize("mark", ["article", "section"])
def test_each_row_has_its_own_article_and_other_ones_below_it_are_no_change(tmp_path, sqlite_url, mark):
    with SiteServer(site(mark)) as server:
        url, host = server.url("/index.html"), server.url("").split("/")[2]
        done, rows = crawl(url, tmp_path, sqlite_url, *EVERY)
        assert done.returncode == 0, done.stderr
        texts = {row["url"].rsplit("/", 1)[1]: row["text"] for row in rows if "/reports/" in row["url"]}
        assert len(texts) == REPORTS
        for name, text in texts.items():
            number = name.removesuffix(".html")
            assert set(re.findall(r"Report (\d+) paragraph", text)) == {number}, name
            assert len(re.findall("paragraph", text)) == 6, name
        assert ", 0 changed" in run(tmp_path, sqlite_url, "reextract", host)
        explained = run(tmp_path, sqlite_url, "extract", server.url("/reports/3.html"), "--explain")
        assert "[belongs to a further article, which has a page of its own]" in explained

        server.pages.update(site(mark, step=2))
        _, rows = crawl(url, tmp_path, sqlite_url, *EVERY)
        assert len(rows) == REPORTS + 1
        assert changed(rows) == set()
