"""Recognises responses with status 200 that are not the page: error pages (soft 404), walls, requests for JavaScript.

The title, the main headings and the first lines are examined. A bot wall has no other content, or has the same text at
many URLs. A page whose comment form asks for a captcha is a normal page, and so is any page with much text in its
paragraphs, whatever its topic.
"""

import re
from collections import OrderedDict
from typing import Final

from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.wall_phrases import ASKS_FOR_SCRIPTS, NAMED, WALL
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.dom.scripts import count_words

MANY_WORDS: Final = 60
"""Words in paragraphs above which a page is no error page. Own choice."""
WALL_TEXT: Final = 1200
"""Maximum characters of a wall outside links, white space not counted: about 200 words. Own choice."""
WALL_BEGINS: Final = 300
"""Characters of lines within which a wall announces itself. Own choice."""
SCRIPT_TEXT: Final = 300
"""Maximum characters of a whole page that asks for JavaScript and has nothing else. Own choice."""
SCRIPT_LINKS: Final = 3
"""Maximum links of such a page: one with a menu leads to other pages. Own choice."""
SAME_TEXT: Final = 3
"""Number of URLs with the same wall-like text that make a longer one a wall. Own choice."""
REMEMBERED: Final = 100
"""Maximum such texts remembered in a crawl."""
ERROR_TEXT: Final = 3_000
"""Maximum characters outside links, white space not counted, of an error page that is recognised by a line of its text
alone: manuals contain "the file does not exist" too, and many have no paragraphs. Own choice."""
ANNOUNCED: Final = 200
"""Maximum characters of a line by which an error page is recognised. Own choice."""
SHORT: Final = 600
"""Maximum nodes of a page whose text is examined, beyond title and headings. Own choice."""
SHORT_TEXT: Final = 20_000
"""Maximum characters, white space not counted, of a page whose text is examined. Own choice."""
_SEPARATORS: Final = re.compile(r"\s[-|:\u2013\u2014\u00b7\u00bb]\s|[|\u00bb]")
_NOT_FOUND: Final = re.compile(
    r"(?:http )?(?:error )?(?:404|410)(?: error)?(?: (?:page |file )?not found)?"
    r"|(?:(?:error )?404 )?(?:the )?(?:requested )?(?:page|file|document|content|article|url|object|item)"
    r" (?:(?:was |could |can )?not (?:be )?found|cannot be found|not available|does ?n[o']t exist|no longer exists)"
    r"|not found|page missing|nothing found"
    r"|seite nicht gefunden|page (?:introuvable|non trouv\u00e9e)|p\u00e1gina no encontrada|pagina non trovata"
    r"|p\u00e1gina n\u00e3o encontrada|pagina niet gevonden|sidan (?:kunde inte hittas|hittades inte)"
    r"|siden blev ikke fundet|nie znaleziono strony|\u0441\u0442\u0440\u0430\u043d\u0438\u0446\u0430 \u043d\u0435"
    r" \u043d\u0430\u0439\u0434\u0435\u043d\u0430|\u30da\u30fc\u30b8\u304c\u898b\u3064\u304b\u308a\u307e\u305b\u3093",
    re.IGNORECASE,
)
_SAYS_NOT_FOUND: Final = re.compile(
    r"\b(?:page|file|document|content|article|url|address)\b[^.!?]{0,60}?\b(?:(?:could not|cannot|can't) be found"
    r"|couldn't be found|(?:was|is) not found|does not exist|doesn't exist|no longer exists)",
    re.IGNORECASE,
)
_SENTENCE_ENDS: Final = re.compile(r"[.!?:]\s")
_CONDITION: Final = re.compile(r"\b(?:if|when|whenever|whether|unless|until|once)\b", re.IGNORECASE)
_ANY: Final = re.compile(r"\b(?:an?|any|each|every|some|such)\s+(?:\w+\s+)?$", re.IGNORECASE)
"""Matches the words before a page or file that is not the requested one: "delete a file that does not exist"."""


def soft404_outcome(page: Page) -> FetchOutcome | None:
    """Classify a 200 that is really an error page or bot wall; None for a real page.

    A wall concerns the server, an error page concerns the page; neither replaces a good text (`crawl.page_lifecycle`).
    """
    names, lines = _names(page), _lines(page)
    return _judged(page, names, lines, _wall(page, names, lines))


def _judged(page: Page, names: list[str], lines: list[str], wall: str | None) -> FetchOutcome | None:
    """Return the outcome of an error page or bot wall, None for a good page; `wall` has the words of a wall."""
    if wall is not None and _own_text(page) <= WALL_TEXT and _words(page) <= MANY_WORDS:
        return _bot_wall(wall)
    asked = _asks_for_scripts(page, lines)
    if asked is not None:
        return FetchOutcome(FetchResult.FAILED, f"it asks for JavaScript: {asked[:80]!r}")
    missing = next((name for name in names if _NOT_FOUND.fullmatch(name)), None)
    if missing is None and _own_text(page) <= ERROR_TEXT:
        missing = next((line for line in lines if _is_not_found_line(line)), None)
    if missing is not None and _words(page) <= MANY_WORDS:
        return FetchOutcome(FetchResult.ERROR_PAGE, f"soft 404: it says {missing[:80]!r}")
    return None


def _is_not_found_line(line: str) -> bool:
    """Return whether a line reports the requested page as missing; conditions in manuals ("if a file ...") do not."""
    found = _SAYS_NOT_FOUND.search(line) if len(line) <= ANNOUNCED else None
    if found is None:
        return False
    before = _SENTENCE_ENDS.split(line[: found.start()])[-1]
    return _CONDITION.search(before + found[0]) is None and _ANY.search(before) is None


class Soft404Judge:
    """Judges the pages of one crawl; recognises longer walls, too, by the same text at many URLs."""

    def __init__(self) -> None:
        self._walls: OrderedDict[str, set[str]] = OrderedDict()
        """URLs by the text of wall-like pages, for the last `REMEMBERED` texts."""

    def judge(self, page: Page) -> FetchOutcome | None:
        """Classify a 200 that is really an error page or bot wall; None for a real page."""
        names, lines = _names(page), _lines(page)
        wall = _wall(page, names, lines)
        found = _judged(page, names, lines, wall)
        if found is not None or wall is None or not lines:
            return found
        text = " ".join(word for line in lines for word in line.split() if word.isalpha())
        urls = self._walls.setdefault(text, set())
        self._walls.move_to_end(text)
        if len(self._walls) > REMEMBERED:
            self._walls.popitem(last=False)
        if len(urls) < SAME_TEXT:
            urls.add(page.url)
        return _bot_wall(wall) if len(urls) == SAME_TEXT else None


def _bot_wall(wall: str) -> FetchOutcome:
    return FetchOutcome(FetchResult.FAILED, f"bot wall: it says {wall[:80]!r}")


def _wall(page: Page, names: list[str], lines: list[str]) -> str | None:
    """Return the words of a bot wall in a page's headings or first lines; None if there are none.

    The same words further down may label the captcha of a form. A page with a comment form is not a wall.
    """
    named = next((name for name in names if NAMED.fullmatch(name)), None)
    if named is not None:
        return named
    before = 0
    for line in lines:
        if before > WALL_BEGINS:
            return None
        if WALL.search(line):
            return None if _may_comment(page.flat) else line
        before += len(line)
    return None


def _asks_for_scripts(page: Page, lines: list[str]) -> str | None:
    """Return the line by which a page without other text and without a menu asks for JavaScript; None if none does."""
    if page.flat.chars[0] > SCRIPT_TEXT or sum(1 for _ in page.root.iter("a")) > SCRIPT_LINKS:
        return None
    return next((line for line in lines if ASKS_FOR_SCRIPTS.search(line)), None)


def _may_comment(flat: FlatDom) -> bool:
    """Return whether a page has a text area that does not belong to a captcha."""
    return any(
        tag == "textarea" and "captcha" not in name.lower() for tag, name in zip(flat.tag, flat.names, strict=True)
    )


def _lines(page: Page) -> list[str]:
    """Return the lines of a short page; none for a long one."""
    short = len(page.flat) <= SHORT and page.flat.chars[0] <= SHORT_TEXT
    return page.text((0,)).splitlines() if short else []


def _own_text(page: Page) -> int:
    """Return the number of characters outside links."""
    return page.flat.chars[0] - page.flat.link_chars[0]


def _names(page: Page) -> list[str]:
    """Return the normalised parts of a page's title, and its main headings (`h1`)."""
    texts = _SEPARATORS.split(page.title or "")
    texts += ["".join(map(str, heading.itertext()))[:200] for heading in page.named("h1")[:3]]
    texts.append(page.title or "")
    return [" ".join(text.split()).strip(" .!?\u2026:-") for text in texts]


def _words(page: Page) -> int:
    count = 0
    for paragraph in page.root.iter("p"):
        count += count_words("".join(map(str, paragraph.itertext())))
        if count > MANY_WORDS:
            return count
    return count
