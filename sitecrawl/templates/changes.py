"""Template changes as values: the only form in which counts pass between memory and the database.

Changes are deltas: merging the changes of a template in any order gives its counts. A stored template is loaded as one
change, which is merged into an empty template.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from sitecrawl.templates.decision import LayoutDecision
from sitecrawl.templates.volatile import VolatileBlocks


class NodeChange(NamedTuple):
    """Counts to add to one trie node, identified by `parent`, `depth` and `label`."""

    key: int
    """Path key, 63 bits."""
    parent: int
    """Path key of the parent, 0 for the root."""
    depth: int
    label: str
    """Readable name: `div.menu`, or the beginning of a text in quotes: `"Home"`."""
    pages: int
    """Number of pages with the node (SET occurrences)."""
    nodes: int
    """Number of nodes with this key on all pages."""
    variants: int
    """Number of distinct children ever seen, pruned ones included."""
    chars: int
    """Number of characters in the subtrees of all nodes with this key."""
    link_chars: int
    last_page: int
    """Number of the last page (from 1) with the node; not a delta: the larger one wins."""


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
    """The change of a site's stored template by one learning step."""

    version: int
    """Version of the template after the change."""
    pages: int
    """Number of pages learned, a delta."""
    novelty: float
    """Mean share of new keys on the last learned pages, 0..1."""
    stable_since: int | None
    """Number of pages seen when the template stopped changing; None if it has not."""
    nodes: tuple[NodeChange, ...] = ()
    styles: tuple[StyleChange, ...] = ()
    paths: tuple[PathChange, ...] = ()
    blocks: tuple[BlockChange, ...] = ()
    dropped: tuple[int, ...] = ()
    """Path keys of nodes to delete from storage, since they no longer reach the minimum share of pages."""
    layout: int = 1
    """Number of the layout; each layout of a site has a template."""
    decision: LayoutDecision | None = None
    """Decision of the layout with this version."""
    volatile: VolatileBlocks = field(default_factory=VolatileBlocks)
    """Volatile places of the layout with this version."""
