"""The vocabulary of tags and class names that describe a place on a page, in one table.

Class and id names are mostly English on pages of every language, because content management systems choose them; for
categories that authors name themselves, there are words of further languages. Each category is weak evidence; the model
weighs it together with all other features (`extractors.combined.forest`).
"""

import re
from functools import lru_cache
from typing import Final

from sitecrawl.dom.bounded_cache import BoundedCache
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT

TAG_MARKS: Final[tuple[tuple[str, ...], ...]] = (
    ("main",),
    ("article",),
    ("nav", "menu"),
    ("footer",),
    ("aside",),
    ("header",),
    ("form", "fieldset", "search"),
    ("table",),
    ("ul", "ol"),
    ("dl",),
    ("pre", "code"),
    ("section",),
    ("blockquote", "figure"),
    ("button", "select", "label"),
)
"""Categories of ancestors by tag."""

NAME_MARKS: Final[dict[str, str]] = {
    "comment": r"comment|respond|disqus|guestbook|[ck]omm?entar|kommentti|reacties|opmerking|yorum(?:lar)?\b",
    "navigation": r"nav|menu|crumb|pager|paginat|\btabs?\b|sitemap|\bskip|seitenzahl|brotkrumen|migas|ariane",
    "contents": r"\btoc|table-?of-?contents|contents\b|\bindex",
    "footer": r"foot|copyright|colophon|legal|bottom|fuss(?:zeile|leiste)|rodape|pied-de-page|impressum",
    "header": r"header|masthead|banner|logo|\btop|brand|hero",
    "side": r"side|aside|rail\b|widget|secondary|column-?right|right-?col|left-?col|panel"
    r"|seitenleiste|barra-?lateral|zijbalk",
    "related": r"relat|recommend|similar|popular|recent|more\b|teaser|archive|latest|trending|also|featured"
    r"|(?:ae|ä)hnlich|verwandt|relacionad|similair|correlat|powiazan",
    "share": r"shar(?:e|ing)|social|follow|subscri|newsletter|^like|\blike(?!$)|facebook|twitter|addtoany"
    r"|teilen|partag|compart(?:ir|e|ilh)|condivid|paylas",
    "meta": r"meta|byline|date|time|\btags?\b|tagged|categor|posted|info\b|published|details"
    r"|datum|fecha|kategorie|rubri(?:k|que)|schlagw|etiquet|veroeffentlicht|opublikowan",
    "author": r"author|profile|avatar|signature|\bsig\b|user|member|bio\b|poster|aut(?:eu|o)r|verfasser|yazar\b",
    "ad": r"\bads?\b|advert|sponsor|promo|cookie|popup|modal|consent|donat",
    "unseen": r"hidden|sr-only|screen-reader|noprint|print|invisible|collapse",
    "action": r"edit|action|button|\bbtn|tool|permalink|headerlink|download|login|search|\bform",
    "language": r"\blang|translat|locale",
    "list": r"listing|\blist\b|\bitems?\b|card|grid|summary|excerpt|views-row|product",
    "title": r"title|headline|heading",
    "caption": r"caption|credit|thumb",
    "body": r"(?:article|entry|post|page|story|node|main|blog|field)[-_]?(?:content|body|text)|prose|markdown|richtext",
    "content": r"content|main|body|text|\bdoc",
    "article": r"article|entry|post|story|single|node\b",
}
"""Categories of ancestors by class and id."""

MARKS: Final = len(TAG_MARKS) + len(NAME_MARKS) + 1
"""Number of categories; the last one is for elements that are marked as hidden."""

COMMENT: Final = len(TAG_MARKS) + list(NAME_MARKS).index("comment")
"""Category that does not count on forum threads, where comments are the content."""
SIDE: Final = len(TAG_MARKS) + list(NAME_MARKS).index("side")
"""Category of side bars, widgets and panels."""
FOOTER: Final = len(TAG_MARKS) + list(NAME_MARKS).index("footer")
"""Category of what is named as a foot."""
AUTHOR: Final = len(TAG_MARKS) + list(NAME_MARKS).index("author")
"""Category of boxes about an author; in a reference its names `member` and `signature` are those of content."""
RELATED: Final = len(TAG_MARKS) + list(NAME_MARKS).index("related")
"""Category of lists of other pages; lists of posts have names such as "archive" and "latest" too."""
UNSEEN_NAMES: Final = len(TAG_MARKS) + list(NAME_MARKS).index("unseen")
"""Category of names of hidden elements."""
THREAD: Final = re.compile(r"(?:^|[\s_-])(?:threads?|topics?|forums?|discussions?|bbpress|viewtopic)(?:[\s_-]|$)", re.I)
"""Names of `html` and `body` by which content management systems mark a page as a thread."""
OUTER: Final = 8
"""Number of first rows in which `html` and `body` are searched."""
UNSEEN: Final = MARKS - 1
NEVER: Final = -1
"""Depth of a category that no ancestor has."""

_BY_TAG: Final = {tag: number for number, tags in enumerate(TAG_MARKS) for tag in tags}
_PATTERNS: Final = tuple(re.compile(pattern) for pattern in NAME_MARKS.values())
_ANY: Final = re.compile("|".join(NAME_MARKS.values()))
_NUMBERS: Final = re.compile("[0-9]+")
_CAMEL: Final = re.compile(r"([a-z])([A-Z])")
_PIECE: Final = re.compile(r"\w+\W*|\W+")
"""Matches a word with the characters up to the next word."""
_FIRST_WORD: Final = re.compile(
    r"(?:table|of|column|right|left|barra|sr|screen|pied|views|article|entry|post|page|story|node|main|blog|field)-$"
)
"""Matches a word that may be the beginning of a pattern of several words."""


def _name_marks(name: str) -> tuple[int, ...]:
    """Return the categories of a single class or id name: of its words, and of patterns that match several words.

    No pattern contains a space or a digit, so the categories of an element are those of its single names. An id in a
    reference is long and on one page only, but its words are on many pages, so words are cached separately.
    """
    pieces = _PIECE.findall(_CAMEL.sub(r"\1-\2", name).replace("_", "-").lower())
    if len(pieces) < 2:
        return _piece_marks(pieces[0]) if pieces else ()
    found = set(_piece_marks("-" + pieces[-1]))
    for i, piece in enumerate(pieces[:-1]):
        found.update(_piece_marks(piece))
        if _goes_on(piece):
            more = pieces[i + 1 : i + 3] if pieces[i + 1].endswith("-") else pieces[i + 1 : i + 2]
            found.update(_piece_marks("".join((piece, *more))))
    return tuple(sorted(found))


@lru_cache(BoundedCache.LIMIT)
def _piece_marks(piece: str) -> tuple[int, ...]:
    """Return the categories of a word; a hyphen before or after it marks that the name continues there."""
    found = enumerate(_PATTERNS) if _ANY.search(piece) else ()
    return tuple(len(TAG_MARKS) + i for i, regex in found if regex.search(piece))


@lru_cache(BoundedCache.LIMIT)
def _goes_on(piece: str) -> bool:
    """Return whether a pattern of several words may begin with a word."""
    return _FIRST_WORD.search(piece) is not None


_NAME_MARKS: Final = BoundedCache(_name_marks)


def _own_marks(element: tuple[str, str]) -> tuple[int, ...]:
    """Return the categories of an element, given as (tag, names)."""
    tag, names = element
    found = {_BY_TAG[tag]} if tag in _BY_TAG else set()
    if names and tag not in ("html", "body"):
        found.update(*map(_NAME_MARKS.__getitem__, _NUMBERS.sub("0", names).split()))
    return tuple(sorted(found))


OWN_MARKS: Final = BoundedCache(_own_marks)
_NO_MARKS: Final = (NEVER,) * MARKS


def is_thread(tag: list[str], names: list[str]) -> bool:
    """Return whether the class or id names of `html` or `body` mark the page as a forum thread."""
    outer = [name for name, one in zip(names[:OUTER], tag[:OUTER], strict=True) if one in ("html", "body")]
    return any(map(_is_thread_name, filter(None, outer)))


@lru_cache(1_024)
def _is_thread_name(names: str) -> bool:
    return THREAD.search(names) is not None


def mark_depths(flat: FlatDom) -> list[tuple[int, ...]]:
    """Return, for each row, the depth of its nearest ancestor-or-self in each category, `NEVER` if there is none."""
    depths: list[tuple[int, ...]] = []
    hidden = frozenset(flat.hidden)
    thread = is_thread(flat.tag, flat.names)
    for i, (tag, names, parent, depth) in enumerate(zip(flat.tag, flat.names, flat.parent, flat.depth, strict=True)):
        above = depths[parent] if parent >= 0 else _NO_MARKS
        if tag != TEXT:
            own = OWN_MARKS[tag, names]
            if thread and COMMENT in own:
                own = tuple(mark for mark in own if mark != COMMENT)
            if i in hidden:
                own = (*own, UNSEEN)
            if own:
                changed = list(above)
                for mark in own:
                    changed[mark] = depth
                above = tuple(changed)
        depths.append(above)
    return depths
