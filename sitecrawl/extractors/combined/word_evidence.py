"""The evidence of words: of the first words of a block, and of the class and id names of the elements around it.

A logistic regression was trained on the words and word pairs of blocks, and on the parts of class and id names of their
ancestors (`training/words.py`). Its weights are two tables, and the hash of a word is its index ("hashing trick":
Weinberger et al., ICML 2009). The sum of the weights of a block is a column of the first pass. Weights are integers, so
that the sum does not depend on their order.
"""

import re
import zlib
from array import array
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TAG_NUMBERS

SLOTS: Final = 1 << 20
"""Length of the table of words, and of that of names."""
SCALE: Final = 64.0
"""A weight of 1.0 is stored as this integer; a byte holds weights of almost 2."""
WORDS: Final = 10
"""Number of words at the beginning of a block that are used."""
WHOLE: Final = 4
"""Maximum number of words of a block whose whole text is a feature too."""
SIZES: Final = (30, 100)
"""Maximum characters of a short and of a middle-sized block: a word has another weight in blocks of another size."""
NEAR: Final = 3
"""Number of nearest ancestors, with the container, whose names have additional "near" features."""
OWN: Final = 2
"""Number of nearest ancestors, with the container, whose names have additional features combined with their tags."""
SIGNS: Final = "©|»«›‹→←↑•·@#$€£¥★☆✓▾▼"
"""Signs that count as separate words."""
SPACELESS: Final = ((0x0E00, 0x0E7F), (0x3040, 0x30FF), (0x3400, 0x9FFF))
"""Ranges of letters of scripts without spaces between words; each letter counts as a word (Thai, kana, Chinese)."""

WORD, PAIR, FIRST, FIRST_PAIR, LAST, TEXT, SIZE = range(7)
"""Kinds of slots of a text, for each size of blocks."""
KINDS: Final = 7
NO_TAG: Final = 0
"""Hash of all tags that `TAG_NUMBERS` does not have."""
ANY_NAME, NEAR_NAME, OWN_NAME, PAGE_NAME = range(4)
"""Kinds of slots of names; names of `html` and `body` are about the whole page."""

_LONE: Final = "".join(f"{chr(low)}-{chr(high)}" for low, high in SPACELESS)
_WORD: Final = re.compile(rf"[{re.escape(SIGNS)}]|(?=[^\W_])[{_LONE}]|(?:(?![{_LONE}])[^\W_])+")
_DECIMALS: Final = re.compile(r"\d+")
_CAMEL: Final = re.compile(r"([a-z])([A-Z])")
_BETWEEN: Final = re.compile(r"[-_:/]+")
_PARTS: Final = 4
"""Maximum number of parts of a name that are used."""
_JOINED: Final = 3
"""Maximum number of parts that are combined to one feature."""
_MASK: Final = 0xFFFFFFFF


class WordWeights(NamedTuple):
    """The weights of all slots, in 64ths, as signed bytes."""

    texts: "array[int]"
    """Weights of the words of texts."""
    names: "array[int]"
    """Weights of class and id names."""


@cache
def load_words() -> WordWeights:
    """Return the weights shipped with the package."""
    data = zlib.decompress(files("sitecrawl.extractors.combined").joinpath("word_weights.bin").read_bytes())
    return unpacked(data)


def unpacked(data: bytes) -> WordWeights:
    """Return the weights of both tables, which are concatenated in `data`."""
    return WordWeights(array("b", data[:SLOTS]), array("b", data[SLOTS:]))


def slot(kind: int, word: int) -> int:
    """Return the slot of the hash of one or several words, 0 to `SLOTS` - 1; each kind is permuted differently."""
    mixed = word ^ (kind * 0x9E3779B9 & _MASK)
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & _MASK
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _MASK
    return (mixed ^ mixed >> 16) % SLOTS


@lru_cache(LIMIT)
def word_hash(word: str) -> int:
    """Return the 32-bit FNV-1a hash of the characters of a word in lower case, with each run of digits as one 0."""
    found = 2166136261
    for one in _DECIMALS.sub("0", word):
        found = (found ^ ord(one.lower()[0])) * 16777619 & _MASK
    return found


def both(before: int, word: int) -> int:
    """Return the combined hash of two words, or of several words and the next one."""
    return (before * 31 + word) & _MASK


def text_slots(text: str, chars: int) -> list[int]:
    """Return the slots of the first words of a block of `chars` characters without white space."""
    size = sum(chars > limit for limit in SIZES) * KINDS
    found, before, whole, count = [slot(size + SIZE, 0)], 0, 0, 0
    for match in _WORD.finditer(text):
        if count == WORDS:
            return found
        word = word_hash(match.group())
        whole = both(whole, word)
        found.append(slot(size + WORD, word))
        if count:
            found.append(slot(size + PAIR, both(before, word)))
        if count < 2:
            found.append(slot(size + (FIRST_PAIR if count else FIRST), whole))
        before, count = word, count + 1
    if count:
        found.append(slot(size + LAST, before))
    if 0 < count <= WHOLE:
        found.append(slot(size + TEXT, whole))
    return found


class NameSlots(NamedTuple):
    """The slots of an element's names, each once."""

    always: tuple[int, ...]
    """Slots that count for all blocks inside the element."""
    near: tuple[int, ...]
    """Slots that count if the element is one of the `NEAR` nearest ancestors."""
    own: tuple[int, ...]
    """Slots that count if the element is one of the `OWN` nearest ancestors."""


@lru_cache(LIMIT)
def name_slots(tag: str, names: str) -> NameSlots:
    """Return the slots of an element's names; names that differ only in numbers have the same slots."""
    return _slots_of(tag, _DECIMALS.sub("0", names))


@lru_cache(LIMIT)
def _slots_of(tag: str, names: str) -> NameSlots:
    words = tuple(dict.fromkeys(word for name in names.split() for word in _name_words(name)))
    if tag in ("html", "body"):
        return NameSlots(_slots(PAGE_NAME, words), (), ())
    tag_word = word_hash(tag) if tag in TAG_NUMBERS else NO_TAG
    own = tuple(both(tag_word, word) for word in words)
    return NameSlots(_slots(ANY_NAME, words), _slots(NEAR_NAME, words), _slots(OWN_NAME, own))


def _slots(kind: int, words: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(slot(kind, word) for word in words))


@lru_cache(LIMIT)
def _name_words(name: str) -> tuple[int, ...]:
    """Return the hashes of the first parts of a class or id name, and of several parts combined."""
    parts = [part for part in _BETWEEN.split(_CAMEL.sub(r"\1-\2", name)) if part and not part.isdecimal()]
    words = [word_hash(part) for part in parts[:_PARTS]]
    if len(words) < 2:
        return tuple(words)
    whole = 0
    for word in words[:_JOINED]:
        whole = both(whole, word)
    return (*words, whole)


def names_around(flat: FlatDom, row: int) -> list[int]:
    """Return the slots of the names of an element and its ancestors: each at most once per kind (always, near, own)."""
    always: set[int] = set()
    near: set[int] = set()
    own: set[int] = set()
    level = 0
    while row >= 0:
        names = name_slots(flat.tag[row], flat.names[row])
        always.update(names.always)
        if level < NEAR:
            near.update(names.near)
        if level < OWN:
            own.update(names.own)
        row, level = flat.parent[row], level + 1
    return [*always, *near, *own]


def text_words(texts: list[str], blocks: Blocks, weights: WordWeights) -> list[float]:
    """Return the sum of the weights of each block's words, as log odds."""
    table = weights.texts
    return [
        sum(table[one] for one in text_slots(text, chars)) / SCALE
        for text, chars in zip(texts, blocks.chars, strict=True)
    ]


def name_words(flat: FlatDom, blocks: Blocks, weights: WordWeights) -> list[float]:
    """Return the sum of the weights of the ancestors' names for each block, as log odds."""
    found: dict[int, float] = {}
    for container in blocks.container:
        if container not in found:
            found[container] = sum(weights.names[one] for one in names_around(flat, container)) / SCALE
    return [found[container] for container in blocks.container]
