"""The pages of the UI about one site: its pages, crawls, layouts, template and overrides."""

from collections.abc import Collection
from pathlib import Path
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from sitecrawl.clock import now
from sitecrawl.crawl import url_problems
from sitecrawl.crawl.counted_blocks import with_blocks
from sitecrawl.errors import ConfigError, TemplateNotReadyError, UnknownSiteError
from sitecrawl.overrides.folders import SUFFIXES, host_of, hosts_above
from sitecrawl.storage.closed import ClosedRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.page_report import LEFT, TROUBLED, LifeRepository
from sitecrawl.storage.pages import PageStatus
from sitecrawl.storage.sinks import SinkRepository
from sitecrawl.storage.site_report import PageFilter, PageRow, SiteReportRepository, SiteState
from sitecrawl.storage.sites import SiteRef
from sitecrawl.storage.templates import LayoutHead, TemplateRepository
from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.decision import LayoutDecision
from sitecrawl.templates.decision_records import from_record
from sitecrawl.templates.snapshot import merge, merge_blocks
from sitecrawl.templates.trie import SiteTemplate
from sitecrawl.templates.views import path_rows, template_rows
from sitecrawl.ui.charts import share_bar
from sitecrawl.ui.history import history
from sitecrawl.ui.paging import paged
from sitecrawl.ui.progress import progress_views
from sitecrawl.ui.rules import rules_on
from sitecrawl.ui.state import Ui, known_site, ui_of
from sitecrawl.ui.trouble import is_running, troubles

CRAWLS: Final = 24
SHOWN: Final = 50
"""Number of pages in one part of the list."""
SORTED: Final = 20_000
"""Maximum pages that are sorted by URL; longer lists are ordered by key, so that their last part is fast too."""
TROUBLED_OF: Final = 5_000
"""Maximum URLs without a page whose reasons are read; if there are more, this is a sample."""
SAMPLES: Final = 5
"""Number of sample pages of a layout."""
CORRECTED_OF: Final = 20
"""Maximum pages of a layout that are checked for corrections."""
DOUBTFUL: Final = 8
DOUBTFUL_OF: Final = 400
"""Size of the random sample of pages of which the most doubtful are shown."""
ROWS: Final = 400
"""Maximum rows of a template that are shown."""
READ: Final = (PageStatus.FETCHED, PageStatus.UNCHANGED)
"""Statuses of pages that were found at their last visit."""


class LayoutView(NamedTuple):
    """A layout with its decision and sample pages."""

    head: LayoutHead
    pages: int
    decision: LayoutDecision | None
    samples: list[PageRow]


def site(request: Request) -> Response:
    """Return the overview of a site."""
    ui, host = ui_of(request), request.path_params["host"]
    values = site_values(ui, host)
    with ui.reading() as session:
        (view,) = progress_views(session, [known_site(session, host).id])
        values["sinks"] = SinkRepository(session).all()
    values["running"] = view.live
    state = values["site"]
    values["waits"] = isinstance(state, SiteState) and _waits(state) and not view.live
    return ui.pages.page(
        "site.html",
        **values,
        progress=view,
        overrides=override_files(ui, host),
        known=request.query_params.get("known") == "1",
        tab="overview",
    )


def site_values(ui: Ui, host: str) -> dict[str, object]:
    """Return the values for the overview and the report of a site. Raises UnknownSiteError."""
    moment = now()
    with ui.reading() as session:
        ref, report = known_site(session, host), SiteReportRepository(session)
        state = report.state(ref.id)
        if state is None:
            raise UnknownSiteError(f"{host}: the database holds nothing about this site but where its name may lead")
        running = is_running(state, moment)
        crawling = running and state.crawl_id is not None and state.finished_at is None
        sample, counts = ui.sampled(session, state), report.counts(ref.id)
        found = LifeRepository(session).troubles(ref.id, TROUBLED_OF)
        crawls = CrawlRepository(session).history(ref.id, CRAWLS)
        troubled = sum(counts.statuses.get(status, 0) for status in TROUBLED)
        shown = {status.name.lower(): pages for status, pages in counts.statuses.items()}
        return {
            "site": state,
            "sample": sample,
            "counts": counts,
            "total": sum(counts.statuses.values()),
            "crawls": crawls,
            "running": running,
            "crawling": crawling,
            "why": troubles(state, sample, moment),
            "layouts": _layouts(session, ref, counts.layouts),
            "problems": url_problems.lines(one for one in found if not (crawling and one.reason.startswith(LEFT))),
            "troubled_of": troubled if troubled > TROUBLED_OF else None,
            "troubled_read": TROUBLED_OF,
            "doubtful": report.doubtful(ref.id, DOUBTFUL, DOUBTFUL_OF),
            "closed": len(ClosedRepository(session).all(ref.id)),
            "statuses": share_bar(shown, "URLs by status"),
            "kinds": share_bar(
                {
                    "content": sample.pages - sample.empty - sample.listings,
                    "listing": sample.listings,
                    "none": sample.empty,
                },
                "Sampled pages by kind",
            ),
            "history": history(crawls),
        }


def _waits(state: SiteState) -> bool:
    """Return whether a site is due, so that a process must crawl it."""
    return state.next_crawl_at is not None and state.next_crawl_at <= now() and state.paused_at is None


def pages(request: Request) -> Response:
    """Return a part of the list of a site's pages, restricted by `status`, `layout`, `held`, and `q` in the URL."""
    ui, host, query = ui_of(request), request.path_params["host"], request.query_params
    status = query.get("status", "" if query.get("layout") else "read")
    wanted = page_filter(status, query.get("layout"), query.get("q"))
    with ui.reading() as session:
        ref, report = known_site(session, host), SiteReportRepository(session)
        counts = report.counts(ref.id)
        total = _total(counts.statuses, counts.layouts, counts.held, wanted)
        paging = paged(query.get("page"), SHOWN, total)
        by_url, limit = total <= SORTED or wanted.text is not None, SHOWN + (wanted.text is not None)
        rows = report.pages(ref.id, wanted, offset=paging.offset, limit=limit, by_url=by_url)
    more = len(rows) > SHOWN
    return ui.pages.page(
        "pages.html",
        host=ref.host,
        counts=counts,
        total=sum(counts.statuses.values()),
        rows=rows[:SHOWN],
        more=more,
        by_url=by_url,
        paging=paging,
        wanted=wanted,
        status=status,
        read=sum(counts.statuses.get(one, 0) for one in READ),
        tab="pages",
    )


def page_filter(status: str | None, layout: str | None, text: str | None) -> PageFilter:
    """Return the filter that an address describes; unknown values are ignored."""
    named = (status or "").upper()
    return PageFilter(
        (PageStatus[named],) if named in PageStatus.__members__ else READ if status == "read" else (),
        int(layout) if layout and layout.isascii() and layout.isdigit() and len(layout) < 6 else None,
        held=status == "held",
        text=(text or "").strip() or None,
    )


def template(request: Request) -> Response:
    """Return the page with the template of a layout as a tree; `view` is etdm, sst or fastce."""
    ui, host, query = ui_of(request), request.path_params["host"], request.query_params
    view = query.get("view", "etdm")
    view = view if view in ("etdm", "sst", "fastce") else "etdm"
    with ui.reading() as session:
        ref, templates = known_site(session, host), TemplateRepository(session)
        heads = [head for head in templates.layouts(ref.id) if head.retired_at is None]
        used = SiteReportRepository(session).counts(ref.id).layouts
        chosen = page_filter(None, query.get("layout"), None).layout
        if chosen is None:
            chosen = max((head.layout for head in heads), key=lambda one: (used.get(one, 0), one), default=0)
        stored = templates.load(ref.id, chosen)
        if stored is not None and view == "fastce":
            stored = with_blocks(session, ref.id, stored, ui.config)
        keys = LayoutRepository(session).sample(ref.id, chosen, CORRECTED_OF)
        urls = [row.url for row in SiteReportRepository(session).rows(ref.id, keys)]
    if stored is None:
        raise TemplateNotReadyError(f"{host}: there is no template of layout {chosen} yet; crawl the site first")
    uses, problem = [], ""
    try:
        uses = rules_on(ui, urls)
    except ConfigError as error:
        problem = str(error)
    rows: list[NamedTuple] = []
    if view == "fastce":
        blocks = BlockStore()
        merge_blocks(blocks, stored)
        rows.extend(path_rows(blocks))
    else:
        trie = SiteTemplate()
        merge(trie, stored)
        rows.extend(template_rows(trie, 0.1, 2))
    return ui.pages.page(
        "template.html",
        host=ref.host,
        heads=heads,
        layout=chosen,
        view=view,
        rows=rows[:ROWS],
        left=max(len(rows) - ROWS, 0),
        pages_seen=stored.pages,
        decision=stored.decision,
        uses=uses,
        problem=problem,
        looked_at=len(urls),
        tab="template",
    )


def override_files(ui: Ui, host: str) -> list[tuple[Path, str]]:
    """Return the override files of a host and of its parent domains, with the texts of those that are readable."""
    found, hosts = [], set(hosts_above(f"http://{host}/"))
    for folder in map(Path, ui.config.overrides):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.suffix in SUFFIXES and not path.name.startswith(".") and _is_of(path, hosts):
                try:
                    found.append((path, path.read_text("utf-8", "replace")))
                except OSError as error:
                    found.append((path, f"cannot be read: {error.strerror}"))
    return found


def _is_of(path: Path, hosts: Collection[str]) -> bool:
    try:
        return host_of(path) in hosts
    except ValueError:
        return False


def _layouts(session: Session, ref: SiteRef, used: dict[int, int]) -> list[LayoutView]:
    report, layouts = SiteReportRepository(session), LayoutRepository(session)
    found = []
    for head in TemplateRepository(session).layouts(ref.id):
        samples = report.rows(ref.id, layouts.sample(ref.id, head.layout, SAMPLES)) if head.retired_at is None else []
        found.append(LayoutView(head, used.get(head.layout, 0), from_record(head.decision), samples))
    return sorted(found, key=lambda one: (one.head.retired_at is not None, -one.pages, one.head.layout))


def _total(statuses: dict[PageStatus, int], layouts: dict[int, int], held: int, wanted: PageFilter) -> int:
    """Return the number of pages that a filter finds, from stored counts; a text in the filter is ignored."""
    if wanted.held:
        return held
    if wanted.layout is not None:
        return layouts.get(wanted.layout, 0)
    return sum(pages for status, pages in statuses.items() if not wanted.statuses or status in wanted.statuses)
