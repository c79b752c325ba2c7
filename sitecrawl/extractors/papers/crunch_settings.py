"""Settings of the Crunch filters: a value with a default for each, and a TOML file that holds some of them."""

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
"""Domains that serve nothing but advertisements: the best known ones; the paper's list is not published."""

OUTPUTS: Final = ("html", "text")
LEAST: Final = {"word_length": 1}
"""Least values of numbers that may not be 0."""


@dataclass(frozen=True, slots=True)
class CrunchSettings:
    """One switch or number a filter."""

    ignored_tags: frozenset[str] = frozenset(("form", "button", "select", "textarea", "input", "img", "map"))
    """Elements that are removed with all that is in them (section 3; scripts, styles and frames are no nodes here)."""
    ignored_attributes: frozenset[str] = frozenset()
    """Elements with such an attribute are removed."""
    advertisements: bool = True
    """Remove what loads from, or links to, an advertiser."""
    advertisers: frozenset[str] = ADVERTISERS
    """Their hosts; a parent domain stands for all hosts below it."""
    more_advertisers: frozenset[str] = frozenset()
    """Hosts beside those of `advertisers`."""
    link_lists: bool = True
    """Remove cells that are mostly links."""
    cells: frozenset[str] = frozenset(("td", "th", "div", "ul", "ol", "nav", "section"))
    """What counts as a cell: td and th in the paper; pages of today use the others [OWN]."""
    link_ratio: float = 0.25
    """Links for each word outside links above which a cell goes; no default in the paper [OWN]."""
    word_length: int = 5
    """Letters of an average word, 1 at least (section 3)."""
    empty_tables: bool = True
    """Remove tables that hold nothing of substance when all else was filtered."""
    substantive_tags: frozenset[str] = frozenset(("img", "input", "object", "video"))
    """Elements that give a table substance [OWN]."""
    table_chars: int = 20
    """Characters that do [OWN]."""
    retain_links: bool = True
    """List removed text links at the end of the filtered page."""
    output: str = "html"
    """Form of the filtered page: html or text."""


def read_settings(file: str, switches: Mapping[str, object]) -> CrunchSettings:
    """Return the settings of a TOML file, "" for none, with those given by name over them.

    Raises ConfigError naming the file and the setting that is unknown or has a value of another kind.
    """
    found: dict[str, Any] = {}
    if file:
        try:
            found = tomllib.loads(Path(file).read_text(encoding="utf-8"))
        except (OSError, TypeError, ValueError) as error:  # ValueError: what is no UTF-8, or no TOML
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
