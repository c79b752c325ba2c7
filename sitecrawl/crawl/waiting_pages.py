"""The pages of a crawl that are not extracted yet."""

from collections import deque
from dataclasses import dataclass, field


@dataclass(slots=True)
class WaitingPages:
    """The pages of a crawl that are not extracted yet, by `url_key`."""

    pages: deque[int] = field(default_factory=deque)
    """Pages whose template is not ready, in the order in which they are extracted."""
    aliases: deque[int] = field(default_factory=deque)
    """Pages that name another as their canonical one."""
    again: set[int] = field(default_factory=set)
    """Those of `pages` that are extracted again, since their layout has decided anew."""
    recalled: list[int] = field(default_factory=list)
    """Stored pages without a layout, which may find one in this crawl."""
    unread: set[int] = field(default_factory=set)
    """Those of `recalled` that this crawl found unchanged without reading them."""
    unextracted: list[int] = field(default_factory=list)
    """Pages whose content could not be stored in two attempts; they are left to the next run."""
