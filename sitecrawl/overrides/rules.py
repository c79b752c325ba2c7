"""What an override says: a rule for the pages of a site, or one for each of its layouts."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.overrides.selectors import Selector

REGULAR: Final = "re:"
"""Begins a URL pattern that is a regular expression."""


class SiteKind(StrEnum):
    """What a person says the pages are."""

    ARTICLE = "article"
    """They have main content, whatever the method takes them for."""
    FORUM = "forum"
    """As `article`, and what looks like reader comments is main content."""
    LISTING = "listing"
    """They list other pages."""
    NONE = "none"
    """They have no main content."""


class Comments(StrEnum):
    """What becomes of reader comments."""

    KEEP = "keep"
    DROP = "drop"


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """What to do with the pages of one layout."""

    source: str
    """The file it is from."""
    name: str = ""
    """Name of the layout, "" for the pages that no layout is for."""
    urls: tuple[re.Pattern[str], ...] = ()
    content: tuple[Selector, ...] = ()
    """Tried in order: the first that selects any text chooses."""
    exclude: tuple[Selector, ...] = ()
    """All of them are left out."""
    title: tuple[Selector, ...] = ()
    """Tried in order."""
    kind: SiteKind | None = None
    comments: Comments | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Override:
    """All rules of one file."""

    source: str
    layouts: tuple[Rule, ...]
    """In the order of the file: the first whose pattern matches applies."""
    rest: Rule
    """For all other pages."""

    def rule(self, url: str) -> Rule:
        """Return the rule for a page."""
        path = path_of(url)
        for layout in self.layouts:
            if any(pattern.fullmatch(path) or pattern.fullmatch(url) for pattern in layout.urls):
                return layout
        return self.rest


def path_of(url: str) -> str:
    """Return the path of a URL with its query, which is what patterns are compared with."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def url_pattern(text: str) -> re.Pattern[str]:
    """Compile a URL pattern: a path or whole URL in which `*` stands for anything, or `re:` and an expression.

    A pattern has to match all of the path and query, or all of the URL; an expression any part of them. Raises
    ValueError saying what is wrong.
    """
    if text.startswith(REGULAR):
        try:
            return re.compile(f".*(?:{text.removeprefix(REGULAR).strip()}).*", re.DOTALL)
        except re.error as error:
            raise ValueError(f"{text!r} is no regular expression: {error}; correct it") from error
    if not text.startswith(("/", "*", "http://", "https://")):
        raise ValueError(f"{text!r} is no URL pattern; begin it with / or *, such as /forum/*")
    return re.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL)
