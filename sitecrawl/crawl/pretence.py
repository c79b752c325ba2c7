"""Tells answers with status 200 that are not the page: error pages (soft 404) and walls against crawlers.

Judged by what a page calls itself, in its title and headings, and by what a short one says. A page that says much in
its paragraphs is taken for what it is, whatever it is about (RELIABILITY 4.9).
"""

import re
from typing import Final

from sitecrawl.crawl.life import Answer, Finding
from sitecrawl.dom.page import Page

MANY_WORDS: Final = 60
"""Words in paragraphs beyond which a page is no error page, save those of its first lines. Own choice."""
SHORT: Final = 600
"""Nodes of a page whose text is looked at, not only title and headings. Own choice."""
SHORT_TEXT: Final = 20_000
"""Characters, white space not counted, of a page whose text is looked at. Own choice."""
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
_WALL: Final = re.compile(
    r"just a moment|attention required!?|checking your browser.{0,40}|(?:please )?(?:verify|confirm)(?: that)? you are"
    r" (?:a )?human.{0,40}|are you (?:a )?(?:robot|human)\??|(?:robot|bot|security|human) (?:check|verification)"
    r"|(?:please )?(?:complete|solve) (?:the|this) captcha.{0,40}"
    r"|access (?:to this page has been )?denied|ddos protection.{0,40}",
    re.IGNORECASE,
)
_SAYS_WALL: Final = re.compile(
    r"\b(?:verify|confirm|prove)(?: that)? you(?: are|'re) (?:a |not a )?(?:human|robot)|\bchecking your browser\b"
    r"|\bunusual traffic from your\b|\benable javascript and cookies to continue\b",
    re.IGNORECASE,
)


def pretended(page: Page) -> Finding | None:
    """Return what stands in a page's place, None for a page that is one.

    A wall speaks of the server, an error page of the page; neither replaces a good text (`crawl.life`).
    """
    named = _names(page)
    short = len(page.flat) <= SHORT and page.flat.chars[0] <= SHORT_TEXT
    lines = page.text((0,)).splitlines() if short else []
    for names, says, answer, what in (
        (_WALL, _SAYS_WALL, Answer.FAILED, "bot wall"),
        (_NOT_FOUND, _SAYS_NOT_FOUND, Answer.UNUSABLE, "soft 404"),
    ):
        evidence = next((name for name in named if names.fullmatch(name)), None)
        evidence = evidence or next((line for line in lines if says.search(line)), None)
        if evidence is not None and _words(page) <= MANY_WORDS:
            return Finding(answer, f"{what}: it says {evidence[:80]!r}")
    return None


def _names(page: Page) -> list[str]:
    """What a page calls itself: its title, in parts, and its main headings."""
    texts = _SEPARATORS.split(page.title or "")
    texts += ["".join(map(str, heading.itertext()))[:200] for heading in list(page.root.iter("h1"))[:3]]
    texts.append(page.title or "")
    return [" ".join(text.split()).strip(" .!?\u2026:-") for text in texts]


def _words(page: Page) -> int:
    count = 0
    for paragraph in page.root.iter("p"):
        count += len("".join(map(str, paragraph.itertext())).split())
        if count > MANY_WORDS:
            break
    return count
