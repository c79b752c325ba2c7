"""Extracts the pages of sites as a crawl does: the layout decides, and its pages follow the decision."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from forests import Model
from processes import in_processes
from training_sites import CrawlResult, KnownPages, Score, Site, TrainingPage

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.base import SiteContext
from sitecrawl.extractors.combined import block_classifier
from sitecrawl.extractors.combined._block_classifier import Look
from sitecrawl.extractors.combined._trees import Trees
from sitecrawl.extractors.combined.block_classifier import Judged
from sitecrawl.extractors.combined.choice import kept_from
from sitecrawl.extractors.combined.forest import Forest, Tree
from sitecrawl.extractors.combined.method import Combined, without_site_texts
from sitecrawl.extractors.combined.statistics import SiteStatistics
from sitecrawl.extractors.layout_decision import layout_decision
from sitecrawl.templates.decision import LayoutDecision


@contextmanager
def model_in_use(model: Model) -> Iterator[None]:
    """Let `combined` use the forests of both passes, and the words, of a model."""
    trees = {
        name: Trees(Forest(data["names"], [Tree(*tree) for tree in data["trees"]]))
        for name, data in model.forests.items()
    }

    def both(look: Look, blocks: Blocks, first: str, second: str, other: str = "") -> Judged:
        look.build()
        chances = look.chances(trees[first], trees[second], trees[other] if other else None)
        return Judged(chances, look.text_share, look.others, kept_from(blocks.chars, chances))

    def judge(flat: FlatDom, blocks: Blocks, site: SiteStatistics | None, learned: bool) -> Judged:
        look = Look(flat, blocks, site, learned, model.words)
        name = "site" if look.others else "page"
        return both(look, blocks, name, f"{name}_context", "doubt_context")

    def judge_blind(flat: FlatDom, blocks: Blocks) -> Judged:
        return both(Look(flat, blocks, None, False, model.words), blocks, "page", "doubt_context")

    block_classifier.judge.runs, block_classifier.judge_blind.runs = judge, judge_blind
    try:
        yield
    finally:
        block_classifier.judge.reset()
        block_classifier.judge_blind.reset()


def crawl(sites: Sequence[Site]) -> None:
    """Set `results` of all pages to what a crawl with the model in use would find."""
    for number, results in in_processes(_results, sites, chunk=4):
        for page, of_page in zip(sites[number].pages, results, strict=True):
            page.results.update(of_page)


def _results(site: Site) -> list[dict[int, CrawlResult]]:
    """Return for each page of a site what a crawl would find, by number of known pages."""
    results: list[dict[int, CrawlResult]] = [{} for _ in site.pages]
    for count, known in site.known.items():
        method, decision = Combined(), None
        if known is not None:
            method._site = (known.template, known.statistics)  # it would compute the same sums again
            context = SiteContext(known.template, learned=True)
            decision = layout_decision(method, context, site.deciding[count])
        for page, of_page in zip(site.pages, results, strict=True):
            of_page[count] = _result(method, page, known, decision)
    return results


def _result(
    method: Combined, page: TrainingPage, known: KnownPages | None, decision: LayoutDecision | None
) -> CrawlResult:
    """Return what a crawl would find on a page. Texts that other pages have too count only for its score."""
    context = None
    if known is not None:
        context = SiteContext(known.template, learned=page.number in known.learned)
    look = method._look(page.page, page.blocks, context)
    own = method._kept_alone(page.page, page.blocks, look, decision)
    kept = own if own is not None else method._kept(page.page, page.blocks, look, decision)
    score = None
    if page.examples is not None:
        alone = own is not None
        shown = without_site_texts(page.page.flat, page.blocks, kept, look.known, decision, alone=alone)
        score = word_score(page, shown)
    return CrawlResult(kept, look.figures, look.judged.text_share, look.known is not None, score)


def word_score(page: TrainingPage, kept: Sequence[bool]) -> Score:
    """Return the score of the words that the kept blocks show."""
    output: Counter[str] = Counter()
    for words, is_kept in zip(page.block_words, kept, strict=True):
        if is_kept:
            output.update(words)
    common = (output & page.gold_words).total()
    if not common:
        return Score(0.0, 0.0, 0.0)
    precision, recall = common / output.total(), common / page.gold_words.total()
    return Score(precision, recall, 2 * precision * recall / (precision + recall))
