"""Summarises why URLs of a site have no page: failed, refused or left out, with reasons and advice."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from sitecrawl.crawl.page_lifecycle import FIRST_TIME, UNTIL_NEXT
from sitecrawl.links.closed_trap import TRAP
from sitecrawl.storage.page_report import LEFT, Trouble
from sitecrawl.storage.pages import PageStatus
from sitecrawl.storage.visits import FORBIDDEN

SHOWN: Final = 3
"""Maximum reasons of one kind that are listed, the most frequent ones."""
_URL: Final = re.compile(r":? ?https?://\S+")

FAILED, REFUSED, NO_PAGE, LEFT_OUT = "failed", "refused", "no page", "given up"
KINDS: Final = (FAILED, REFUSED, NO_PAGE, LEFT_OUT)
COMMAND: Final = {FAILED: "error", REFUSED: "excluded", NO_PAGE: "excluded", LEFT_OUT: "discovered"}
"""Value of `pages HOST --status` that lists the URLs of a kind."""

REFUSALS: Final = ("refused (", FORBIDDEN, TRAP)
ADVICE: Final = (
    (FIRST_TIME, UNTIL_NEXT),
    (FORBIDDEN, "the site wishes it so"),
    ("refused (address", "a private address; if it is yours, see SITECRAWL_ALLOWED_ADDRESSES"),
    ("refused (port", "an unusual port; if it is yours, see SITECRAWL_ALLOWED_ADDRESSES"),
    ("refused (", "a crawl does not leave its site"),
    (TRAP, "see docs/links.md"),
    ("HTTP 403", "the server refuses the crawler; ask its operator, or crawl more slowly"),
    ("HTTP 401", "the page requires a password; set it as described in docs/scope.md"),
    ("DOWNLOAD_MAXSIZE", "raise that setting to read such pages"),
    ("SITECRAWL_MAX_NODES", "raise that setting to read such pages"),
    ("DOWNLOAD_TIMEOUT", "if the site is always so slow, raise that setting"),
    ("DNS", "check the name"),
    (
        "bot wall",
        "the site does not show it to the crawler; give cookies or a log-in (docs/scope.md), or ask its operator",
    ),
    ("it asks for JavaScript", "let a browser fetch the pages, as docs/scope.md says"),
    ("the same text as other pages", "look at a page in a browser; docs/scope.md says how to give cookies or a log-in"),
    ("max_pages", "the next crawls read more of them; raise max_pages to have them sooner"),
)
"""Advice by a part of the reason; the first match counts."""
OTHERWISE: Final = {
    FAILED: "the next crawl tries again",
    REFUSED: "nothing to do",
    NO_PAGE: "nothing to do",
    LEFT_OUT: "run the same command later to continue",
}


class Line(NamedTuple):
    """The URLs of one kind and reason: their number and an example."""

    kind: str
    reason: str
    urls: int
    example: str
    advice: str


def lines(troubles: Iterable[Trouble]) -> list[Line]:
    """Return the most frequent reasons of each kind with advice; URLs inside a reason are ignored when grouping."""
    found: dict[tuple[str, str], tuple[int, str]] = {}
    for one in troubles:
        reason = _URL.sub("", one.reason.removeprefix(f"{LEFT}: ").removesuffix(f": {UNTIL_NEXT}"))
        key = _kind(one, reason), reason
        urls, example = found.get(key, (0, one.example))
        found[key] = urls + one.urls, min(example, one.example)
    chosen = []
    for kind in KINDS:
        of_kind = sorted(((*key, *value) for key, value in found.items() if key[0] == kind), key=lambda one: -one[2])
        chosen += [Line(*one, _advice(kind, one[1])) for one in of_kind[:SHOWN]]
    return chosen


def text(line: Line) -> str:
    """Return a line as it is printed."""
    more = " among them" if line.urls > 1 else ""
    return f"{line.kind:13} {line.urls}, {line.reason}; {line.advice}:{more} {line.example}"


def _kind(trouble: Trouble, reason: str) -> str:
    if trouble.status is PageStatus.ERROR:
        return FAILED
    if trouble.status is PageStatus.DISCOVERED:
        return LEFT_OUT
    return REFUSED if reason.startswith(REFUSALS) else NO_PAGE


def _advice(kind: str, reason: str) -> str:
    return next((advice for words, advice in ADVICE if words in reason), OTHERWISE[kind])
