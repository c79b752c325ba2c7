"""Reads and checks the settings that name the fields of items."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from sitecrawl.api.pages import Page, extractor_of, needs_in_words
from sitecrawl.config import Config
from sitecrawl.errors import ConfigError

VALUES: Final = (*(one.name for one in fields(Page) if not one.name.startswith("_")), "html", "markdown")
"""Names of the values of a page: those of `sitecrawl.Page` and of the feed."""
RESPONSE: Final = "response"
"""Value of SITECRAWL_ITEM_HTML for items whose page is the response from which they were scraped."""


@dataclass(frozen=True, slots=True)
class Targets:
    """The fields to add to items, and the location of the HTML of their page."""

    fields: Mapping[str, str]
    """Name of the page's value by field of the item."""
    html: str | None
    """Field with the HTML; None for the response."""
    url: str
    """Field with the URL, if the HTML is in a field."""


def item_targets(config: Config) -> Targets:
    """Return the targets of the settings. Raises ConfigError for an unknown value, or a method that needs a site."""
    named = config.item_fields or {}
    for field, value in named.items():
        if value not in VALUES:
            raise ConfigError(
                f"SITECRAWL_ITEM_FIELDS: {field!r}: {value!r} is not a value of a page; known: {', '.join(VALUES)}"
            )
    extractor = extractor_of(config)
    if extractor.needs:
        raise ConfigError(
            f"SITECRAWL_ITEM_FIELDS: the method {extractor.name!r} needs {needs_in_words(extractor)} of each page's"
            " site; choose another SITECRAWL_EXTRACTOR, such as combined"
        )
    return Targets(dict(named), None if config.item_html == RESPONSE else config.item_html, config.item_url)
