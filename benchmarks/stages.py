"""Measures the time that each stage of sitecrawl adds to parsing a page, as a ratio to lxml's own time (`make bench`).

    python benchmarks/stages.py [--rounds 7] [--out FOLDER] [--sites FILES...]

Synthetic pages of 10^2 to 10^5.5 nodes show whether each stage is linear; FILES are recorded sites, `.jsonl.gz` with
`url` and `html`. Every page goes through all stages, alternately with the compiled twin and without it. Times are CPU
seconds of the thread, which depend little on other work of the machine; figures are medians over rounds. Writes
stages.json and stages.svg.
"""

import argparse
import datetime as dt
import gzip
import json
import os
import platform
import statistics
import sys
import time
from collections import defaultdict
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

from chart import chart
from lxml import etree
from synthetic import page

from sitecrawl import twins
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.flattening import flatten
from sitecrawl.dom.page import Page, parse_html
from sitecrawl.dom.size_limits import check_size
from sitecrawl.extractors.base import SiteContext, get_extractor
from sitecrawl.links.anchors import AnchorReader
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.selection import rank
from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

SIZES = {100: 40, 316: 30, 1_000: 20, 3_162: 10, 10_000: 6, 31_623: 3, 100_000: 2, 316_228: 2}
"""Number of pages by their number of nodes."""
STAGES = ("check", "flatten", "columns", "anchors", "rank", "learn", "blocks", "extract")
ADDED = {
    "flatten+learn": ("flatten", "learn"),
    "flatten+learn+extract": ("flatten", "learn", "extract"),
    "flatten+extract": ("flatten", "extract"),
}
COLUMNS = [field.name for field in fields(FlatDom)]
NANO = 1e-9


def empty_clock() -> float:
    """Return the time that reading the clock takes."""
    times = []
    for _ in range(200):
        started = time.thread_time_ns()
        times.append(time.thread_time_ns() - started)
    return statistics.median(times)


def one_round(
    pages: list[tuple[str, str]], extension: str, idle: float, extracts: bool
) -> tuple[dict[str, float], int]:
    """Return the seconds of each stage over all pages of a site, and their nodes; the site is learned anew."""
    twins.choose(extension)
    spent: dict[str, float] = defaultdict(float)
    reader = AnchorReader(SiteScope.of(pages[0][0]))
    template, blocks = SiteTemplate(), BlockStore()
    for url, html in pages:  # a crawl learns pages before it extracts them
        flat = Page.from_root(parse_html(html), url, max_nodes=10**9).flat
        template.learn(flat)
    known = snapshot(template, 1)
    template = SiteTemplate()
    extractor = get_extractor("combined")
    site = SiteContext(template=known, learned=True)
    nodes = 0
    for url, html in pages:
        marks = [time.thread_time_ns()]
        tick = lambda: marks.append(time.thread_time_ns())  # noqa: E731, B023
        check_size(url, html)
        tick()
        root = parse_html(html)
        tick()
        one = Page.from_root(root, url, max_nodes=10**9)
        flat = one.flat
        tick()
        found = reader.read(one).found
        tick()
        rank(one, found)
        tick()
        template.learn(flat)
        tick()
        blocks.learn(flat)
        tick()
        if extracts:
            extractor.extract(one, site)
        tick()
        for name in COLUMNS:
            getattr(flat, name)
        tick()
        order = ("check", "parse", "flatten", "anchors", "rank", "learn", "blocks", "extract", "columns")
        for name, (before, after) in zip(order, pairwise(marks), strict=True):
            spent[name] += max(after - before - idle, 0) * NANO
        nodes += len(flat)
        del root, one, flat, found  # so that their release is not timed with the next page
    twins.choose()
    return spent, nodes


def measure(pages: list[tuple[str, str]], rounds: int, backends: tuple[str, ...], extracts: bool) -> dict:
    """Return the ratios of a site's stages to its parse: median, minimum and maximum over the rounds."""
    idle = empty_clock()
    seen: dict[str, list[dict[str, float]]] = {backend: [] for backend in backends}
    nodes = 0
    one_round(pages[:2], backends[0], idle, extracts)
    for _ in range(rounds):
        for backend in backends:
            spent, nodes = one_round(pages, backend, idle, extracts)
            ratios = {name: spent[name] / spent["parse"] for name in STAGES}
            ratios |= {name: sum(ratios[part] for part in parts) for name, parts in ADDED.items()}
            ratios["parse_us_per_node"] = spent["parse"] / nodes * 1e6
            seen[backend].append(ratios)
    found: dict = {"pages": len(pages), "nodes": nodes}
    for backend, runs in seen.items():
        label = {"auto": "twin", "off": "reference"}[backend]
        found[label] = {
            name: {
                "median": round(statistics.median(run[name] for run in runs), 4),
                "least": round(min(run[name] for run in runs), 4),
                "most": round(max(run[name] for run in runs), 4),
            }
            for name in runs[0]
        }
    return found


def recorded(path: Path, most: int) -> list[tuple[str, str]]:
    """Return (url, html) of a recorded site."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row["url"], row["html"]) for row in rows[:most]]


def main() -> int:
    """Measure all stages, print the ratios and write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--largest", type=int, default=316_228, help="nodes of the largest synthetic page")
    parser.add_argument("--pages", type=int, default=100, help="maximum pages of a recorded site")
    parser.add_argument("--no-extract", action="store_true", help="leave out extraction, which takes most of the time")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--sites", nargs="*", type=Path, default=[])
    options = parser.parse_args()
    backends = ("auto", "off") if flatten.is_compiled else ("off",)
    if "auto" not in backends:
        print(f"the compiled twin is not measured: {flatten.problem}")
    sites = {
        f"synthetic {size}": [(f"https://example.org/{size}/{n}.html", page(size, n)) for n in range(pages)]
        for size, pages in SIZES.items()
        if size <= options.largest
    }
    sites |= {path.name.removesuffix(".jsonl.gz"): recorded(path, options.pages) for path in options.sites}
    report: dict = {
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="minutes"),
        "rounds": options.rounds,
        "machine": {"cpus": os.cpu_count(), "load": round(os.getloadavg()[0], 1), "system": platform.platform()},
        "python": platform.python_version(),
        "lxml": ".".join(map(str, etree.LXML_VERSION[:3])),
        "libxml2": ".".join(map(str, etree.LIBXML_VERSION)),
        "sites": {},
    }
    print("ratios to lxml's parse, medians")
    print(f"{'':28}{'nodes':>9} " + "".join(f"{name:>9}" for name in STAGES))
    for name, pages in sites.items():
        found = report["sites"][name] = measure(pages, options.rounds, backends, not options.no_extract)
        for backend in ("twin", "reference"):
            if backend in found:
                figures = "".join(f"{found[backend][stage]['median']:9.2f}" for stage in STAGES)
                print(f"{name:17} {backend:10}{found['nodes'] // len(pages):9} {figures}", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "stages.json").write_text(json.dumps(report, indent=1) + "\n")
    (options.out / "stages.svg").write_text(chart(report))
    print(f"{options.out}/stages.json and stages.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
