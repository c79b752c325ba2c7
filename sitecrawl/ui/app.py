"""The application of the UI: its routes and error pages."""

import time
from functools import partial
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from sitecrawl.errors import (
    ConfigError,
    DamagedBodyError,
    InputError,
    PageError,
    SitecrawlError,
    SiteLeasedError,
    StorageError,
    TemplateNotReadyError,
    UnfinishedCrawlError,
    UnknownSiteError,
)
from sitecrawl.ui import correct, decide, find, manage, progress, rules, stored_page
from sitecrawl.ui import site as one_site
from sitecrawl.ui.forms import ForeignFormError, Form, StaleFormError, posting
from sitecrawl.ui.guard import Guard, let_in
from sitecrawl.ui.override_files import ChangedMeanwhileError
from sitecrawl.ui.responses import STATIC, Pages, static_file
from sitecrawl.ui.sites import sites
from sitecrawl.ui.state import Ui, known_site, ui_of

PROBLEMS: Final = (
    (ChangedMeanwhileError, 409, "Somebody was faster"),
    (StaleFormError, 409, "Somebody was faster"),
    (ForeignFormError, 403, "This form was not sent from this server"),
    (UnknownSiteError, 404, "There is no such site or page"),
    (TemplateNotReadyError, 404, "No template is learned yet"),
    (DamagedBodyError, 422, "The stored page is damaged"),
    (PageError, 422, "The stored page cannot be shown"),
    (SiteLeasedError, 409, "Another process works on this site"),
    (UnfinishedCrawlError, 409, "The last crawl is not finished"),
    (StorageError, 503, "The database cannot be used now"),
    (ConfigError, 400, "Something is not set as it should be"),
    (InputError, 400, "This cannot be used"),
    (SitecrawlError, 500, "This went wrong"),
)
"""Status and title for each class of errors; the first matching class counts."""
REFUSALS: Final = {
    "host": (421, "This name is not known here", "Open the address that sitecrawl ui has printed."),
    "form": (
        403,
        "This form was not sent from this server",
        "Go back to the page with the form, reload it, and repeat.",
    ),
    "token": (
        403,
        "The token is missing or wrong",
        "Open the whole address that sitecrawl ui has printed in its terminal; it ends with a token. Each start of"
        " sitecrawl ui creates a new token.",
    ),
}


def application(ui: Ui) -> Starlette:
    """Return the ASGI application of the UI."""
    application = Starlette(
        routes=[
            Route("/", sites),
            Route("/sites", posting(manage.added), methods=["POST"]),
            Route("/sites/{host}", one_site.site),
            Route("/sites/{host}", posting(manage.changed), methods=["POST"]),
            Route("/sites/{host}/progress", progress.site_progress),
            Route("/progress", progress.sites_progress),
            Route("/sites/{host}/pages", one_site.pages),
            Route("/sites/{host}/template", one_site.template),
            Route("/sites/{host}/page/{key}", stored_page.page),
            Route("/sites/{host}/page/{key}/frame", stored_page.frame),
            Route("/sites/{host}/page/{key}/correct", correct.correct),
            Route("/sites/{host}/page/{key}/correct/frame", correct.frame),
            Route("/sites/{host}/page/{key}/correct", posting(correct.saved), methods=["POST"]),
            Route("/sites/{host}/rules", rules.rules),
            Route("/sites/{host}/rules", posting(rules.taken_back), methods=["POST"]),
            Route("/sites/{host}/job", rules.job),
            Route("/sites/{host}/job", posting(rules.extracted_again), methods=["POST"]),
            Route("/search", find.find),
            Route("/decide", decide.decide),
            Route("/decide/retry", posting(decide.retried), methods=["POST"]),
            Route("/decide/{host}", decide.site_decisions),
            Route("/decide/{host}", posting(decide.decided), methods=["POST"]),
            Route("/decide/{host}/compare/{key}", decide.compare),
            Route("/login", login_form),
            Route("/login", posting(login), methods=["POST"]),
            Route("/static/{name}", static),
        ],
        middleware=[Middleware(Guard, access=ui.access, refuse=partial(refused, ui.pages))],
        exception_handlers={SitecrawlError: problem, HTTPException: not_found, Exception: failed},
    )
    application.state.ui = ui
    return application


def login_form(request: Request) -> Response:
    """Return the login page, if there is a password."""
    ui = ui_of(request)
    if ui.access.password is None:
        return RedirectResponse("/", 303)
    return ui.pages.page("login.html", wrong="")


def login(request: Request, form: Form) -> Response:
    """Return the response to the login form, with the cookie if the password is right."""
    ui, moment = ui_of(request), time.monotonic()
    if ui.access.waits(moment):
        return ui.pages.page("login.html", 429, wrong="Too many wrong passwords; wait a minute.")
    if ui.access.takes_password(form.get("password"), moment):
        return let_in(ui.access, RedirectResponse("/", 303))
    return ui.pages.page("login.html", 403, wrong="The password is wrong.")


def static(request: Request) -> Response:
    """Return the style sheet, the script or the icon; their addresses change with their content."""
    name = request.path_params["name"]
    if name not in STATIC:
        raise HTTPException(404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(static_file(name), media_type=STATIC[name], headers=headers)


def refused(pages: Pages, reason: str) -> Response:
    """Return the page for a refused request."""
    status, title, text = REFUSALS[reason]
    return pages.problem(status, title, text, back="/", label="Try again")


def problem(request: Request, error: Exception) -> Response:
    """Return the page for an error of sitecrawl: its message and a link back."""
    status, title = next((status, title) for kind, status, title in PROBLEMS if isinstance(error, kind))
    back, label = _back(request, error)
    text = str(error)
    if text.partition(" ")[0].isalpha():  # the text does not begin with a host or file name
        text = text[0].upper() + text[1:]
    return ui_of(request).pages.problem(status, title, text, back, label)


def not_found(request: Request, error: Exception) -> Response:
    """Return the page for an unknown address or a wrong request method."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    text = "The address is not one of this server." if status == 404 else "This request method is not supported here."
    response = ui_of(request).pages.problem(status, "There is nothing here", text)
    response.headers.update(allowed_methods(error))
    return response


def allowed_methods(error: Exception) -> dict[str, str]:
    """Return the header with the methods of an address, for a request with another method (RFC 9110, 15.5.6)."""
    headers = (error.headers or {}) if isinstance(error, HTTPException) else {}
    return {name: value for name, value in headers.items() if name.lower() == "allow"}


def failed(request: Request, error: Exception) -> Response:
    """Return the page for an unexpected error; the terminal shows its traceback."""
    text = f"{type(error).__name__}. The terminal in which sitecrawl ui runs says more."
    return ui_of(request).pages.problem(500, "The server made a mistake", text)


def _back(request: Request, error: Exception) -> tuple[str, str]:
    """Return the address and label of the link back from an error page: the nearest view that can be shown."""
    host, parts = request.path_params.get("host"), request.url.path.split("/")
    if isinstance(error, StaleFormError):
        return request.url.path, "See how it is now"
    if host is None or len(parts) < 4:
        return "/", "Back to all sites"
    site = f"/sites/{parts[2]}"
    if isinstance(error, StorageError) and not _is_known(request, host):
        return "/", "Back to all sites"
    if isinstance(error, ConfigError) and parts[-1] != "rules":
        return f"{site}/rules", "See the corrections"
    if parts[-1] == "correct" and not isinstance(error, UnknownSiteError):
        return "/".join(parts[:-1]), "Back to the page"
    return site, f"Back to {host}"


def _is_known(request: Request, host: str) -> bool:
    """Return whether the database contains a site; False if the database cannot be read."""
    try:
        with ui_of(request).reading() as session:
            known_site(session, host)
    except StorageError:
        return False
    return True
