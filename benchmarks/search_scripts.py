"""Words of scripts without spaces: pairs of characters beside FTS5's trigram tokenizer, in SQLite.

python -m benchmarks.search_scripts SITE.jsonl.gz ... [--queries 200]

Queries are one to four characters that stand side by side in the gold texts; the pages that hold them are known.
"""

import argparse
import gzip
import json
import random
import sqlite3
import time

from sitecrawl.storage.search.languages import PLAIN
from sitecrawl.storage.search.sqlite import expression_of
from sitecrawl.storage.search.terms import RUN, Width, parse_query, segment

TOKENIZERS = {
    "pairs": "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'",
    "trigram": "trigram",
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sites", nargs="+")
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    texts = []
    for file in options.sites:
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            texts += [text for row in map(json.loads, stream) if (text := row["gold_text"]) and RUN.search(text)]
    database, sizes = sqlite3.connect(":memory:"), {}
    for name, tokenizer in TOKENIZERS.items():
        before = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f'CREATE VIRTUAL TABLE {name} USING fts5(text, tokenize = "{tokenizer}")')
        rows = [(segment(text) if name == "pairs" else text,) for text in texts]
        database.executemany(f"INSERT INTO {name} (text) VALUES (?)", rows)
        sizes[name] = (database.execute("PRAGMA page_count").fetchone()[0] - before) * 4 // 1024
    print(f"{len(texts)} pages; pairs {sizes['pairs']} MB, trigram {sizes['trigram']} MB")
    print(
        "| characters | queries | recall, pairs | precision, pairs | recall, trigram | precision, trigram | ms, pairs |"
    )
    print("|---|---|---|---|---|---|---|")
    rng = random.Random(1)
    for length in (1, 2, 3, 4):
        print(_row(database, texts, length, options.queries, rng))


def _row(database, texts, length, count, rng):
    sums = {name: [0.0, 0.0] for name in TOKENIZERS}
    seconds = 0.0
    for _ in range(count):
        run = ""
        while len(run) < length:
            run = rng.choice(RUN.findall(rng.choice(texts)))
        start = rng.randrange(len(run) - length + 1)
        word = run[start : start + length]
        holding = {number for number, text in enumerate(texts, 1) if word in text}
        for name in TOKENIZERS:
            match = expression_of(parse_query(word), Width.ALL, PLAIN) if name == "pairs" else f'"{word}"'
            began = time.perf_counter()
            rows = database.execute(f"SELECT rowid FROM {name} WHERE {name} MATCH ?", (match,)).fetchall()
            seconds += (time.perf_counter() - began) * (name == "pairs")
            found = {row[0] for row in rows}
            sums[name][0] += len(found & holding) / len(holding)
            sums[name][1] += len(found & holding) / len(found) if found else 1.0
    cells = " | ".join(f"{value / count:.2f}" for name in TOKENIZERS for value in sums[name])
    return f"| {length} | {count} | {cells} | {seconds / count * 1000:.1f} |"


if __name__ == "__main__":
    main()
