"""Measures recall@5 of the chunks of sitecrawl and of trafilatura's text, on recorded sites with gold main content.

python -m benchmarks.recall SITE.jsonl.gz ... [--questions 200] [--seed 1]        (needs pip install 'sitecrawl[peers]')

A question is a sentence of the gold text of one page with at least eight words, which is on no other page. Each word is
dropped with a probability of one half. Both systems get the same pages: sitecrawl crawls them, and trafilatura extracts
the HTML of each. `sitecrawl.dom.chunks` cuts the chunks of both, once from text and once from HTML. The chunks are
searched by BM25 of SQLite's FTS5 over all sites. A question is answered if one of the first five chunks is of its page
and has four of five words of the sentence. Intervals are 95 %, by paired bootstrap of the questions.
"""

import argparse
import gzip
import json
import random
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.chunk_versions import path_of, served
from sitecrawl.dom.chunks import Chunk, chunks
from sitecrawl.storage.search.terms import segment
from tests import fork
from tests.integration.chunk_versions import SETTINGS
from tests.integration.server import SiteServer
from tests.integration.test_crawl import crawl

FIRST = 5
LEAST_TERMS = 8
DROPPED = 0.5
PART = 0.8
"""Minimum share of the terms of a sentence in a chunk that answers it."""
SAMPLES = 10_000
SENTENCE = re.compile(r"[^.!?。！？\n|]+")


class Question(NamedTuple):
    """A sentence that only one page has."""

    page: str
    terms: tuple[str, ...]
    """The terms of the whole sentence."""
    asked: tuple[str, ...]
    """The terms that are searched for."""


class Corpus:
    """Chunks of pages, found by BM25."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE chunk USING fts5(page UNINDEXED, terms)")
        self.size = 0

    def add(self, page: str, found: Iterable[Chunk]) -> None:
        """Add the chunks of a page."""
        rows = [(page, segment(" ".join((*one.headings, one.text)))) for one in found]
        self._database.executemany("INSERT INTO chunk VALUES (?, ?)", rows)
        self.size += len(rows)

    def answers(self, question: Question) -> bool:
        """Return whether one of the first chunks is of the page and has most of the terms."""
        query = " OR ".join('"' + term.replace('"', '""') + '"' for term in question.asked)
        rows = self._database.execute(
            "SELECT page, terms FROM chunk WHERE chunk MATCH ? ORDER BY rank, rowid LIMIT ?", (query, FIRST)
        )
        return any(page == question.page and _has(terms, question.terms) for page, terms in rows)


def _has(text: str, terms: Sequence[str]) -> bool:
    held = set(text.lower().split())
    return sum(term in held for term in terms) >= PART * len(terms)


def questions(name: str, gold: dict[str, str], count: int, rng: random.Random) -> list[Question]:
    """Return questions, each of another page as long as there are pages."""
    every = {path: f" {segment(' '.join(text.split())).lower()} " for path, text in gold.items()}
    waiting = {path: [one[0] for one in SENTENCE.finditer(text)] for path, text in sorted(gold.items())}
    for sentences in waiting.values():
        rng.shuffle(sentences)
    found: list[Question] = []
    while len(found) < count and any(waiting.values()):
        for path, sentences in waiting.items():
            while sentences and len(found) < count:
                terms = tuple(re.findall(r"\w+", segment(" ".join(sentences.pop().split())).lower()))
                unique = sum(f" {' '.join(terms)} " in text for text in every.values()) == 1
                asked = tuple(term for term in terms if rng.random() >= DROPPED)
                if len(terms) >= LEAST_TERMS and unique and len(asked) >= 3:
                    found.append(Question(f"{name} {path}", terms, asked))
                    break
    return found


def add_site(file: Path, corpora: dict[str, Corpus], count: int, rng: random.Random) -> list[Question]:
    """Crawl a site, add its chunks to the corpora, and return questions on it."""
    import trafilatura  # noqa: PLC0415

    name = file.name.removesuffix(".jsonl.gz")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    gold = {path_of(row["url"]): row["gold_text"] for row in rows if row["kind"] == "content" and not row.get("dup_of")}
    with tempfile.TemporaryDirectory() as folder, SiteServer({}) as server:
        site, database = served(file, server), f"sqlite:///{folder}/site.db"
        done, _ = crawl(server.url(site.start), Path(folder), database, *SETTINGS)
        assert done.returncode == 0, done.stderr[-800:]
        command = ["sitecrawl", "export", f"-sSITECRAWL_DATABASE_URL={database}", "-sSITECRAWL_CONTENT_HTML=1"]
        stored = fork.run(command, capture_output=True, timeout=300, cwd=folder).stdout.splitlines()
        for row in map(json.loads, stored):
            path = path_of(row["url"])
            html = server.pages.get(path)
            if not isinstance(html, str):
                continue
            page, text = f"{name} {path}", row["text"] or ""
            corpora["sitecrawl, text"].add(page, chunks(page, text, None))
            corpora["sitecrawl, HTML"].add(page, chunks(page, text, row["html"]))
            given = {"url": row["url"]}  # its defaults keep comments, such as posts of forums
            text = trafilatura.extract(html, **given) or ""
            markup = trafilatura.extract(html, output_format="html", include_formatting=True, **given)
            corpora["trafilatura, text"].add(page, chunks(page, text, None))
            corpora["trafilatura, HTML"].add(page, chunks(page, text, markup))
    return questions(name, gold, count, rng)


def interval(values: Sequence[float], rng: random.Random) -> str:
    """Return the mean of values and its 95 % interval."""
    means = sorted(sum(rng.choices(values, k=len(values))) / len(values) for _ in range(SAMPLES))
    mean = sum(values) / len(values)
    return f"{mean:.3f} ({means[SAMPLES // 40]:.3f} to {means[-SAMPLES // 40]:.3f})"


def main() -> None:
    """Crawl the sites, ask the questions, and print recall@5 of both systems."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    corpora = {
        f"{system}, {source}": Corpus() for source in ("text", "HTML") for system in ("sitecrawl", "trafilatura")
    }
    asked: list[Question] = []
    for file in options.sites:
        asked += add_site(file, corpora, options.questions // len(options.sites), rng)
    answered = {name: [float(corpus.answers(one)) for one in asked] for name, corpus in corpora.items()}
    print(f"{len(asked)} questions\n\n| chunks of | chunks | recall@{FIRST} |\n|---|---|---|")
    for name, corpus in corpora.items():
        print(f"| {name} | {corpus.size} | {interval(answered[name], rng)} |")
    for what in ("text", "HTML"):
        pair = zip(answered[f"sitecrawl, {what}"], answered[f"trafilatura, {what}"], strict=True)
        print(f"\n{what}: sitecrawl better by {interval([one - other for one, other in pair], rng)}")
    for file in options.sites:
        name = file.name.removesuffix(".jsonl.gz")
        here = [number for number, one in enumerate(asked) if one.page.startswith(f"{name} ")]
        shares = ", ".join(f"{one}: {sum(values[n] for n in here) / len(here):.2f}" for one, values in answered.items())
        print(f"{name}, {len(here)} questions: {shares}")


if __name__ == "__main__":
    main()
