"""What a template learned, as values: the one form in which counts travel between memory and SQL.

Changes are deltas: merging a template's changes one after the other, in any order, gives its counts. A stored template
is loaded as one change, merged into an empty template.
"""

from dataclasses import dataclass
from typing import NamedTuple

from sitecrawl.templates.decision import LayoutDecision


class NodeChange(NamedTuple):
    """Counts to add to one trie node; `parent`, `depth`, `label` say which node it is."""

    key: int
    """Path key, 63 bits."""
    parent: int
    """Path key of the parent, 0 for the root."""
    depth: int
    label: str
    """Readable: `div.menu`, or the beginning of a text in quotes: `"Home"`."""
    pages: int
    """Pages that hold the node (SET occurrences)."""
    nodes: int
    """Nodes with this key on all pages."""
    variants: int
    """Distinct children ever seen, pruned ones included."""
    chars: int
    """Characters below, over all nodes with this key."""
    link_chars: int
    last_page: int
    """Number of the last page (from 1) that held it; not a delta: the larger one wins."""


class StyleChange(NamedTuple):
    """Pages to add to one presentation style of a node (SST)."""

    node: int
    style: int
    pages: int


class PathChange(NamedTuple):
    """Pages to add to one traversal path (FastCE)."""

    key: int
    path: str
    """`HTML.BODY.DIV.P`."""
    content_pages: int
    noise_pages: int


class BlockChange(NamedTuple):
    """Pages to add to one repeated atomic block on a traversal path (FastCE)."""

    path: int
    block: int
    pages: int
    features: bytes
    """Packed feature vector (`templates.blocks`); identical for equal block keys."""


@dataclass(frozen=True, slots=True)
class TemplateChanges:
    """Everything one learning step adds to the stored template of a site."""

    version: int
    """Version of the template once the change is added."""
    pages: int
    """Pages learned, a delta."""
    novelty: float
    """Moving share of new keys among those of the last learned pages, 0..1."""
    stable_since: int | None
    """Pages seen when the template stopped changing, if it has."""
    nodes: tuple[NodeChange, ...] = ()
    styles: tuple[StyleChange, ...] = ()
    paths: tuple[PathChange, ...] = ()
    blocks: tuple[BlockChange, ...] = ()
    dropped: tuple[int, ...] = ()
    """Path keys of nodes that no longer reach the least share, to be removed from storage."""
    layout: int = 1
    """Number of the layout: a site whose pages have several looks has a template for each."""
    decision: LayoutDecision | None = None
    """What the layout has decided with this version."""
