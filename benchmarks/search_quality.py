"""Compares searches in main content and in whole pages, by known-item and menu queries on crawled sites.

python -m benchmarks.search_quality MAIN_DATABASE WHOLE_DATABASE HOST=SITE.jsonl.gz ... [--queries 60] [--menus 30]

Both databases contain crawls of the recorded sites; WHOLE_DATABASE was made with SITECRAWL_EXTRACTOR=everything. A
known-item query is a piece of a sentence that is in the gold text of one page only; its measure is the mean reciprocal
rank of that page among the first ten. A menu query is the beginning of a line that is on four of five pages of a site
but in hardly any gold text; its measure is the share of the site's pages that it finds.
"""

import argparse
import gzip
import json
import random
import re
import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from sqlalchemy import Engine

from sitecrawl.dom.page import Page
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.search.repository import SearchFilter, SearchIndex
from sitecrawl.storage.search.terms import RUN, parse_query, segment
from sitecrawl.storage.sites import SiteRepository

WORDS = 7
"""Words of a known-item query."""
CHARACTERS = 12
"""Characters of a known-item query in a script without spaces."""
SENTENCE = re.compile(r"[^.!?。！？;；\n|]+")
FOUND = 10
"""Number of first results in which the page of a known-item query is looked for."""
COMMON = 0.8
"""Minimum share of the pages of a site that have a line of its menu."""
RARE = 0.2
"""Maximum share of the gold texts that have a word of such a line."""
DATABASES = ("main", "whole")

Row = dict[str, Any]
"""A page of a recorded site."""


class KnownItem(NamedTuple):
    """A query, and the path of the one page with its words."""

    query: str
    path: str


@dataclass(slots=True)
class Measures:
    """The results of queries by database."""

    ranks: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in DATABASES})
    """Reciprocal ranks of known-item queries."""
    shares: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in DATABASES})
    """Shares of the pages that menu queries find."""

    def add(self, other: "Measures") -> None:
        """Append the results of other queries."""
        for name in DATABASES:
            self.ranks[name] += other.ranks[name]
            self.shares[name] += other.shares[name]

    def row(self, label: str) -> str:
        """Return the means as a row of a Markdown table."""
        ranks = [f"{statistics.mean(self.ranks[name]):.3f}" if self.ranks[name] else "-" for name in DATABASES]
        shares = [f"{statistics.mean(self.shares[name]):.0%}" if self.shares[name] else "-" for name in DATABASES]
        counts = len(self.ranks["main"]), len(self.shares["main"])
        return f"| {label} | {counts[0]} | {' | '.join(ranks)} | {counts[1]} | {' | '.join(shares)} |"


def read_rows(file: str) -> list[Row]:
    """Return the pages of a recorded site."""
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def path_of(url: str) -> str:
    """Return the path and query of a URL, unquoted; that of an index page is its folder."""
    parts = urlsplit(url)
    path = re.sub(r"/(index\.(html?|php))?$", "/", unquote(parts.path or "/"))
    return path + (f"?{parts.query}" if parts.query else "")


def pieces(text: str, rng: random.Random) -> list[str]:
    """Return a piece of each sentence that is long enough, in random order."""
    found = []
    for match in SENTENCE.finditer(text):
        sentence = " ".join(match[0].split())
        unspaced = sum(map(len, RUN.findall(sentence))) > len(sentence) / 2
        if unspaced and len(sentence) >= CHARACTERS and " " not in sentence:
            start = rng.randrange(len(sentence) - CHARACTERS + 1)
            found.append(sentence[start : start + CHARACTERS])
            continue
        words = sentence.split()
        if len(words) >= WORDS:
            start = rng.randrange(len(words) - WORDS + 1)
            found.append(" ".join(words[start : start + WORDS]))
    rng.shuffle(found)
    return found


def known_items(rows: Iterable[Row], count: int, rng: random.Random) -> list[KnownItem]:
    """Return up to `count` queries, each of another page."""
    rows = list(rows)
    gold = {path_of(row["url"]): " ".join(row["gold_text"].split()) for row in rows if row["kind"] == "content"}
    texts = [f" {segment(' '.join((row['gold_text'] or '').split()))} " for row in rows]
    queries: list[KnownItem] = []
    paths = sorted(path for path, text in gold.items() if len(text) > 200)
    rng.shuffle(paths)
    for path in paths:
        for piece in pieces(gold[path], rng):
            terms = segment(piece).split()
            terms = terms[:-1] if terms and len(terms[-1]) == 1 and RUN.fullmatch(terms[-1]) else terms
            if len(terms) > 3 and sum(f" {' '.join(terms)} " in text for text in texts) == 1:
                queries.append(KnownItem(piece, path))
                break
        if len(queries) == count:
            break
    return queries


def with_wrong_word(query: str, words: int) -> str:
    """Return the first words of a query with one more, which no page has."""
    kept = query.split()[:words]
    return " ".join([*kept[:2], "qzxv", *kept[2:]])


def menu_lines(rows: list[Row], count: int, rng: random.Random) -> list[str]:
    """Return up to `count` beginnings of lines that most pages have, and hardly any gold text."""
    lines: Counter[str] = Counter()
    gold: Counter[str] = Counter()
    for row in rows:
        page = Page.from_html(row["html"].encode(), row["url"])
        lines.update({line.removeprefix("- ").strip() for line in page.text((0,)).split("\n")})
        gold.update(set(segment(row["gold_text"] or "").split()))
    common = set()
    for line, pages in lines.items():
        terms = segment(line).split()
        if terms and pages >= COMMON * len(rows) and max(gold[term] for term in terms[:3]) <= RARE * len(rows):
            common.add(line if RUN.search(line) else " ".join(line.split()[:3]))
    drawn = sorted(common)
    rng.shuffle(drawn)
    return drawn[:count]


def reciprocal_rank(engine: Engine, item: KnownItem, host: str, kind: str | None) -> float:
    """Return 1 / the rank of the page of a query; 0 if it is not found."""
    with session_scope(engine, write=False) as session:
        answer = SearchIndex(session).find(parse_query(item.query), SearchFilter(kind=kind), FOUND)
    for position, hit in enumerate(answer.hits, 1):
        if hit.site == host and path_of(hit.url) == item.path:
            return 1 / position
    return 0.0


def found_share(engine: Engine, query: str, host: str, pages: int) -> float:
    """Return the share of the `pages` pages of a site that a query finds. Raises SystemExit for an unknown site."""
    with session_scope(engine, write=False) as session:
        site = SiteRepository(session).get(host)
        if site is None:
            raise SystemExit(f"{engine.url.database} has no site {host}: crawl it first, or name it as it is stored")
        answer = SearchIndex(session).find(parse_query(query), SearchFilter(site_id=site.id), 10_000)
    return len(answer.hits) / pages


def measured(engines: dict[str, Engine], host: str, rows: list[Row], options: argparse.Namespace) -> Measures:
    """Return the results of the queries of one site; print those of each query with `--show`."""
    rng, sites = random.Random(options.seed), len(options.sites)
    items = known_items(rows, options.queries // sites, rng)
    if options.part:
        items = [
            item._replace(query=with_wrong_word(item.query, options.part))
            for item in items
            if len(item.query.split()) > 3
        ]
    menus = menu_lines(rows, options.menus // sites, rng)
    found = Measures()
    for name, engine in engines.items():
        found.ranks[name] = [reciprocal_rank(engine, item, host, options.kind) for item in items]
        found.shares[name] = [found_share(engine, query, host, len(rows)) for query in menus]
    if options.show:
        for item, main, whole in zip(items, found.ranks["main"], found.ranks["whole"], strict=True):
            if main < 1:
                print(f"  {main:.2f} {whole:.2f} {item.query!r} {item.path}")
        for query, main, whole in zip(menus, found.shares["main"], found.shares["whole"], strict=True):
            print(f"  {main:.0%} {whole:.0%} {query!r}")
    return found


def main() -> None:
    """Run all queries, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("main")
    parser.add_argument("whole")
    parser.add_argument("sites", nargs="+")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--menus", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", default=None)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--part", type=int, default=0, metavar="N", help="cut queries to N words, and add a wrong one")
    options = parser.parse_args()
    engines = {name: open_database(getattr(options, name)) for name in DATABASES}
    total = Measures()
    print("| site | queries | MRR@10 main | MRR@10 whole | menu queries | pages found, main | pages found, whole |")
    print("|---|---|---|---|---|---|---|")
    for argument in options.sites:
        host, _, file = argument.partition("=")
        found = measured(engines, host, read_rows(file), options)
        total.add(found)
        print(found.row(file.rpartition("/")[2].removesuffix(".jsonl.gz")))
    print(total.row("all"))


if __name__ == "__main__":
    main()
