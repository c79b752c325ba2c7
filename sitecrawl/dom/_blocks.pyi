"""The compiled twin of functions in `blocks.py`, which chooses."""

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom

class BlockColumns:
    """The text blocks of a page in memory of their own; they become lists when they are asked for."""

    count: int
    def column(self, name: str) -> list[int]:
        """Return a column of `Blocks` as a list. Raises KeyError."""

def text_blocks(flat: FlatDom) -> Blocks: ...
def cover(flat: FlatDom, blocks: Blocks, chosen: list[bool]) -> tuple[int, ...]: ...
def cover_texts(flat: FlatDom, kept: list[bool]) -> tuple[int, ...]: ...
