"""Makes untrusted text safe to show: characters that control a terminal or reorder a line are shown as codes."""

import re
from typing import Final

_STEERING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Matches control characters other than newline and tab, line separators, bidirectional embeddings, overrides and
isolates, and lone surrogates. Direction marks (U+200E, U+200F, U+061C) are allowed: they reorder only their neighbours,
and Hebrew and Arabic use them."""


def visible(text: str) -> str:
    """Return a text with each such character replaced by its code, such as `\x1b` or `\u202e`."""
    return text if text.isprintable() else _STEERING.sub(_code, text)


def _code(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
