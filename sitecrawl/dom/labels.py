"""Tag classes and the label rule: which nodes of two pages count as equal.

A *label* is a crc32; nodes with equal labels are equal. It is computed from these parts of a node:

* element: its tag and class tokens. Digit runs and hashes are folded to `0`; state tokens (`active`, `selected`), the
  terms of a record (`tag-sea`, `category-news`) and marks of alternating rows (`row-odd`, `altColor`) are dropped. For
  `html` and `body` only the tag, since their classes identify the page and would make every path unique;
* text: its words joined by single spaces.

A *path key* chains the labels from the root, so equal keys mean equal nodes with equal ancestors. crc32 is stable
across processes and machines, unlike Python's `hash`.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final
from zlib import crc32

from sitecrawl.dom.bounded_cache import LIMIT

LABEL_RULE: Final = 4
"""Version of this rule. Counts stored under another version are not comparable; raise it with any change."""

TEXT: Final = "#text"
"""The `tag` of a text node."""

# fmt: off
SKIPPED: Final = frozenset((
    "audio", "canvas", "datalist", "embed", "head", "iframe", "noembed", "noframes", "noscript", "object", "script",
    "style", "svg", "template", "video",
))
"""Elements whose subtrees are left out; text after them is kept."""

BLOCK: Final = frozenset((
    "address", "article", "aside", "blockquote", "body", "button", "caption", "center", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frameset",
    "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li", "listing", "main",
    "menu", "nav", "ol", "optgroup", "option", "p", "plaintext", "pre", "search", "section", "select",
    "summary", "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "tr", "ul", "xmp",
))
# fmt: on
"""Elements that begin a new line; all others are inline."""

HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
SECTION_HEADINGS: Final = HEADINGS - {"h1"}
PREFORMATTED: Final = frozenset(("pre", "textarea", "listing", "xmp", "plaintext"))
"""Elements that preserve white space."""
CELLS: Final = frozenset(("td", "th"))

_INLINE: Final = frozenset(("a", "area", "br", "code", "img", "label", "span", "time"))
TAG_NUMBERS: Final[Mapping[str, int]] = {tag: number for number, tag in enumerate((TEXT, *sorted(BLOCK | _INLINE)), 1)}
"""Numbers of the tags that compiled code uses; all others have number 0 there."""

_DIGITS: Final = re.compile("[0-9]+")
_HASHES: Final = re.compile(
    "(?<![0-9A-Za-z])(?:"
    "(?=[0-9A-Za-z]{6})[A-Za-z]*[0-9]+[A-Za-z]+[0-9][0-9A-Za-z]*"
    "|(?<=[-_:])(?:(?=[0-9A-Za-z]{4})[A-Za-z]+|(?=[0-9A-Za-z]{6}))[0-9]+[A-Za-z]+(?<![0-9A-Za-z]{9})"
    ")(?![0-9A-Za-z])"
)
"""Matches generated parts of class tokens: six or more alternating letters and digits (`ga0a0c1f`), and suffixes of up
to eight letters with digits before some of them (`css-ao5ooi`, `codeBlock_bY0V`, `css-1baulvz`)."""
STATES: Final = frozenset(("active", "alt", "alternate", "current", "even", "first", "last", "odd", "open", "selected"))
_TURNS: Final = re.compile(
    "[-_]?(?:(?<![0-9A-Za-z])(?:[Oo]dd|[Ee]ven|[Aa]lt(?:ernate)?)|(?<=[a-z])(?:Odd|Even|Alt(?:ernate)?))(?![0-9a-z])"
    "|^row(?=Color$)"
)
"""Matches parts of class tokens of alternating rows, which would otherwise have two different paths."""
TERMS: Final = frozenset(("author", "category", "tag", "term", "topic"))
"""Words before the hyphen of a class token for a term of a record: `tag-sea`."""
RECORDS: Final = frozenset(("article", "entry", "hentry", "node", "post", "product"))
"""Class tokens of a record. Many systems add the terms of the record, so that each article would have another path."""
_RECORD: Final = re.compile(r"(?<!\S)[A-Za-z]+-[0-9]{2,}(?!\S)")
"""Matches a class token with the number of a record."""
MASK: Final = (1 << 63) - 1
MULTIPLIER: Final = 0x9E3779B97F4A7C15


def chain(above: int, label: int) -> int:
    """Return the fingerprint `above`, extended by a label; 63 bits, which fit a BIGINT."""
    x = (above ^ label) * MULTIPLIER
    return (x ^ (x >> 29)) & MASK


@lru_cache(LIMIT)
def label_name(tag: str, names: str) -> str:
    """Return the readable source of an element's label: `div.menu.item-0`."""
    if not names or tag in ("html", "body"):
        return tag
    tokens = {folded(token) for token in names.split()} - STATES - {""}
    terms = {token for token in tokens if _is_term(token)}
    if len(terms) > 1 or (terms and (not RECORDS.isdisjoint(tokens) or _RECORD.search(names) is not None)):
        tokens -= terms
    return ".".join((tag, *sorted(tokens)))


def _is_term(token: str) -> bool:
    head, _, term = token.partition("-")
    return bool(term) and head in TERMS


def folded(token: str) -> str:
    """Return a class token as it is compared: hashes and digit runs as `0`, without "odd" or "even" as a word."""
    plain = _DIGITS.sub("0", _HASHES.sub("0", token))
    return _TURNS.sub("", plain).strip("-_") if _TURNS.search(plain) else plain


def element_label(tag: str, classes: str) -> int:
    """Return the label of an element with this tag and `class` attribute."""
    return crc32(label_name(tag, classes).encode("utf-8", "surrogatepass"))


def text_label(normalised: str) -> int:
    """Return the label of a text node, given its words joined by single spaces."""
    return crc32(normalised.encode("utf-8", "surrogatepass"), 1)


class ElementLabels(dict[tuple[str, str], int]):
    """Caches labels by (tag, class); cleared when it grows too large."""

    LIMIT: Final = LIMIT

    def __missing__(self, key: tuple[str, str]) -> int:
        if len(self) >= self.LIMIT:
            self.clear()
        value = self[key] = element_label(*key)
        return value


class TextLabels(dict[str, tuple[int, int, int] | None]):
    """Caches (characters, words, label) by raw text; None for blank text. Only short texts are cached."""

    LIMIT: Final = LIMIT
    KEPT_LENGTH: Final = 64

    def __missing__(self, raw: str) -> tuple[int, int, int] | None:
        words = raw.split()
        value = None
        if words:
            normalised = " ".join(words)
            value = (len(normalised) - len(words) + 1, len(words), text_label(normalised))
        if len(raw) < self.KEPT_LENGTH:
            if len(self) >= self.LIMIT:
                self.clear()
            self[raw] = value
        return value


ELEMENT_LABELS: Final[Mapping[tuple[str, str], int]] = ElementLabels()
TEXT_LABELS: Final[Mapping[str, tuple[int, int, int] | None]] = TextLabels()
