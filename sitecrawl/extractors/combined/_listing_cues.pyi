"""The compiled twin of functions of `listing_cues.py`, which chooses."""

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom

def tag_counts(flat: FlatDom) -> tuple[int, int, int]: ...
def own_heading(flat: FlatDom, blocks: Blocks, chances: list[float], text_share: list[float]) -> int: ...
