"""Splits text into terms, in the same way for indexing, for queries and for both databases.

Case and diacritics are folded. Scripts that do not separate words by spaces, and Korean, whose particles are attached
to words, are cut into overlapping pairs of characters, like Lucene's CJK analyser does: most Chinese words have two
characters, which FTS5's trigram tokenizer cannot find (docs/search.md has the comparison).
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from enum import IntEnum
from itertools import chain, groupby, pairwise
from typing import Final, NamedTuple

from sitecrawl.dom.scripts import UNSPACED_CLASS

CACHED: Final = 8_192
"""Maximum words whose terms are cached, about 200 bytes each."""
CACHED_LENGTH: Final = 40
"""Maximum characters of a word whose terms are cached: longer ones are texts without spaces, which do not repeat."""
MAX_CLAUSES: Final = 64
"""Maximum parts of a query; a pasted page must not stall the database."""

KOREAN: Final = "\uac00-\ud7a3"
"""Korean syllables, as a character class of a regular expression."""
RUN: Final = re.compile(f"[{UNSPACED_CLASS}{KOREAN}]+")
"""Characters that are cut into pairs."""
_MARKED: Final = re.compile("([a-z\u0100-\u024f\u0370-\u03ff\u1f00-\u1fff])[\u0300-\u036f]+")
"""A Latin or Greek letter with its combining marks; in other scripts, marks distinguish letters."""
_POINTS: Final = re.compile("[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u200b-\u200f\u00ad]")
"""Vowel points of Hebrew and Arabic, the stroke that lengthens Arabic words, soft hyphens and invisible joiners."""
_LETTERS: Final = str.maketrans({"đ": "d", "ø": "o", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "ё": "е"})
_PART: Final = re.compile(r'"([^"]*)"|([^\s"]+)')


class _Words(dict[int, int | str]):
    """Maps word characters to themselves, and all others to a space."""

    def __missing__(self, code: int) -> int | str:
        category = unicodedata.category(chr(code))
        self[code] = value = code if category[0] in "LNM" else " "
        return value


WORDS: Final = _Words()
"""For `str.translate`; keeps the length of the text."""


class Clause(NamedTuple):
    """Terms that a page must contain side by side, in order; the last one may be a prefix."""

    terms: tuple[str, ...]
    prefix: bool


class Query(NamedTuple):
    """A parsed query. A page should contain all of its clauses (`Width`)."""

    clauses: tuple[Clause, ...]


class Width(IntEnum):
    """The part of a query that a page must contain; if one width finds nothing, the next one is tried."""

    ALL = 0
    """All clauses."""
    ALL_TERMS = 1
    """All terms, in any position."""
    ANY_CLAUSE = 2
    ANY_TERM = 3


ANY: Final = (Width.ANY_CLAUSE, Width.ANY_TERM)


def widths(query: Query) -> list[Width]:
    """Return the distinct widths for a query, narrowest first."""
    several, phrases = len(query.clauses) > 1, any(len(clause.terms) > 1 for clause in query.clauses)
    wanted = {Width.ALL: True, Width.ALL_TERMS: phrases, Width.ANY_CLAUSE: several, Width.ANY_TERM: phrases}
    return [width for width, differs in wanted.items() if differs]


def widened(query: Query, width: Width) -> list[Clause]:
    """Return the clauses of a query, or each of their terms for the widths by term."""
    if width in (Width.ALL, Width.ANY_CLAUSE):
        return list(query.clauses)
    terms = [
        Clause((term,), clause.prefix and term is clause.terms[-1]) for clause in query.clauses for term in clause.terms
    ]
    return list(dict.fromkeys(terms))


def neighbours(clauses: Sequence[Clause]) -> list[Clause]:
    """Return each pair of adjacent clauses as one clause, for ranking pages that match a part of the query."""
    pairs = [(one, other) for one, other in pairwise(clauses) if not (one.prefix or other.prefix)]
    return [Clause(one.terms + other.terms, False) for one, other in pairs]


def fold(text: str) -> str:
    """Return text without differences of case, width and diacritics: `Élan` and `elan` are equal, `й` and `и` are not.

    Folding is idempotent. That needs several rounds: the decomposition or case change of a letter, such as U+FB2A, may
    produce marks or points that an earlier step of the round would have removed.
    """
    if text.isascii():
        return text.lower()
    folded = _step(text)
    while folded != text and not folded.isascii():
        text, folded = folded, _step(folded)
    return folded


def _step(text: str) -> str:
    apart = unicodedata.normalize("NFKD", _POINTS.sub("", text).casefold())
    unmarked = unicodedata.normalize("NFC", _MARKED.sub(r"\1", apart))
    return unmarked.casefold().translate(_LETTERS)


def segment(text: str) -> str:
    """Return the terms of a text, separated by single spaces.

    After its pairs, the last character of a run follows alone, so that every character begins a term.
    """
    if text.isascii():
        return " ".join(_ascii_terms(text))
    runs = groupby(text.split("\n"), str.isascii)  # most lines of most pages are ASCII
    lines = (_ascii_terms("\n".join(run)) if plain else _terms(" ".join(run)) for plain, run in runs)
    return " ".join(chain.from_iterable(lines))


def _ascii_terms(text: str) -> list[str]:
    """Return the terms of an ASCII text: its words in lower case, since nothing is folded or cut in it."""
    return text.lower().translate(WORDS).split()


def _terms(text: str) -> Iterable[str]:
    return chain.from_iterable(map(_TERMS.__getitem__, text.split()))


class _Terms(dict[str, tuple[str, ...]]):
    """Caches the terms of each run of text between spaces, since words repeat; long runs are not cached."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if word.isascii():
            terms = tuple(_ascii_terms(word))
        else:
            terms = tuple(RUN.sub(_pairs, fold(word).translate(WORDS)).split())
        if len(word) <= CACHED_LENGTH:
            if len(self) >= CACHED:
                self.clear()
            self[word] = terms
        return terms


_TERMS: Final = _Terms()


def parse_query(query: str) -> Query:
    """Parse a query: words, `"phrases"`, and `prefix*`; other characters are ignored."""
    clauses: list[Clause] = []
    for match in _PART.finditer(query):
        part = match[2] if match[1] is None else match[1]
        rest = query[match.end() :]
        prefix = part.endswith("*") or (match[1] is not None and rest.startswith("*"))
        clause = _clause(part, prefix=prefix)
        if clause and clause not in clauses:
            clauses.append(clause)
        if len(clauses) == MAX_CLAUSES:
            break
    return Query(tuple(clauses))


def _clause(part: str, *, prefix: bool) -> Clause | None:
    terms = segment(part).split()[:MAX_CLAUSES]
    if not terms:
        return None
    folded = fold(part).translate(WORDS).rstrip()
    end = RUN.search(folded, len(folded) - 1)
    if end and len(terms) > 1 and len(terms[-1]) == 1 and RUN.fullmatch(terms[-2]) and terms[-2][-1] == terms[-1]:
        return Clause(tuple(terms[:-1]), False)  # the last character is in the last pair
    return Clause(tuple(terms), prefix or (end is not None and len(terms[-1]) == 1))


def _pairs(match: re.Match[str]) -> str:
    run = match[0]
    if len(run) == 1:
        return f" {run} "
    return " ".join(["", *map("".join, pairwise(run)), run[-1], ""])
