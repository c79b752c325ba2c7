"""The part of a text that shows why it was found, with the found words marked."""

import html
import re
import unicodedata
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Final, NamedTuple

from sitecrawl.storage.terms import RUN, WORDS, Query, fold

WIDTH: Final = 240
"""Characters of a snippet."""
LEAD: Final = 60
"""Characters before the first word that was found."""
LOOKED_AT: Final = 500_000
"""Characters of a text in which words are looked for."""
STEM: Final = 4
"""Least length of a stem of which longer words are marked too; shorter ones begin too much."""
_SPACES: Final = re.compile(r"\s+")


class _Folded(dict[int, int | str]):
    """Maps each character to its folded form where that is one character, and what separates words to a space."""

    def __missing__(self, code: int) -> int | str:
        character = fold(chr(code))
        self[code] = value = WORDS[ord(character)] if len(character) == 1 else WORDS[code]
        return value


class _Spaced(_Folded):
    """The same, with spaces for scripts without spaces: they end a word of another script."""

    def __missing__(self, code: int) -> int | str:
        self[code] = value = " " if RUN.match(chr(code)) else super().__missing__(code)
        return value


_FOLDED: Final = _Folded()
_SPACED: Final = _Spaced()


class Snippet(NamedTuple):
    """A piece of text; `marks` are (start, end) of the found words in it."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def as_html(self) -> str:
        """Return escaped HTML with `<mark>`."""
        return self._marked("<mark>", "</mark>", html.escape)

    def as_text(self, before: str, after: str) -> str:
        """Return the text with something before and after each found word."""
        return self._marked(before, after, str)

    def _marked(self, before: str, after: str, clean: Callable[[str], str]) -> str:
        parts, end = [], 0
        for start, stop in self.marks:
            parts += [clean(self.text[end:start]), before, clean(self.text[start:stop]), after]
            end = stop
        return "".join([*parts, clean(self.text[end:])])


def snippet(text: str, query: Query, stems: Collection[str] = ()) -> Snippet:
    """Return the piece of a text with the most different terms of a query; the beginning when none is in it.

    `stems` are further terms: words that begin with one of at least four characters are marked.
    """
    text = unicodedata.normalize("NFC", _SPACES.sub(" ", text[:LOOKED_AT]).strip())
    found = list(_found(text, query, stems))
    start = _best_start(text, found)
    end = min(len(text), start + WIDTH)
    if end < len(text) and " " in text[start + WIDTH // 2 : end]:
        end = text.rindex(" ", start, end)
    before, after = "… " if start else "", " …" if end < len(text) else ""
    shift = len(before) - start
    marks = tuple((first + shift, last + shift) for first, last, _ in found if start <= first and last <= end)
    return Snippet(f"{before}{text[start:end]}{after}", marks)


def _found(text: str, query: Query, stems: Collection[str]) -> list[tuple[int, int, str]]:
    """Return (start, end, term) of the words of a query in a text, in order."""
    words, runs = _patterns(query, frozenset(stems))
    found: list[tuple[int, int, str]] = []
    if words is not None:
        found += [(match.start(), match.end(), match[0]) for match in words.finditer(text.translate(_SPACED))]
    if runs is not None:
        found += [(match.start(), match.end(), match[0]) for match in runs.finditer(text.translate(_FOLDED))]
    return sorted(found)


@lru_cache(maxsize=64)
def _patterns(query: Query, stems: frozenset[str]) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    """Return expressions for the words of a query, and for its runs of scripts without spaces; None for none."""
    words = {term for clause in query.clauses for term in clause.terms if not RUN.search(term)}
    begins = {clause.terms[-1] for clause in query.clauses if clause.prefix and not RUN.search(clause.terms[-1])}
    begins |= {stem for stem in stems if stem not in words and len(stem) >= STEM and not RUN.search(stem)}
    parts = [f"(?<![^ ]){_spelled(term)}[^ ]*" for term in _longest_first(begins)]
    parts += [f"(?<![^ ]){_spelled(term)}(?![^ ])" for term in _longest_first(words)]
    runs = _longest_first({run for clause in query.clauses for run in _runs(clause.terms)})
    return (
        re.compile("|".join(parts)) if parts else None,
        re.compile("|".join(map(re.escape, runs))) if runs else None,
    )


def _longest_first(terms: Collection[str]) -> list[str]:
    return sorted(terms, key=lambda term: (-len(term), term))


def _spelled(term: str) -> str:
    """Return an expression for a term, whose letters may be one character in the text."""
    spelled = re.escape(term)
    for letters, one in (("ss", "ß"), ("ae", "æ"), ("oe", "œ")):
        spelled = spelled.replace(letters, f"(?:{letters}|{one})")
    return spelled


def _runs(terms: tuple[str, ...]) -> list[str]:
    """Return the runs that pairs of characters came from."""
    runs: list[str] = []
    for term in terms:
        if not RUN.fullmatch(term):
            runs.append("")
        elif len(term) == 2 and runs and runs[-1] and runs[-1][-1] == term[0]:
            runs[-1] += term[1]
        elif not (len(term) == 1 and runs and runs[-1].endswith(term)):
            runs.append(term)
    return [run for run in runs if run]


def _best_start(text: str, found: list[tuple[int, int, str]]) -> int:
    """Return where a snippet begins: before the word from which the most different terms are within reach."""
    best, start, last = 0, 0, 0
    for first, (position, _, _) in enumerate(found):
        last = max(last, first)
        while last < len(found) and found[last][1] <= position + WIDTH - LEAD:
            last += 1
        terms = len({term for _, _, term in found[first:last]})
        if terms > best:
            best, start = terms, position
    if start <= LEAD:
        return 0
    space = text.find(" ", start - LEAD, start)
    return space + 1 if space >= 0 else start - LEAD // 3
