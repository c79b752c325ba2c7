"""Settings of the Crunch filters, each with a default, read from a TOML file."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from sitecrawl.errors import ConfigError

ADVERTISERS: Final = frozenset(
    (
        "adnxs.com",
        "adsafeprotected.com",
        "adservice.google.com",
        "amazon-adsystem.com",
        "criteo.com",
        "doubleclick.net",
        "googleadservices.com",
        "googlesyndication.com",
        "moatads.com",
        "outbrain.com",
        "pubmatic.com",
        "rubiconproject.com",
        "taboola.com",
        "zedo.com",
    )
)
"""Well-known domains that serve only advertisements; the paper's list is not published."""

OUTPUTS: Final = ("html", "text")
LEAST: Final = {"word_length": 1}
"""Minimum values of numbers that must not be 0."""


@dataclass(frozen=True, slots=True)
class CrunchSettings:
    """One switch or number per filter."""

    ignored_tags: frozenset[str] = frozenset(
        ("form", "button", "select", "textarea", "input", "img", "map", "script", "noscript")
    )
    """Elements removed with their subtrees (section 3)."""
    frame_share: float = 0.5
    """Share of the page's text in an ignored element above which it is the frame of the page, and stays [OWN]."""
    ignored_attributes: frozenset[str] = frozenset()
    """Attributes removed from elements, which stay: `width`, or `td.width` for cells only (section 4.2)."""
    advertisements: bool = True
    """Remove elements that load from, or link to, an advertiser."""
    advertisers: frozenset[str] = ADVERTISERS
    """Hosts of advertisers; a domain includes all hosts below it."""
    more_advertisers: frozenset[str] = frozenset()
    """Hosts in addition to `advertisers`."""
    link_lists: bool = True
    """Remove cells that are mostly links."""
    remove_cells: bool = True
    """Remove such a cell itself; if off, only its content."""
    cells: frozenset[str] = frozenset(("td", "th", "div", "ul", "ol", "nav", "section"))
    """Elements that count as cells: td and th in the paper; the others are for current pages [OWN]."""
    link_ratio: float = 0.25
    """Links per word outside links above which a cell is removed; the paper has no default [OWN]."""
    word_length: int = 5
    """Letters of an average word, at least 1 (section 3)."""
    empty_tables: bool = True
    """Remove tables without substance after all other filters."""
    substantive_tags: frozenset[str] = frozenset(("img", "input", "object", "video"))
    """Elements that give a table substance [OWN]."""
    table_chars: int = 20
    """Number of characters that give a table substance [OWN]."""
    leave_portals: bool = True
    """Do not change pages that are mostly links (section 4.1)."""
    portal_share: float = 0.02
    """Share of remaining text below which such a page counts as a portal [OWN]."""
    retain_links: bool = True
    """List removed text links at the end of the filtered page."""
    output: str = "html"
    """Format of the filtered page: html or text."""


def read_settings(file: str, switches: Mapping[str, object]) -> CrunchSettings:
    """Return the settings of a TOML file ("" for none), overridden by those given by name.

    Raises ConfigError with the file and the setting in its message if that is unknown or has the wrong type.
    """
    found: dict[str, Any] = {}
    if file:
        try:
            found = tomllib.loads(Path(file).read_text(encoding="utf-8"))
        except (OSError, TypeError, ValueError) as error:  # ValueError: invalid UTF-8 or TOML
            raise ConfigError(f"crunch: {file} cannot be read: {error}") from error
    values = {name: _checked(name, value, file or "option") for name, value in found.items()}
    values |= {name: _checked(name, value, "option") for name, value in switches.items()}
    return CrunchSettings(**values)


def _checked(name: str, value: Any, where: str) -> Any:
    defaults = {field.name: field.default for field in fields(CrunchSettings)}
    if name not in defaults:
        raise ConfigError(f"crunch, {where}: no setting {name!r}; there are {', '.join(defaults)}")
    default: Any = defaults[name]
    if isinstance(default, frozenset):
        if isinstance(value, list | tuple | set | frozenset) and all(isinstance(one, str) for one in value):
            return frozenset(one.lower().strip(".") for one in value)  # names of elements and hosts
        raise ConfigError(f"crunch, {where}: {name} is {value!r}; give a list of names")
    kinds = {int: (int,), float: (int, float)}.get(type(default), ())
    if type(value) in kinds and value >= LEAST.get(name, 0):
        return type(default)(value)
    if type(value) is type(default) and type(default) in (bool, str) and (name != "output" or value in OUTPUTS):
        return value
    raise ConfigError(f"crunch, {where}: {name} is {value!r}; its default is {default!r}")
