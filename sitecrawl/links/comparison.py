"""Chooses the stored pages of a site that a page is compared with.

Sources: Web-ConEx (S1), section 2.1: the n-SET, by hyperlink and DOM distance, and random pages in its place (Table 2);
TemEx: pages that all link to each other. A link to a page that is not stored is skipped, and the next one takes its
place. If a page has too few links, other pages fill the set in the order in which they were fetched. Methods that learn
from a set of pages of the site get random ones (`site_sample`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Final, Literal, Self, TypeAlias, get_args

from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.links.anchors import Anchor
from sitecrawl.links.selection import Order, ranking
from sitecrawl.links.subdigraph import complete_subdigraph

Selection: TypeAlias = Literal["n-set", "subdigraph", "random"]
"""`n-set`: the first links in the order of selection; `subdigraph`: the first of them that all link to each other;
`random`: any pages of the site, the same ones in each run."""
SELECTIONS: Final[tuple[Selection, ...]] = get_args(Selection)
LOADED: Final = 50
"""Maximum links in which a complete subdigraph is searched [OWN]."""


def read_selection(name: str, method: str) -> Selection:
    """Return the selection with a name, which is an option of `method`. Raises ConfigError for an unknown name."""
    for known in SELECTIONS:
        if name == known:
            return known
    raise ConfigError(f"{method}: selection is {name!r}; give {', '.join(SELECTIONS)}")


@dataclass(frozen=True, slots=True, eq=False)
class StoredKeys:
    """The keys of the stored pages of a site."""

    fetched: Sequence[int]
    """In the order in which they were fetched, each once."""
    known: AbstractSet[int]

    @classmethod
    def of(cls, fetched: Sequence[int]) -> Self:
        """Return the keys of pages in the order of fetching."""
        return cls(fetched, frozenset(fetched))


def site_sample(stored: Collection[int]) -> list[int]:
    """Return the keys of stored pages in sampling order: the first n are a random sample of the site.

    A `url_key` is a hash, so the lowest keys are random pages. They are the same in each crawl, and most of them stay
    when the site grows. The first pages that a crawl fetches are no random sample: many of them are lists.
    """
    return sorted(stored)


def linked_pages(page: Page, anchors: Sequence[Anchor], stored: StoredKeys, order: Order = "seed") -> Iterator[int]:
    """Yield the keys of the stored pages that a page links to, in the order of selection."""
    return (one.anchor.url_key for one in ranking(page, anchors, order) if one.anchor.url_key in stored.known)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The choice of the stored pages that one page is compared with."""

    page: Page
    key: int
    """The `url_key` of the page."""
    anchors: Sequence[Anchor]
    stored: StoredKeys
    size: int
    """Number of pages that the method reads."""
    selection: Selection = "n-set"
    order: Order = "seed"

    @property
    def needed_links(self) -> list[int]:
        """Keys of the linked pages whose own links `keys` needs; empty unless the selection is a subdigraph."""
        return list(islice(self._linked(), LOADED + 1)) if self.selection == "subdigraph" else []

    def keys(self, links: Mapping[int, Collection[int]]) -> Iterator[int]:
        """Yield the keys of stored pages in the order of comparison; `links` are those of `needed_links`, by key."""
        return comparison_order(
            self._linked(), self.key, self.stored, size=self.size, selection=self.selection, links=links
        )

    def _linked(self) -> Iterator[int]:
        return linked_pages(self.page, self.anchors, self.stored, self.order)


def comparison_order(
    linked: Iterable[int],
    own: int,
    stored: StoredKeys,
    *,
    size: int,
    selection: Selection = "n-set",
    links: Mapping[int, Collection[int]] | None = None,
) -> Iterator[int]:
    """Yield the keys of stored pages in the order in which a page is compared with them, each once.

    `linked` are the pages that it links to (`linked_pages`), and `own` is its key. With the selection `subdigraph`, the
    `size` pages of the subdigraph come first; `links` has the links of the first LOADED linked pages, by key. With
    `random`, four times `size` pages are yielded.
    """
    if selection == "random":
        drawn = Random(own).sample(stored.fetched, min(4 * size + 1, len(stored.fetched)))  # noqa: S311  (no secret)
        yield from (key for key in drawn if key != own)
        return
    first = list(islice((key for key in linked if key != own), LOADED)) if selection == "subdigraph" else []
    members = complete_subdigraph({key: (links or {}).get(key, ()) for key in first}, size)
    given = {own}
    for keys in (members, first, linked, stored.fetched):
        for key in keys:
            if key not in given:
                given.add(key)
                yield key
