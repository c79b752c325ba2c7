"""Shows a line of live progress on a terminal, and the summary at the end of a crawl."""

import asyncio
import contextlib
import datetime as dt
import sys
from collections import Counter
from collections.abc import Mapping
from time import monotonic
from typing import Final

from scrapy import signals
from scrapy.crawler import Crawler

from sitecrawl import stats
from sitecrawl.crawl import url_problems
from sitecrawl.crawl.changed_overrides import Marked
from sitecrawl.crawl.depth_limits import MOST, is_highest
from sitecrawl.crawl.site import COMPLETE, SiteCrawl
from sitecrawl.fleet.joined_feed import PARTS
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.plurals import counted
from sitecrawl.shell.logs import site_of_crawl
from sitecrawl.shell.site_spider import SiteSpider, site_crawl_of, site_spider_of
from sitecrawl.storage.page_report import Repeated

CHANGES: Final = (RowStatus.NEW, RowStatus.CHANGED, RowStatus.GONE)
REPEATED: Final = 5
"""Minimum number of pages with the same text for a line about them in the summary [OWN]."""
REPEATED_SHARE: Final = 0.5
"""Minimum share of such pages among the pages of a crawl [OWN]."""
NAMES: Final = {"dead": "dead links"}
"""Names in the summary for URL statuses that are not self-explanatory."""
SCRIPTED: Final = 0.1
"""Minimum share of pages that need a browser for a line about them in the summary. Own choice."""
INTERVAL: Final = 0.5
"""Seconds between refreshes of the line."""


class Progress:
    """Writes the progress and the summary to standard error; only the summary if that is not a terminal."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.started = monotonic()
        self.site = site_of_crawl.get()
        """The site in a process that crawls several at once, else empty."""
        self.task: asyncio.Task[None] | None = None
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.engine_stopped, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Progress":
        """Build from the running crawl."""
        return cls(crawler)

    async def opened(self) -> None:
        """Begin to show the line."""
        crawl = site_crawl_of(self.crawler)
        if crawl is None:
            return
        self._say(begun(crawl))
        wanted = crawl.config.progress
        if self.site:
            return  # the lines of several crawls would overwrite each other
        if wanted == "on" or (wanted == "auto" and sys.stderr.isatty()):
            self.task = asyncio.create_task(self._refresh(crawl))

    async def _refresh(self, crawl: SiteCrawl) -> None:
        while True:
            sys.stderr.write(f"\r\x1b[2K{self.line(crawl)}")
            sys.stderr.flush()
            await asyncio.sleep(INTERVAL)

    def line(self, crawl: SiteCrawl) -> str:
        """Return the state of the crawl as one line."""
        seconds = max(monotonic() - self.started, 0.001)
        template = crawl.learning.template
        if template is not None:
            state = f"template v{template.version} ({len(template.nodes)} rows)"
        else:
            seen = crawl.learning.learner.template.pages_seen
            state = f"learning {seen}/{crawl.config.template_min_pages}"
        waiting = f", {len(crawl.waiting.pages)} waiting" if crawl.waiting.pages else ""
        return (
            f"{crawl.frontier.pages} pages, {crawl.frontier.left} queued{waiting},"
            f" {crawl.frontier.pages / seconds:.1f}/s, {state}"
        )

    async def engine_stopped(self) -> None:
        """Remove the line and print the summary."""
        if self.task is not None:
            self.task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.task
            sys.stderr.write("\r\x1b[2K")
        spider = site_spider_of(self.crawler)
        if spider is None:
            return
        await spider.engine.closed()  # after this the figures are final
        if spider.counts is not None:
            self._summary(spider, *spider.counts)

    def _summary(self, spider: SiteSpider, contents: Mapping[tuple[str, str], int], urls: Mapping[str, int]) -> None:
        crawl, say = spider.site_crawl, self._say
        seconds = monotonic() - self.started
        pages = counted(crawl.frontier.pages, "page")
        say(f"{spider.scope.key}: {spider.outcome}, {pages} in {seconds:.1f} s")
        kinds = ", ".join(f"{count} {kind} ({status})" for (kind, status), count in sorted(contents.items()))
        say(f"  main content  {kinds or 'nothing'}")
        say(f"  changes       {changes(contents)}")
        say("  URLs          " + ", ".join(_named(name, count) for name, count in sorted(urls.items())))
        if spared := spider.discovery.spared:
            say(f"  not visited   {spared} pages, which sitemaps or feeds date before their last visit")
        for line in url_problems.lines(crawl.troubles):
            say(f"  {url_problems.text(line)}")
        get = self.crawler.stats.get_value
        read = get(stats.PAGES_PARSED, 0) + get(stats.PAGES_PRETENDED, 0)
        if scripted := needs_a_browser(get(stats.PAGES_SCRIPTED, 0), read):
            say(f"  JavaScript    {scripted}")
        elif sum(urls.values()) == crawl.frontier.pages == 1 and spider.discovery.out_of_scope.follows_links:
            say(f"  links         {alone(nofollow=bool(get(stats.PAGES_NOFOLLOW, 0)))}")
        if led_away := one_address(crawl.led_away):
            say(f"  redirects     {led_away}")
        if repeated := one_text(crawl.repeated):
            say(f"  one text      {repeated}")
        if spider.outcome in COMPLETE and (again := extracted_again(crawl.report.overridden)):
            say(f"  overrides     {again}")
        hard, step = crawl.start.max_depth, crawl.config.depth_step
        for limit, links in left_out_by_limit(crawl.report.too_deep, hard, step).items():
            say(f"  depth         {left_out(links, limit, hard, step)}")
        template = crawl.learning.template
        if template is not None:
            pages = counted(template.pages_seen, "page")
            say(f"  template      version {template.version}, {pages}, {len(template.nodes)} rows")
        for uri in self.crawler.settings.getdict("FEEDS"):
            if PARTS not in uri:  # `recrawl` joins the parts, and reports the feed itself
                say(f"  feed          {uri}")
        say(f"  database      {crawl.engine.url.render_as_string(hide_password=True)}")
        say(f"  crawl         {ended(crawl, spider.outcome)}")
        if not crawl.forgotten:
            say(f"  next          sitecrawl export {spider.scope.key} | pages {spider.scope.key}")

    def _say(self, line: str) -> None:
        named = not self.site or line.startswith(f"{self.site}: ")
        sys.stderr.write(f"{line}\n" if named else f"{self.site}: {line}\n")
        sys.stderr.flush()


def _named(status: str, count: int) -> str:
    """Return a number of URLs with their status: `3 unchanged`, `1 dead link`."""
    name = NAMES.get(status, status)
    return f"{count} {name.removesuffix('s') if count == 1 and name != status else name}"


def begun(crawl: SiteCrawl) -> str:
    """Return the first line of a crawl: whether it is new or resumed, and which rows its feed will contain."""
    number, url = crawl.crawl_id, crawl.start_url
    if crawl.crawl.resumed:
        return (
            f"resuming crawl {number} of {url}, begun {_when(crawl.crawl.started_at)}: the feed will contain its rows"
        )
    if crawl.before is None or crawl.before.finished_at is None:
        return f"crawling {url} for the first time (crawl {number}): the feed will contain all pages"
    since = f"crawl {crawl.before.id}, which ended {_when(crawl.before.finished_at)}"
    return f"crawling {url} again (crawl {number}): the feed will contain the changes since {since}"


def ended(crawl: SiteCrawl, outcome: str) -> str:
    """Return, in words, whether the crawl and its feed are complete, and what the same command would do next."""
    if crawl.forgotten:
        return "forgotten, since nothing was ever fetched"
    if outcome in COMPLETE:
        return f"{crawl.crawl_id} is finished, its feed is complete; the same command crawls the site again"
    return f"{crawl.crawl_id} is not finished; the same command resumes it, and emits its rows again"


def needs_a_browser(scripted: int, read: int) -> str:
    """Return a line about pages that are empty without a browser if they are a tenth of the `read` pages; else ""."""
    if not scripted or scripted < SCRIPTED * read:
        return ""
    pages = "page has" if read == 1 else "pages have"
    return (
        f"{scripted} of {read} {pages} no text until a browser runs the scripts, which sitecrawl does not; "
        "docs/scope.md says what to do"
    )


def alone(*, nofollow: bool) -> str:
    """Return a line about a site of which a crawl found the start page alone."""
    if nofollow:
        return "the start page asks that its links are not followed (nofollow); its sitemap, or a list of URLs, may do"
    return "no link of the start page leads to another page of the site; docs/scope.md says how to give a list of URLs"


def one_address(led_away: Repeated | None) -> str:
    """Return a line about URLs that redirect to the same address if they are half of the URLs of a site; else ""."""
    if led_away is None or led_away.pages < REPEATED or led_away.pages < REPEATED_SHARE * led_away.of:
        return ""
    urls, of, address = led_away
    return (
        f"{urls} of {of} URLs lead to {address} for now: a log-in, a question about cookies, pages that are gone?"
        " docs/scope.md says how to give cookies or a log-in"
    )


def one_text(repeated: Repeated | None) -> str:
    """Return a line about pages with the same text if they are half of the pages of a crawl; else ""."""
    if repeated is None or repeated.pages < REPEATED or repeated.pages < REPEATED_SHARE * repeated.of:
        return ""
    return (
        f"{repeated.pages} of {repeated.of} pages with text have the same: a question about cookies, a log-in, a wall?"
        f" Look at one in a browser; docs/scope.md says how to give cookies or a log-in: among them {repeated.example}"
    )


def extracted_again(marked: Marked) -> str:
    """Return a line about the stored pages that were extracted again since the overrides have changed."""
    if not any(marked):
        return ""
    done = f"changed since the last crawl: {counted(marked.pages, 'stored page')} extracted again"
    left = f"; not the {counted(marked.without_body, 'page')} without a stored body" if marked.without_body else ""
    return f"{done}{left}"


def left_out_by_limit(too_deep: Mapping[int, int], hard: int, step: int) -> dict[int, int]:
    """Return the numbers of links beyond the depth limits, by limit, one limit for each reason.

    Where lists led to no main content, that is the lowest of their limits.
    """
    found = Counter[int]()
    for limit, links in sorted(too_deep.items()):
        final = limit == hard or is_highest(step, limit)
        found[limit if final else min(too_deep)] += links
    return dict(found)


def left_out(links: int, limit: int, hard: int, step: int) -> str:
    """Return the line about `links` links beyond the `limit` of depth; `hard` and `step` are the settings for it."""
    there = "1 link leads there" if links == 1 else f"{links} links lead there"
    if limit == hard:
        return f"pages over DEPTH_LIMIT={limit} links away were left out; {there}"
    if is_highest(step, limit):
        why = f"lists are followed for {MOST} times SITECRAWL_DEPTH_STEP={step} links; raise that setting for more"
    else:
        why = "no list with links to main content leads there; SITECRAWL_DEPTH_STEP=0 follows all links"
    return f"pages over {limit} links away were left out ({there}): {why}"


def changes(contents: Mapping[tuple[str, str], int]) -> str:
    """Return the numbers of new, changed and gone pages in words."""
    counts = Counter[str]()
    for (_, status), count in contents.items():
        counts[status] += count
    return ", ".join(f"{counts[status]} {status}" for status in CHANGES)


def _when(moment: dt.datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
