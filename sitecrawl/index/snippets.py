"""Snippets: the part of a text that shows why it matched a query, with the matching words marked."""

import html
import re
import unicodedata
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Final, NamedTuple

from sitecrawl.index.function_words import FUNCTION_WORDS
from sitecrawl.storage.search.languages import PLAIN
from sitecrawl.storage.search.stemming import shared_beginning, stem
from sitecrawl.storage.search.terms import RUN, WORDS, Query, fold

WIDTH: Final = 240
"""Maximum characters of a snippet."""
LEAD: Final = 60
"""Maximum characters of a snippet before its first matching word."""
LOOKED_AT: Final = 500_000
"""Maximum characters of a text that are searched."""
CHANGED: Final = 2
"""Maximum letters at the end of a stem that differ between words of that stem: `query`, `queries`."""
LETTERS: Final = {"ss": "ß", "ae": "æ", "oe": "œ"}
"""Letter pairs of terms that may be a single character in a text."""
_SPACES: Final = re.compile(r"\s+")


class _Folded(dict[int, int | str]):
    """Maps each character to its folded form if that is a single character, and separators to a space."""

    def __missing__(self, code: int) -> int | str:
        character = fold(chr(code))
        self[code] = value = WORDS[ord(character)] if len(character) == 1 else WORDS[code]
        return value


class _Spaced(_Folded):
    """The same, but maps characters of scripts without spaces to a space, since they end words of other scripts."""

    def __missing__(self, code: int) -> int | str:
        self[code] = value = " " if RUN.match(chr(code)) else super().__missing__(code)
        return value


_FOLDED: Final = _Folded()
_SPACED: Final = _Spaced()


class Snippet(NamedTuple):
    """A piece of text; `marks` contains (start, end) of each matching word in it."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def as_html(self) -> str:
        """Return the text as escaped HTML with the matching words in `<mark>`."""
        return self._marked("<mark>", "</mark>", html.escape)

    def as_text(self, before: str, after: str) -> str:
        """Return the text with `before` and `after` around each matching word."""
        return self._marked(before, after, str)

    def _marked(self, before: str, after: str, clean: Callable[[str], str]) -> str:
        parts, end = [], 0
        for start, stop in self.marks:
            parts += [clean(self.text[end:start]), before, clean(self.text[start:stop]), after]
            end = stop
        return "".join([*parts, clean(self.text[end:])])


def snippet(text: str, query: Query, config: str = PLAIN) -> Snippet:
    """Return the piece of a text with the largest number of distinct query terms, or its beginning if it has none.

    Words with the same stem, by the text search configuration of the text, are marked too.
    """
    text = unicodedata.normalize("NFC", _SPACES.sub(" ", text[:LOOKED_AT]).strip())
    found = _found(text, query, config)
    start = _best_start(text, found)
    end = min(len(text), start + WIDTH)
    if end < len(text) and " " in text[start + WIDTH // 2 : end]:
        end = text.rindex(" ", start, end)
    before, after = "… " if start else "", " …" if end < len(text) else ""
    shift = len(before) - start
    marks = tuple((first + shift, last + shift) for first, last, _ in found if start <= first and last <= end)
    return Snippet(f"{before}{text[start:end]}{after}", marks)


class _Match(NamedTuple):
    """A word of the query in a text."""

    start: int
    end: int
    term: str
    """The same for all words with one stem."""


def _found(text: str, query: Query, config: str) -> list[_Match]:
    """Return the query's words in a text, in order."""
    wanted = _wanted(query, config)
    found: list[_Match] = []
    if wanted.words is not None:
        for match in wanted.words.finditer(text.translate(_SPACED)):
            term = wanted.term_of(fold(match[0]), config)
            if term is not None:
                found.append(_Match(match.start(), match.end(), term))
    if wanted.runs is not None:
        runs = wanted.runs.finditer(text.translate(_FOLDED))
        found += [_Match(match.start(), match.end(), match[0]) for match in runs]
    return _meaningful(sorted(found), query, config)


def _meaningful(found: list[_Match], query: Query, config: str) -> list[_Match]:
    """Return the words without function words such as `the`, unless a phrase contains them or nothing else is left."""
    kept = {stem(term, config) for clause in query.clauses if len(clause.terms) > 1 for term in clause.terms}
    silent = {stem(word, config) for word in FUNCTION_WORDS.get(config, ())} - kept
    meaningful = [match for match in found if match.term not in silent]
    return meaningful or found


class _Wanted(NamedTuple):
    """The compiled search for a query's words in a text."""

    words: re.Pattern[str] | None
    """Matches words with the same beginning as a word of the query; None if the query has no words."""
    runs: re.Pattern[str] | None
    """Matches the query's runs of scripts without spaces; None if there are none."""
    stems: frozenset[str]
    begins: tuple[str, ...]

    def term_of(self, word: str, config: str) -> str | None:
        """Return the query term that a folded word of a text matches, or None."""
        short = stem(word, config)
        if short in self.stems:
            return short
        return next((begin for begin in self.begins if word.startswith(begin)), None)


@lru_cache(maxsize=64)
def _wanted(query: Query, config: str) -> _Wanted:
    words = {term for clause in query.clauses for term in clause.terms if not RUN.search(term)}
    begins = {clause.terms[-1] for clause in query.clauses if clause.prefix and not RUN.search(clause.terms[-1])}
    heads = begins | {_head(word, stem(word, config)) for word in words}
    parts = [f"(?<![^ ]){_spelled(head)}[^ ]*" for head in _longest_first(heads)]
    runs = _longest_first({run for clause in query.clauses for run in _runs(clause.terms)})
    return _Wanted(
        re.compile("|".join(parts)) if parts else None,
        re.compile("|".join(map(re.escape, runs))) if runs else None,
        frozenset(stem(word, config) for word in words),
        tuple(_longest_first(begins)),
    )


def _head(word: str, short: str) -> str:
    """Return the common beginning of all words with a stem: an ending may change one or two letters before it."""
    common = shared_beginning(word, short)
    head = common[: max(2, len(common) - CHANGED)] or word
    return head[:-1] if word[len(head) - 1 : len(head) + 1] in LETTERS else head


def _longest_first(terms: Collection[str]) -> list[str]:
    return sorted(terms, key=lambda term: (-len(term), term))


def _spelled(term: str) -> str:
    """Return a regular expression for a term in which some letter pairs may be one character in the text."""
    spelled = re.escape(term)
    for letters, one in LETTERS.items():
        spelled = spelled.replace(letters, f"(?:{letters}|{one})")
    return spelled


def _runs(terms: tuple[str, ...]) -> list[str]:
    """Return the runs of characters from which the terms, pairs of characters, were made."""
    runs: list[str] = []
    for term in terms:
        if not RUN.fullmatch(term):
            runs.append("")
        elif len(term) == 2 and runs and runs[-1] and runs[-1][-1] == term[0]:
            runs[-1] += term[1]
        elif not (len(term) == 1 and runs and runs[-1].endswith(term)):
            runs.append(term)
    return [run for run in runs if run]


def _best_start(text: str, found: list[_Match]) -> int:
    """Return the start of a snippet, in characters, such that it contains the largest number of distinct terms."""
    best, start, last = 0, 0, 0
    for first, (position, *_) in enumerate(found):
        last = max(last, first)
        while last < len(found) and found[last].end <= position + WIDTH - LEAD:
            last += 1
        terms = len({match.term for match in found[first:last]})
        if terms > best:
            best, start = terms, position
    if start <= LEAD:
        return 0
    space = text.find(" ", start - LEAD, start)
    return space + 1 if space >= 0 else start - LEAD // 3
