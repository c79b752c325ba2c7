"""Shares of pages with a title, a date, a language and so on, and what reading them costs.

Run `python benchmarks/metadata.py FILE.jsonl.gz ...`; a row is a page with `url` and `html`, and `site` where a file
holds pages of several. Each site is read twice, first for what its pages share. `--sample 100 --seed 7 --json` prints
pages drawn at random instead, for reading; `--every 10` takes a tenth of the pages.
"""

import argparse
import datetime as dt
import gzip
import json
import random
import sys
from collections import Counter
from pathlib import Path
from time import process_time

from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError
from sitecrawl.extractors.base import Kind, get_extractor
from sitecrawl.metadata.describe import describe, read
from sitecrawl.metadata.language import page_language
from sitecrawl.metadata.shared_values import SiteValues

FIELDS = ("title", "description", "author", "published", "modified", "language", "image", "section")


def rows(path: Path, every: int):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % every == 0:
                yield json.loads(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="print what was found, a page a line")
    given = parser.parse_args()
    extractor, now = get_extractor("combined"), dt.datetime.now(dt.UTC)
    page_language((), "The model is loaded before anything is measured, for that takes half a second or so. " * 2)
    drawn, total, seconds = [], Counter(), Counter()
    for path in given.files:
        site_values, pages = {}, []
        for row in rows(path, given.every):
            values = site_values.setdefault(row.get("site") or path.name.partition(".")[0], SiteValues())
            try:
                page = Page.from_html(row["html"], row.get("url") or "https://page.invalid/")
                len(page.flat)
                started = process_time()
                reading = read(page, now)
            except PageError as error:
                print(error, file=sys.stderr)
                continue
            seconds["read"] += process_time() - started
            values.add(reading.values)
            pages.append((row, reading, values))
        count: Counter[str] = Counter()
        kept = random.Random(given.seed).sample(pages, min(given.sample, len(pages))) if given.sample else pages
        for row, reading, values in kept:
            page = Page.from_html(row["html"], row.get("url") or "https://page.invalid/")
            started = process_time()
            extraction = extractor.extract(page)
            text = page.text(extraction.nodes)
            seconds["extract"] += process_time() - started
            started = process_time()
            article = extraction.kind is Kind.CONTENT
            found = describe(page, reading, values, extraction.nodes, text, article=article)
            seconds["describe"] += process_time() - started
            count["pages"] += 1
            count["content"] += article
            for name in FIELDS:
                count[name] += getattr(found, name) is not None
            count["words"] += bool(text)
            facts = {name: getattr(found, name) for name in FIELDS}
            drawn.append({"file": path.name, "id": row.get("id") or row.get("path"), "url": page.url,
                          "kind": str(extraction.kind), **facts})  # fmt: skip
        total += count
        if not given.json and count["pages"]:
            _print(path.name.partition(".")[0], count)
    if given.json:
        for one in drawn:
            print(json.dumps(one, ensure_ascii=False))
    else:
        _print("all", total)
        print(
            {name: f"{1000 * spent / max(1, total['pages']):.2f} ms of CPU a page" for name, spent in seconds.items()}
        )


def _print(name: str, count: Counter[str]) -> None:
    shares = " ".join(f"{field} {100 * count[field] / count['pages']:.0f}%" for field in ("content", *FIELDS, "words"))
    print(f"{name}: {count['pages']} pages: {shares}")


if __name__ == "__main__":
    main()
