"""Menus: finds concentrations of short hyperlinks.

Source: "Using the DOM tree for content extraction" (Insa, Silva, Tamarit, 2012), section VI: the method with hyperlinks
per node instead of characters per node; the concentrations with short links are menus. The paper gives no numbers. A
later paper of the group (Alarte, Insa, Silva, SOFSEM 2017) weighs six properties of a node and compares other pages,
but its scaling is not published.
"""

from typing import Final, NamedTuple

from sitecrawl.dom.blocks import join_siblings
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT

TOP_RATED: Final = 0.5
"""Minimum share of the highest ratio of hyperlinks to nodes for which an element is top rated [OWN]."""
LINK_CHARS: Final = 30.0
"""Maximum mean characters of a link in a menu, without white space [OWN]."""
LINKED: Final = 0.6
"""Minimum share of a menu's characters in links [OWN]; a paragraph with many links has less."""
LEAST: Final = 2
"""Minimum hyperlinks of a menu (as in the later paper)."""


class Menu(NamedTuple):
    """A node that is a menu."""

    node: int
    links: int
    link_chars: float
    """Mean characters of a link."""


def menus(flat: FlatDom) -> list[Menu]:
    """Return the menus of a page, those with the shortest links first."""
    links = [0] * len(flat)
    for node, _, _ in flat.anchors:
        links[node] = 1
    for i in range(len(flat) - 1, 0, -1):
        links[flat.parent[i]] += links[i]
    ratios = [links[i] / (flat.end[i] - i) for i in range(len(flat))]
    rated = [i for i, tag in enumerate(flat.tag) if tag not in (TEXT, "a", "area") and links[i] >= LEAST]
    lowest = TOP_RATED * max((ratios[i] for i in rated), default=0.0)
    found = []
    for node in join_siblings(flat, [i for i in rated if ratios[i] >= lowest]):
        mean = flat.link_chars[node] / links[node]
        if 0 < mean <= LINK_CHARS and flat.link_chars[node] >= LINKED * flat.chars[node]:
            found.append(Menu(node, links[node], mean))
    return sorted(found, key=lambda menu: (menu.link_chars, menu.node))
