"""CNR, the chars-nodes ratio: chooses the container of the densest elements of one page.

Source: "Using the DOM tree for content extraction" (Insa, Silva, Tamarit, 2012), Definition 4.1, Algorithms 1 and 2.
The paper does not define which nodes are top rated; here a tuned share of the highest ratio decides.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from sitecrawl.dom.blocks import join_siblings
from sitecrawl.dom.flat import FlatDom, elements
from sitecrawl.dom.labels import SKIPPED, TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register
from sitecrawl.extractors.papers.menus import menus

TOP_RATED: Final = 0.16
"""Minimum share of the highest ratio for which an element is top rated (tau).

Tuned on 1,342 content pages of 68 recorded sites; mean word F1 over sites: 0.834 at 0.10, 0.841 at 0.12,
0.850 at 0.15, 0.855 at 0.16, 0.849 at 0.20, 0.800 at 0.30, 0.736 at 0.40.
"""
NON_CONTENT: Final = frozenset(("img", "nav", "a", "script", "video", "svg"))
"""Tags of elements that weigh one node and count no text (section IV)."""
MORE_NON_CONTENT: Final = frozenset(
    ("style", "noscript", "template", "iframe", "object", "select", "button", "input", "textarea")
)
"""Similar tags that the paper does not contain."""
UNIVERSES: Final = ("columns", "paper")
PARTS: Final = ("main", "blocks", "menus")


@dataclass(frozen=True, slots=True, eq=False)
class Ratios:
    """Further columns of a page; they are 0 below a non-content element."""

    weight: list[int]
    """Nodes of the subtree, the root included; a non-content element is one node."""
    chars: list[int]
    """Characters of the subtree, without white space and non-content elements."""

    def ratio(self, node: int) -> float:
        """Return the chars-nodes ratio of a node."""
        return self.chars[node] / self.weight[node] if self.chars[node] else 0.0


def left_out(page: Page) -> list[int]:
    """Return for each node the number of its children without a row: scripts, styles, pictures, frames and the like.

    In the paper they are nodes of weight 1, and their own children are not visited.
    """
    counts = [0] * len(page.flat)
    sources = elements(page.root)
    for i, name in enumerate(page.flat.tag):
        if name != TEXT:
            counts[i] = sum(1 for _ in next(sources).iterchildren(*SKIPPED))
    return counts


def chars_nodes_ratios(
    flat: FlatDom, non_content: frozenset[str] = NON_CONTENT, more: Sequence[int] | None = None
) -> Ratios:
    """Return weights and characters of all nodes (Algorithm 1); `more` has further child nodes of weight 1."""
    tag, parent, end = flat.tag, flat.parent, flat.end
    weight, chars = [0] * len(tag), [0] * len(tag)
    i = 0
    while i < len(tag):
        weight[i] = 1
        if tag[i] in non_content:
            i = end[i]
            continue
        if tag[i] == TEXT:
            chars[i] = flat.chars[i]
        elif more is not None:
            weight[i] += more[i]
        i += 1
    for i in range(len(tag) - 1, 0, -1):
        weight[parent[i]] += weight[i]
        chars[parent[i]] += chars[i]
    return Ratios(weight, chars)


def top_rated(
    flat: FlatDom, ratios: Ratios, share: float = TOP_RATED, opened: Collection[int] = frozenset()
) -> Sequence[int]:
    """Return the elements, except those in `opened`, with a ratio of at least `share` of the highest one.

    Texts are left out: the ratio of a text is always higher than that of its parent, so single texts would not merge.
    """
    elements = (i for i, name in enumerate(flat.tag) if name != TEXT and ratios.chars[i] and i not in opened)
    rated = [(i, ratios.ratio(i)) for i in elements]
    lowest = share * max((ratio for _, ratio in rated), default=0.0)
    return [i for i, ratio in rated if ratio >= lowest]


@register
class CharsNodesRatio:
    """Keeps the block of top rated elements with the most text, as one node."""

    name: ClassVar[str] = "cnr"
    needs: ClassVar[frozenset[Need]] = frozenset()

    def __init__(
        self,
        *,
        share: float = TOP_RATED,
        more_non_content: bool = True,
        universe: str = "columns",
        levels: int = 0,
        parts: str = "main",
        most: int = 10,
    ) -> None:
        """Set the share of the highest ratio (0 < share <= 1), which nodes count, and which parts are returned.

        With `more_non_content`, the text of forms and frames is ignored. With the universe `paper`, scripts, styles,
        pictures and frames count as one node each; `columns` does not have them. `parts` are the `main` block, up to
        `most` `blocks`, or up to `most` `menus` (section VI).

        `levels` is the paper's parameter for recall and precision (section V): for recall, the result is this many
        levels nearer to the root; if negative, for precision, nearer to the leaves, each time to the child with the
        most characters. Raises ConfigError for a share out of range, fewer than one part, and unknown names.
        """
        for option, name, known in (("universe", universe, UNIVERSES), ("parts", parts, PARTS)):
            if name not in known:
                raise ConfigError(f"cnr: {option} is {name!r}; give {', '.join(known)}")
        if most < 1:
            raise ConfigError(f"cnr: most is {most}; give 1 or more")
        if not 0 < share <= 1:
            raise ConfigError(f"cnr: share is {share}; give a number above 0, and 1 at most")
        self.share = share
        self.levels = levels
        self.universe = universe
        self.parts = parts
        self.most = most
        self.non_content = NON_CONTENT | MORE_NON_CONTENT if more_non_content else NON_CONTENT

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the main block; confidence is its share of the counted text."""
        if self.parts != "main":
            return self._parts(page)
        flat = page.flat
        ratios = self._ratios(page)
        blocks = join_siblings(flat, top_rated(flat, ratios, self.share))
        if not blocks:
            return no_content(self.name)
        main = _moved(flat, ratios, max(blocks, key=ratios.chars.__getitem__), self.levels)
        chars = ratios.chars[main]
        evidence = {"ratio": ratios.ratio(main), "chars": float(chars), "blocks": float(len(blocks))}
        return Extraction((main,), self.name, chars / ratios.chars[0], evidence=evidence)

    def _ratios(self, page: Page) -> Ratios:
        return chars_nodes_ratios(page.flat, self.non_content, left_out(page) if self.universe == "paper" else None)

    def _parts(self, page: Page) -> Extraction:
        """Return blocks or menus; the evidence has the row of each: `part_1` for the most relevant one, and so on."""
        flat = page.flat
        if self.parts == "blocks":
            found = self.blocks(page, self.most)
        else:
            found = [menu.node for menu in menus(flat)[: self.most]]
        if not found:
            return no_content(self.name)
        evidence = {f"part_{number}": float(node) for number, node in enumerate(found, 1)}
        share = sum(flat.chars[node] for node in found) / max(flat.chars[0], 1)
        return Extraction(tuple(sorted(found)), self.name, share, evidence=evidence)

    def blocks(self, page: Page, most: int = 10) -> list[int]:
        """Return up to `most` disjoint blocks, the most relevant first.

        Section VI: the main block is detected, its nodes are removed, and the next one is detected in the rest, until
        all remaining text is in elements from which a block was taken. An element that contains a block is not a block
        itself, since blocks are disjoint subtrees. Each block takes time linear in the size of the page.
        """
        flat = page.flat
        ratios = self._ratios(page)
        found: list[int] = []
        opened: set[int] = set()
        while len(found) < most:
            # children of an opened element have no siblings, so that they are not joined to that element
            parts = replace(flat, parent=[i if above in opened else above for i, above in enumerate(flat.parent)])
            blocks = join_siblings(parts, top_rated(flat, ratios, self.share, opened))
            if not blocks:
                break
            main = max(blocks, key=ratios.chars.__getitem__)
            found.append(main)
            opened.update(flat.ancestors(main))
            _remove(flat, ratios, main)
        return found


def _moved(flat: FlatDom, ratios: Ratios, node: int, levels: int) -> int:
    """Return the ancestor `levels` above; if negative, the descendant along the children with the most characters."""
    for _ in range(levels):
        if flat.parent[node] < 0:
            break
        node = flat.parent[node]
    for _ in range(-levels):
        below = [i for i in _children(flat, node) if flat.tag[i] != TEXT and ratios.chars[i]]
        if not below:
            break
        node = max(below, key=ratios.chars.__getitem__)
    return node


def _children(flat: FlatDom, node: int) -> Iterator[int]:
    child = node + 1
    while child < flat.end[node]:
        yield child
        child = flat.end[child]


def _remove(flat: FlatDom, ratios: Ratios, node: int) -> None:
    """Remove a subtree from the ratios of all nodes."""
    weight, chars = ratios.weight[node], ratios.chars[node]
    for above in flat.ancestors(node):
        ratios.weight[above] -= weight
        ratios.chars[above] -= chars
    for i in range(node, flat.end[node]):
        ratios.weight[i], ratios.chars[i] = 1, 0
