from sitecrawl import stats
from sitecrawl.spiders.closing_stats import closing_stats
from tests.unit.crawl.crawling import crawled, during


def test_the_stats_of_a_crawl_are_those_of_its_parts(sqlite_url):
    async def counted(crawling):
        await crawled(crawling, range(1, 6))
        crawl = crawling.crawl
        crawl.waiting.unextracted.append(7)
        crawl.bodies.unreadable.update((1, 2))
        crawl.report.retired.append(3)
        crawl.report.too_deep.update({20: 3, 40: 1})
        return closing_stats(crawl), crawl.writer.batch.operations

    found, operations = during(sqlite_url, counted)
    assert operations > 10
    assert found[stats.STORAGE_OPERATIONS] == operations
    assert 0 < found[stats.STORAGE_BATCHES] <= operations
    assert (found[stats.TEMPLATE_LAYOUTS], found[stats.TEMPLATE_RETIRED], found[stats.TEMPLATE_FAILED]) == (1, 1, 0)
    assert found[stats.LINKS_TOO_DEEP] == 4
    assert (found[stats.CONTENT_UNEXTRACTED], found[stats.PAGES_UNREADABLE]) == (1, 2)
    assert (found[stats.TRAPS_CLOSED], found[stats.TEMPLATE_VOLATILE], found[stats.STORAGE_RETRIES]) == (0, 0, 0)
    assert {name for name in found if name.startswith(stats.SECONDS)} == {
        f"{stats.SECONDS}/{stage}" for stage in ("select", "learn", "extract")
    }
    assert found[f"{stats.SECONDS}/extract"] > 0
