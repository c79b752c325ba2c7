import datetime as dt

from sitecrawl.storage.crawls import CrawlSummary
from sitecrawl.ui.history import history

MAY = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)


def crawl(number, **stats):
    began = MAY + dt.timedelta(days=number)
    return CrawlSummary(number, began, began, "finished", stats)


def test_each_crawl_has_a_bar_in_each_chart_oldest_first():
    last = crawl(3, known={"fetched": 4, "error": 1}, kinds={"content": 3, "none": 1}, rows={"new": 4})
    again = crawl(2, pages=4, changed=1)
    first = crawl(1, urls={"fetched": 2}, rows={"new": 2})
    found = history([last, again, first])
    assert [(one.title, one.parts, one.highest) for one in found.charts] == [
        ("URLs of the site by status", ["fetched", "error"], 5),
        ("Pages that were read, by kind", ["content", "none"], 4),
        ("Rows of the feed", ["new"], 4),
    ]
    assert (found.crawls, found.first, found.last) == (2, first.started_at, last.started_at)
    urls = str(found.charts[0].chart)
    assert urls.index("2024-05-02 12:00: 2 fetched") < urls.index("2024-05-04 12:00: 4 fetched, 1 error")
    assert "2024-05-02 12:00: none" in found.charts[1].chart


def test_crawls_without_figures_are_not_drawn():
    assert history([]) == ([], 0, None, None)
    unfinished = CrawlSummary(1, MAY, None, None, None)
    assert history([unfinished, crawl(2, rows={"new": 0}, urls="many")]).charts == []
