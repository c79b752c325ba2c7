"""Extracts a page by an override; the method decides everything that the override leaves open."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import outermost, subtract
from sitecrawl.dom.flat import FlatDom, elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extraction, Extractor, Kind, SiteContext
from sitecrawl.overrides.comments import comment_nodes
from sitecrawl.overrides.rules import Comments, Rule, SiteKind
from sitecrawl.overrides.selectors import Selector

NAME: Final = "override"
SURE: Final = 1.0
"""Confidence of a person's choice: nothing was guessed."""
BY_OVERRIDE: Final = "an override says so"
"""Reason for the kind of a page if a person stated the kind."""
_KINDS: Final = {
    SiteKind.ARTICLE: Kind.CONTENT,
    SiteKind.FORUM: Kind.CONTENT,
    SiteKind.LISTING: Kind.LISTING,
    SiteKind.NONE: Kind.NONE,
}


class Outcome(StrEnum):
    """The effect of an override on a page."""

    CHOSEN = "chosen"
    """It chose the main content, or declared that there is none."""
    CORRECTED = "corrected"
    """It has no content selectors: it corrected the method's choice."""
    FALLBACK = "fallback"
    """Its content selectors matched nothing: it corrected the method's choice."""


class Mark(NamedTuple):
    """The override's verdict on a subtree; if two marks apply to a row, the later one counts."""

    node: int
    reason: str


class Use(NamedTuple):
    """A selector and the number of elements of the page that it selected."""

    key: str
    selector: str
    nodes: int


@dataclass(frozen=True, slots=True)
class Overridden:
    """An extraction, with the effect of the override on it."""

    extraction: Extraction
    outcome: Outcome | None = None
    """None if there is no override."""
    marks: tuple[Mark, ...] = ()
    uses: tuple[Use, ...] = ()
    """Every selector that was tried."""


def extract(page: Page, method: Extractor, site: SiteContext | None, rule: Rule | None) -> Overridden:
    """Extract a page with a method and, if there is one, the rule of an override.

    The result depends only on the arguments. The choice of content selectors has confidence 1; the method's choice
    keeps its own confidence.
    """
    if rule is None:
        return Overridden(method.extract(page, site))
    return _Application(page, rule).run(method, site)


class _Application:
    """One rule applied to one page."""

    def __init__(self, page: Page, rule: Rule) -> None:
        self.page, self.rule, self.flat = page, rule, page.flat
        self.marks: list[Mark] = []
        self.uses: list[Use] = []
        self._elements = list(elements(page.root)) if rule.content or rule.include or rule.exclude else []
        """All elements, kept alive because lxml otherwise creates new objects for them."""
        rows = (i for i, tag in enumerate(self.flat.tag) if tag != TEXT)
        self._rows = dict(zip(self._elements, rows, strict=False))

    def run(self, method: Extractor, site: SiteContext | None) -> Overridden:
        rule, flat = self.rule, self.flat
        name = f"{NAME}:{rule.name}" if rule.name else NAME
        if rule.kind is SiteKind.NONE:
            self.marks.append(Mark(0, "kind: none"))
            return self._result(Extraction((), name, SURE, Kind.NONE), Outcome.CHOSEN)
        chosen = self._chosen()
        if chosen:
            before = Extraction(tuple(chosen), name, SURE, evidence={"selected": float(len(chosen))})
            outcome = Outcome.CHOSEN
        else:
            before = method.extract(self.page, site)
            outcome = Outcome.FALLBACK if rule.content else Outcome.CORRECTED
        listed = rule.kind if rule.kind is not None else SiteKind.ARTICLE if chosen else None
        nodes = before.nodes if before.kind is not Kind.NONE or listed is not None else ()
        added = self._selected("include", rule.include)
        kept, dropped = self._comments(chosen=bool(chosen))
        nodes = subtract(flat, [*nodes, *added, *kept], [*dropped, *self._selected("exclude", rule.exclude)])
        if not has_text(flat, nodes):
            nodes = ()
        kind = _KINDS[listed] if listed is not None else before.kind
        if not nodes and kind is not Kind.LISTING:
            kind = Kind.NONE
        if kind is Kind.NONE and nodes:  # nodes were added where the method found nothing
            kind = Kind.CONTENT
        why = BY_OVERRIDE if rule.kind is not None else before.why if kind is before.kind else ""
        after = replace(before, nodes=nodes, kind=kind, why=why)
        if outcome is not Outcome.CHOSEN and (rule.kind is not None or after != before):
            after = replace(after, method=f"{before.method}+{name}")
        return self._result(after, outcome)

    def _result(self, extraction: Extraction, outcome: Outcome) -> Overridden:
        title = None
        for selector in self.rule.title:
            title = selector.first_text(self.page.root)
            self.uses.append(Use("title", selector.text, int(title is not None)))
            if title:
                break
        published = None
        for selector in self.rule.published:
            published = selector.first_date(self.page.root)
            self.uses.append(Use("published", selector.text, int(published is not None)))
            if published:
                break
        extraction = replace(extraction, title=title, published=published)
        return Overridden(extraction, outcome, tuple(self.marks), tuple(self.uses))

    def _chosen(self) -> list[int]:
        """Return the nodes selected by the first content selector that selects any text; [] if there is none."""
        for selector in self.rule.content:
            nodes = self._nodes("content", selector)
            if has_text(self.flat, nodes):
                self.marks.append(Mark(0, "outside of content"))
                self.marks += [Mark(node, f"content: {selector.text}") for node in nodes]
                return nodes
        return []

    def _comments(self, *, chosen: bool) -> tuple[list[int], list[int]]:
        """Return the nodes of comments to add, and of those to leave out."""
        policy = self.rule.comments
        if policy is None and self.rule.kind is SiteKind.FORUM:
            policy = Comments.KEEP
        if policy is None or (chosen and policy is Comments.KEEP):  # the selectors decide
            return [], []
        nodes = comment_nodes(self.flat)
        self.marks += [Mark(node, f"comments: {policy}") for node in nodes]
        return (nodes, []) if policy is Comments.KEEP else ([], nodes)

    def _selected(self, key: str, selectors: Iterable[Selector]) -> list[int]:
        found: list[int] = []
        for selector in selectors:
            nodes = self._nodes(key, selector)
            self.marks += [Mark(node, f"{key}: {selector.text}") for node in nodes]
            found += nodes
        return found

    def _nodes(self, key: str, selector: Selector) -> list[int]:
        """Return the outermost rows that a selector selects; elements outside the flat page have no row."""
        found = selector.elements(self.page.root)
        self.uses.append(Use(key, selector.text, len(found)))
        return outermost(self.flat, (self._rows[one] for one in found if one in self._rows))


def has_text(flat: FlatDom, nodes: Iterable[int]) -> bool:
    """Return whether any of these subtrees contains text."""
    return any(flat.chars[node] for node in nodes)
