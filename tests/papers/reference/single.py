"""The methods that read one page: CNR (S0) and density (S2)."""

from collections.abc import Collection, Sequence

from .mapping import joined
from .tree import Node


def weights(nodes: list[Node], non_content: Collection[str]) -> tuple[list[int], list[int]]:
    """Return weight and characters of each node (S0, Algorithm 1); 0 below nodes that are not content."""
    weight, chars = [0] * len(nodes), [0] * len(nodes)
    inside = set()
    for node in nodes:
        if node.parent is not None and (node.parent in inside or node.parent.tag in non_content):
            inside.add(node)
    for node in reversed(nodes):
        if node in inside:
            continue
        weight[node.row] = 1
        if node.is_text:
            chars[node.row] = len("".join(node.text.split()))
        elif node.tag not in non_content:
            weight[node.row] += sum(weight[child.row] for child in node.children)
            chars[node.row] = sum(chars[child.row] for child in node.children)
    return weight, chars


def main_block(nodes: list[Node], non_content: Collection[str], share: float) -> Node | None:
    """Return the block with most text; top rated are elements with a share of the highest ratio (S0, section IV)."""
    weight, chars = weights(nodes, non_content)
    ratio = {node: chars[node.row] / weight[node.row] for node in nodes if node.tag and chars[node.row]}
    if not ratio:
        return None
    highest = max(ratio.values())
    blocks = joined(node for node in ratio if ratio[node] >= share * highest)
    return max(blocks, key=lambda node: (chars[node.row], -node.row))


def strings(nodes: list[Node], structural: Collection[str]) -> list[list[Node]]:
    """Return the texts of each string of a page: structural tags begin a new one (S2, section 4)."""
    found: list[list[Node]] = [[]]
    for node in nodes:
        if node.is_text:
            found[-1].append(node)
        elif node.tag in structural:
            found.append([])
    return found


def lengths(found: Sequence[Sequence[Node]]) -> list[int]:
    """Return the characters of strings, with one space between words."""
    return [len(" ".join("".join(node.text for node in string).split())) for string in found]


def region(found: Sequence[int], cutoff: float, reach: int) -> set[int]:
    """Return the numbers of the strings in R: the longest, and long ones near to one in R, until there is no more."""
    longest = max(found)
    members = {found.index(longest)}
    while True:
        more = {
            number
            for number, length in enumerate(found)
            if number not in members
            and length > cutoff * longest
            and any(abs(number - member) < reach for member in members)
        }
        if not more:
            return members
        members |= more
