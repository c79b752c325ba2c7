"""Options of methods as they are typed: `size=8`, `equality=tag+children`, `ignored_tags=["form"]`."""

import json
from collections.abc import Iterable

from sitecrawl.errors import ConfigError


def option_value(text: str) -> object:
    """Return the value of an option: JSON, Python's `True`, `False` and `None`, or else the text itself."""
    known: dict[str, object] = {"True": True, "False": False, "None": None}
    if text in known:
        return known[text]
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return value


def read_options(given: Iterable[str]) -> dict[str, object]:
    """Return the options `OPTION=VALUE` by name. Raises ConfigError for another form."""
    found: dict[str, object] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not (name and equals):
            raise ConfigError(f"-o {one!r} cannot be used; give OPTION=VALUE: -o size=2")
        found[name] = option_value(value)
    return found
