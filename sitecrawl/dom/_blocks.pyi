"""The compiled twin of `text_blocks` and `cover_texts`; `blocks.py` chooses."""

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom

def text_blocks(flat: FlatDom) -> Blocks: ...
def cover_texts(flat: FlatDom, kept: list[bool]) -> tuple[int, ...]: ...
