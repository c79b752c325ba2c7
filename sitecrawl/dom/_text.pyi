"""The compiled twin of `chosen_lines`; `text.py` chooses."""

from collections.abc import Iterable

from sitecrawl.dom.flat import FlatDom

def chosen_lines(flat: FlatDom, nodes: Iterable[int]) -> list[tuple[int, int, bool, list[str]]]: ...
