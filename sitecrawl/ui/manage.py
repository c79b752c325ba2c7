"""Adds, pauses, resumes and forgets sites, and makes them due."""

from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sitecrawl.clock import now
from sitecrawl.crawl.forgetting import forget_site
from sitecrawl.crawl.site_lists import BadLine, read_sites, site_options
from sitecrawl.errors import ConfigError, InputError, UnknownSiteError
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.site_register import NewSite, SiteRegister
from sitecrawl.storage.site_report import SiteReportRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.ui.forms import Form, StaleFormError
from sitecrawl.ui.responses import quoted
from sitecrawl.ui.state import known_site, ui_of


def _due(session: Session, host: str) -> bool:
    """Make a site due; return whether it is known. Raises StaleFormError if it was paused meanwhile."""
    site = SiteRepository(session).get(host)
    state = SiteReportRepository(session).state(site.id) if site is not None else None
    if state is not None and state.paused_at is not None:
        raise StaleFormError(f"{host}: it is paused; resume it first")
    return SiteRegister(session).due_now(host, now())


ACTS: Final[dict[str, Callable[[Session, str], bool]]] = {
    "pause": lambda session, host: SiteRegister(session).pause(host, now()),
    "resume": lambda session, host: SiteRegister(session).resume(host, now()),
    "due": _due,
}


def added(request: Request, form: Form) -> Response:
    """Add the site of a start URL, which is due at once, as `sites add` does, and return the response.

    Raises ConfigError, and InputError also for a known site with another start URL or other options.
    """
    ui = ui_of(request)
    options = site_options(form.get("every"), form.get("max_pages"), None, None)
    listed = next(read_sites([" ".join(form.get("url", "").split())], ui.config.site_scope, options), None)
    if listed is None:
        raise InputError("which website? give the URL at which its crawl begins, such as https://example.org/")
    if isinstance(listed, BadLine):
        raise ConfigError(listed.reason)
    with ui.writing() as session:
        new = SiteRegister(session).add([NewSite(listed.host, listed.start_url, listed.options)], now())
        known = known_site(session, listed.host)
        options = SiteRepository(session).options(known.id)
    if known.start_url != listed.start_url:
        raise InputError(
            f"{listed.host}: it is known already, and its crawl begins at {known.start_url}; nothing was changed. To"
            f" begin at {listed.start_url}, forget the site and add it again"
        )
    if options != listed.options:
        raise InputError(
            f"{listed.host}: it is known already, with other options; nothing was changed. They are changed by:"
            f" sitecrawl sites set {listed.host}"
        )
    return RedirectResponse(f"/sites/{quoted(listed.host)}{'' if new else '?known=1'}", 303)


def changed(request: Request, form: Form) -> Response:
    """Pause, resume or forget a site, or make it due, and return the response.

    Raises UnknownSiteError, InputError, StaleFormError if a paused site should be made due, and SiteLeasedError if a
    site that is being crawled should be forgotten.
    """
    ui, host, act = ui_of(request), request.path_params["host"], form.get("act", "")
    if act == "forget":
        if form.get("sure") != "yes":
            raise InputError(f"{host}: nothing was forgotten; confirm that you are sure")
        with ui.writing() as session:
            forget_site(session, ui.config, host)
        return RedirectResponse("/", 303)
    if act not in ACTS:
        raise InputError("the form has no action for a site")
    with ui.writing() as session:
        if not ACTS[act](session, host):
            raise UnknownSiteError(f"{host}: the database holds nothing about this site; choose another one")
    return RedirectResponse(f"/sites/{quoted(host)}", 303)
