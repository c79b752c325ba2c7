"""Text of strangers made safe to show: what would steer a terminal, or reorder a line, is written as its code."""

import re
from typing import Final

_STEERING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls but newline and tab, line separators, bidirectional embeddings, overrides and isolates, lone surrogates.
Marks of direction (U+200E, U+200F, U+061C) order their neighbours only, and Hebrew and Arabic texts have them."""


def visible(text: str) -> str:
    """Return a text with each character that steers a terminal replaced by its code, such as `\\x1b` or `\\u202e`."""
    return text if text.isprintable() else _STEERING.sub(_code, text)


def _code(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
