"""Measures the shares of pages with a title, a date, a language and so on, and the CPU time to read them.

Run `python benchmarks/metadata.py FILE.jsonl.gz ...`. A row is a page with `url` and `html`, and `site` if a file has
pages of several sites. Each site is read twice: the first time for the values that its pages share. `--sample 100
--seed 7 --json` prints pages drawn at random instead, for reading; `--every 10` uses a tenth of the pages.
"""

import argparse
import datetime as dt
import gzip
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError
from sitecrawl.extractors.base import Extractor, Kind, get_extractor
from sitecrawl.metadata.describe import Reading, describe, read
from sitecrawl.metadata.language import page_language
from sitecrawl.metadata.shared_values import SiteValues

FIELDS = ("title", "description", "author", "published", "modified", "language", "image", "section")


def rows(path: Path, every: int) -> Iterator[dict[str, Any]]:
    """Yield each `every`-th row of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % every == 0:
                yield json.loads(line)


class Totals:
    """The number of pages by the fields that they have, and the CPU seconds of each step, over all files."""

    def __init__(self) -> None:
        self.pages: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the CPU time of the block to a step."""
        started = process_time()
        yield
        self.seconds[step] += process_time() - started


class ReadRow(NamedTuple):
    """A page after the first reading, and the values that the pages of its site share."""

    row: dict[str, Any]
    reading: Reading
    values: SiteValues


def page_of(row: dict[str, Any]) -> Page:
    """Return the parsed page of a row. Raises PageError if it cannot be read."""
    return Page.from_html(row["html"], row.get("url") or "https://page.invalid/")


def first_reading(path: Path, every: int, totals: Totals) -> list[ReadRow]:
    """Return the readable pages of a file, each with the values that its site shares once all pages are read."""
    now = dt.datetime.now(dt.UTC)
    site_values: defaultdict[str, SiteValues] = defaultdict(SiteValues)
    found = []
    for row in rows(path, every):
        values = site_values[row.get("site") or path.name.partition(".")[0]]
        try:
            page = page_of(row)
            len(page.flat)
            with totals.timed("read"):
                reading = read(page, now)
        except PageError as error:
            print(error, file=sys.stderr)
            continue
        values.add(reading.values)
        found.append(ReadRow(row, reading, values))
    return found


def facts_of(one: ReadRow, extractor: Extractor, totals: Totals) -> dict[str, Any]:
    """Return the kind and the fields of a page, and whether it has a text; add the times to `totals`."""
    page = page_of(one.row)
    with totals.timed("extract"):
        extraction = extractor.extract(page)
        text = page.text(extraction.nodes)
    with totals.timed("describe"):
        article = extraction.kind is Kind.CONTENT
        record = describe(page, one.reading, one.values, extraction.nodes, text, article=article)
    fields = {name: getattr(record, name) for name in FIELDS}
    return {"url": page.url, "kind": str(extraction.kind), **fields, "words": bool(text)}


def main() -> None:
    """Print the shares of each file and the times, or what was found on each page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="print the fields that were found, one line per page")
    options = parser.parse_args()
    extractor, totals = get_extractor("combined"), Totals()
    page_language((), "The model is loaded before anything is measured, since loading takes about half a second. " * 2)
    for path in options.files:
        pages = first_reading(path, options.every, totals)
        if options.sample:
            pages = random.Random(options.seed).sample(pages, min(options.sample, len(pages)))
        count: Counter[str] = Counter()
        for one in pages:
            facts = facts_of(one, extractor, totals)
            has_text = facts.pop("words")
            count.update(name for name in FIELDS if facts[name] is not None)
            count.update(pages=1, content=facts["kind"] == Kind.CONTENT, words=has_text)
            if options.json:
                row = {"file": path.name, "id": one.row.get("id") or one.row.get("path"), **facts}
                print(json.dumps(row, ensure_ascii=False))
        totals.pages += count
        if not options.json and count["pages"]:
            print_shares(path.name.partition(".")[0], count)
    if not options.json:
        print_shares("all", totals.pages)
        pages = max(1, totals.pages["pages"])
        print({step: f"{1000 * spent / pages:.2f} ms of CPU a page" for step, spent in totals.seconds.items()})


def print_shares(label: str, count: Counter[str]) -> None:
    """Print the shares of pages with a field."""
    pages = max(1, count["pages"])
    shares = " ".join(f"{field} {100 * count[field] / pages:.0f}%" for field in ("content", *FIELDS, "words"))
    print(f"{label}: {count['pages']} pages: {shares}")


if __name__ == "__main__":
    main()
