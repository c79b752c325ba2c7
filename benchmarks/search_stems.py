"""Compares searches by words as written, by the Porter tokenizer of FTS5, and by Snowball stemmers.

python -m benchmarks.search_stems LANGUAGE=SITE.jsonl.gz ...

A morphological query is a word in one of its forms; it should find the pages with any of its forms. A known-item query
is a piece of a sentence that is in one gold text only.
"""

import argparse
import random
import re
import sqlite3
import statistics
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from Stemmer import Stemmer

from benchmarks.search_quality import KnownItem, known_items, path_of, read_rows
from sitecrawl.storage.search.languages import PLAIN, text_config
from sitecrawl.storage.search.terms import parse_query, segment

FOUND = 10
"""Number of first results in which the page of a known-item query is looked for."""
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
"""Queries by language, and regular expressions of all forms of their words."""


@cache
def stemmer(config: str) -> Any:
    """Return the Snowball stemmer of a language."""
    return Stemmer(config)


@cache
def stem(config: str, term: str) -> str:
    """Return the stem of a term in a language."""
    return term if config == PLAIN or not term.isalpha() else str(stemmer(config).stemWord(term))


class Variant:
    """A search index of one kind; `seconds` is the CPU time of adding its pages."""

    def __init__(self, name: str, tokenizer: str = "unicode61") -> None:
        self.name = name
        self.database = sqlite3.connect(":memory:")
        self.database.execute(
            f'CREATE VIRTUAL TABLE pages USING fts5(text, tokenize = "{tokenizer} remove_diacritics 2")'
        )
        self.seconds = 0.0

    def terms(self, config: str, text: str) -> str:
        """Return the terms of a text as this variant stores them."""
        terms = segment(text)
        return terms if self.name != "snowball" else " ".join(stem(config, term) for term in terms.split())

    def add(self, number: int, config: str, text: str) -> None:
        """Add a page."""
        started = time.process_time()
        self.database.execute("INSERT INTO pages (rowid, text) VALUES (?, ?)", (number, self.terms(config, text)))
        self.seconds += time.process_time() - started

    def find(self, query: str, configs: list[str], limit: int) -> list[int]:
        """Return the numbers of the pages that a query finds, best first; it is stemmed for each of `configs`."""
        expressions = set()
        for config in configs if self.name == "snowball" else (PLAIN,):
            clauses = [self.terms(config, " ".join(clause.terms)) for clause in parse_query(query).clauses]
            phrase = " ".join(clauses)
            each = " AND ".join(f'"{clause}"' for clause in clauses)
            expressions.add(f'("{phrase}" OR ({each}))')
        rows = self.database.execute(
            "SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT ?",
            (" OR ".join(sorted(expressions)), limit),
        )
        return [row[0] for row in rows]


@dataclass(slots=True)
class Pages:
    """The pages of all sites, by number, and known-item queries on them."""

    texts: list[str] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    items: list[tuple[str, int]] = field(default_factory=list)
    """Queries, and the number of the page that each should find."""

    def add_site(self, language: str, file: str) -> None:
        """Add the pages of a recorded site, and ten queries."""
        rows, numbers = read_rows(file), dict[str, int]()
        for row in rows:
            if row["gold_text"]:
                numbers[path_of(row["url"])] = len(self.texts)
                self.texts.append(row["gold_text"])
                self.languages.append(language)
        items: list[KnownItem] = known_items(rows, 10, random.Random(1))
        self.items += [(item.query, numbers[item.path]) for item in items]

    def with_form(self, language: str, form: str) -> set[int]:
        """Return the numbers of the pages in a language whose text has a word of a regular expression."""
        pattern = re.compile(rf"\b(?:{form})\b", re.IGNORECASE)
        return {
            number
            for number, text in enumerate(self.texts)
            if self.languages[number] == language and pattern.search(text)
        }


def row_of(variant: Variant, pages: Pages, details: dict[str, list[str]]) -> str:
    """Return the figures of a variant as a row of a Markdown table; add those of each query to `details`."""
    configs = sorted({text_config(language) for language in pages.languages})
    recalls, precisions = [], []
    for language, forms in FORMS.items():
        for query, form in forms.items():
            wanted = pages.with_form(language, form)
            if not wanted:
                continue
            found = set(variant.find(query, configs, 10_000))
            recalls.append(len(wanted & found) / len(wanted))
            precisions.append(len(wanted & found) / len(found) if found else 1.0)
            details.setdefault(query, [str(len(wanted))]).append(f"{recalls[-1]:.2f}/{precisions[-1]:.2f}")
    ranks = []
    for query, number in pages.items:
        hits = variant.find(query, configs, FOUND)
        ranks.append(1 / (hits.index(number) + 1) if number in hits else 0.0)
    means = f"{statistics.mean(recalls):.2f} | {statistics.mean(precisions):.2f} | {statistics.mean(ranks):.3f}"
    return f"| {variant.name} | {means} | {variant.seconds:.1f} |"


def main() -> None:
    """Index the pages in all variants, and print a table, then recall/precision of each query."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", nargs="+")
    options = parser.parse_args()
    pages = Pages()
    for argument in options.sites:
        language, _, file = argument.partition("=")
        pages.add_site(language, file)
    variants = [Variant("as written"), Variant("porter", "porter unicode61"), Variant("snowball")]
    for number, (text, language) in enumerate(zip(pages.texts, pages.languages, strict=True)):
        for variant in variants:
            variant.add(number, text_config(language), text)
    print(f"{len(pages.texts)} pages\n")
    print(f"| | recall | precision | MRR@10 of {len(pages.items)} known items | s to index |\n|---|---|---|---|---|")
    details: dict[str, list[str]] = {}
    for variant in variants:
        print(row_of(variant, pages, details))
    for query, figures in details.items():
        print(query, *figures)


if __name__ == "__main__":
    main()
