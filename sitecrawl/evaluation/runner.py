"""Runs methods and peers over the pages of one gold site, and scores what they return."""

import signal
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Final

from w3lib.encoding import html_to_unicode

from sitecrawl.dom.flat import elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError
from sitecrawl.evaluation.gold import GoldPage, GoldSite
from sitecrawl.evaluation.knowledge import SiteKnowledge, crawl_order
from sitecrawl.evaluation.metrics import covered, failed_metrics, node_metrics, text_metrics, word_prf
from sitecrawl.evaluation.peers import PREFIX, get_peer
from sitecrawl.evaluation.results import PageScore
from sitecrawl.extractors.base import Extraction, Kind, get_extractor

ALL_PAGES: Final = -1
"""For `learned`: learn every page of the site."""
SECONDS: Final = 60.0
"""Time that a method may take for one page."""


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


@dataclass(frozen=True, slots=True)
class SiteResult:
    """The scores of one site, and sentences on what was left out."""

    key: str
    scores: tuple[PageScore, ...]
    problems: tuple[str, ...]


class PageTimeoutError(Exception):
    """A method took too long for one page."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise PageTimeoutError(f"over {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def evaluate_site(site: GoldSite, plan: Plan) -> SiteResult:
    """Run all methods over one site. One page that fails is an error in its scores."""
    problems = list(site.problems)
    golds: list[GoldPage] = []
    pages: list[Page] = []
    for gold in site.pages:
        try:
            page = Page.from_html(gold.html, gold.url)
            assert page.flat
        except PageError as error:
            problems.append(f"{site.collection}, {site.name}: {gold.name} was left out: {error.reason}.")
            continue
        golds.append(gold)
        pages.append(page)
    order = crawl_order(pages)
    chosen = _scored(golds, plan.limit)
    scores: list[PageScore] = []
    for count in sorted({len(pages) if n == ALL_PAGES else min(n, len(pages)) for n in plan.learned}):
        knowledge = SiteKnowledge.learn(pages, order, count)
        for name in plan.methods:
            if not name.startswith(PREFIX):
                scores += _method_scores(site, name, golds, knowledge, chosen, plan)
    for name in plan.methods:
        if name.startswith(PREFIX):
            scores += _peer_scores(site, name, golds, pages, chosen, plan)
    return SiteResult(site_key(site, plan), tuple(scores), tuple(problems))


def _scored(golds: Sequence[GoldPage], limit: int) -> list[int]:
    """Return the pages that are scored: with a limit, as many content pages and others, chosen by their names."""
    if not limit:
        return [i for i, gold in enumerate(golds) if gold.kind]
    by_name = sorted(range(len(golds)), key=lambda i: blake2b(golds[i].name.encode(), digest_size=8).digest())
    content = [i for i in by_name if golds[i].kind == "content"][:limit]
    return sorted(content + [i for i in by_name if golds[i].kind in ("listing", "none")][:limit])


def _method_scores(
    site: GoldSite, name: str, golds: Sequence[GoldPage], knowledge: SiteKnowledge, chosen: Sequence[int], plan: Plan
) -> Iterator[PageScore]:
    extractor = get_extractor(name)
    if not knowledge.known and extractor.needs:
        return
    for number in chosen:
        gold, page = golds[number], knowledge.pages[number]
        context = knowledge.context(number, extractor)
        blank = _blank(site, gold, name, len(knowledge.known))
        started = perf_counter()
        try:
            with _limited(plan.seconds):
                found = extractor.extract(page, context if knowledge.known else None)
            seconds = perf_counter() - started
            text = page.text(found.nodes) if found.kind is not Kind.NONE else ""
        except Exception as error:  # noqa: BLE001  (one page never ends an evaluation; it is counted in the report)
            yield _failed(blank, gold, error, perf_counter() - started, plan)
            continue
        metrics = _metrics(gold, text, str(found.kind), plan)
        if plan.all_metrics and gold.nodes and gold.kind == "content":
            metrics |= _node_figures(page, gold, found)
        yield replace(blank, metrics=metrics, seconds=seconds, verdict=str(found.kind))


def _peer_scores(
    site: GoldSite, name: str, golds: Sequence[GoldPage], pages: Sequence[Page], chosen: Sequence[int], plan: Plan
) -> Iterator[PageScore]:
    peer = get_peer(name)
    for number in chosen:
        gold = golds[number]
        if gold.kind != "content":
            continue
        blank = _blank(site, gold, name, 0)
        html = gold.html if isinstance(gold.html, str) else html_to_unicode(None, gold.html)[1]
        started = perf_counter()
        try:
            with _limited(plan.seconds), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                text = peer(html, pages[number].url)
        except Exception as error:  # noqa: BLE001  (whatever a library raises)
            yield _failed(blank, gold, error, perf_counter() - started, plan)
            continue
        seconds = perf_counter() - started
        yield replace(blank, metrics=_metrics(gold, text, "", plan), seconds=seconds)


def _blank(site: GoldSite, gold: GoldPage, method: str, learned: int) -> PageScore:
    size = len(gold.html) if isinstance(gold.html, bytes) else len(gold.html.encode("utf-8", "replace"))
    return PageScore(site.collection, site.name, gold.name, method, learned, gold.label, {}, 0.0, size)


def _failed(blank: PageScore, gold: GoldPage, error: Exception, seconds: float, plan: Plan) -> PageScore:
    nodes = bool(gold.nodes) and not blank.method.startswith(PREFIX)
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


def _node_figures(page: Page, gold: GoldPage, found: Extraction) -> dict[str, float]:
    flat, tree = page.flat, page.root.getroottree()
    sources = elements(page.root)
    rows = {next(sources): i for i, tag in enumerate(flat.tag) if tag != TEXT}

    def chosen(paths: Iterable[str]) -> list[int]:
        found = (tree.xpath(path) for path in paths)
        return [rows[one] for nodes in found if isinstance(nodes, list) for one in nodes if one in rows]

    wanted = covered(flat, chosen(gold.nodes), chosen(gold.without))
    returned = covered(flat, found.nodes) if found.kind is not Kind.NONE else set()
    return node_metrics(flat, returned, wanted)


# --- what a result is found by ---


def code_fingerprint() -> str:
    """Return what tells this version of the methods from others: a hash over the package's core."""
    digest = blake2b(digest_size=8)
    package = Path(str(files("sitecrawl")))
    for folder in ("dom", "links", "templates", "extractors", "evaluation"):
        for path in sorted((package / folder).rglob("*")):
            if path.suffix in (".py", ".json", ".pyx"):
                digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def site_key(site: GoldSite, plan: Plan) -> str:
    """Return what a stored result is found by: it changes with the gold data, the plan, and the code."""
    digest = blake2b(digest_size=12)
    digest.update(repr((site.collection, site.name, plan, _CODE)).encode())
    for page in site.pages:
        html = page.html if isinstance(page.html, bytes) else page.html.encode("utf-8", "replace")
        digest.update(
            repr((page.name, page.url, page.text, page.kind, page.nodes, page.without)).encode("utf-8", "replace")
        )
        digest.update(html)
    return digest.hexdigest()


_CODE: Final = code_fingerprint()
