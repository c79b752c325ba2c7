"""Words as written, Porter's tokenizer of FTS5, and Snowball by language, beside each other.

python -m benchmarks.search_stems LANGUAGE=SITE.jsonl.gz ...

A morphological query is a word in one of its forms; pages that hold any of its forms are what it should find. A
known-item query is a piece of a sentence that is in one gold text only.
"""

import argparse
import gzip
import json
import random
import re
import sqlite3
import statistics
import time
from functools import cache

from Stemmer import Stemmer

from benchmarks.search_quality import known_items, path_of
from sitecrawl.storage.search.languages import PLAIN, text_config
from sitecrawl.storage.search.terms import parse_query, segment

FORMS = {
    "en": {
        "crawling": r"crawl(s|er|ers|ed|ing)?",
        "configuring": r"configur(e|es|ed|ing|ation|ations|able)",
        "queries": r"quer(y|ies|ied|ying)",
        "compiled": r"compil(e|es|ed|er|ers|ing|ation)",
        "borrowing": r"borrow(s|ed|ing|er|ers)?",
        "capitalists": r"capitalis(m|t|ts|tic)",
        "universities": r"universit(y|ies)",
        "recipe": r"recipes?",
        "baking": r"bak(e|es|ed|ing)",
        "policies": r"polic(y|ies)",
        "permit": r"permit(s|ted|ting)?",
        "taxes": r"tax(es|ed|ing|ation)?",
        "decorator": r"decorat(e|es|ed|ing|or|ors)",
        "news": r"news",
    },
    "es": {
        "juegos": r"juegos?",
        "escribir": r"escrib\w+|escrito|escrita",
        "emocional": r"emocional(es|mente)?|emoci(ó|o)n(es)?",
    },
    "ru": {"пакет": r"пакет\w*", "исправление": r"исправлени\w+", "фильмы": r"фильм\w*"},
}


@cache
def stemmer(config):
    return Stemmer(config)


@cache
def stem(config, term):
    return term if config == PLAIN or not term.isalpha() else stemmer(config).stemWord(term)


class Variant:
    def __init__(self, name, tokenizer="unicode61"):
        self.name = name
        self.database = sqlite3.connect(":memory:")
        self.database.execute(
            f'CREATE VIRTUAL TABLE pages USING fts5(text, tokenize = "{tokenizer} remove_diacritics 2")'
        )
        self.seconds = 0.0

    def terms(self, config, text):
        terms = segment(text)
        return terms if self.name != "snowball" else " ".join(stem(config, term) for term in terms.split())

    def add(self, number, config, text):
        started = time.process_time()
        self.database.execute("INSERT INTO pages (rowid, text) VALUES (?, ?)", (number, self.terms(config, text)))
        self.seconds += time.process_time() - started

    def find(self, query, configs, limit):
        parts = set()
        for config in configs if self.name == "snowball" else (PLAIN,):
            clauses = [self.terms(config, " ".join(clause.terms)) for clause in parse_query(query).clauses]
            phrase = " ".join(clauses)
            each = " AND ".join(f'"{one}"' for one in clauses)
            parts.add(f'("{phrase}" OR ({each}))')
        rows = self.database.execute(
            "SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT ?", (" OR ".join(sorted(parts)), limit)
        )
        return [row[0] for row in rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sites", nargs="+")
    options = parser.parse_args()
    variants = [Variant("as written"), Variant("porter", "porter unicode61"), Variant("snowball")]
    texts, languages, known = {}, {}, []
    for given in options.sites:
        language, _, file = given.partition("=")
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            rows = [json.loads(line) for line in stream]
        numbers = {}
        for row in rows:
            if row["gold_text"]:
                numbers[path_of(row["url"])] = number = len(texts)
                texts[number], languages[number] = row["gold_text"], language
                for variant in variants:
                    variant.add(number, text_config(language), row["gold_text"])
        known += [(query, numbers[path]) for query, path in known_items(rows, 10, random.Random(1))]
    configs = sorted({text_config(language) for language in languages.values()})
    print(
        f"{len(texts)} pages\n\n| | recall | precision | MRR@10 of {len(known)} known items | s to index |\n"
        "|---|---|---|---|---|"
    )
    details = {}
    for variant in variants:
        recalls, precisions = [], []
        for language, forms in FORMS.items():
            for query, form in forms.items():
                pattern = re.compile(rf"\b(?:{form})\b", re.IGNORECASE)
                wanted = {n for n, text in texts.items() if languages[n] == language and pattern.search(text)}
                found = set(variant.find(query, configs, 10_000))
                if not wanted:
                    continue
                recalls.append(len(wanted & found) / len(wanted))
                precisions.append(len(wanted & found) / len(found) if found else 1.0)
                details.setdefault(query, [len(wanted)]).append(f"{recalls[-1]:.2f}/{precisions[-1]:.2f}")
        ranks = []
        for query, number in known:
            hits = variant.find(query, configs, 10)
            ranks.append(1 / (hits.index(number) + 1) if number in hits else 0.0)
        print(
            f"| {variant.name} | {statistics.mean(recalls):.2f} | {statistics.mean(precisions):.2f}"
            f" | {statistics.mean(ranks):.3f} | {variant.seconds:.1f} |"
        )
    for query, row in details.items():
        print(query, *row)


if __name__ == "__main__":
    main()
