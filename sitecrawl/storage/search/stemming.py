"""Stemming: words with the same stem are one term of the index, so `crawling` finds `crawler`.

Snowball stemmers (Porter, Snowball: a language for stemming algorithms, 2001) by the page's language, as in PostgreSQL;
terms are folded before (`storage/search/terms.py`).
"""

from functools import cache
from threading import Lock
from typing import Final

from Stemmer import Stemmer

from sitecrawl.storage.search.languages import PLAIN

CACHED: Final = 8_192
"""Maximum stems of a language that are cached, about 200 bytes each, since words repeat."""


class _Stems(dict[str, str]):
    """A cache of the stems of one language by term; a term with digits is its own stem."""

    def __init__(self, config: str) -> None:
        super().__init__()
        self._stemmer = Stemmer(config, 0)
        self._lock = Lock()  # a stemmer is not thread-safe

    def __missing__(self, term: str) -> str:
        found = term
        if term.isalpha():
            with self._lock:
                found = str(self._stemmer.stemWord(term))
        if len(self) >= CACHED:
            self.clear()
        self[term] = found
        return found


@cache
def _stems(config: str) -> _Stems:
    return _Stems(config)


def stemmed(terms: str, config: str) -> str:
    """Return the stems of terms, separated by single spaces, in a text search configuration."""
    if config == PLAIN:
        return terms
    return " ".join(map(_stems(config).__getitem__, terms.split(" ")))


def stem(term: str, config: str) -> str:
    """Return the stem of a term; a term with digits is its own stem."""
    return term if config == PLAIN else _stems(config)[term]


def shared_beginning(one: str, other: str) -> str:
    """Return the common prefix of two words."""
    length = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:length]
