"""One pass over an lxml tree to parallel columns in document order: the only walk over a page.

Every method reads these columns; a subtree is the slice `i:end[i]`, so ratios are differences of sums and each method
is one loop. The walk keeps its own stack: pages nest up to 2,047 deep, past Python's recursion limit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lxml.etree import _Element

from sitecrawl.dom.labels import ELEMENT_LABELS, SKIPPED, TEXT, TEXT_LABELS, chain

_HIDDEN_STYLES: Final = ("display:none", "display: none", "visibility:hidden", "visibility: hidden")


@dataclass(frozen=True, slots=True, eq=False)
class FlatDom:
    """The nodes of a page as columns; row `i` is a node, rows are in document order, row 0 is the root.

    Nodes are elements and non-blank text nodes; comments, and the subtrees of `SKIPPED` tags, are left out.
    """

    tag: list[str]
    """Tag name, `TEXT` for a text node."""
    parent: list[int]
    """Row of the parent, -1 for the root."""
    depth: list[int]
    """Steps from the root."""
    end: list[int]
    """The subtree of `i` is the slice `i:end[i]`."""
    text: list[str]
    """Text as on the page, white space included (a blank run before it belongs to it); "" for an element."""
    names: list[str]
    """`class` and `id` of an element, joined by a space; "" for a text node."""
    chars: list[int]
    """Characters in the subtree, white space not counted."""
    words: list[int]
    """Words in the subtree, counted per text node."""
    link_chars: list[int]
    """The part of `chars` inside `a` elements."""
    label: list[int]
    """crc32 of what makes the node equal to another one (`dom.labels`)."""
    path: list[int]
    """Chain of labels from the root, 63 bits: equal key means equal node and equal ancestors."""
    style: list[int]
    """Chain of the labels of an element's element children: its presentation style (SST)."""
    subtree: list[int]
    """Chain of everything below: equal for exact repeats."""
    anchors: list[tuple[int, str, str]]
    """(node, raw href, rel) of `a` and `area` elements with an href, in document order."""
    hidden: list[int]
    """Elements that say they are not shown: `hidden`, `aria-hidden`, an inline style."""

    def __len__(self) -> int:
        return len(self.tag)

    def ancestors(self, node: int) -> Iterator[int]:
        """Yield the ancestors of a node, nearest first."""
        parent = self.parent
        node = parent[node]
        while node >= 0:
            yield node
            node = parent[node]


class _Rows:
    """The columns while they grow; `element` and `text` each add one row."""

    __slots__ = ("anchors", "chars", "depth", "end", "gap", "hidden", "label", "link", "names")
    __slots__ += ("parent", "path", "string", "tag", "words")

    def __init__(self) -> None:
        self.tag: list[str] = []
        self.parent: list[int] = []
        self.depth: list[int] = []
        self.end: list[int] = []
        self.string: list[str] = []
        self.names: list[str] = []
        self.chars: list[int] = []
        self.words: list[int] = []
        self.link: list[int] = []
        self.label: list[int] = []
        self.path: list[int] = []
        self.anchors: list[tuple[int, str, str]] = []
        self.hidden: list[int] = []
        self.gap = ""

    def element(self, element: _Element, tag: str, parent: int, depth: int, above: int) -> int:
        """Add an element; return its row."""
        row = len(self.tag)
        classes = ids = ""
        for name, value in element.items():
            if name == "class":
                classes = value
            elif name == "id":
                ids = value
            elif name == "href":
                if tag in ("a", "area"):
                    self.anchors.append((row, value, element.get("rel", "")))
            elif (
                (name == "hidden" and value != "until-found")
                or (name == "aria-hidden" and value == "true")
                or (name == "style" and value.lower().startswith(_HIDDEN_STYLES))
            ):
                self.hidden.append(row)
        label = ELEMENT_LABELS[tag, classes]
        self._add(tag, parent, depth, "", f"{classes} {ids}".strip(), label, chain(above, label))
        self.chars.append(0)
        self.words.append(0)
        self.link.append(0)
        return row

    def text(self, raw: str, parent: int, depth: int, above: int, in_link: bool) -> None:
        """Add a text node, unless it is blank: then it is remembered as white space before the next one."""
        value = TEXT_LABELS[raw]
        if value is None:
            self.gap += raw
            return
        chars, words, label = value
        self._add(TEXT, parent, depth, self.gap + raw, "", label, chain(above, label))
        self.end[-1] = len(self.end)
        self.chars.append(chars)
        self.words.append(words)
        self.link.append(chars if in_link else 0)
        self.gap = ""

    def _add(self, tag: str, parent: int, depth: int, raw: str, names: str, label: int, path: int) -> None:
        self.tag.append(tag)
        self.parent.append(parent)
        self.depth.append(depth)
        self.end.append(0)
        self.string.append(raw)
        self.names.append(names)
        self.label.append(label)
        self.path.append(path)


def flatten(root: _Element) -> FlatDom:
    """Return the columns of the tree below `root` (which is row 0). The tree is read, never changed."""
    rows = _Rows()
    row = rows.element(root, str(root.tag), -1, 0, 0)
    in_link = root.tag == "a"
    stack: list[tuple[_Element, Iterator[_Element], int, bool]] = [(root, iter(root), row, in_link)]
    if root.text:
        rows.text(root.text, row, 1, rows.path[row], in_link)
    while stack:
        element, children, row, in_link = stack[-1]
        depth, above = len(stack), rows.path[row]
        for child in children:
            tag = child.tag
            if isinstance(tag, str) and tag not in SKIPPED:
                child_row = rows.element(child, tag, row, depth, above)
                child_in_link = in_link or tag == "a"
                if child.text:
                    rows.text(child.text, child_row, depth + 1, rows.path[child_row], child_in_link)
                stack.append((child, iter(child), child_row, child_in_link))
                break
            if child.tail:
                rows.text(child.tail, row, depth, above, in_link)
        else:
            stack.pop()
            rows.end[row] = len(rows.tag)
            if stack and element.tail:
                _, _, row, in_link = stack[-1]
                rows.text(element.tail, row, len(stack), rows.path[row], in_link)
    return _sums(rows)


def _sums(rows: _Rows) -> FlatDom:
    """Add up the subtrees, children before parents, and close the columns."""
    tag, parent, label = rows.tag, rows.parent, rows.label
    chars, words, link = rows.chars, rows.words, rows.link
    style, subtree = [0] * len(tag), label.copy()
    for i in range(len(tag) - 1, 0, -1):
        p = parent[i]
        chars[p] += chars[i]
        words[p] += words[i]
        link[p] += link[i]
        subtree[p] = chain(subtree[p], subtree[i])
        if tag[i] != TEXT:
            style[p] = chain(style[p], label[i])
    return FlatDom(
        tag=tag,
        parent=parent,
        depth=rows.depth,
        end=rows.end,
        text=rows.string,
        names=rows.names,
        chars=chars,
        words=words,
        link_chars=link,
        label=label,
        path=rows.path,
        style=style,
        subtree=subtree,
        anchors=rows.anchors,
        hidden=rows.hidden,
    )


def elements(root: _Element) -> Iterator[_Element]:
    """Yield the lxml elements of the rows that `flatten` makes of elements, in the same order."""
    stack: list[Iterator[_Element]] = [iter((root,))]
    while stack:
        for element in stack[-1]:
            if isinstance(element.tag, str) and (element is root or element.tag not in SKIPPED):
                yield element
                stack.append(iter(element))
                break
        else:
            stack.pop()
