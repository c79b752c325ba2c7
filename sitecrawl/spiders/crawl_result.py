"""What became of a crawl: an exit status, and the reason in one line."""

from typing import Final, NamedTuple

from sitecrawl.crawl.deletions import too_many
from sitecrawl.crawl.site import DATABASE, FEED, HELD, STOPPED
from sitecrawl.exit_status import DONE, FAILED, PARTIAL
from sitecrawl.shell.addresses import PUBLIC
from sitecrawl.spiders.site import SiteSpider

ERROR_SHARE: Final = 0.2
"""Share of failed fetches above which a finished crawl counts as partial."""


class CrawlResult(NamedTuple):
    """The result of a crawl."""

    status: int
    """0 done, or stopped in order; 1 failed; 3 done in part."""
    message: str
    """Why it is not done, and what to do; empty if it is."""


def stopped_early(spider: SiteSpider) -> bool:
    """Tell whether a signal came before Scrapy's engine ran: Scrapy then ends without closing the spider."""
    slot = getattr(spider.crawler.engine, "_slot", None)
    return not spider.crawler.crawling and spider.outcome == "failed" and (slot is None or slot.closing is None)


def crawl_result(spider: SiteSpider) -> CrawlResult:
    """Return the result of a crawl that has ended."""
    crawl = spider.site_crawl
    failed = sum(crawl.report.failures.values())
    reasons = sorted(crawl.report.failures.items(), key=lambda item: -item[1])[:3]
    why = "; ".join(f"{reason} ({count})" for reason, count in reasons)
    if spider.outcome == DATABASE:
        message = f"{spider.scope.key}: stopped: {crawl.writer.lost}; the same command resumes it"
        return CrawlResult(PARTIAL if crawl.frontier.pages else FAILED, message)
    if spider.outcome == FEED:
        message = (
            f"{spider.scope.key}: stopped: the feed cannot be written ({spider.feed_failure}); free some"
            " space or name another file, then the same command resumes it and writes all rows"
        )
        return CrawlResult(PARTIAL, message)
    if crawl.report.moved is not None:
        why, remedy = crawl.report.moved
        kept = "nothing was fetched from there, and stored pages stay"
        message = f"{spider.scope.key}: refused: {why}; {kept}; {remedy}"
        return CrawlResult(PARTIAL if crawl.frontier.pages else FAILED, message)
    if spider.outcome == HELD:
        held, live, host = crawl.report.conclusion.held, crawl.report.conclusion.live, spider.scope.key
        why = f"more than {crawl.config.deletions_share:.0%}"
        if not too_many(held, live, crawl.config):
            why = "and this crawl found no page that stays"
        message = (
            f"{host}: held: {held} of {live} pages would be deleted, {why}; none was. See: pages {host} --status held;"
            f" if they are gone indeed: recrawl --release {host}"
        )
        return CrawlResult(PARTIAL, message)
    if (spider.outcome == STOPPED or stopped_early(spider)) and not spider.broken:  # an ordered stop is a success
        message = f"{spider.scope.key}: stopped by a signal; the same command resumes it"
        return CrawlResult(DONE, message)
    if not crawl.frontier.pages and (
        failed or crawl.report.given_up or crawl.report.postponed or not crawl.start.due
    ):  # nothing may be due
        excluded = crawl.report.given_up or next(iter(crawl.report.postponed or crawl.report.exclusions), "")
        kept = "; nothing is kept of the site" if crawl.forgotten else ""
        if kept and crawl.reach == PUBLIC:
            kept = "; of the site it is kept alone that its name was public"
        message = f"{spider.start_url}: nothing was fetched: {why or excluded or spider.outcome}{kept}"
        return CrawlResult(FAILED, message)
    if spider.outcome not in ("finished", "max_pages"):
        message = f"{spider.scope.key}: stopped ({spider.outcome}); the same command resumes it"
        return CrawlResult(PARTIAL, message)
    if spider.broken:
        message = (
            f"{spider.scope.key}: {len(spider.broken)} pages could not be stored, the log says why; the next"
            f" crawl tries again: {spider.broken[0]}"
        )
        return CrawlResult(PARTIAL, message)
    if failed > ERROR_SHARE * (failed + crawl.frontier.pages):
        message = f"{spider.scope.key}: {failed} pages could not be fetched: {why}"
        return CrawlResult(PARTIAL, message)
    if crawl.report.postponed:
        left, why = len(crawl.report.postponed), crawl.report.postponed[0]
        message = f"{spider.scope.key}: {left} pages are left to the next crawl: {why}"
        return CrawlResult(PARTIAL, message)
    return CrawlResult(DONE, "")
