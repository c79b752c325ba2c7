"""Reads the texts in the structured data of a page: the body of an article, ingredients, steps, answers.

Publishers write schema.org data for search engines, as JSON-LD or as microdata, and repeat the main texts of the page
in it.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any, Final, NamedTuple

from lxml.etree import _Element

from sitecrawl.dom.jsonld import Described, Thing

MAX_CHARS: Final = 300_000
"""Maximum characters of all texts of a page."""
MAX_VALUES: Final = 2_000
"""Maximum JSON values examined."""
SUMMARY: Final = 60
"""Maximum characters of a description that may just be a summary or the title."""

_ITEMS: Final = ("recipeIngredient", "ingredients", "recipeInstructions", "step", "steps")
_BODIES: Final = ("articleBody", "text", "transcript", "lyrics")
_ANSWERS: Final = ("text", "acceptedAnswer", "suggestedAnswer")
_INNER: Final = ("name", "text", "itemListElement", "acceptedAnswer", "suggestedAnswer")
_DESCRIBED: Final = frozenset(("product", "productgroup", "jobposting"))
"""Types whose description is text of the page. The description of an article is a summary."""
_ELEMENTS: Final = frozenset(("recipeingredient", "ingredients", "recipeinstructions"))
_TAG: Final = re.compile(r"<[^<>]*>")


class StatedTexts(NamedTuple):
    """The texts in structured data, without tags and entities, each once, in document order."""

    prose: tuple[str, ...] = ()
    """Bodies of articles and posts, questions, answers, and descriptions of products and jobs."""
    items: tuple[str, ...] = ()
    """Ingredients and steps, one by one."""

    @property
    def chars(self) -> int:
        """The number of characters of all texts."""
        return sum(map(len, self.prose)) + sum(map(len, self.items))


def stated_texts(microdata: Iterable[_Element], described: list[Described]) -> StatedTexts:
    """Return the texts in `described`, the page's JSON-LD (`dom.jsonld`), and in its elements of microdata."""
    prose: list[str] = []
    items: list[str] = []
    room = [MAX_CHARS, MAX_VALUES]
    several = sum("question" in types for types, _ in described) > 1
    for types, thing in described:
        items.extend(_strings(thing, _ITEMS, room))
        names = [*_BODIES]
        if "question" in types:  # the name of the only question is the title of the page
            names = ["name", *_ANSWERS] if several else [*_ANSWERS]
        prose.extend(_strings(thing, names, room))
        if not _DESCRIBED.isdisjoint(types):
            prose.extend(one for one in _strings(thing, ("description",), room) if len(one) > SUMMARY)
    items.extend(_element_texts(microdata, room))
    return StatedTexts(tuple(dict.fromkeys(prose)), tuple(dict.fromkeys(items)))


def _strings(thing: Thing, names: Iterable[str], room: list[int]) -> Iterator[str]:
    """Yield the strings in these properties of an object, while `room` has characters and values left."""
    waiting: deque[Any] = deque(thing[name] for name in names if name in thing)
    while waiting and room[1] > 0:
        room[1] -= 1
        one = waiting.popleft()
        if isinstance(one, str):
            room[0] -= len(one)
            if room[0] >= 0:
                yield _plain(one)
        elif isinstance(one, list):
            waiting.extendleft(reversed(one[:MAX_VALUES]))
        elif isinstance(one, dict):
            waiting.extendleft(one[name] for name in reversed(_INNER) if name in one)


def _element_texts(microdata: Iterable[_Element], room: list[int]) -> Iterator[str]:
    """Yield the texts of the elements that are marked as ingredients or instructions."""
    for element in microdata:
        if not _ELEMENTS.isdisjoint((element.get("itemprop") or "").lower().split()):
            text = " ".join(map(str, element.itertext()))
            room[0] -= len(text)
            if room[0] >= 0:
                yield text


def _plain(raw: str) -> str:
    """Return a text without tags and entities; many programs escape twice."""
    text = unescape(raw)
    return unescape(_TAG.sub(" ", text)) if "<" in text else text
