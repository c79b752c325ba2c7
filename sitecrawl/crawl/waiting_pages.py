"""The pages of a crawl that are not extracted yet."""

from collections import deque
from dataclasses import dataclass, field


@dataclass(slots=True)
class WaitingPages:
    """The pages of a crawl that are not extracted yet, by `url_key`."""

    pages: deque[int] = field(default_factory=deque)
    """Pages whose template is not ready, in the order in which they are extracted."""
    aliases: deque[int] = field(default_factory=deque)
    """Pages that declare another page as canonical; they are extracted last."""
    again: set[int] = field(default_factory=set)
    """The pages among `pages` that are extracted again, after a new decision of their layout."""
    recalled: list[int] = field(default_factory=list)
    """Stored pages without a layout, which may find one in this crawl."""
    unread: set[int] = field(default_factory=set)
    """Those of `recalled` that this crawl found unchanged without reading them."""
    unextracted: list[int] = field(default_factory=list)
    """Pages whose content could not be stored in two attempts; they are left to the next run."""
