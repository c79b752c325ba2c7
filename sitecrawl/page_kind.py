"""The kinds of pages: one enum from extraction to the feed."""

from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """The kind of a page according to a method. Its value is stored and written to feeds."""

    CONTENT = "content"
    """It has main content."""
    LISTING = "listing"
    """It lists other pages."""
    NONE = "none"
    """It has no main content."""


KINDS_WITH_TEXT: Final = (Kind.CONTENT, Kind.LISTING)
"""Kinds of pages that a search can find."""
