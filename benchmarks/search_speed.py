"""Measures the speed of the built-in search on documents made from recorded sites.

python -m benchmarks.search_speed DATABASE_URL SITE.jsonl.gz ... [--documents 20000] [--queries 500]

The database must be new. Documents are made from the sites' gold texts: the lines of each are drawn from pages of one
site, so that the words are those of real pages and no two documents are the same.
"""

import argparse
import os
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine
from sqlalchemy import text as sql

from benchmarks.search_quality import read_rows
from sitecrawl.index.snippets import snippet
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.pages import Fetch, PageRepository, PageStatus
from sitecrawl.storage.search.languages import text_config
from sitecrawl.storage.search.repository import SearchFilter, SearchIndex
from sitecrawl.storage.search.terms import parse_query
from sitecrawl.storage.sites import SiteRepository
from tests.integration.feeding import HOST, content, now

BATCH = 50
"""Documents that are stored in one transaction."""
LINE = 12
"""Minimum words of a line from which a query is drawn."""
LINES = 100
"""Number of lines up to which a site is left out."""
LONGEST = 20_000
"""Maximum characters of a document before its last line."""
UNINDEXED = 2000
"""Number of documents that are stored without the index."""


class Seconds(NamedTuple):
    """Wall-clock seconds and processor seconds."""

    passed: float
    processor: float


def documents(files: Sequence[str], count: int, rng: random.Random) -> Iterator[str]:
    """Yield `count` documents."""
    sites = []
    for file in files:
        texts = [text for row in read_rows(file) if (text := row["gold_text"])]
        lines = [line for text in texts for line in text.split("\n") if line.strip()]
        if len(lines) > LINES:
            sites.append((texts, lines))
    if not sites:
        raise SystemExit(f"none of these sites has more than {LINES} lines of text")
    for _ in range(count):
        texts, lines = rng.choice(sites)
        size = min(len(rng.choice(texts)), LONGEST)
        drawn: list[str] = []
        while sum(map(len, drawn)) < size:
            drawn.append(rng.choice(lines))
        yield "\n".join(drawn) or rng.choice(lines)


class Stopwatch:
    """Measures wall-clock seconds, and processor seconds of this process and of a PostgreSQL on this machine."""

    def __init__(self, engine: Engine) -> None:
        self._backend: int | None = None
        if engine.dialect.name == "postgresql":
            with session_scope(engine, write=False) as session:
                self._backend = session.scalar(sql("SELECT pg_backend_pid()"))
        self.start()

    def start(self) -> None:
        """Start from zero."""
        self._began = self._now()

    def read(self) -> Seconds:
        """Return the seconds since the start."""
        now = self._now()
        return Seconds(now.passed - self._began.passed, now.processor - self._began.processor)

    def _now(self) -> Seconds:
        processor = time.process_time()
        if self._backend is not None:
            fields = Path(f"/proc/{self._backend}/stat").read_text().rpartition(") ")[2].split()
            processor += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return Seconds(time.perf_counter(), processor)


def fill(engine: Engine, texts: list[str], *, index: bool) -> Seconds:
    """Store documents as a crawl does; return the seconds it took."""
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add(HOST, f"https://{HOST}/", now()).id
    watch, key = Stopwatch(engine), 0 if index else 10**6
    for first in range(0, len(texts), BATCH):
        with session_scope(engine) as session:
            for text in texts[first : first + BATCH]:
                key += 1
                url = f"https://{HOST}/{key}"
                fetch = Fetch(key, url, PageStatus.FETCHED, None, 200, 1, 1, key, None, None, now(), None, (), key)
                PageRepository(session).record(site_id, [fetch])
                record = content(key, text, title=" ".join(text.split()[:6]))
                ContentRepository(session).put(site_id, record, index=index)
    return watch.read()


def queries(texts: list[str], count: int, words: int, rng: random.Random, *, phrase: bool = False) -> list[str]:
    """Return `count` queries with `words` words of a line each: a phrase, or words from anywhere in the line."""
    drawn: list[str] = []
    while len(drawn) < count:
        line = rng.choice(rng.choice(texts).split("\n")).split()
        if len(line) < LINE:
            continue
        start = rng.randrange(len(line) - words)
        picked = line[start : start + words] if phrase else rng.sample(line, words)
        drawn.append(f'"{" ".join(picked)}"' if phrase else " ".join(picked))
    return drawn


def measure(engine: Engine, searched: list[str]) -> str:
    """Return the times of queries as cells of a Markdown table."""
    watch, times, found, used = Stopwatch(engine), [], 0, 0.0
    for words in searched:
        query = parse_query(words)
        watch.start()
        with session_scope(engine, write=False) as session:
            answer = SearchIndex(session).find(query, SearchFilter(), 10)
        for hit in answer.hits:
            snippet(hit.text, query, text_config(hit.language))
        seconds = watch.read()
        times.append(seconds.passed * 1000)
        used += seconds.processor * 1000
        found += bool(answer.hits)
    cuts = statistics.quantiles(times, n=100)
    return f"{cuts[49]:.1f} | {cuts[94]:.1f} | {used / len(searched):.1f} | {found / len(searched):.0%}"


def main() -> None:
    """Store documents, search them, and print both rates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("sites", nargs="+")
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=500)
    options = parser.parse_args()
    rng = random.Random(1)
    texts = list(documents(options.sites, options.documents, rng))
    size = sum(len(text.encode()) for text in texts) / 2**20
    engine = open_database(options.database)
    indexed = fill(engine, texts, index=True)
    stored = fill(engine, texts[:UNINDEXED], index=False)
    print(f"{engine.dialect.name}: {len(texts)} documents, {size:.0f} MB of text")
    for name, count, seconds in (
        ("stored and indexed", len(texts), indexed),
        ("stored alone", len(texts[:UNINDEXED]), stored),
    ):
        rates = f"{count / seconds.passed:.0f} documents/s, {count / seconds.processor:.0f} per second of processor"
        print(f"{name}: {rates}")
    print("| queries | p50 ms | p95 ms | processor ms, mean | with results |\n|---|---|---|---|---|")
    for name, words in (("one word", 1), ("two words", 2), ("three words", 3)):
        print(f"| {name} | {measure(engine, queries(texts, options.queries, words, rng))} |")
    print(f"| a phrase of four | {measure(engine, queries(texts, options.queries, 4, rng, phrase=True))} |")
    missing = [f"{words} qzxv" for words in queries(texts, options.queries, 3, rng)]
    print(f"| three words, and one that no document has | {measure(engine, missing)} |")


if __name__ == "__main__":
    main()
