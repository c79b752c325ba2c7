"""The part of a text that shows why it was found, with the found words marked."""

import html
import re
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
_WORD: Final = re.compile(r"\S+")
_SPACES: Final = re.compile(r"\s+")


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
    text = _SPACES.sub(" ", text[:LOOKED_AT]).strip()
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
    words = {term for clause in query.clauses for term in clause.terms}
    prefixes = tuple(clause.terms[-1] for clause in query.clauses if clause.prefix)
    roots = tuple(stem for stem in stems if stem not in words and len(stem) >= STEM)
    unspaced = [run for clause in query.clauses for run in _runs(clause.terms)]
    found = []
    for match in _WORD.finditer(text.translate(WORDS)):
        word = match[0]
        if not word.isascii() and RUN.search(word):
            found += _found_in_run(word, match.start(), words, prefixes, unspaced)
            continue
        folded = _folded(word)
        if folded in words or folded.startswith(prefixes) or folded.startswith(roots):
            found.append((match.start(), match.end(), folded))
    return found


def _found_in_run(
    word: str, offset: int, words: Collection[str], prefixes: tuple[str, ...], runs: list[str]
) -> list[tuple[int, int, str]]:
    """Return what is found in a chunk that holds a script without spaces."""
    lowered = word.lower() if len(word.lower()) == len(word) else word
    found = []
    for run in runs:
        start = lowered.find(run)
        while start >= 0:
            found.append((offset + start, offset + start + len(run), run))
            start = lowered.find(run, start + len(run))
    position = 0
    for piece in [*RUN.finditer(word), None]:
        other = word[position : piece.start() if piece else len(word)]
        folded = _folded(other) if other else ""
        if folded and (folded in words or folded.startswith(prefixes)):
            found.append((offset + position, offset + position + len(other), folded))
        position = piece.end() if piece else position
    return _apart(sorted(found))


def _apart(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Leave out what overlaps with one before it."""
    kept: list[tuple[int, int, str]] = []
    for one in found:
        if not kept or one[0] >= kept[-1][1]:
            kept.append(one)
    return kept


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


@lru_cache(maxsize=20_000)
def _folded(word: str) -> str:
    return fold(word)
