"""Words of one stem are one term of the index: `crawling` finds `crawler`.

Snowball stemmers (Porter, Snowball: a language for stemming algorithms, 2001) by the page's language, as PostgreSQL has
them; terms are folded before (`storage/terms.py`).
"""

from functools import cache, lru_cache
from typing import Any, Final

import snowballstemmer

from sitecrawl.storage.languages import PLAIN

CACHED: Final = 200_000
"""Stems that are remembered: the words of a language that are met again and again."""


def stemmed(terms: str, config: str) -> str:
    """Return the stems of terms, which single spaces separate, in a text search configuration."""
    if config == PLAIN:
        return terms
    return " ".join([stem(term, config) for term in terms.split(" ")])


@lru_cache(CACHED)
def stem(term: str, config: str) -> str:
    """Return the stem of a term; one with digits is its own."""
    return str(_stemmer(config).stemWord(term)) if config != PLAIN and term.isalpha() else term


@cache
def _stemmer(config: str) -> Any:
    return snowballstemmer.stemmer(config)


def shared_beginning(one: str, other: str) -> str:
    """Return what two words begin with."""
    length = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:length]
