"""The interface of all extraction methods, and the registry that finds a method by its name.

A built-in method is a class decorated with `register` in a module listed in `_MODULES`, which is imported on first use.
Another package adds a method by an entry point of the group `sitecrawl.extractors`: the name of the entry point is that
of the method, and its value is the class.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeVar, runtime_checkable

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.errors import ExtractorError, UnknownExtractorError
from sitecrawl.extractors.options import check_options
from sitecrawl.links.comparison import Selection
from sitecrawl.page_kind import Kind as Kind  # noqa: PLC0414  (part of the interface of methods)

if TYPE_CHECKING:
    from sitecrawl.templates.blocks import BlockStore
    from sitecrawl.templates.decision import LayoutDecision, PageEvidence
    from sitecrawl.templates.trie import SiteTemplate
    from sitecrawl.templates.volatile import VolatileBlocks

ENTRY_POINT_GROUP: Final = "sitecrawl.extractors"
ALONE: Final = "alone"
"""Key in `Extraction.evidence`, with the value 1, of a page that does not follow the decision of its layout."""


class Need(Enum):
    """The site data that a method reads besides the page itself."""

    TEMPLATE = "template"
    BLOCKS = "blocks"
    NEIGHBOURS = "neighbours"


@dataclass(frozen=True, slots=True)
class Extraction:
    """The result of a method on one page."""

    nodes: tuple[int, ...]
    """Rows of disjoint subtrees (or text nodes) in document order; () if there is no main content."""
    method: str
    confidence: float
    """Confidence, 0..1."""
    kind: Kind = Kind.CONTENT
    evidence: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Numbers that explain the choice, by name; each method has its own names."""
    title: str | None = None
    """The title, if the method found a better one than the page's `title` element; else None."""
    published: str | None = None
    """The date of publication as written on the page, if an override selects it; else None."""
    why: str = ""
    """The reason for the kind of the page, as text for users; "" if the method gives none."""


@dataclass(frozen=True, slots=True, eq=False)
class SiteContext:
    """The data about a page's site and layout that methods may use."""

    template: "SiteTemplate | None" = None
    """A published snapshot of the template."""
    blocks: "BlockStore | None" = None
    """The traversal paths and atomic blocks published with the template."""
    neighbours: Sequence[FlatDom] = ()
    """The pages of the page's n-SET, in order of selection."""
    learned: bool = False
    """Whether the template counts this page itself."""
    decision: "LayoutDecision | None" = None
    """The decision of the page's layout."""
    volatile: "VolatileBlocks | None" = None
    """The volatile places of the page's layout, and the texts that its own second fetch did not have."""


class Extractor(Protocol):
    """An extraction method. Its constructor takes only keyword options, each with a default.

    A method that reads neighbours may also have `set_size`, the size of the n-SET that it needs if that is larger than
    the setting, and `selection`, the way in which the n-SET is chosen (`links.comparison`). Or it may have
    `sample_size`: its neighbours are then not the n-SET of each page but this number of random pages, the same for the
    whole site, since some papers ask for "a small set".
    """

    name: ClassVar[str]

    @property
    def needs(self) -> frozenset[Need]:
        """Data that the method requires; if it is missing, `extract` returns `no_content`.

        A class attribute, unless it depends on an option.
        """
        ...

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Choose the main content; the result depends only on the page and the context."""
        ...


def set_size(extractor: Extractor, size: int) -> int:
    """Return the size of an n-SET: `size`, or the number of pages that the method reads if that is larger."""
    return max(size, getattr(extractor, "set_size", 0))


def page_selection(extractor: Extractor) -> Selection:
    """Return the way in which a method's n-SET is chosen."""
    return getattr(extractor, "selection", "n-set")


@runtime_checkable
class Deciding(Protocol):
    """A method with layout decisions: it returns the evidence of a page, and applies `SiteContext.decision`."""

    def evidence(self, page: Page, site: SiteContext) -> "PageEvidence | None":
        """Return the evidence of a page for its layout; None for a page without text."""
        ...


@runtime_checkable
class Editing(Protocol):
    """A method that edits a page rather than choosing nodes."""

    def filtered(self, page: Page, output: str | None = None) -> str:
        """Return the edited page; `output` is `html` or `text`, by default that of the method's options."""
        ...


def no_content(method: str) -> Extraction:
    """Return the extraction of a method that found nothing, or lacks data that it needs."""
    return Extraction((), method, 0.0, Kind.NONE)


_MODULES: Final[Mapping[str, str]] = {
    "combined": "sitecrawl.extractors.combined.method",
    "everything": "sitecrawl.extractors.everything",
    "cnr": "sitecrawl.extractors.papers.cnr",
    "words-leafs": "sitecrawl.extractors.papers.words_leafs",
    "cetr": "sitecrawl.extractors.papers.cetr",
    "ccb": "sitecrawl.extractors.papers.ccb",
    "accb": "sitecrawl.extractors.papers.ccb",
    "crunch": "sitecrawl.extractors.papers.crunch",
    "density": "sitecrawl.extractors.papers.density",
    "webconex": "sitecrawl.extractors.papers.webconex",
    "sst": "sitecrawl.extractors.papers.sst",
    "fastce": "sitecrawl.extractors.papers.fastce",
    "temex": "sitecrawl.extractors.papers.temex",
    "rtdm-td": "sitecrawl.extractors.papers.rtdm_td",
    "rbm-td": "sitecrawl.extractors.papers.rbm_td",
    "iwptd": "sitecrawl.extractors.papers.iwptd",
    "contentextractor": "sitecrawl.extractors.papers.contentextractor",
}
_CLASSES: Final[dict[str, type[Extractor]]] = {}
_Class = TypeVar("_Class", bound=type[Extractor])


def register(cls: _Class) -> _Class:
    """Register a method under its `name`, as a decorator. Raises ExtractorError if the name is taken."""
    known = _CLASSES.get(cls.name)
    if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ExtractorError(f"two extraction methods are named {cls.name!r}: {known} and {cls}; rename one")
    _CLASSES[cls.name] = cls
    return cls


@cache
def _entry_points() -> Mapping[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


def extractor_names(need: Need | None = None) -> list[str]:
    """Return the names of all methods, sorted; with `need`, only methods that need it (this imports all of them)."""
    names = sorted({*_CLASSES, *_MODULES, *_entry_points()})
    return names if need is None else [name for name in names if need in get_extractor(name).needs]


def extractor_class(name: str) -> type[Extractor]:
    """Return the class of a method.

    Raises UnknownExtractorError, or ExtractorError if its module cannot be imported.
    """
    if name not in _CLASSES:
        try:
            if name in _MODULES:
                import_module(_MODULES[name])
            elif name in _entry_points():
                register(_entry_points()[name].load())
        except (ImportError, AttributeError) as error:
            raise ExtractorError(f"the extraction method {name!r} cannot be imported: {error}") from error
    if name not in _CLASSES:
        raise UnknownExtractorError(f"unknown extraction method {name!r}; known: {', '.join(extractor_names())}")
    return _CLASSES[name]


def get_extractor(name: str, **options: object) -> Extractor:
    """Return a method that is ready for use.

    Raises UnknownExtractorError, ExtractorError naming the options that the method does not take, or ConfigError for a
    value of another type.
    """
    cls = extractor_class(name)
    check_options(name, cls, options)
    return cls(**options)
