"""Parses and checks the options of methods: `size=8`, `equality=tag+children`, `ignored_tags=["form"]`."""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from types import UnionType
from typing import Final, Literal, Union, get_args, get_origin, get_type_hints

from sitecrawl.errors import ConfigError, ExtractorError

LARGEST: Final = 2**62
"""Maximum absolute value of an integer option."""


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
    """Return options given as `OPTION=VALUE`, by name. Raises ConfigError for any other form."""
    found: dict[str, object] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not (name and equals):
            raise ConfigError(f"-o {one!r} cannot be used; give OPTION=VALUE: -o size=2")
        found[name] = option_value(value)
    return found


def check_options(name: str, cls: Callable[..., object], options: Mapping[str, object]) -> None:
    """Raise ExtractorError for options that a method does not take, ConfigError for values of another type.

    The types are those of the constructor's annotations. A method that takes any option by `**` checks its options
    itself, except for NaN and infinite numbers.
    """
    parameters = inspect.signature(cls).parameters.values()
    known = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    unknown = sorted(set(options) - set(known))
    if unknown and not any(p.kind == p.VAR_KEYWORD for p in parameters):
        taken = f"takes {', '.join(known)}" if known else "takes none"
        raise ExtractorError(f"the extraction method {name!r} has no option {', '.join(unknown)}; it {taken}")
    types = _types(cls)
    for option, value in options.items():
        wanted = types.get(option, object) if option in known else object
        if not _fits(value, wanted):
            raise ConfigError(f"{name}: {option} is {value!r:.60}; give {_named(wanted)}")


def _types(cls: Callable[..., object]) -> dict[str, object]:
    """Return the types of a constructor's parameters; none if an annotation uses names imported for type checking."""
    try:
        return dict(get_type_hints(cls.__init__))
    except NameError:
        return {}


def _fits(value: object, wanted: object) -> bool:
    """Return whether a value has a type. An integer counts as a float; a boolean does not count as a number."""
    if isinstance(value, int) and abs(value) > LARGEST:
        return False
    if value != value:
        return False
    origin = get_origin(wanted)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in get_args(wanted))
    if origin is Literal:
        return value in get_args(wanted)
    kind = origin or wanted
    if not isinstance(kind, type):
        return True
    if kind in (int, float):
        return isinstance(value, (int, float) if kind is float else int) and not isinstance(value, bool)
    return isinstance(value, kind)


def _named(wanted: object) -> str:
    """Return a type as text for messages."""
    if get_origin(wanted) in (Union, UnionType):
        return " or ".join(_named(one) for one in get_args(wanted))
    if get_origin(wanted) is Literal:
        return " or ".join(map(str, get_args(wanted)))
    words = {int: "a whole number", float: "a number", bool: "True or False", str: "a text", type(None): "None"}
    return words.get(wanted, "another value") if isinstance(wanted, type) else "another value"
