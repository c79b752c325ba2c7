"""Compares search by pairs of characters with FTS5's trigram tokenizer, on scripts without spaces in SQLite.

python -m benchmarks.search_scripts SITE.jsonl.gz ... [--queries 200]

Queries are one to four adjacent characters of the gold texts, so the right pages are known.
"""

import argparse
import random
import sqlite3
import time

from benchmarks.search_quality import read_rows
from sitecrawl.storage.search.languages import PLAIN
from sitecrawl.storage.search.sqlite import expression_of
from sitecrawl.storage.search.terms import RUN, Width, parse_query, segment

TOKENIZERS = {
    "pairs": "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'",
    "trigram": "trigram",
}
"""Tokenizers of FTS5 by the name of their table."""


def fill(database: sqlite3.Connection, texts: list[str]) -> dict[str, int]:
    """Store the texts in a table of each tokenizer; return their sizes in MB."""
    sizes = {}
    for name, tokenizer in TOKENIZERS.items():
        before = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f'CREATE VIRTUAL TABLE {name} USING fts5(text, tokenize = "{tokenizer}")')
        rows = [(segment(text) if name == "pairs" else text,) for text in texts]
        database.executemany(f"INSERT INTO {name} (text) VALUES (?)", rows)
        sizes[name] = (database.execute("PRAGMA page_count").fetchone()[0] - before) * 4 // 1024
    return sizes


def drawn_word(texts: list[str], length: int, rng: random.Random) -> str:
    """Return adjacent characters of a script without spaces from one of the texts."""
    run = ""
    while len(run) < length:
        run = rng.choice(RUN.findall(rng.choice(texts)))
    start = rng.randrange(len(run) - length + 1)
    return str(run[start : start + length])


def row_of(database: sqlite3.Connection, texts: list[str], length: int, count: int, rng: random.Random) -> str:
    """Return the means of `count` queries of `length` characters as a row of a Markdown table."""
    recalls, precisions = dict.fromkeys(TOKENIZERS, 0.0), dict.fromkeys(TOKENIZERS, 0.0)
    seconds = 0.0
    for _ in range(count):
        word = drawn_word(texts, length, rng)
        wanted = {number for number, text in enumerate(texts, 1) if word in text}
        for name in TOKENIZERS:
            match = expression_of(parse_query(word), Width.ALL, PLAIN) if name == "pairs" else f'"{word}"'
            began = time.perf_counter()
            rows = database.execute(f"SELECT rowid FROM {name} WHERE {name} MATCH ?", (match,)).fetchall()
            seconds += (time.perf_counter() - began) * (name == "pairs")
            found = {row[0] for row in rows}
            recalls[name] += len(found & wanted) / len(wanted)
            precisions[name] += len(found & wanted) / len(found) if found else 1.0
    cells = " | ".join(f"{recalls[name] / count:.2f} | {precisions[name] / count:.2f}" for name in TOKENIZERS)
    return f"| {length} | {count} | {cells} | {seconds / count * 1000:.1f} |"


def main() -> None:
    """Index the gold texts in both ways, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", nargs="+")
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    rows = [row for file in options.sites for row in read_rows(file)]
    texts = [text for row in rows if (text := row["gold_text"]) and RUN.search(text)]
    if not texts:
        parser.error("none of these sites has a text in a script without spaces")
    database = sqlite3.connect(":memory:")
    sizes = fill(database, texts)
    print(f"{len(texts)} pages; pairs {sizes['pairs']} MB, trigram {sizes['trigram']} MB")
    print(
        "| characters | queries | recall, pairs | precision, pairs | recall, trigram | precision, trigram | ms, pairs |"
    )
    print("|---|---|---|---|---|---|---|")
    rng = random.Random(1)
    for length in (1, 2, 3, 4):
        print(row_of(database, texts, length, options.queries, rng))


if __name__ == "__main__":
    main()
