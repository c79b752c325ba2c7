"""The compiled twin of `main_text`; `text.py` chooses."""

from collections.abc import Iterable

from sitecrawl.dom.flat import FlatDom

def main_text(flat: FlatDom, nodes: Iterable[int]) -> str: ...
