"""Comparisons of the package with the implementations in `reference`: their results for a page and other pages of its
site.

Over 300 lines: one function for each comparison.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from sitecrawl.dom.atomic import BLOCK_TAGS, TraversalPaths
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import SKIPPED, TEXT
from sitecrawl.dom.page import Page
from sitecrawl.extractors.papers import cnr, density, fastce, sst
from sitecrawl.extractors.papers.equality import Equality
from sitecrawl.extractors.papers.equality import occurrences as package_occurrences
from sitecrawl.extractors.papers.webconex import main_content
from sitecrawl.links import selection
from sitecrawl.links.anchors import Anchor, anchors
from sitecrawl.links.scope import SiteScope
from sitecrawl.templates.importance import GAMMA, THRESHOLD, StyleTree
from sitecrawl.templates.preparation import noise_threshold, prepare
from sitecrawl.templates.siblings import MAX_CELLS
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.styles import SiteStyleTree
from sitecrawl.templates.trie import MAX_STYLES, SiteTemplate

from .reference import blocks, links, mapping, merged_tree, siblings, single, style_tree
from .reference.tree import NO_NODES, Node, tree

EQUALITIES: Final = (
    "tag",
    "tag+children",
    "tag+position",
    "tag+children+position",
    "tag+attributes",
    "tag+attributes+children",
    "tag+attributes+children+position",
    "labels",
    "labels+children",
    "labels+children+position",
)
"""Equalities of nodes that are compared. Where the position counts, any mapping is one to one."""
MOST_LINKS: Final = 300
"""Links up to which the whole order is compared; of more, those of the n-SET."""


class Answers(NamedTuple):
    """The results of the reference and of the package."""

    reference: object
    package: object


@dataclass(frozen=True, eq=False)
class Read:
    """A page as both implementations read it."""

    page: Page
    urls: Sequence[str] = ()
    """Links, if there are any, placed at the elements of the page in turn."""

    @cached_property
    def nodes(self) -> list[Node]:
        return tree(self.page.root)

    @property
    def flat(self) -> FlatDom:
        return self.page.flat

    @cached_property
    def links(self) -> list[Anchor]:
        if self.urls:
            elements = (node.row for node in self.nodes if node.tag)
            return [
                Anchor(row, url, n, "", False) for n, (row, url) in enumerate(zip(elements, self.urls, strict=False))
            ]
        return list(anchors(self.page, SiteScope.of(self.page.url)).found)


@dataclass(frozen=True, eq=False)
class Case:
    """A page and other pages of its site."""

    key: Read
    others: Sequence[Read]

    @property
    def page(self) -> Page:
        return self.key.page

    @property
    def nodes(self) -> list[Node]:
        return self.key.nodes

    @property
    def flat(self) -> FlatDom:
        return self.key.flat

    @property
    def links(self) -> list[Anchor]:
        return self.key.links

    @property
    def other_nodes(self) -> list[list[Node]]:
        return [other.nodes for other in self.others]

    @property
    def other_flats(self) -> list[FlatDom]:
        return [other.flat for other in self.others]


def _texts(flat: FlatDom, nodes: Sequence[int]) -> list[int]:
    return [i for node in nodes for i in range(node, flat.end[node]) if flat.tag[i] == TEXT]


def _rows(nodes: Sequence[Node] | set[Node]) -> list[int]:
    return sorted(node.row for node in nodes)


def nodes_of_a_page(case: Case) -> Answers:
    flat = case.flat
    reference = [
        (node.tag or TEXT, node.parent.row if node.parent else -1, " ".join(node.text.split())) for node in case.nodes
    ]
    return Answers(reference, [(flat.tag[i], flat.parent[i], " ".join(flat.text[i].split())) for i in range(len(flat))])


def hyperlink_distances(case: Case) -> Answers:
    key = case.page.url
    urls = dict.fromkeys((*(link.url for link in case.links), *(other.page.url for other in case.others)))
    return Answers(
        [links.hyperlink_distance(key, url) for url in urls], [selection.hyperlink_distance(key, url) for url in urls]
    )


def dom_distances(case: Case) -> Answers:
    rows = [link.node for link in case.links[:MOST_LINKS]] or list(range(min(len(case.flat), 10)))
    pairs = [*pairwise(rows), *((rows[0], row) for row in rows)]
    return Answers(
        [links.dom_distance(case.nodes[one], case.nodes[other]) for one, other in pairs],
        [selection.dom_distance(case.flat, one, other) for one, other in pairs],
    )


def orders_of_links(case: Case) -> Answers:
    """The whole order of both kinds, the n-SETs of 4 and 8, and the order in a crawl, whose n-SET is exact."""
    page, found = case.page, case.links
    given = [(link.url, case.nodes[link.node]) for link in found]
    seed, hybex = (links.ordered(page.url, given, order) for order in ("seed", "hybex"))
    every = len(found) if len(found) <= MOST_LINKS else 8
    reference = [
        [found[number] for number in order] for order in (seed[:every], hybex[:every], seed[:4], seed[:8], seed[:8])
    ]
    answers = (
        selection.rank_all(page, found)[:every],
        selection.rank_all(page, found, "hybex")[:every],
        selection.select(page, found),
        selection.select(page, found, 8),
        selection.rank(page, found, 8)[:8],
    )
    return Answers(reference, [[one.anchor for one in ranked] for ranked in answers])


def _mapping(equality: str, *, one_to_one: bool) -> Callable[[Case], Answers]:
    def compared(case: Case) -> Answers:
        counts = mapping.occurrences(case.nodes, case.other_nodes, equality, one_to_one=one_to_one)
        package, _ = package_occurrences(case.flat, case.other_flats, Equality.read(equality, one_to_one=one_to_one))
        main, _, _ = main_content(case.flat, package)
        return Answers((counts, _rows(mapping.main_content(case.nodes, counts))), (package, main))

    return compared


def _siblings(*, texts: bool) -> Callable[[Case], Answers]:
    def compared(case: Case) -> Answers:
        counts = siblings.occurrences(case.nodes, case.other_nodes, MAX_CELLS, texts=texts)
        equality = Equality.read("siblings+texts" if texts else "siblings")
        package, _ = package_occurrences(case.flat, case.other_flats, equality)
        main, _, _ = main_content(case.flat, package)
        return Answers((counts, _rows(mapping.main_content(case.nodes, counts))), (package, main))

    return compared


def _cnr(universe: str, *, more: bool) -> Callable[[Case], Answers]:
    def compared(case: Case) -> Answers:
        tags = cnr.NON_CONTENT | cnr.MORE_NON_CONTENT if more else cnr.NON_CONTENT
        nodes = case.nodes
        if universe == "paper":  # scripts, styles, pictures and frames are nodes
            nodes, tags = tree(case.page.root, ()), tags | NO_NODES
        weight, chars = single.weights(nodes, tags)
        main = single.main_block(nodes, tags, cnr.TOP_RATED)
        rows = [node.row for node in nodes if node.tag and not _left_out(node)]
        ratios = cnr.chars_nodes_ratios(case.flat, tags, cnr.left_out(case.page) if universe == "paper" else None)
        elements = [i for i, tag in enumerate(case.flat.tag) if tag != TEXT]
        found = cnr.CharsNodesRatio(universe=universe, more_non_content=more).extract(case.page)
        return Answers(
            ([(weight[row], chars[row]) for row in rows], [rows.index(main.row)] if main else []),
            (
                [(ratios.weight[i], ratios.chars[i]) for i in elements],
                [elements.index(node) for node in found.nodes],
            ),
        )

    return compared


def _left_out(node: Node) -> bool:
    return node.parent is not None and any(one.tag in NO_NODES for one in (node, *node.ancestors()) if one.parent)


def densest_region(case: Case) -> Answers:
    strings = single.strings(case.nodes, density.STRUCTURAL)
    lengths = single.lengths(strings)
    members = single.region(lengths, density.CUTOFF, density.REACH) if any(lengths) else set()
    inside = strings[min(members) : max(members) + 1] if members else []
    found = density.Density().extract(case.page)
    return Answers([node.row for string in inside for node in string], _texts(case.flat, found.nodes))


def _style_elements(root: style_tree.Element) -> list[object]:
    noise = style_tree.noisy(root, THRESHOLD)
    return [
        (
            list(element.pages.values()),
            [len(own) for own in element.styles],
            round(element.importance, 9),
            element in noise,
        )
        for element in root.subtree()
    ]


def site_style_tree(case: Case) -> Answers:
    """Styles, pages, importance and noise of each element node, and the texts of a page that stay."""
    root = style_tree.style_tree(case.other_nodes, GAMMA)
    package = SiteStyleTree(case.other_flats)
    elements = [package.root]
    for element in elements:
        elements += [child for _, below in element.styles.values() for child in below]
    found = [
        (
            [pages[0] for pages, _ in element.styles.values()],
            [len(below) for _, below in element.styles.values()],
            round(element.importance, 9),
            element.noisy,
        )
        for element in elements
    ]
    kept = sst.published_texts(case.flat, package)
    return Answers(
        (_style_elements(root), sorted(style_tree.clean_texts(case.nodes, root, THRESHOLD))),
        (found, [i for i, stays in enumerate(kept) if stays]),
    )


def merged_style_tree(case: Case) -> Answers:
    """The importance of each node whose path is on two pages, and the texts of a page that stay."""
    root = merged_tree.merged_tree(case.other_nodes, GAMMA)
    template = SiteTemplate(max_nodes=sum(map(len, case.other_flats)))
    for flat in case.other_flats:
        template.learn(flat)
    package = StyleTree(snapshot(template, 1))
    paths = [path for nodes in (case.nodes, *case.other_nodes) for path in merged_tree.located(nodes, root)]
    found = [package.importance.get(key) for flat in (case.flat, *case.other_flats) for key in flat.path]
    reference = [path.importance if path is not None and len(path.pages) > 1 else None for path in paths]
    kept = sst.clean_texts(case.flat, package)
    return Answers(
        (
            [_stored(one, other) for one, other in zip(reference, found, strict=True)],
            sorted(merged_tree.clean_texts(case.nodes, root, THRESHOLD)),
        ),
        (found, [i for i, stays in enumerate(kept) if stays]),
    )


def _stored(value: float | None, stored: float | None) -> float | None:
    """Return the stored value if it is the value with eight decimals, of which the last may be rounded up or down."""
    return stored if value is not None and stored is not None and abs(value - stored) < 1e-8 else value


def traversal_paths(case: Case) -> Answers:
    paths = TraversalPaths()
    return Answers(
        [blocks.traversal_path(node) for node in case.nodes if node.tag],
        [paths.of(case.flat, i) for i, tag in enumerate(case.flat.tag) if tag != TEXT],
    )


def blocks_on_paths(case: Case) -> Answers:
    """The template of the other pages, the extracted blocks of the page, and those that are content."""
    template = blocks.prepared(case.other_nodes, noise_threshold(len(case.others)))
    package = prepare(case.other_flats)
    extracted = fastce.extracted_blocks(case.flat, package, TraversalPaths())
    return Answers(
        (
            template.paths,
            len(template.noise),
            [(node.row, _rows(inside)) for node, inside in blocks.extracted(case.nodes, template.paths)],
            _rows(blocks.content(case.nodes, template)),
        ),
        (
            package.content_paths,
            len(package.noise),
            [(block.node, list(block.rows)) for block in extracted],
            [block.node for block in fastce.content_blocks(case.flat, package, extracted)],
        ),
    )


def _mappings() -> Iterator[tuple[str, Callable[[Case], Answers]]]:
    for equality in EQUALITIES:
        for one_to_one in (False,) if "position" in equality else (False, True):
            name = f"Web-ConEx, Algorithms 1 to 5, {equality}{', one to one' if one_to_one else ''}"
            yield name, _mapping(equality, one_to_one=one_to_one)


COMPARED: Final[dict[str, Callable[[Case], Answers]]] = {
    "nodes of a page": nodes_of_a_page,
    "hyperlink distance": hyperlink_distances,
    "DOM distance": dom_distances,
    "order of links, n-SET": orders_of_links,
    **dict(_mappings()),
    "Web-ConEx, Algorithms 1 to 5, siblings": _siblings(texts=False),
    "Web-ConEx, Algorithms 1 to 5, siblings+texts": _siblings(texts=True),
    "CNR, Algorithms 1 and 2": _cnr("columns", more=True),
    "CNR, the paper's tags": _cnr("columns", more=False),
    "CNR, the paper's nodes": _cnr("paper", more=True),
    "Density, strings and region": densest_region,
    "SST, importance and noise": site_style_tree,
    "SST, merged tree": merged_style_tree,
    "FastCE, traversal paths": traversal_paths,
    "FastCE, preparation and detection": blocks_on_paths,
}
"""The comparisons, by name."""

assert NO_NODES == SKIPPED
assert blocks.BLOCKS == BLOCK_TAGS
assert merged_tree.MOST_STYLES == MAX_STYLES
