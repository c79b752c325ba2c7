"""Measures the speed of every method and other library on the same pages, from HTML to the text of the main content.

    python benchmarks/extraction.py [--rounds 5] [--pages 12] [--methods NAME...] [--out FOLDER] [GOLD...]

GOLD is what `sitecrawl evaluate` reads: folders of recorded sites, page sets, golden folders; by default the golden
pages of the tests. The first pages of each site are used. They are learned before the measurement, since a template is
stable in most crawls. Then every contestant converts each page from HTML to plain text, parsing included; in each round
the contestants take turns on every page. Times are CPU seconds of the thread. `combined alone` knows nothing but the
page. Figures are medians over rounds. Ratios are computed within a round, to lxml's own parse, and to resiliparse if it
is installed. Libraries that are not installed are left out, and so are those in JavaScript, which run in another
process. The time of a page counts even if a contestant fails on it.
"""

import argparse
import contextlib
import datetime as dt
import json
import os
import platform
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from sitecrawl.dom.flattening import flatten
from sitecrawl.dom.page import Page, parse_html
from sitecrawl.dom.text import main_text
from sitecrawl.evaluation.gold import GoldSite, gold_sites
from sitecrawl.evaluation.knowledge import SiteKnowledge, crawl_order
from sitecrawl.evaluation.peers import PREFIX, available_peers, check_peer, get_peer, missing_peers, peer_versions
from sitecrawl.extractors.base import Extractor, SiteContext, extractor_names, get_extractor

GOLDEN = Path(__file__).parent.parent / "tests" / "golden"
ALONE = "combined alone"
PARSE = "(lxml's parse)"
YARDSTICK = f"{PREFIX}resiliparse"
MEGA = 1e6
NANO = 1e-9
Contestant = Callable[[str, str], object]
"""Extracts the main content from HTML and a URL."""
Prepared = tuple[str, str, dict[str, Contestant]]
"""HTML, URL, and the methods by name, each with the knowledge of the page's site."""


def ours(extractor: Extractor, site: SiteContext | None) -> Contestant:
    """Return a function that extracts the text of a page's main content with a method."""

    def extract(html: str, url: str) -> str:
        page = Page.from_html(html, url)
        return main_text(page.flat, extractor.extract(page, site).nodes)

    return extract


def contestants(methods: list[str]) -> dict[str, Contestant]:
    """Return the contestants that need only the page: lxml's parse, `combined` alone, the other libraries."""
    found: dict[str, Contestant] = {PARSE: lambda html, url: parse_html(html)}
    if "combined" in methods:
        found[ALONE] = ours(get_extractor("combined"), None)
    here = [name for name in available_peers() if check_peer(name).modules]  # Node's time is that of another process
    return found | {PREFIX + name: get_peer(name) for name in here}


def prepared(site: GoldSite, most: int, extractors: dict[str, Extractor]) -> list[Prepared]:
    """Return (HTML, URL, methods with what they know of the site) of the first pages of a site, all learned."""
    texts = []
    for gold in islice(site.pages, most):
        html = gold.html if isinstance(gold.html, str) else gold.html.decode("utf-8", "replace")
        texts.append((html, gold.url))
    pages = [Page.from_html(html, url) for html, url in texts]
    knowledge = SiteKnowledge.learn(pages, crawl_order(pages), len(pages))
    return [
        (html, url, {name: ours(one, knowledge.context(i, one)) for name, one in extractors.items()})
        for i, (html, url) in enumerate(texts)
    ]


def one_round(pages: list[Prepared], alone: dict[str, Contestant]) -> dict[str, float]:
    """Return the CPU seconds of each contestant over all pages."""
    spent: dict[str, float] = defaultdict(float)
    for html, url, methods in pages:
        for name, contestant in (alone | methods).items():
            started = time.thread_time_ns()
            with contextlib.suppress(Exception):  # some raise on pages without main content
                contestant(html, url)
            spent[name] += (time.thread_time_ns() - started) * NANO
    return spent


def summary(rounds: list[dict[str, float]], pages: int, size: int) -> dict[str, dict[str, float]]:
    """Return the medians of each contestant, the fastest first."""
    found = {}
    for name in rounds[0]:
        seconds = statistics.median(one[name] for one in rounds)
        figures = {
            "ms_per_page": seconds / pages * 1e3,
            "pages_per_second": pages / seconds,
            "mb_per_second": size / MEGA / seconds,
            "seconds_per_mb": seconds / (size / MEGA),
            "times_parse": statistics.median(one[name] / one[PARSE] for one in rounds),
        }
        if YARDSTICK in rounds[0]:
            ratios = [one[YARDSTICK] / one[name] for one in rounds]
            figures["to_resiliparse"] = statistics.median(ratios)
            figures["to_resiliparse_least"], figures["to_resiliparse_most"] = min(ratios), max(ratios)
        found[name] = {key: round(value, 4) for key, value in figures.items()}
    return dict(sorted(found.items(), key=lambda item: item[1]["ms_per_page"]))


def table(found: dict[str, dict[str, float]]) -> str:
    """Return the figures as a Markdown table."""
    lines = [
        "| | ms/page | pages/s | MB/s | s/MB | times lxml's parse | pages/s of resiliparse |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, own in found.items():
        ratio = ""
        if "to_resiliparse" in own:
            ratio = f"{own['to_resiliparse']:.2f} ({own['to_resiliparse_least']:.2f}-{own['to_resiliparse_most']:.2f})"
        label = f"*{name.removeprefix(PREFIX)}*" if name.startswith(PREFIX) else name
        lines.append(
            f"| {label} | {own['ms_per_page']:.2f} | {own['pages_per_second']:.0f} | {own['mb_per_second']:.2f} "
            f"| {own['seconds_per_mb']:.3f} | {own['times_parse']:.2f} | {ratio} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Measure all contestants, print the table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="*", type=Path, default=[GOLDEN])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pages", type=int, default=12, help="maximum pages of a site")
    parser.add_argument("--sites", type=int, default=10**6, help="maximum sites of each GOLD")
    parser.add_argument("--methods", nargs="*", default=extractor_names())
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    options = parser.parse_args()
    if not flatten.is_compiled:
        print(f"without the compiled twins: {flatten.problem}")
    for advice in missing_peers():
        print(advice)
    extractors = {name: get_extractor(name) for name in options.methods}
    alone = contestants(options.methods)
    pages = [
        page
        for path in options.gold
        for site in islice(gold_sites(path), options.sites)
        for page in prepared(site, options.pages, extractors)
    ]
    size = sum(len(html.encode("utf-8", "replace")) for html, _, _ in pages)
    print(f"{len(pages)} pages, {size / MEGA:.1f} MB, {options.rounds} rounds")
    one_round(pages[:: max(1, len(pages) // 20)], alone)  # loads modules that are imported late
    found = summary([one_round(pages, alone) for _ in range(options.rounds)], len(pages), size)
    print(table(found))
    report = {
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="minutes"),
        "machine": {"cpus": os.cpu_count(), "load": round(os.getloadavg()[0], 1), "system": platform.platform()},
        "python": platform.python_version(),
        "libraries": peer_versions(),
        "pages": len(pages),
        "bytes": size,
        "rounds": options.rounds,
        "contestants": found,
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "extraction.json").write_text(json.dumps(report, indent=1) + "\n")
    print(f"{options.out}/extraction.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
