"""Rates of the built-in search on documents made from recorded sites.

python -m benchmarks.search_speed DATABASE_URL SITE.jsonl.gz ... [--documents 20000] [--queries 500]

The database must be new. Documents are the sites' gold texts, each with its lines drawn from pages of its site, so
that the words are those of real pages and no two documents are the same.
"""

import argparse
import gzip
import json
import os
import random
import statistics
import time
from pathlib import Path

from sqlalchemy import text as sql

from sitecrawl.index.snippets import snippet
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.pages import Fetch, PageRepository, PageStatus
from sitecrawl.storage.search.languages import text_config
from sitecrawl.storage.search.repository import SearchFilter, SearchIndex
from sitecrawl.storage.search.terms import parse_query
from sitecrawl.storage.sites import SiteRepository
from tests.integration.feeding import HOST, content, now

AT_ONCE = 50
LINE = 12


def documents(files, count, rng):
    sites = []
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            texts = [text for row in map(json.loads, stream) if (text := row["gold_text"])]
        lines = [line for text in texts for line in text.split("\n") if line.strip()]
        if len(lines) > 100:
            sites.append((texts, lines))
    for _ in range(count):
        texts, lines = rng.choice(sites)
        size, made = len(rng.choice(texts)), []
        while sum(map(len, made)) < min(size, 20_000):
            made.append(rng.choice(lines))
        yield "\n".join(made) or rng.choice(lines)


class Stopwatch:
    """Seconds that pass, and seconds of processors: of this process, and of a PostgreSQL on this machine."""

    def __init__(self, engine):
        self.backend = None
        if engine.dialect.name == "postgresql":
            with session_scope(engine, write=False) as session:
                self.backend = session.scalar(sql("SELECT pg_backend_pid()"))
        self.start()

    def start(self):
        self.began = self._now()

    def read(self):
        return tuple(after - before for after, before in zip(self._now(), self.began, strict=True))

    def _now(self):
        seconds = time.process_time()
        if self.backend is not None:
            fields = Path(f"/proc/{self.backend}/stat").read_text().rpartition(") ")[2].split()
            seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return time.perf_counter(), seconds


def fill(engine, texts, *, index):
    """Store documents as a crawl does; return the seconds it took, and those of processors."""
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add(HOST, f"https://{HOST}/", now()).id
    watch, key = Stopwatch(engine), 0 if index else 10**6
    for first in range(0, len(texts), AT_ONCE):
        with session_scope(engine) as session:
            for text in texts[first : first + AT_ONCE]:
                key += 1
                url = f"https://{HOST}/{key}"
                fetch = Fetch(key, url, PageStatus.FETCHED, None, 200, 1, 1, key, None, None, now(), None, (), key)
                PageRepository(session).record(site_id, [fetch])
                one = content(key, text, title=" ".join(text.split()[:6]))
                ContentRepository(session).put(site_id, one, index=index)
    return watch.read()


def queries(texts, count, words, rng, *, phrase=False):
    made = []
    while len(made) < count:
        line = rng.choice(rng.choice(texts).split("\n")).split()
        if len(line) < LINE:
            continue
        start = rng.randrange(len(line) - words)
        picked = line[start : start + words] if phrase else rng.sample(line, words)
        made.append(f'"{" ".join(picked)}"' if phrase else " ".join(picked))
    return made


def measure(engine, made):
    watch, times, found, used = Stopwatch(engine), [], 0, 0.0
    for one in made:
        query = parse_query(one)
        watch.start()
        with session_scope(engine, write=False) as session:
            answer = SearchIndex(session).find(query, SearchFilter(), 10)
        for hit in answer.hits:
            snippet(hit.text, query, text_config(hit.language))
        passed, processor = watch.read()
        times.append(passed * 1000)
        used += processor * 1000
        found += bool(answer.hits)
    cuts = statistics.quantiles(times, n=100)
    return f"{cuts[49]:.1f} | {cuts[94]:.1f} | {used / len(made):.1f} | {found / len(made):.0%}"


def main():
    parser = argparse.ArgumentParser()
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
    stored = fill(engine, texts[:2000], index=False)
    print(f"{engine.dialect.name}: {len(texts)} documents, {size:.0f} MB of text")
    for name, count, (passed, processor) in (
        ("stored and indexed", len(texts), indexed),
        ("stored alone", 2000, stored),
    ):
        print(f"{name}: {count / passed:.0f} documents/s, {count / processor:.0f} per second of processor")
    print("| queries | p50 ms | p95 ms | processor ms, mean | with results |\n|---|---|---|---|---|")
    for name, words, phrase in (("one word", 1, False), ("two words", 2, False), ("three words", 3, False)):
        print(f"| {name} | {measure(engine, queries(texts, options.queries, words, rng, phrase=phrase))} |")
    print(f"| a phrase of four | {measure(engine, queries(texts, options.queries, 4, rng, phrase=True))} |")
    missing = [f"{one} qzxv" for one in queries(texts, options.queries, 3, rng)]
    print(f"| three words, and one that is nowhere | {measure(engine, missing)} |")


if __name__ == "__main__":
    main()
