"""The kinds of pages: one enum from extraction to the feed."""

from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """The kind of a page, as far as a method can tell. Stored, and written to feeds, as its value."""

    CONTENT = "content"
    """It has main content."""
    LISTING = "listing"
    """It lists other pages."""
    NONE = "none"
    """It has no main content."""


KINDS_WITH_TEXT: Final = (Kind.CONTENT, Kind.LISTING)
"""Only pages of these kinds can be found by a search."""
