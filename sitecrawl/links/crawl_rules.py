"""The rules by which an operator restricts the URLs of a site that a crawl may request."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from sitecrawl.errors import ConfigError
from sitecrawl.links.urls import UrlParts, split_url, url_key

Refusal: TypeAlias = Literal["list", "exclude", "path", "include", "logout"]
"""The rule that refuses a URL."""
REASONS: Final[dict[Refusal, str]] = {
    "list": "out of scope: not in the list of URLs",
    "exclude": "out of scope: an exclude rule matches",
    "path": "out of scope: not below the folder of the start URL",
    "include": "out of scope: no include rule matches",
    "logout": "out of scope: the URL ends the session",
}
OUT_OF_SCOPE: Final = "out of scope: "
"""Prefix of the reasons of refused URLs."""
_LOGOUT: Final = re.compile(r"[/?&=](?:log|sign)[-_]?(?:out|off)(?:\b|_)", re.IGNORECASE)
"""Matches URLs that end a session: `/logout`, `?action=sign-out`."""


@dataclass(frozen=True, slots=True)
class CrawlRules:
    """The rules for the URLs that a crawl may request. Without a rule it may request all URLs of the site."""

    include: tuple[re.Pattern[str], ...] = ()
    """If there are any, one of these must match somewhere in the URL."""
    exclude: tuple[re.Pattern[str], ...] = ()
    """None of these may match in the URL."""
    folder: tuple[str, str] | None = None
    """Site and folder of the start URL (`example.org`, `/docs/`), below which a URL must be."""
    listed: frozenset[int] | None = None
    """URL keys of the only URLs that may be requested; None for no such list."""
    keep_session: bool = False
    """Whether URLs that end a session are refused."""

    @property
    def any(self) -> bool:
        """Whether there is a rule."""
        return bool(self.include or self.exclude or self.folder or self.keep_session) or self.listed is not None

    def refusal(self, url: str) -> Refusal | None:
        """Return the rule that refuses a URL of the site; None if it may be requested.

        Patterns are searched in the URL as it is requested (`fetchable_url`).
        """
        if not self.any:
            return None
        parts = split_url(url)
        if parts is None:
            return None  # the URL cannot be requested at all
        if self.listed is not None and url_key(url) not in self.listed:
            return "list"
        spelled = parts.url
        if any(pattern.search(spelled) for pattern in self.exclude):
            return "exclude"
        if self.keep_session and _LOGOUT.search(spelled):
            return "logout"
        if self.folder is not None and not _below(parts, *self.folder):
            return "path"
        if self.include and not any(pattern.search(spelled) for pattern in self.include):
            return "include"
        return None


def patterns(texts: Iterable[str], name: str) -> tuple[re.Pattern[str], ...]:
    """Return compiled regular expressions. Raises ConfigError, with `name` in its message, for an invalid one."""
    found = []
    for text in texts:
        try:
            found.append(re.compile(text))
        except (re.error, RecursionError, OverflowError) as error:
            raise ConfigError(f"{name}: {text!r:.200} is not a regular expression ({error})") from error
    return tuple(found)


def folder_of(url: str) -> tuple[str, str]:
    """Return the site of a URL and its folder.

    The folder is the path up to its last slash. A last segment without a dot is a folder itself: `/docs` and `/docs/`
    are both `/docs/`. Raises ConfigError for a URL that cannot be fetched.
    """
    parts = split_url(url)
    if parts is None:
        raise ConfigError(f"{url!r:.200} is not a URL that can be fetched; give one such as https://example.org/docs/")
    folder, _, last = parts.path.rpartition("/")
    return parts.site, f"{folder}/{last}/" if last and "." not in last else f"{folder}/"


def _below(parts: UrlParts, site: str, folder: str) -> bool:
    return parts.site == site and (parts.path.startswith(folder) or parts.path == folder[:-1])
