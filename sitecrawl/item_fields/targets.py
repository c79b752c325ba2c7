"""The settings that name the fields of items, checked."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from sitecrawl.api.pages import Page, extractor_of, needs_in_words
from sitecrawl.config import Config
from sitecrawl.errors import ConfigError

VALUES: Final = (*(one.name for one in fields(Page) if not one.name.startswith("_")), "html", "markdown")
"""Names of the values of a page: those of `sitecrawl.Page` and of the feed."""
RESPONSE: Final = "response"
"""SITECRAWL_ITEM_HTML for items whose page is the response that they came from."""


@dataclass(frozen=True, slots=True)
class Targets:
    """The fields that items get, and where the HTML of their page is."""

    fields: Mapping[str, str]
    """Field of an item -> value of the page."""
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
                f"SITECRAWL_ITEM_FIELDS: {field!r}: {value!r} is no value of a page; there are {', '.join(VALUES)}"
            )
    extractor = extractor_of(config)
    if extractor.needs:
        raise ConfigError(
            f"SITECRAWL_ITEM_FIELDS: the method {extractor.name!r} needs {needs_in_words(extractor)} of each page's"
            " site; choose another SITECRAWL_EXTRACTOR, such as combined"
        )
    return Targets(dict(named), None if config.item_html == RESPONSE else config.item_html, config.item_url)
