"""Sites are added, paused, resumed, made due and forgotten."""

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
from sitecrawl.ui.forms import Form
from sitecrawl.ui.responses import quoted
from sitecrawl.ui.state import ui_of

ACTS: Final[dict[str, Callable[[Session, str], bool]]] = {
    "pause": lambda session, host: SiteRegister(session).pause(host, now()),
    "resume": lambda session, host: SiteRegister(session).resume(host, now()),
    "due": lambda session, host: SiteRegister(session).due_now(host, now()),
}


def added(request: Request, form: Form) -> Response:
    """Add the site of a start URL, which is due at once, as `sites add` does. Raises ConfigError, InputError."""
    ui = ui_of(request)
    options = site_options(form.get("every"), form.get("max_pages"), None, None)
    listed = next(read_sites([" ".join(form.get("url", "").split())], ui.config.site_scope, options), None)
    if listed is None:
        raise InputError("which website? give the URL at which its crawl begins, such as https://example.org/")
    if isinstance(listed, BadLine):
        raise ConfigError(listed.reason)
    with ui.writing() as session:
        new = SiteRegister(session).add([NewSite(listed.host, listed.start_url, listed.options)], now())
    if not new and listed.options:
        raise InputError(
            f"{listed.host}: it is known already, and stays as it is; its options are changed by: sitecrawl sites set"
            f" {listed.host}"
        )
    return RedirectResponse(f"/sites/{quoted(listed.host)}", 303)


def changed(request: Request, form: Form) -> Response:
    """Pause, resume or forget a site, or make it due.

    Raises UnknownSiteError, InputError, and SiteLeasedError where a site that is being crawled is to be forgotten.
    """
    ui, host, act = ui_of(request), request.path_params["host"], form.get("act", "")
    if act == "forget":
        if form.get("sure") != "yes":
            raise InputError(f"{host}: nothing was forgotten; say that you are sure")
        with ui.writing() as session:
            forget_site(session, ui.config, host)
        return RedirectResponse("/", 303)
    if act not in ACTS:
        raise InputError("the form says nothing that can be done with a site")
    with ui.writing() as session:
        if not ACTS[act](session, host):
            raise UnknownSiteError(f"{host}: the database holds nothing about this site")
    return RedirectResponse(f"/sites/{quoted(host)}", 303)
