"""The list of all sites, those with problems first."""

from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from sitecrawl.clock import now
from sitecrawl.links.typed import readable_host
from sitecrawl.storage.site_report import SiteReportRepository, SiteState
from sitecrawl.ui.paging import Paging, paged
from sitecrawl.ui.progress import SAMPLED_OF_MANY, ProgressView, progress_views
from sitecrawl.ui.state import Ui, ui_of
from sitecrawl.ui.trouble import Trouble, is_running, troubles, weight

SHOWN: Final = 50
"""Number of sites on one page."""


class SiteLine(NamedTuple):
    """One site in the list."""

    site: SiteState
    troubles: list[Trouble]
    running: bool
    urls: int
    progress: ProgressView | None = None
    """The progress of its crawl; None if no process has leased the site."""


class SitesView(NamedTuple):
    """A part of the list of sites."""

    lines: list[SiteLine]
    paging: Paging
    unread: int
    """Number of sites whose contents are not sampled yet."""
    in_trouble: int


def sites(request: Request) -> Response:
    """Return the list of sites; `q` restricts it to hosts that contain a text, `page` selects a part of it."""
    ui = ui_of(request)
    wanted = request.query_params.get("q", "").strip().lower()
    view = sites_view(ui, wanted, request.query_params.get("page"))
    return ui.pages.page("sites.html", view=view, wanted=wanted)


def sites_view(ui: Ui, wanted: str, page: str | None) -> SitesView:
    """Return a part of the list of sites whose host contains a text, those with problems first."""
    moment = now()
    with ui.reading() as session:
        report = SiteReportRepository(session)
        states = [one for one in report.states() if wanted in one.host or wanted in readable_host(one.host)]
        unread = ui.sample_some(session, states)
        found = [(one, troubles(one, ui.samples.get(one.id, (0, None))[1], moment)) for one in states]
        found.sort(key=lambda pair: ([-part for part in weight(pair[1])], pair[0].host))
        paging = paged(page, SHOWN, len(found))
        part = found[paging.offset : paging.offset + SHOWN]
        urls = report.known([one.id for one, _ in part])
        held = [one.id for one, _ in part if is_running(one, moment)]
        seen = {one.state.site_id: one for one in progress_views(session, held, sampled=SAMPLED_OF_MANY)}
    lines = []
    for one, why in part:
        view = seen.get(one.id)
        lines.append(SiteLine(one, why, view is not None and view.live, urls.get(one.id, 0), view))
    return SitesView(lines, paging, unread, sum(bool(why) for _, why in found))
