"""Checks the Host header and the token or password of every request, and sets the headers of every response."""

from collections.abc import Callable
from typing import Final
from urllib.parse import parse_qs, urlencode

from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from sitecrawl.ui.access import Access
from sitecrawl.ui.request_filter import RequestFilter

CSP: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self';"
    " frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}
OPEN: Final = ("/static/", "/login")
"""Paths that need no token, since they show no data."""

Refuse = Callable[[str], Response]
"""Returns the page for a refused request; its argument is the reason, `host` or `token`."""


class Guard(RequestFilter):
    """Middleware that accepts a request, redirects it to the login, or refuses it."""

    headers = HEADERS

    def __init__(self, app: ASGIApp, access: Access, refuse: Refuse) -> None:
        super().__init__(app, access)
        self.refuse = refuse

    def refusal(self, request: HTTPConnection) -> Response | None:
        """Return the response to a redirected or refused request; None if the request is accepted."""
        access, path = self.access, request.url.path
        if not access.allows_host(request.headers.get("host", "")):
            return self.refuse("host")
        if request.scope["method"] != "GET" and _is_foreign(request, access):
            return self.refuse("form")
        if path.startswith(OPEN):
            return None
        query = parse_qs(request.url.query)
        if access.takes_token(query.pop("token", [None])[0]):
            rest = urlencode(query, doseq=True)
            answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
            return self.let_in(answer)
        if access.knows(request.cookies.get(access.cookie)):
            return None
        return RedirectResponse("/login", 303) if access.password is not None else self.refuse("token")

    def let_in(self, answer: Response) -> Response:
        """Set the cookie of a user who has logged in; return the response."""
        return let_in(self.access, answer)


def _is_foreign(request: HTTPConnection, access: Access) -> bool:
    """Return whether a browser says that a page of another website sent the request."""
    origin = request.headers.get("origin")
    own = origin is None or access.allows_host(origin.rpartition("://")[2])
    return not own or request.headers.get("sec-fetch-site") == "cross-site"


def let_in(access: Access, answer: Response) -> Response:
    """Set the cookie of a user who has logged in; return the response.

    Scripts cannot read the cookie, and other websites cannot send forms with it.
    """
    answer.set_cookie(access.cookie, access.session, httponly=True, samesite="lax")
    return answer
