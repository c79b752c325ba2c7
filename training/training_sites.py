"""Defines the types of the training: sites, their pages, and what a crawl would know of a site."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.statistics import SiteStatistics
from sitecrawl.templates.trie import SiteTemplate

Booleans = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

RECORDED: Final = "sites"
"""Name of the collection of all recorded sites; other collections are page sets."""
KNOWN: Final = (0, 5, 30, 10_000)
"""Numbers of pages of a site that the template knows; 0 for no template."""
FACTS: Final = (
    "flat",
    "title",
    "properties",
    "password_forms",
    "field_labels",
    "stated_texts",
    "is_product",
    "is_collection",
)
"""The facts of a page that `combined` reads."""


class StoredPage(Page):
    """A page without its tree, which would take most of the memory and cannot be sent to another process.

    It has the facts of `FACTS`; any other fact raises EmptyPageError.
    """

    def __init__(self, page: Page) -> None:
        self.url = page.url
        self._root = None
        self._source = None
        for name in FACTS:
            self.__dict__[name] = getattr(page, name)


class Slots(NamedTuple):
    """The slots of the words and names of all blocks of a page."""

    slots: NDArray[np.int32]
    begins: Numbers
    """Index of the first slot of each block, and the number of all slots."""


class Examples(NamedTuple):
    """The blocks of a content page to learn from."""

    labels: Booleans
    """Whether each block is main content."""
    weights: Doubles
    """The weight of each block; long blocks weigh more."""
    slots: Slots
    columns: dict[int, Floats]
    """The features of the first pass by number of known pages: a row for each block."""


class Score(NamedTuple):
    """Word precision, recall and F1, each 0..1."""

    precision: float
    recall: float
    f1: float


class CrawlResult(NamedTuple):
    """What a crawl would find on a page."""

    kept: list[bool]
    """Whether each block is kept."""
    figures: list[float]
    """The features of the page (`PAGE_NAMES`)."""
    text_share: list[float]
    """Share of the other pages that repeat the text of each block."""
    has_template: bool
    """Whether other pages of the site are known."""
    score: Score | None
    """The score of the kept blocks; None for a page whose main content is unknown."""


@dataclass(slots=True, eq=False)
class TrainingPage:
    """A page that forests learn from and that is scored. The last three fields are filled in by the training."""

    number: int
    """Its number among the pages of the site."""
    page: StoredPage
    blocks: Blocks
    kind: str
    """`content` for a page with main content."""
    is_listing: bool | None
    """Whether it is a listing; None if unknown."""
    block_words: list[Counter[str]]
    """The words that each block shows."""
    gold_words: Counter[str]
    """The words of the main content."""
    examples: Examples | None
    """Its blocks to learn from; None without main content."""
    results: dict[int, CrawlResult] = field(default_factory=dict)
    """What a crawl would find, by number of known pages."""
    listing_chances: dict[int, float] = field(default_factory=dict)
    """The probability that it is a listing, by number of known pages."""
    good_chances: dict[int, float] = field(default_factory=dict)
    """The probability that the kept blocks are good, by number of known pages."""


class ContentPage(NamedTuple):
    """A page with main content, and its blocks to learn from."""

    page: TrainingPage
    examples: Examples


@dataclass(frozen=True, slots=True)
class KnownPages:
    """What a crawl would know of a site after some pages."""

    template: SiteTemplate
    statistics: SiteStatistics
    learned: frozenset[int]
    """Numbers of the pages that the template counts."""


@dataclass(slots=True, eq=False)
class Site:
    """A recorded site, or the pages of one site in a page set."""

    name: str
    collection: str
    """`RECORDED`, or the name of the page set."""
    pages: list[TrainingPage]
    """The pages that are learned from and scored."""
    known: dict[int, KnownPages | None]
    """What a crawl would know, by number of known pages; None for 0."""
    deciding: dict[int, list[StoredPage]]
    """The pages by which the layout decides, by number of known pages."""
    weight: float = 1.0
    """The weight of a recorded site."""
    generator: str = ""
    """The generator of a recorded site; empty if unknown."""
    is_new: bool | None = None
    """Whether a recorded site is new; None for page sets, and without `--new`."""
    is_learned: bool = True
    """Whether forests may learn from it."""

    @property
    def is_recorded(self) -> bool:
        """Whether it is a recorded site."""
        return self.collection == RECORDED

    @property
    def host(self) -> str:
        """The name without a suffix after `@`."""
        return self.name.partition("@")[0]

    @property
    def content(self) -> list[ContentPage]:
        """The pages whose main content is known."""
        return [ContentPage(page, page.examples) for page in self.pages if page.examples is not None]
