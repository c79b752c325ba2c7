"""Checks that the packages of an extra are installed, before a command imports them."""

from importlib.util import find_spec

from sitecrawl.errors import ConfigError


def need_extra(extra: str, *modules: str) -> None:
    """Raise ConfigError if one of these modules, which an extra of sitecrawl installs, is missing."""
    missing = [name.replace("_", "-") for name in modules if find_spec(name) is None]
    if missing:
        raise ConfigError(f"{', '.join(missing)}: not installed; run: pip install 'sitecrawl[{extra}]'")
