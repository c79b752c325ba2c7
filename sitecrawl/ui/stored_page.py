"""Shows one stored page: its original look, the kept blocks and the reasons, and its stored facts."""

from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from sitecrawl.dom.markdown import markdown
from sitecrawl.errors import DamagedBodyError, PageError
from sitecrawl.metadata.fields import METADATA_NAMES
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.page_links import PageLinkRepository
from sitecrawl.storage.page_report import LifeRepository
from sitecrawl.storage.site_report import SiteReportRepository
from sitecrawl.storage.sites import SiteRef
from sitecrawl.ui.differences import differences
from sitecrawl.ui.frame import Look, drawn, policy
from sitecrawl.ui.opened_page import NoBodyError, OpenedPage, open_page, read_key
from sitecrawl.ui.shading import NAMES, shade
from sitecrawl.ui.state import Ui, known_site, ui_of

LINKS: Final = 30
"""Maximum number of links shown in each direction."""
SHOWN: Final = 20_000
"""Maximum characters of a text that are shown."""
MARKED: Final = 200_000
"""Maximum characters of a text that is shown as Markdown: cleaning the markup of megabytes takes a minute."""


def page(request: Request) -> Response:
    """Return the view of a stored page."""
    ui, host, query = ui_of(request), request.path_params["host"], request.query_params
    with ui.reading() as session:
        site, key = known_site(session, host), read_key(request.path_params["key"])
        values = _facts(session, site, key)
        opened, problem = _opened(ui, session, site, key)
    made = _made(opened, values["text"]) if opened is not None else {}
    return ui.pages.page(
        "page.html",
        **{**values, **made},
        host=host,
        key=key,
        opened=opened,
        problem=problem,
        plain=query.get("plain") == "1",
        pictures=query.get("pictures") == "1",
    )


def frame(request: Request) -> Response:
    """Return the page with its original look for the sandboxed frame, as `plain` and `pictures` say."""
    ui, query = ui_of(request), request.query_params
    look = Look(resources=query.get("pictures") == "1", plain=query.get("plain") == "1")
    with ui.reading() as session:
        site = known_site(session, request.path_params["host"])
        opened = open_page(ui, session, site, read_key(request.path_params["key"]))
    return framed(opened, look)


def framed(opened: OpenedPage, look: Look) -> Response:
    """Return a drawn page as a response with its own content security policy, so that nothing can run or be fetched."""
    headers = {"Content-Security-Policy": policy(look), "Referrer-Policy": "no-referrer"}
    return HTMLResponse(drawn(opened.page, opened.verdicts, look), headers=headers)


def _opened(ui: Ui, session: Session, site: SiteRef, key: int) -> tuple[OpenedPage | None, str]:
    """Return the page and "", or None and the reason why it cannot be drawn; its stored facts are still shown."""
    try:
        return open_page(ui, session, site, key), ""
    except (NoBodyError, DamagedBodyError, PageError) as error:
        return None, str(error)


def _facts(session: Session, site: SiteRef, key: int) -> dict[str, object]:
    """Return the stored facts about a page, without its body."""
    report, links = SiteReportRepository(session), PageLinkRepository(session)
    content = ContentRepository(session).get(site.id, key)
    out = links.out(site.id, key)
    record = content.record if content is not None else None
    return {
        "life": next(LifeRepository(session).pages(site.id, url_key=key), None),
        "record": record,
        "text": record.text if record is not None else "",
        "last_change": differences(content.earlier, content.record.text) if content and content.earlier else [],
        "metadata": [(name, getattr(record, name)) for name in METADATA_NAMES] if record is not None else [],
        "out": report.rows(site.id, out[:LINKS]),
        "out_left": max(len(out) - LINKS, 0),
        "into": links.into(site.id, key, LINKS),
    }


def _made(opened: OpenedPage, stored: object) -> dict[str, object]:
    """Return the values of the page's current extraction for the view."""
    record, found = opened.record(), opened.found
    counts = dict.fromkeys(NAMES.values(), 0)
    for verdict in opened.verdicts:
        counts[NAMES[shade(verdict)]] += 1
    html = opened.page.html(found.extraction.nodes) if 0 < len(record.text) <= MARKED else ""
    return {
        "now": record,
        "why": found.extraction.why,
        "counts": counts,
        "markdown": markdown(html)[:SHOWN] if html else "",
        "diff": differences(str(stored), record.text),
        "uses": found.uses,
        "decision": opened.context.decision,
        "sample": opened.stored.sample,
    }
