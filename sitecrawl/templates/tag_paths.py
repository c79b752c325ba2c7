"""Tag path keys of elements: hashes of the tags from the root to an element, without names.

Many sites give the elements around an article class names of its topics, so its path key is unique to that page; its
tag path is not. A path key determines the tag path, so each one is computed once for all pages of a process.
"""

from collections.abc import Mapping
from typing import Final

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT, chain, element_label
from sitecrawl.dom.path_values import PathValues


class _TagKeys(PathValues[int]):
    """Computes keys of tag paths downwards from the root."""

    ROOT = 0

    def below(self, above: int, tag: str) -> int:
        """Return the key of an element from the key of its parent and its own tag."""
        return chain(above, element_label(tag, ""))


_TAG_KEYS: Final = _TagKeys()
_KNOWN: Final[dict[int, int]] = {}
"""Tag path keys by path key."""


def tag_path_keys(flat: FlatDom, rows: Mapping[int, int]) -> dict[int, int]:
    """Return tag path keys by path key; `rows` has an element row for each of some path keys of a page."""
    if len(_KNOWN) + len(rows) > _TagKeys.LIMIT:
        _KNOWN.clear()
    found: dict[int, int] = {}
    for path, row in rows.items():
        key = _KNOWN.get(path)  # not `in`, then `[]`: another thread may clear the cache in between
        if key is None:
            key = _KNOWN[path] = chain(_TAG_KEYS.of(flat, row), flat.label[row])
        found[path] = key
    return found


def tag_paths(flat: FlatDom) -> list[int]:
    """Return the tag path key of each row; 0 for the texts."""
    path = flat.path
    keys = tag_path_keys(flat, {path[row]: row for row, tag in enumerate(flat.tag) if tag != TEXT})
    return [keys.get(one, 0) for one in path]
