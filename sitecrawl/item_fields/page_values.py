"""Reads the values of a page: with the template of its site if one is stored, else from the page alone."""

from collections.abc import Iterable
from typing import NamedTuple

from sitecrawl.api.pages import Settings, extracted, extractor_of
from sitecrawl.api.sources import MAX_BYTES, Html, parsed
from sitecrawl.config import Config
from sitecrawl.errors import NotHtmlError
from sitecrawl.item_fields.known_sites import KnownSites
from sitecrawl.overrides.folders import Overrides


class PageValues(NamedTuple):
    """The wanted values of a page."""

    values: dict[str, object]
    """Values by the names of `sitecrawl.Page`."""
    with_template: bool


class PageReader:
    """Extracts pages of any site, as `sitecrawl.extract` and `sitecrawl.open(...).site(...).extract` do."""

    def __init__(self, settings: Settings, names: Iterable[str]) -> None:
        """Open the database; `names` are the wanted values. Raises ConfigError, StorageError."""
        self._config = Config.from_mapping(settings)
        self._extractor = extractor_of(self._config)
        self._overrides = Overrides(self._config.overrides)
        self._names = tuple(dict.fromkeys(names))
        self.sites = KnownSites(settings)

    def read(self, html: Html, url: str | None) -> PageValues:
        """Return the values of a page.

        Raises PageError for an unreadable page, InputError for a value of a wrong type, ConfigError for an unusable
        override.
        """
        if isinstance(html, str) and len(html) > MAX_BYTES:
            raise NotHtmlError(url or "a page", f"over {MAX_BYTES // 2**20} MiB; sitecrawl does not read such pages")
        site = self.sites.find(url) if isinstance(url, str) else None
        if site is not None:
            page = site.extract(html, url)
        else:
            made = parsed(html, url, self._config.max_nodes)
            page = extracted(made, self._extractor, self._config, rule=self._overrides.rule(made.url))
        return PageValues({name: getattr(page, name) for name in self._names}, page.template_version is not None)
