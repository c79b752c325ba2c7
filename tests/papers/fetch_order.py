"""Compares the order in which a crawl asks a recorded site for pages with the order of selection.

    python -m tests.papers.fetch_order SITES [--sites a,b] [--window 500]

SITES is a folder of recorded sites (`SITE.jsonl.gz`). Each is served on loopback and crawled with one request at a time,
without sitemaps, feeds and second fetches; pages that were not recorded are answered with 404. Beside the crawl the
order is computed from the pages alone: the first in a queue of all URLs that were found is always the next. Printed are
the URLs asked for, how many waited at the most, and the first difference; the exit status is 1 if there is one.
"""

import argparse
import gzip
import heapq
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, zip_longest
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from sitecrawl.config import Config
from sitecrawl.crawl.frontier import LINK_PRIORITY, SAMPLE_PRIORITY, Frontier
from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError
from sitecrawl.links.anchors import anchors
from sitecrawl.links.relations import relations
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.selection import SAMPLE_SIZE, distance_rank, rank
from sitecrawl.links.urls import url_key

from ..integration.server import SiteServer
from ..integration.test_crawl import crawl

ALONE = (
    *("-s", "CONCURRENT_REQUESTS=1", "-s", "SITECRAWL_SECOND_FETCHES=0", "-s", "SITECRAWL_SITEMAPS=0"),
    *("-s", "SITECRAWL_FEEDS=0", "-s", "ROBOTSTXT_OBEY=0", "-s", "LOG_LEVEL=WARNING"),
)
"""Settings of a crawl that requests only pages, one at a time."""
LEVELS = Frontier(1)
LEVELS.limit_depth(0, Config().depth_step)


class Found(NamedTuple):
    """A URL found on a page, as it is queued."""

    key: int
    url: str
    depth: int
    priority: int


class Order(NamedTuple):
    """The order of selection of a site."""

    paths: list[str]
    waiting: int
    """Maximum number of URLs that were found and not yet fetched."""


def named(page: Page, depth: int) -> Iterator[Found]:
    """Yield the URLs found on a page: its links as ranked, its canonical URL, its translations."""
    scope = SiteScope.of(page.url)
    ranked = rank(page, list(anchors(page, scope).found), SAMPLE_SIZE)
    for anchor, place, distance, _ in ranked:
        below = SAMPLE_PRIORITY if place < SAMPLE_SIZE else LINK_PRIORITY - distance_rank(distance, "seed")
        priority = LEVELS.link_priority(depth + 1) if LEVELS.is_far(depth + 1) else below - depth - 1
        yield Found(anchor.url_key, anchor.url, depth + 1, priority)
    related = relations(page, scope)
    if related.canonical is not None:
        yield Found(related.canonical.url_key, related.canonical.url, depth, LINK_PRIORITY)
    for one in related.alternates:
        yield Found(one.url_key, one.url, depth + 1, LEVELS.link_priority(depth + 1))


def selected(pages: Mapping[str, str], start: str) -> Order:
    """Return the order in which the pages of a site, by path, are fetched from a start URL on."""
    numbers, known, paths, most = count(), {url_key(start)}, [], 0
    waiting = [(0, next(numbers), Found(url_key(start), start, 0, 0))]
    while waiting:
        most = max(most, len(waiting))
        _, _, one = heapq.heappop(waiting)
        paths.append(path_of(one.url))
        html = pages.get(paths[-1], "")
        try:
            page = Page.from_html(html, one.url)
        except PageError:
            continue
        for found in named(page, one.depth):
            if found.key not in known:
                known.add(found.key)
                heapq.heappush(waiting, (-found.priority, next(numbers), found))
    return Order(paths, most)


def path_of(url: str) -> str:
    """Return what a client asks a server for."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def recorded(file: Path, origin: str) -> tuple[str, dict[str, str]]:
    """Return the path of the first page of a recorded site, and its pages by path, with links to an origin."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    host = Counter(urlsplit(row["url"]).netloc for row in rows).most_common(1)[0][0]
    own = re.compile(rf"(?:https?:)?//(?:www\.)?{re.escape(host.removeprefix('www.'))}(?![\w.-])", re.I)
    kept = [row for row in rows if urlsplit(row["url"]).netloc == host]
    pages = {quote(unquote(path_of(row["url"])), safe="/?=&;,:+~()!*'@$"): own.sub(origin, row["html"]) for row in kept}
    return next(iter(pages)), pages


def compare(file: Path, window: int, folder: Path) -> bool:
    """Crawl a site, print a line about its order, and return whether it is that of selection."""
    with SiteServer({}) as server:
        first, pages = recorded(file, server.url(""))
        server.pages = pages
        database = f"sqlite:///{folder}/{file.name}.db"
        more = (*ALONE, "-s", f"SITECRAWL_FRONTIER_WINDOW={window}") if window else ALONE
        done, _ = crawl(server.url(first), folder, database, *more)
        order = selected(pages, server.url(first))
        asked = list(server.log)
    line = f"{file.name.partition('.')[0]}: {len(asked)} URLs asked for, {order.waiting} waited at the most: "
    if done.returncode:
        print(f"{line}the crawl ended with {done.returncode}: {done.stderr[-500:]}", flush=True)
        return False
    for number, (one, other) in enumerate(zip_longest(asked, order.paths)):
        if one != other:
            print(f"{line}the first {number} are in the order of selection; then {one}, selected {other}", flush=True)
            return False
    print(f"{line}the order is that of selection", flush=True)
    return True


def main(arguments: Sequence[str]) -> int:
    """Compare each site; return 1 if one differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path, metavar="SITES")
    parser.add_argument("--sites", default="", help="names of sites, by commas; default: all")
    parser.add_argument("--window", type=int, default=0, help="SITECRAWL_FRONTIER_WINDOW; default: that of the project")
    opts = parser.parse_args(arguments)
    names = opts.sites.split(",") if opts.sites else None
    files = [file for file in sorted(opts.gold.glob("*.jsonl.gz")) if not names or file.name.split(".")[0] in names]
    same = True
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            same &= compare(file, opts.window, Path(folder))
    return 0 if same and files else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
