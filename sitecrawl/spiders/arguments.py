"""The arguments of the site spider: `scrapy crawl site -a NAME=VALUE ...`."""

from typing import Any, NamedTuple

from scrapy.settings import BaseSettings

from sitecrawl.crawl.site_options import ARGUMENTS, Access, first_listed
from sitecrawl.errors import ConfigError
from sitecrawl.shell.addresses import is_loopback


class Arguments(NamedTuple):
    """The arguments of one crawl."""

    url: str
    """The start URL."""
    owner: str | None
    """Holder of a lease that was taken for this crawl."""
    due: bool
    """Whether only pages that are due are fetched."""
    given: dict[str, Any]
    """Options of this crawl alone, as text (`site_options.ARGUMENTS`)."""


def read_arguments(settings: BaseSettings, given: dict[str, Any]) -> Arguments:
    """Return the arguments; `max_pages` becomes a setting too. Raises ConfigError for others, and without a URL."""
    rest = dict(given)
    options: dict[str, Any] = {name: rest.pop(name) for name in ARGUMENTS if name in rest}
    listed = options.get("urls") or settings.get("SITECRAWL_URLS")
    url = rest.pop("url", None) or (first_listed(str(listed)) if listed else None)
    if not url:
        raise ConfigError("which website? give it as -a url=https://example.org/")
    if "max_pages" in options:
        settings.set("SITECRAWL_MAX_PAGES", options["max_pages"], priority="cmdline")
    owner, due = rest.pop("lease", None), rest.pop("due", "0")
    if due not in ("0", "1"):
        raise ConfigError(f"due={due} cannot be used: 1 for only the pages that are due, 0 for all")
    if rest:
        known = ", ".join(("due", *ARGUMENTS))
        raise ConfigError(f"the site spider takes url, {known}, not {', '.join(sorted(rest))}")
    return Arguments(str(url), owner, due == "1", options)


def apply_access(settings: BaseSettings, access: Access, url: str, *, polite: bool) -> None:
    """Change Scrapy's settings for one crawl: user agent, cookies, and no delay on this machine unless `polite`."""
    if is_loopback(url) and not polite:
        settings.set("DOWNLOAD_DELAY", 0, priority="spider")
        settings.set("AUTOTHROTTLE_ENABLED", False, priority="spider")
    if access.user_agent:
        settings.set("USER_AGENT", access.user_agent, priority="cmdline")
    if access.has_session:
        settings.set("COOKIES_ENABLED", True, priority="cmdline")
        settings.set("COOKIES_DEBUG", False, priority="cmdline")  # which logs them
