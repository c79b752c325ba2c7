"""Runs methods and peers over the pages of one gold site, and scores their output."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import Final

from sitecrawl.dom.charset import decode, decoded
from sitecrawl.dom.flat import elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import EvaluationError, PageError
from sitecrawl.evaluation.deciding import SiteDecision
from sitecrawl.evaluation.gold import GoldPage, GoldSite
from sitecrawl.evaluation.knowledge import LearnOrder, SiteKnowledge, learning_order
from sitecrawl.evaluation.limits import SECONDS, Limit, PageTimeoutError
from sitecrawl.evaluation.metrics import EVIDENCE, covered, failed_metrics, node_metrics, text_metrics, word_prf
from sitecrawl.evaluation.peers import PREFIX, Peer, get_peer
from sitecrawl.evaluation.results import PageScore
from sitecrawl.evaluation.rows import extractor_of
from sitecrawl.extractors.base import Extraction, Kind

ALL_PAGES: Final = -1
"""For `learned`: learn every page of the site."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The methods and limits of an evaluation run."""

    methods: tuple[str, ...]
    """Methods with their options (`evaluation.rows`), and peers as `peer:NAME`."""
    learned: tuple[int, ...] = (ALL_PAGES,)
    """Numbers of pages to learn before extraction; with 0, and for peers, nothing is learned."""
    all_metrics: bool = True
    limit: int = 0
    """Maximum content pages of a site that are scored; 0 for all."""
    seconds: float = SECONDS
    evidence: tuple[str, ...] = ()
    """Names of evidence (`Extraction.evidence`) that is averaged like figures, under the name `evidence_NAME`."""
    learn_order: LearnOrder = "crawl"


@dataclass(frozen=True, slots=True)
class SiteResult:
    """The scores of one site, and sentences about pages that were left out."""

    key: str
    scores: tuple[PageScore, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Restart:
    """The point from which the evaluation of a site resumes after its process was ended."""

    scored: int = 0
    """Number of scores that are known and not computed again; scores always have the same order."""
    error: str = ""
    """Reason why the next score is not tried again."""
    seconds: float = 0.0
    """Seconds for which it was tried."""


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """One method on one page."""

    gold: GoldPage
    page: Page
    blank: PageScore
    extract: Callable[[], Extraction | str]
    site: SiteDecision | None = None
    """The layout decision to make before the page is extracted; None for a peer."""


class _Measured:
    """Caches the figures of texts, since methods that need no site return the same text whatever was learned."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, bytes], dict[str, float]] = {}

    def of(self, gold: GoldPage, text: str) -> dict[str, float]:
        """Return the figures of a method's output for a gold page of this site."""
        key = id(gold), blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key not in self._known:
            self._known[key] = text_metrics(text, gold.text)
        return self._known[key].copy()


def evaluate_site(site: GoldSite, plan: Plan) -> SiteResult:
    """Return the results of all methods on one site, run in this process. The score of a failed page has an error."""
    problems: list[str] = []
    return site_result(site, plan, list(site_scores(site, plan, problems)), problems)


def site_result(site: GoldSite, plan: Plan, scores: Sequence[PageScore], problems: Sequence[str]) -> SiteResult:
    """Return the result of a site, with problems for the pages that took too long or killed their process."""
    ended = [
        f"{score.collection}, {score.site}: {score.page} is an error of {score.method} ({score.learned} pages learned):"
        f" {score.error}."
        for score in scores
        if score.error.startswith(_ENDED)
    ]
    return SiteResult(site_key(site, plan), tuple(scores), (*site.problems, *problems, *ended))


def site_scores(
    site: GoldSite,
    plan: Plan,
    problems: list[str],
    restart: Restart | None = None,
    running: Callable[[float], None] = lambda began: None,
) -> Iterator[PageScore]:
    """Yield a score per method and page, always in the same order; add a problem for each page that is left out.

    `running` is called when a page begins and ends (`limits.Limit`).
    """
    restart, measured = restart or Restart(), _Measured()
    for number, step in enumerate(_steps(site, plan, problems)):
        if number == restart.scored and restart.error:
            yield _failed(step, restart.error, restart.seconds, plan)
        elif number >= restart.scored:
            yield _score(step, plan, running, measured)


def _steps(site: GoldSite, plan: Plan, problems: list[str]) -> Iterator[_Step]:
    golds: list[GoldPage] = []
    pages: list[Page] = []
    for gold in site.pages:
        try:
            page = Page.from_html(_decoded(site, gold, problems), gold.url)
            assert page.flat
        except PageError as error:
            problems.append(f"{site.collection}, {site.name}: {gold.name} was left out: {error.reason}.")
            continue
        golds.append(gold)
        pages.append(page)
    order = learning_order(pages, plan.learn_order)
    chosen = _scored(golds, plan.limit)
    for count in sorted({len(pages) if n == ALL_PAGES else min(n, len(pages)) for n in plan.learned}):
        knowledge = SiteKnowledge.learn(pages, order, count)
        for name in plan.methods:
            if not name.startswith(PREFIX):
                yield from _method_steps(site, name, golds, knowledge, chosen)
    for name in plan.methods:
        if name.startswith(PREFIX):
            yield from _peer_steps(site, name, golds, pages, chosen)


def _decoded(site: GoldSite, gold: GoldPage, problems: list[str]) -> str:
    """Return the HTML as text, decoded as by `Page`; the number of undecodable characters is reported as a problem."""
    if isinstance(gold.html, str):
        return gold.html
    encoding, html = decode(gold.html, None)
    lost = html.count(_LOST) - gold.html.count(_LOST.encode())
    if lost > 0:
        problems.append(f"{site.collection}, {site.name}: {gold.name} has {lost} characters that are not {encoding}.")
    return html


_LOST: Final = "\ufffd"


def _scored(golds: Sequence[GoldPage], limit: int) -> list[int]:
    """Return the numbers of the pages to score; with a limit, that many content pages and other pages, by name."""
    if not limit:
        return [i for i, gold in enumerate(golds) if gold.kind]
    by_name = sorted(range(len(golds)), key=lambda i: blake2b(golds[i].name.encode(), digest_size=8).digest())
    content = [i for i in by_name if golds[i].kind == Kind.CONTENT][:limit]
    return sorted(content + [i for i in by_name if golds[i].kind in (Kind.LISTING, Kind.NONE)][:limit])


def _method_steps(
    site: GoldSite, name: str, golds: Sequence[GoldPage], knowledge: SiteKnowledge, chosen: Sequence[int]
) -> Iterator[_Step]:
    extractor = extractor_of(name)
    if not knowledge.known and extractor.needs:
        return
    decision = SiteDecision(knowledge, extractor)
    for number in chosen:
        gold, page = golds[number], knowledge.pages[number]
        blank = _blank(site, gold, name, len(knowledge.known))
        yield _Step(gold, page, blank, decision.extraction(number), decision)


def _peer_steps(
    site: GoldSite, name: str, golds: Sequence[GoldPage], pages: Sequence[Page], chosen: Sequence[int]
) -> Iterator[_Step]:
    htmls = [gold.html if isinstance(gold.html, str) else decoded(gold.html, None) for gold in golds]
    peer = get_peer(name, htmls)
    for number in chosen:
        gold, page, html = golds[number], pages[number], htmls[number]
        if gold.kind == Kind.CONTENT:
            yield _Step(gold, page, _blank(site, gold, name, 0), partial(_quietly, peer, html, page.url))


def _quietly(peer: Peer, html: str, url: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return peer(html, url)


def _score(step: _Step, plan: Plan, running: Callable[[float], None], measured: _Measured) -> PageScore:
    gold, page, started = step.gold, step.page, perf_counter()
    limit = partial(Limit, plan.seconds, running)
    try:
        if step.site is not None:
            step.site.make(limit)
        started = perf_counter()
        with limit():
            found = step.extract()
        seconds = perf_counter() - started
        text = found if isinstance(found, str) else page.text(found.nodes) if found.kind is not Kind.NONE else ""
    except (Exception, SystemExit, PageTimeoutError) as error:  # noqa: BLE001  (no page may end the evaluation)
        return _failed(step, f"{type(error).__name__}: {error}", perf_counter() - started, plan)
    verdict = "" if isinstance(found, str) else str(found.kind)
    metrics = _metrics(gold, text, verdict, plan, measured)
    if not isinstance(found, str) and plan.all_metrics and gold.nodes and gold.kind == Kind.CONTENT:
        metrics |= _node_figures(page, gold, found)
    if not isinstance(found, str) and gold.kind == Kind.CONTENT:
        metrics |= {EVIDENCE + name: found.evidence[name] for name in plan.evidence if name in found.evidence}
    return replace(step.blank, metrics=metrics, seconds=seconds, verdict=verdict)


def _blank(site: GoldSite, gold: GoldPage, method: str, learned: int) -> PageScore:
    size = len(gold.html) if isinstance(gold.html, bytes) else len(gold.html.encode("utf-8", "replace"))
    return PageScore(site.collection, site.name, gold.name, method, learned, gold.label, {}, 0.0, size)


def _failed(step: _Step, error: str, seconds: float, plan: Plan) -> PageScore:
    nodes = bool(step.gold.nodes) and not step.blank.method.startswith(PREFIX)
    metrics = failed_metrics(nodes=nodes) if plan.all_metrics else dict.fromkeys(_WORD, 0.0)
    if step.gold.kind != Kind.CONTENT:
        metrics = {}
    return replace(step.blank, metrics=metrics, seconds=seconds, error=error[:200])


_ENDED: Final = (PageTimeoutError.__name__, EvaluationError.__name__)
_WORD: Final = ("word_p", "word_r", "word_f1")


def _metrics(gold: GoldPage, text: str, verdict: str, plan: Plan, measured: _Measured) -> dict[str, float]:
    """Return the figures of a content page; for another page only whether the method recognised its kind."""
    if gold.kind != Kind.CONTENT:
        right = (Kind.LISTING,) if gold.kind == Kind.LISTING else (Kind.LISTING, Kind.NONE)
        return {"listing_seen": float(verdict in right)} if verdict else {}
    metrics = measured.of(gold, text) if plan.all_metrics else dict(zip(_WORD, word_prf(text, gold.text), strict=True))
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


# --- keys of stored results ---


def code_fingerprint() -> str:
    """Return a hash of the package's core, which identifies this version of the methods."""
    digest = blake2b(digest_size=8)
    package = Path(str(files("sitecrawl")))
    for folder in ("dom", "links", "templates", "extractors", "evaluation"):
        for path in sorted((package / folder).rglob("*")):
            if path.suffix in (".py", ".json", ".pyx"):
                digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def site_key(site: GoldSite, plan: Plan) -> str:
    """Return the key of a stored result; it depends on the gold data, the plan, and the code."""
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
