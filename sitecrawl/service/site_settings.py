"""The method and options of each host, read from the TOML file of `serve --sites`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError, ExtractorError
from sitecrawl.extractors.base import Extractor, extractor_class, get_extractor
from sitecrawl.links.urls import without_www
from sitecrawl.overrides.folders import hosts_above

KEYS: Final = ("method", "options")
"""The keys of a host's table, and of the top level of the file."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A method and its options."""

    method: str
    options: Mapping[str, object] = field(default_factory=dict, hash=False)

    def changed(self, method: str | None, options: Mapping[str, object]) -> "Choice":
        """Return this choice with the changes of a request. If the method changes, the old options do not apply.

        Raises ConfigError for an option that names a file on this machine.
        """
        name = method or self.method
        kept = self.options if name == self.method else {}
        files = sorted(set(options) & set(getattr(extractor_class(name), "file_options", ())))
        if files:
            raise ConfigError(f"o={files[0]}: names a file of the server; give the settings one by one")
        return Choice(name, {**kept, **options})

    def extractor(self) -> Extractor:
        """Return a method that is ready for use. Raises ConfigError, ExtractorError."""
        return get_extractor(self.method, **self.options)


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """The choices for all hosts."""

    default: Choice
    hosts: Mapping[str, Choice] = field(default_factory=dict, hash=False)
    """Choices by host without `www.`."""

    def choice(self, url: str) -> Choice:
        """Return the choice for a page: that of its host, else of the nearest parent domain, else the default."""
        return next((self.hosts[host] for host in hosts_above(url) if host in self.hosts), self.default)


def read_site_settings(name: str | None, config: Config) -> SiteSettings:
    """Return the settings in a file; without one, the configured method for all hosts.

    Raises ConfigError naming the file, the host and the key.
    """
    default = Choice(config.extractor, config.extractor_options or {})
    if name is None:
        return SiteSettings(default)
    try:
        values = tomllib.loads(Path(name).read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror}; correct the path") from error
    except ValueError as error:  # invalid UTF-8 or TOML
        raise ConfigError(f"{name}: not TOML: {error}; correct it") from error
    default = _choice({key: values[key] for key in KEYS if key in values}, default, name)
    tables = {_host(host, name): table for host, table in values.items() if host not in KEYS}
    return SiteSettings(default, {host: _choice(table, default, f"{name}: {host}") for host, table in tables.items()})


def _host(text: str, where: str) -> str:
    """Return a host of the file without `www.`. Raises ConfigError for a URL or a host with a port."""
    host = without_www(text.lower())
    if host not in hosts_above(f"https://{host}/"):
        raise ConfigError(f"{where}: {text!r} is not a host; write it without scheme, port and path: example.org")
    return host


def _choice(values: Any, default: Choice, where: str) -> Choice:
    """Return the choice in a table; its method is built once as a check. Raises ConfigError naming the table."""
    if not isinstance(values, dict) or not set(values) <= set(KEYS):
        raise ConfigError(f"{where}: takes {' and '.join(KEYS)}")
    method, options = values.get("method", default.method), values.get("options", {})
    if not isinstance(method, str) or not isinstance(options, dict):
        raise ConfigError(f"{where}: method is a name, and options a table")
    kept = default.options if method == default.method else {}
    choice = Choice(method, {**kept, **options})
    try:
        choice.extractor()
    except (ConfigError, ExtractorError) as error:
        raise ConfigError(f"{where}: {error}") from error
    return choice
