"""The compiled twin of both passes of `combined`."""

from collections.abc import Sequence

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined._trees import Trees
from sitecrawl.extractors.combined.block_classifier import Judged
from sitecrawl.extractors.combined.statistics import SiteStatistics
from sitecrawl.extractors.combined.word_evidence import WordWeights

class Look:
    """The blocks of one page, with what was found of them."""

    own: int
    others: int
    text_share: list[float]
    shares: list[float]
    def __init__(
        self,
        flat: FlatDom,
        blocks: Blocks,
        site: SiteStatistics | None,
        learned: bool,
        weights: WordWeights | None = None,
    ) -> None: ...
    def build(self) -> None: ...
    def lists(self) -> list[list[float]]: ...
    def chances(self, first: Trees, second: Trees, other: Trees | None = None) -> list[float]: ...
    def surroundings(self, chances: Sequence[float], region: bool) -> list[list[float]]: ...

def judge(flat: FlatDom, blocks: Blocks, site: SiteStatistics | None, learned: bool) -> Judged: ...
def judge_blind(flat: FlatDom, blocks: Blocks) -> Judged: ...
def kept_from(chars: list[int], chances: list[float]) -> float: ...
def chance(forest: str, figures: list[float]) -> float: ...
