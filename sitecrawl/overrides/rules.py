"""The rules of an override: one for all pages of the site, or one for each layout."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.overrides.selectors import Selector

REGULAR: Final = "re:"
"""Prefix of a URL pattern that is a regular expression."""


class SiteKind(StrEnum):
    """The kind of pages of a site, as stated by the user."""

    ARTICLE = "article"
    """They have main content, whatever the method decides."""
    FORUM = "forum"
    """Like `article`, and apparent reader comments are main content."""
    LISTING = "listing"
    """They list other pages."""
    NONE = "none"
    """They have no main content."""


class Comments(StrEnum):
    """The treatment of reader comments."""

    KEEP = "keep"
    DROP = "drop"


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """The rule for the pages of one layout."""

    source: str
    """The file that defines it."""
    name: str = ""
    """Name of the layout; "" for the pages without a layout."""
    urls: tuple[re.Pattern[str], ...] = ()
    content: tuple[Selector, ...] = ()
    """Selectors in order of precedence; the first that selects any text is the main content."""
    include: tuple[Selector, ...] = ()
    """Selectors of elements that also belong to the main content."""
    exclude: tuple[Selector, ...] = ()
    """Selectors of elements that are left out."""
    title: tuple[Selector, ...] = ()
    """Selectors of the title, in order of precedence."""
    published: tuple[Selector, ...] = ()
    """Selectors of the date of publication, in order of precedence."""
    kind: SiteKind | None = None
    comments: Comments | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Override:
    """All rules of one file."""

    source: str
    layouts: tuple[Rule, ...]
    """In file order; the first whose pattern matches applies."""
    rest: Rule
    """The rule for all other pages."""
    text: str = ""
    """The text of the file."""

    def rule(self, url: str) -> Rule:
        """Return the rule for a page."""
        path = path_of(url)
        for layout in self.layouts:
            if any(pattern.fullmatch(path) or pattern.fullmatch(url) for pattern in layout.urls):
                return layout
        return self.rest


def path_of(url: str) -> str:
    """Return the path of a URL with its query; URL patterns are matched against it."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def url_pattern(text: str) -> re.Pattern[str]:
    """Return a compiled URL pattern: a path or URL in which `*` matches anything, or `re:` and a regular expression.

    A pattern must match the whole path and query, or the whole URL; an expression may match any part of them. Raises
    ValueError with the reason.
    """
    if text.startswith(REGULAR):
        try:
            return re.compile(f".*(?:{text.removeprefix(REGULAR).strip()}).*", re.DOTALL)
        except re.error as error:
            raise ValueError(f"{text!r} is not a regular expression: {error}; correct it") from error
    if not text.startswith(("/", "*", "http://", "https://")):
        raise ValueError(f"{text!r} is not a URL pattern; begin it with / or *, such as /forum/*")
    return re.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL)
