"""Checks the types of arguments at the entry to the API, since a wrong type would fail somewhere inside."""

from types import NoneType

from sitecrawl.errors import InputError


def check(name: str, given: object, *kinds: type) -> None:
    """Raise InputError for an argument of another type, and for a text that cannot be encoded."""
    if not isinstance(given, kinds):
        wanted = " or ".join("None" if kind is NoneType else kind.__name__ for kind in kinds)
        raise InputError(f"{name} is {type(given).__name__}; give {wanted}")
    try:
        _ = given.encode() if isinstance(given, str) else b""
    except UnicodeEncodeError:
        raise InputError(f"{name} is not Unicode text: {given!r:.60}; give one that UTF-8 can encode") from None
