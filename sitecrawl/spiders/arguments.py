"""The arguments of the site spider: `scrapy crawl site -a NAME=VALUE ...`."""

from typing import Any

from scrapy.settings import BaseSettings

from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.site_options import ARGUMENTS, Access, first_listed_url
from sitecrawl.errors import ConfigError
from sitecrawl.shell.addresses import is_loopback


def read_arguments(settings: BaseSettings, given: dict[str, Any]) -> CrawlStart:
    """Return the start URL and options of a crawl from the spider's arguments; `max_pages` becomes a setting too.

    Raises ConfigError without a URL, and for unknown arguments.
    """
    rest = dict(given)
    options: dict[str, Any] = {name: rest.pop(name) for name in ARGUMENTS if name in rest}
    listed = options.get("urls") or settings.get("SITECRAWL_URLS")
    url = rest.pop("url", None) or (first_listed_url(str(listed)) if listed else None)
    if not url and listed:
        raise ConfigError(f"{listed}: no URL can be read there; correct the list, or name the site by -a url=")
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
    return CrawlStart(str(url), settings.getint("DEPTH_LIMIT"), owner, due == "1", options)


def apply_access(settings: BaseSettings, access: Access, url: str, *, polite: bool) -> None:
    """Change Scrapy's settings for one crawl: user agent, cookies, and no delay on this machine unless `polite`."""
    if is_loopback(url) and not polite:
        settings.set("DOWNLOAD_DELAY", 0, priority="spider")
        settings.set("AUTOTHROTTLE_ENABLED", False, priority="spider")
    if access.user_agent:
        settings.set("USER_AGENT", access.user_agent, priority="cmdline")
    if access.has_session or settings.getbool("COOKIES_ENABLED"):
        from sitecrawl.shell.cookie_domains import use_bundled_suffixes  # noqa: PLC0415  (most crawls have no session)

        use_bundled_suffixes()
    if access.has_session:
        settings.set("COOKIES_ENABLED", True, priority="cmdline")
        settings.set("COOKIES_DEBUG", False, priority="cmdline")  # it would log the cookies
