"""Tag path keys of elements: of the tags from the root to an element, and of its own class names.

Many sites name the elements around an article after its topics, so its path key is unique to that page; its tag path is
not. A path key determines the tag path, so each is computed once for all pages of a process.
"""

from collections.abc import Mapping
from typing import Final

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT, chain, element_label
from sitecrawl.dom.path_values import PathValues


class _TagKeys(PathValues[int]):
    """Keys of the tags from the root."""

    ROOT = 0

    def below(self, above: int, tag: str) -> int:
        """Return the key of an element by that of the element around it."""
        return chain(above, element_label(tag, ""))


_TAG_KEYS: Final = _TagKeys()
_KNOWN: Final[dict[int, int]] = {}
"""Tag path keys by path key."""


def tag_path_keys(flat: FlatDom, rows: Mapping[int, int]) -> dict[int, int]:
    """Return tag path keys by path key, given some of a page's path keys with a row of an element on each."""
    if len(_KNOWN) + len(rows) > _TagKeys.LIMIT:
        _KNOWN.clear()
    found: dict[int, int] = {}
    for path, row in rows.items():
        key = _KNOWN.get(path)  # another thread may clear them meanwhile
        if key is None:
            key = _KNOWN[path] = chain(_TAG_KEYS.of(flat, row), flat.label[row])
        found[path] = key
    return found


def tag_paths(flat: FlatDom) -> list[int]:
    """Return the tag path key of each row; 0 for the texts."""
    path = flat.path
    keys = tag_path_keys(flat, {path[row]: row for row, tag in enumerate(flat.tag) if tag != TEXT})
    return [keys.get(one, 0) for one in path]
