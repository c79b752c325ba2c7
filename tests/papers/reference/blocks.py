"""FastContentExtractor (S3), sections II and III, and ContentExtractor, which prepares its template."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from itertools import combinations
from typing import NamedTuple

from .tree import Node

BLOCKS = frozenset("table tr hr ul p span div".split())  # noqa: SIM905


class Vector(NamedTuple):
    """Counts of terms, links and images, and the sum of their squares."""

    counts: Counter[str]
    square: int


class Template(NamedTuple):
    """The stored blocks of a site."""

    paths: set[str]
    noise: list[Vector]


def traversal_path(node: Node) -> str:
    """Return the tags from the root; `tbody` is no step, as parsers add it."""
    tags = [node.tag, *(above.tag for above in node.ancestors())]
    return ".".join(tag.upper() for tag in reversed(tags) if tag != "tbody")


def parts(nodes: list[Node]) -> dict[Node, list[Node]]:
    """Return the blocks, each with the nodes that are in no block inside, itself left out."""
    found: dict[Node, list[Node]] = {node: [] for node in nodes if node.tag in BLOCKS}
    for node in nodes:
        around = next((above for above in node.ancestors() if above in found), None)
        if node not in found and around is not None:
            found[around].append(node)
    return found


def vector(nodes: Collection[Node]) -> Vector:
    """Return the terms, links and images of some nodes."""
    found = Counter(word for node in nodes for word in node.text.lower().split())
    found["<link>"] = sum(node.tag in ("a", "area") and node.element.get("href") is not None for node in nodes)
    found["<image>"] = sum(node.tag == "img" for node in nodes)
    return Vector(+found, sum(count * count for count in found.values()))


def similar(one: Vector, other: Vector) -> bool:
    """Return whether the cosine of two vectors is over 0.9, in whole numbers."""
    terms = one.counts.keys() & other.counts.keys()
    dot = sum(one.counts[term] * other.counts[term] for term in terms)
    return 100 * dot * dot > 81 * one.square * other.square


def prepared(pages: Iterable[list[Node]], theta: float) -> Template:
    """Return the paths of the content blocks, and the other blocks on these paths: each is compared with all."""
    blocks = [
        (number, traversal_path(node), own)
        for number, nodes in enumerate(pages)
        for node, inside in parts(nodes).items()
        if (own := vector(inside)).square
    ]
    held = defaultdict(set)
    for number, _, own in blocks:
        held[_key(own)].add(number)
    vectors = {_key(own): own for _, _, own in blocks}
    on = {key: set(pages) for key, pages in held.items()}
    for one, other in combinations(vectors, 2):
        if similar(vectors[one], vectors[other]):
            on[one] |= held[other]
            on[other] |= held[one]
    paths = {path for _, path, own in blocks if len(on[_key(own)]) < theta}
    noise = {_key(own): own for _, path, own in blocks if path in paths and len(on[_key(own)]) >= theta}
    return Template(paths, list(noise.values()))


def _key(own: Vector) -> frozenset[tuple[str, int]]:
    return frozenset(own.counts.items())


def extracted(nodes: list[Node], paths: Collection[str]) -> list[tuple[Node, list[Node]]]:
    """Return the outermost blocks on the paths, each with the nodes that the extraction rules leave in it."""
    on_path = {node for node in nodes if node.tag in BLOCKS and traversal_path(node) in paths}
    found = []
    for node in nodes:
        if node in on_path and not node.below(on_path):
            out = {inner for inner in node.subtree() if inner.tag in BLOCKS and on_path.isdisjoint(inner.subtree())}
            found.append((node, [one for one in node.subtree() if one not in out and not one.below(out)]))
    return found


def content(nodes: list[Node], template: Template) -> list[Node]:
    """Return the extracted blocks that have text and are like no stored one."""
    return [
        node
        for node, inside in extracted(nodes, template.paths)
        if any(one.is_text for one in inside) and not any(similar(vector(inside), other) for other in template.noise)
    ]
