"""The typed, validated `SITECRAWL_*` settings; no other module reads them.

`SETTINGS` is the only list of settings, with default, bounds and meaning; `docs/settings.md` is checked against it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.errors import ConfigError
from sitecrawl.page_kind import Kind

if TYPE_CHECKING:
    from sitecrawl.links.selection import Order

PREFIX: Final = "SITECRAWL_"


@dataclass(frozen=True, slots=True)
class Config:
    """Every sitecrawl setting. Field names are the setting names in lower case, without the prefix."""

    database_url: str = "sqlite:///sitecrawl.db"
    database_batch: int = 50
    lease_seconds: int = 120
    store_bodies: bool = True
    body_store: str = field(default="", repr=False)

    site_scope: str = "host"
    max_pages: int = 0
    max_nodes: int = 100_000
    sample_pages: int = 4
    selection_order: "Order" = "seed"
    frontier_window: int = 2_000
    depth_step: int = 20
    sitemaps: bool = True
    feeds: bool = True
    lastmod: bool = True

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    path_scope: bool = False
    sitemap_only: bool = False
    urls: str = ""
    cookies: Mapping[str, Any] | None = field(default=None, repr=False)
    headers: Mapping[str, Any] | None = field(default=None, repr=False)
    login: Mapping[str, Any] | None = field(default=None, repr=False)
    proxy: str = field(default="", repr=False)
    secrets: str = ""

    max_path_segments: int = 20
    max_segment_repeats: int = 2
    max_query_parameters: int = 8
    max_query_variants: int = 200
    max_folder_variants: int = 1_000
    max_query_pages: int = 20_000
    trap_pages: int = 50
    trap_keep: int = 2_592_000

    template_min_pages: int = 128
    template_window: int = 32
    template_min_share: float = 0.02
    template_max_nodes: int = 5000
    template_stable_novelty: float = 0.01
    template_sample_every: int = 20
    template_drift: float = 0.5
    second_fetches: int = 6
    template_blocks: bool = True

    extractor: str = "combined"
    extractor_options: Mapping[str, Any] | None = None
    overrides: tuple[str, ...] = ()
    content_html: bool = False
    content_markdown: bool = False
    content_min_chars: int = 25
    emit_unchanged: bool = False
    row_differences: bool = False

    index_sinks: Mapping[str, Any] | None = None
    index_batch: int = 500
    index_kinds: tuple[str, ...] = (str(Kind.CONTENT),)
    index_poll: float = 5.0
    index_attempts: int = 8
    full_fetch_every: int = 10
    deletions_share: float = 0.2
    deletions_free: int = 3
    recrawl_policy: str = "poisson"
    recrawl_min_interval: int = 3_600
    recrawl_max_interval: int = 1_209_600
    recrawl_initial_interval: int = 86_400
    recrawl_error_interval: int = 7_200
    recrawl_worth: int = 21_600
    recrawl_batch: int = 20
    recrawl_late: float = 0.05

    allowed_addresses: tuple[str, ...] = ()
    max_crawl_delay: float = 30.0
    robots_keep: int = 2_592_000
    max_retry_after: float = 120.0
    outage_failures: int = 10
    outage_patience: float = 600.0
    addon: str = "site"
    item_fields: Mapping[str, Any] | None = None
    item_html: str = "response"
    item_url: str = "url"
    address_politeness: bool = True
    loopback_politeness: bool = False
    worker_recycle: int = 1_000
    worker_memory: int = 2_048
    worker_turn: float = 3_600.0
    crawl_log: str = "text"
    extension: str = "auto"
    progress: str = "auto"

    @classmethod
    def from_mapping(cls, settings: Mapping[str, Any]) -> "Config":
        """Return the checked settings. `settings` may be Scrapy's settings or a dict.

        Raises ConfigError naming the setting, its value and the accepted values.
        """
        values: dict[str, Any] = {}
        known = {PREFIX + one.name.upper(): one for one in fields(cls)}
        for name in settings:
            if str(name).startswith(PREFIX) and name not in known:
                raise ConfigError(f"{name}: unknown setting; see docs/settings.md")
        for name, one in known.items():
            raw = settings.get(name)
            if raw is not None:
                values[one.name] = _convert(name, raw, one.default)
        config = cls(**values)
        _check(config)
        return config

    def replaced(self, values: Mapping[str, Any]) -> "Config":
        """Return these settings with some values replaced, by field name; texts are read as on the command line.

        Raises ConfigError naming the field.
        """
        defaults = {one.name: one.default for one in fields(self)}
        unknown = [name for name in values if name not in defaults]
        if unknown:
            raise ConfigError(f"{unknown[0]}: unknown option")
        config = replace(self, **{name: _convert(name, raw, defaults[name]) for name, raw in values.items()})
        _check(config)
        return config


CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "site_scope": ("host", "domain"),
    "selection_order": ("seed", "hybex"),
    "addon": ("site", "all"),
    "extension": ("auto", "off"),
    "recrawl_policy": ("fixed", "adaptive", "poisson"),
    "progress": ("auto", "on", "off"),
    "crawl_log": ("text", "json", "off"),
}

BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "database_batch": (1, 10_000),
    "lease_seconds": (10, 86_400),
    "max_pages": (0, 10**9),
    "max_nodes": (100, 10**7),
    "sample_pages": (0, 8),
    "frontier_window": (1, 100_000),
    "depth_step": (0, 600),
    "max_path_segments": (1, 1000),
    "max_segment_repeats": (1, 1000),
    "max_query_parameters": (0, 1000),
    "max_query_variants": (1, 10**6),
    "max_folder_variants": (1, 10**6),
    "max_query_pages": (1, 10**7),
    "trap_keep": (0, 31_622_400),
    "trap_pages": (0, 10**6),
    "template_min_pages": (1, 100_000),
    "template_window": (1, 10_000),
    "template_min_share": (0.0, 1.0),
    "template_max_nodes": (10, 10**6),
    "template_stable_novelty": (0.0, 1.0),
    "template_sample_every": (1, 10_000),
    "template_drift": (0.0, 1.0),
    "second_fetches": (0, 100),
    "content_min_chars": (0, 100_000),
    "index_batch": (1, 10_000),
    "index_poll": (0.1, 86_400.0),
    "index_attempts": (1, 1000),
    "full_fetch_every": (0, 1000),
    "deletions_share": (0.0, 1.0),
    "deletions_free": (0, 10**9),
    "recrawl_min_interval": (1, 31_622_400),
    "recrawl_max_interval": (1, 31_622_400),
    "recrawl_initial_interval": (1, 31_622_400),
    "recrawl_error_interval": (1, 31_622_400),
    "recrawl_worth": (1, 31_622_400),
    "recrawl_batch": (1, 10_000),
    "recrawl_late": (0.0, 1.0),
    "max_crawl_delay": (0.0, 86_400.0),
    "robots_keep": (0, 31_622_400),
    "max_retry_after": (0.0, 86_400.0),
    "outage_failures": (0, 10_000),
    "outage_patience": (0.0, 86_400.0),
    "worker_recycle": (0, 10**9),
    "worker_memory": (0, 10**7),
    "worker_turn": (1.0, 31_622_400.0),
}
"""Minimum and maximum value of each number."""

SECRET: Final = frozenset(("cookies", "headers", "login", "proxy"))
"""Settings whose values must not appear in messages."""
PATTERNS: Final = frozenset(("include", "exclude"))
"""Lists that are separated by white space, which URLs do not contain, since a regular expression may contain commas."""

_TRUE: Final = frozenset(("1", "true", "yes", "on"))
_FALSE: Final = frozenset(("0", "false", "no", "off"))


def _convert(name: str, raw: Any, default: Any) -> Any:
    """Return `raw`, a Python value or a text from the command line, converted to the type of the default."""
    field_name = name.removeprefix(PREFIX).lower()
    try:
        if isinstance(default, bool):
            return _boolean(raw)
        if isinstance(default, int):
            return int(str(raw).strip())
        if isinstance(default, float):
            return float(raw)
        if isinstance(default, tuple):
            separator = None if field_name in PATTERNS else ","
            parts = raw.split(separator) if isinstance(raw, str) else raw
            return tuple(part.strip() for part in parts if part.strip())
        if isinstance(default, str):
            return str(raw).strip()
        options = json.loads(raw) if isinstance(raw, str) else dict(raw)
        if not isinstance(options, dict):
            raise TypeError("not an object")
    except (AttributeError, TypeError, ValueError) as error:
        if field_name in SECRET:
            raise ConfigError(f"{name} cannot be used: {_expected(default)}") from None
        raise ConfigError(f"{name}={raw!r} cannot be used: {_expected(default)}") from error
    return options


def _boolean(raw: Any) -> bool:
    text = str(raw).strip().lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise ValueError(raw)


def _expected(default: Any) -> str:
    if isinstance(default, bool):
        return "it takes True or False"
    if isinstance(default, int):
        return "it takes a whole number"
    if isinstance(default, float):
        return "it takes a number"
    return "it takes a JSON object or a dict" if default is None else "it takes a list or comma-separated text"


def _check(config: Config) -> None:
    for name, choices in CHOICES.items():
        value = getattr(config, name)
        if value not in choices:
            raise ConfigError(f"{PREFIX}{name.upper()}={value!r} cannot be used: one of {', '.join(choices)}")
    for name, (least, most) in BOUNDS.items():
        value = getattr(config, name)
        if not least <= value <= most:
            raise ConfigError(f"{PREFIX}{name.upper()}={value!r} cannot be used: from {least:g} to {most:g}")
    kinds = (str(Kind.CONTENT), str(Kind.LISTING))
    if not config.index_kinds or not set(config.index_kinds) <= set(kinds):  # pages of other kinds are deleted
        raise ConfigError(
            f"{PREFIX}INDEX_KINDS={','.join(config.index_kinds)!r} cannot be used: one or both of {', '.join(kinds)}"
        )
    if config.recrawl_min_interval > config.recrawl_max_interval:
        raise ConfigError(
            f"{PREFIX}RECRAWL_MIN_INTERVAL={config.recrawl_min_interval} cannot be used: it is longer than"
            f" {PREFIX}RECRAWL_MAX_INTERVAL={config.recrawl_max_interval}"
        )
    if not config.database_url:
        raise ConfigError(f"{PREFIX}DATABASE_URL is empty; for instance sqlite:///sitecrawl.db")
