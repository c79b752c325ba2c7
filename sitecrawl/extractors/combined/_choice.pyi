"""The compiled twin of functions of `choice.py`; `block_classifier.py` chooses."""

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom

def kept_from(chars: list[int], chances: list[float]) -> float: ...
def without_repeats(flat: FlatDom, blocks: Blocks, chances: list[float], limit: float) -> list[float]: ...
