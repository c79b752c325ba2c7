"""Runs methods and peers over the pages of one gold site, and scores what they return."""

import warnings
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from hashlib import blake2b
from time import perf_counter
from typing import Final

from w3lib.encoding import html_to_unicode

from sitecrawl.dom.page import Page
from sitecrawl.evaluation.gold import GoldPage, GoldSite
from sitecrawl.evaluation.knowledge import SiteKnowledge, crawl_order
from sitecrawl.evaluation.limits import PageTimeoutError, limited
from sitecrawl.evaluation.metrics import covered, failed_metrics, node_metrics, text_metrics, word_prf
from sitecrawl.evaluation.parsed import ParsedSite, parse
from sitecrawl.evaluation.peers import PREFIX, get_peer
from sitecrawl.evaluation.results import PageScore
from sitecrawl.extractors.base import Extraction, Kind, extractor_class, get_extractor

ALL_PAGES: Final = -1
"""For `learned`: learn every page of the site."""
SECONDS: Final = 60.0
"""Time that a method may take for one page."""
MIN_CHARS: Final = 25
"""Default of SITECRAWL_CONTENT_MIN_CHARS, below which a feed has no text."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run."""

    methods: tuple[str, ...]
    """Methods, and peers as `peer:NAME`."""
    learned: tuple[int, ...] = (ALL_PAGES,)
    """Numbers of pages to learn before; peers and 0 need no site."""
    all_metrics: bool = True
    limit: int = 0
    """Most content pages of a site that are scored; 0 for all."""
    seconds: float = SECONDS
    min_chars: int = MIN_CHARS
    """Characters below which a method's text is taken for none, as a crawl does."""

    def parts(self, pages: int) -> list[tuple[str, int]]:
        """Return (method, pages learned) of all that is run over a site with so many pages.

        Methods that need the site are left out where nothing was learned.
        """
        counts = sorted({pages if n == ALL_PAGES else min(n, pages) for n in self.learned})
        methods = [name for name in self.methods if not name.startswith(PREFIX)]
        found = [(name, n) for n in counts for name in methods if n or not extractor_class(name).needs]
        return found + [(name, 0) for name in self.methods if name.startswith(PREFIX)]


@dataclass(frozen=True, slots=True)
class Part:
    """The scores of one method on one site, after so many of its pages were learned."""

    method: str
    learned: int
    scores: tuple[PageScore, ...]


@dataclass(frozen=True, slots=True)
class SiteResult:
    """What was found on one site, and sentences on what was left out."""

    name: str
    pages: int
    """Pages that could be used."""
    parts: tuple[Part, ...]
    problems: tuple[str, ...]

    @property
    def scores(self) -> tuple[PageScore, ...]:
        """The scores of all parts."""
        return tuple(score for part in self.parts for score in part.scores)


def evaluate_site(site: GoldSite, plan: Plan, known: AbstractSet[tuple[str, int]] = frozenset()) -> SiteResult:
    """Run all methods over one site, but for the parts that are `known`. A page that fails is an error in its scores."""
    parsed = parse(site, nodes=plan.all_metrics, seconds=plan.seconds)
    order = crawl_order(parsed.pages)
    chosen = _scored(parsed.golds, plan.limit)
    parts: list[Part] = []
    knowledge: SiteKnowledge | None = None
    for name, learned in plan.parts(len(parsed.pages)):
        if (name, learned) in known:
            continue
        if name.startswith(PREFIX):
            scores = _peer_scores(site, name, parsed, chosen, plan)
        else:
            if knowledge is None or len(knowledge.known) != learned:
                knowledge = SiteKnowledge.learn(parsed.pages, order, learned)
            scores = _method_scores(site, name, parsed, knowledge, chosen, plan)
        parts.append(Part(name, learned, tuple(scores)))
    return SiteResult(site.name, len(parsed.pages), tuple(parts), tuple(parsed.problems))


def _scored(golds: Sequence[GoldPage], limit: int) -> list[int]:
    """Return the pages that are scored: with a limit, as many content pages and others, chosen by their names."""
    if not limit:
        return [i for i, gold in enumerate(golds) if gold.kind]
    by_name = sorted(range(len(golds)), key=lambda i: blake2b(golds[i].name.encode(), digest_size=8).digest())
    content = [i for i in by_name if golds[i].kind == "content"][:limit]
    return sorted(content + [i for i in by_name if golds[i].kind in ("listing", "none")][:limit])


def _method_scores(
    site: GoldSite, name: str, parsed: ParsedSite, knowledge: SiteKnowledge, chosen: Sequence[int], plan: Plan
) -> Iterator[PageScore]:
    extractor = get_extractor(name)
    for number in chosen:
        gold, page, wanted = parsed.golds[number], parsed.pages[number], parsed.nodes[number]
        blank = _blank(site, gold, name, len(knowledge.known))
        started = perf_counter()
        try:
            with limited(plan.seconds):
                context = knowledge.context(number, extractor) if knowledge.known else None
                started = perf_counter()
                found = extractor.extract(page, context)
                seconds = perf_counter() - started
                found, text = as_in_feed(page, found, plan.min_chars)
        except (Exception, PageTimeoutError) as error:  # noqa: BLE001  (it is counted in the report)
            yield _failed(blank, gold, error, perf_counter() - started, nodes=wanted is not None, plan=plan)
            continue
        metrics = _metrics(gold, text, str(found.kind), plan)
        if wanted is not None:
            metrics |= node_metrics(page.flat, covered(page.flat, found.nodes), wanted)
        yield replace(blank, metrics=metrics, seconds=seconds, verdict=str(found.kind))


def as_in_feed(page: Page, found: Extraction, min_chars: int) -> tuple[Extraction, str]:
    """Return an extraction and its text as the feed row of a crawl has them: too short a text is none."""
    text = page.text(found.nodes) if found.kind is not Kind.NONE else ""
    if len(text) < min_chars or found.kind is Kind.NONE:
        return replace(found, nodes=(), kind=Kind.NONE), ""
    return found, text


def _peer_scores(
    site: GoldSite, name: str, parsed: ParsedSite, chosen: Sequence[int], plan: Plan
) -> Iterator[PageScore]:
    peer = get_peer(name)
    for number in chosen:
        gold = parsed.golds[number]
        if gold.kind != "content":
            continue
        blank = _blank(site, gold, name, 0)
        html = gold.html if isinstance(gold.html, str) else html_to_unicode(None, gold.html)[1]
        started = perf_counter()
        try:
            with limited(plan.seconds), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                text = peer(html, gold.url)
        except (Exception, PageTimeoutError) as error:  # noqa: BLE001  (whatever a library raises)
            yield _failed(blank, gold, error, perf_counter() - started, nodes=False, plan=plan)
            continue
        seconds = perf_counter() - started
        yield replace(blank, metrics=_metrics(gold, text, "", plan), seconds=seconds)


def _blank(site: GoldSite, gold: GoldPage, method: str, learned: int) -> PageScore:
    size = len(gold.html) if isinstance(gold.html, bytes) else len(gold.html.encode("utf-8", "replace"))
    return PageScore(site.collection, site.name, gold.name, method, learned, gold.label, {}, 0.0, size)


def _failed(
    blank: PageScore, gold: GoldPage, error: BaseException, seconds: float, *, nodes: bool, plan: Plan
) -> PageScore:
    metrics = failed_metrics(nodes=nodes) if plan.all_metrics else dict.fromkeys(_WORD, 0.0)
    if gold.kind != "content":
        metrics = {}
    return replace(blank, metrics=metrics, seconds=seconds, error=f"{type(error).__name__}: {error}"[:200])


_WORD: Final = ("word_p", "word_r", "word_f1")


def _metrics(gold: GoldPage, text: str, verdict: str, plan: Plan) -> dict[str, float]:
    """Return the figures of a content page; of another one only whether the method saw that it is none."""
    if gold.kind != "content":
        return {"listing_seen": float(verdict in (Kind.LISTING, Kind.NONE))} if verdict else {}
    if plan.all_metrics:
        metrics = text_metrics(text, gold.text)
    else:
        metrics = dict(zip(_WORD, word_prf(text, gold.text), strict=True))
    return metrics | ({"content_seen": float(verdict == Kind.CONTENT)} if verdict else {})
