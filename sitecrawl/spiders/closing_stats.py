"""The stats that are set when a crawl is closed."""

from sitecrawl import stats
from sitecrawl.crawl.site import SiteCrawl


def closing_stats(crawl: SiteCrawl) -> dict[str, float]:
    """Return the final figures of a closed or abandoned crawl, by the name of the stat."""
    layouts, batch = crawl.learning.layouts.published, crawl.writer.batch
    stages = {**crawl.report.seconds, "extract": crawl.extraction.seconds}
    return {
        **{f"{stats.SECONDS}/{stage}": round(seconds, 3) for stage, seconds in stages.items()},
        stats.LINKS_TOO_DEEP: crawl.report.too_deep.total(),
        stats.TRAPS_CLOSED: crawl.closed_traps.closed,
        stats.TEMPLATE_LAYOUTS: len(layouts),
        stats.TEMPLATE_RETIRED: len(crawl.report.retired),
        stats.TEMPLATE_FAILED: crawl.publishing.failed,
        stats.TEMPLATE_VOLATILE: sum(len(layout.volatile.rows()) for layout in layouts),
        stats.PAGES_UNREADABLE: len(crawl.bodies.unreadable),
        stats.OVERRIDES_UNUSED: len(crawl.report.unused),
        stats.CONTENT_UNEXTRACTED: len(crawl.waiting.unextracted),
        stats.STORAGE_BATCHES: batch.batches,
        stats.STORAGE_OPERATIONS: batch.operations,
        stats.STORAGE_RETRIES: batch.retries,
    }
