"""The compiled twin of `kept_figures`; `page_features.py` chooses."""

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.statistics import SiteStatistics

def kept_figures(
    flat: FlatDom,
    blocks: Blocks,
    chances: list[float],
    threshold: float,
    text_share: list[float],
    pages: int,
    site: SiteStatistics | None,
) -> list[float]: ...
