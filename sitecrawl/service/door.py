"""Checks every request to the service: its Host header, its password, and whether another website sent it.

On a loopback address, anybody on the machine may use the service, since it serves only pages of the public web. A
website in a user's browser may link to the service, but not load from it. On other addresses a password is required.
"""

import base64
import binascii
import time
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response

from sitecrawl.ui.request_filter import RequestFilter

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Door(RequestFilter):
    """Middleware that accepts or refuses requests."""

    headers = HEADERS

    def refusal(self, request: HTTPConnection) -> Response | None:
        """Return the response to a refused request; None if the request is accepted."""
        headers = request.headers
        if not self.access.allows_host(headers.get("host", "")):
            return refusal(421, "unknown host name; allow it with: sitecrawl serve --name HOST")
        loaded = headers.get("sec-fetch-dest", "document") != "document"  # a frame, object, picture or script
        if headers.get("sec-fetch-site") == "cross-site" and loaded:
            return refusal(403, "other websites may link here, but not load from here")
        if self.access.password is None:
            return None
        moment = time.monotonic()
        if self.access.waits(moment):
            return refusal(429, "too many wrong passwords; wait a minute", {"Retry-After": "60"})
        given = _password(headers.get("authorization", ""))
        if given is not None and self.access.takes_password(given, moment):
            return None
        challenge = {"WWW-Authenticate": 'Basic realm="sitecrawl", charset="UTF-8"'}
        return refusal(401, "give the password, with any user name", challenge)


def refusal(status: int, reason: str, headers: dict[str, str] | None = None) -> Response:
    """Return a response of one line."""
    return PlainTextResponse(f"sitecrawl: {reason}\n", status, headers)


def _password(header: str) -> str | None:
    """Return the password in an Authorization header, from Basic with any user name or from Bearer; None without."""
    kind, _, value = header.partition(" ")
    if kind.lower() == "bearer":
        try:  # headers are decoded as Latin-1, but this one was sent in UTF-8
            return value.strip().encode("latin-1").decode("utf-8")
        except ValueError:
            return value.strip()
    if kind.lower() != "basic":
        return None
    try:
        return base64.b64decode(value.strip(), validate=True).decode("utf-8").partition(":")[2]
    except (binascii.Error, ValueError):
        return None
