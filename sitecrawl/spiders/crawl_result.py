"""The result of a crawl: an exit status, and the reason in one line."""

from typing import Final, NamedTuple

from sitecrawl.crawl.site import DATABASE, FEED, HELD, STOPPED, SiteCrawl
from sitecrawl.crawl.spellings import origin_of
from sitecrawl.exit_status import DONE, FAILED, PARTIAL
from sitecrawl.plurals import counted
from sitecrawl.shell.addresses import PUBLIC
from sitecrawl.spiders.pages import NOT_HTML
from sitecrawl.spiders.site import SiteSpider

ERROR_SHARE: Final = 0.2
"""Share of failed fetches, or of pages that were not found again, above which a finished crawl counts as partial."""
FEW: Final = 3
"""Number of pages not found again that never makes a crawl partial: a small site may have a few broken pages."""


class CrawlResult(NamedTuple):
    """The result of a crawl."""

    status: int
    """Exit status: 0 done, or stopped by a signal; 1 failed; 3 partial."""
    message: str
    """The reason and advice in one line; empty if the crawl is done."""


def stopped_early(spider: SiteSpider) -> bool:
    """Return whether a signal stopped the crawl before Scrapy's engine ran, so that the spider was never closed."""
    slot = getattr(spider.crawler.engine, "_slot", None)
    return not spider.crawler.crawling and spider.outcome == "failed" and (slot is None or slot.closing is None)


def _many_missed(crawl: SiteCrawl) -> bool:
    """Return whether many pages of the feed were missing at their last visit, in this crawl or an earlier one."""
    live = crawl.report.conclusion.live
    return bool(live) and crawl.missed.pages > max(FEW, ERROR_SHARE * live)


def _is_sample(crawl: SiteCrawl) -> bool:
    """Return whether a crawl requested only due pages. They are a biased sample: failing pages are due more often."""
    return crawl.start.due and crawl.report.conclusion.live > 0


def _found_nothing(spider: SiteSpider, failed: int) -> bool:
    """Return whether a crawl failed because it found no page.

    A crawl of due pages did not fail if no page was due, or if only gone or broken ones of a site with others were.
    """
    crawl = spider.site_crawl
    if crawl.frontier.pages:
        return False
    if crawl.report.given_up or crawl.report.postponed or not crawl.start.due:
        return True
    if not _is_sample(crawl):
        return failed > 0 or (spider.outcome == "finished" and bool(crawl.report.exclusions))
    lost = crawl.missed.pages + crawl.report.conclusion.deleted
    asked = failed or crawl.report.exclusions
    return bool(asked) and (_many_missed(crawl) or lost >= crawl.report.conclusion.live)


def _elsewhere(crawl: SiteCrawl, before: str = "") -> str:
    """Return `before` and advice on the site to which the start page redirects; empty if it does not redirect."""
    target = crawl.report.elsewhere
    return f"{before}the start page redirects to {target}, on another site; crawl that one" if target else ""


def _finished(spider: SiteSpider, failed: int, why: str) -> CrawlResult:
    """Return the result of a crawl that ran to its end; `failed` is the number of failed fetches, `why` the reasons."""
    crawl = spider.site_crawl
    if failed > ERROR_SHARE * (failed + crawl.frontier.pages) and not _is_sample(crawl):
        message = f"{spider.scope.key}: {counted(failed, 'page')} could not be fetched: {why}"
        return CrawlResult(PARTIAL, message)
    if _many_missed(crawl):
        why = "; ".join(f"{reason} ({count})" for reason, count in crawl.missed.reasons)
        missed, live = crawl.missed.pages, crawl.report.conclusion.live
        message = f"{spider.scope.key}: {missed} of {live} pages were not found at their last visit: {why}"
        return CrawlResult(PARTIAL, message)
    if crawl.report.postponed:
        left, why = len(crawl.report.postponed), crawl.report.postponed[0]
        message = f"{spider.scope.key}: {counted(left, 'page')} left to the next crawl: {why}"
        return CrawlResult(PARTIAL, message)
    return CrawlResult(DONE, "")


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
        message = (
            f"{host}: held: {held} of {live} pages would be deleted, more than"
            f" {crawl.config.deletions_share:.0%}; none was. See: pages {host} --status held;"
            f" if they are gone indeed: recrawl --release {host}{_elsewhere(crawl, '; ')}"
        )
        return CrawlResult(PARTIAL, message)
    if (spider.outcome == STOPPED or stopped_early(spider)) and not spider.broken:  # counts as success
        message = f"{spider.scope.key}: stopped by a signal; the same command resumes it"
        return CrawlResult(DONE, message)
    if _found_nothing(spider, failed):
        excluded = (
            crawl.report.given_up
            or _elsewhere(crawl)
            or next(iter(crawl.report.postponed or crawl.report.exclusions), "")
        )
        front = f"{origin_of(spider.start_url)}/"
        if not why and excluded.startswith(NOT_HTML) and spider.start_url != front:
            excluded += f"; give a page of the site, such as {front}"
        if crawl.report.given_up and crawl.frontier.stopped:  # the host does not answer, or its robots.txt
            excluded += "; run the same command later"
        kept = "; nothing is kept of the site" if crawl.forgotten else ""
        if kept and crawl.reach == PUBLIC:
            kept = "; of the site only a note is kept that its name was public"
        message = f"{spider.start_url}: nothing was fetched: {why or excluded or spider.outcome}{kept}"
        return CrawlResult(FAILED, message)
    if spider.outcome not in ("finished", "max_pages"):
        message = f"{spider.scope.key}: stopped ({spider.outcome}); the same command resumes it"
        return CrawlResult(PARTIAL, message)
    if spider.broken:
        message = (
            f"{spider.scope.key}: {counted(len(spider.broken), 'page')} could not be stored, the log says why; the next"
            f" crawl tries again: {spider.broken[0]}"
        )
        return CrawlResult(PARTIAL, message)
    return _finished(spider, failed, why)
