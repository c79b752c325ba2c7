"""The application of the service: its form, `/clean`, and its error responses."""

import asyncio
import base64
import hashlib
from dataclasses import dataclass, field
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from sitecrawl.dom.charset import decoded
from sitecrawl.errors import (
    ConfigError,
    ExtractorError,
    FetchFailedError,
    FetchRefusedError,
    InputError,
    NotHtmlError,
    PageError,
    PageNotTriedError,
    ServiceBusyError,
    SitecrawlError,
    StorageError,
)
from sitecrawl.extractors.base import extractor_names
from sitecrawl.extractors.options import read_options
from sitecrawl.links.urls import split_url
from sitecrawl.printable import visible
from sitecrawl.service.cleaning import FORMATS, TEMPLATES, Cleaner
from sitecrawl.service.door import Door, refusal
from sitecrawl.service.fetching import Fetcher
from sitecrawl.service.places import Places
from sitecrawl.service.site_settings import SiteSettings
from sitecrawl.storage.hosts import netloc_of
from sitecrawl.ui.access import Access

AT_ONCE: Final = 8
"""Maximum number of fetched pages that are cleaned at once; further ones wait."""
RETRY_AFTER: Final = "30"
"""Seconds after which a client may ask again if the service is too busy: as long as a slow page takes."""
STATUS: Final = (
    (FetchRefusedError, 403),
    (NotHtmlError, 415),
    (PageNotTriedError, 503),
    (PageError, 422),
    (FetchFailedError, 502),
    (ServiceBusyError, 503),
    (StorageError, 503),
    (ConfigError, 400),
    (ExtractorError, 400),
    (InputError, 400),
    (SitecrawlError, 500),
)
"""HTTP status of each class of errors; the first matching class counts."""
PAGE_CSP: Final = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src * 'unsafe-inline';"
    " img-src * data:; font-src * data:; media-src *; base-uri *; form-action 'none'; frame-ancestors 'none'"
)
"""Content security policy of a cleaned page: styles, pictures and fonts are loaded, scripts and forms do not work."""
STYLE: Final = (
    "body { max-width: 32rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.5 sans-serif }"
    " label, button { display: block; margin-top: 1rem } input, select { display: block; width: 100%; font: inherit }"
)
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
FORM_CSP: Final = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@dataclass(slots=True)
class Service:
    """The state of one run of the service."""

    access: Access
    sites: SiteSettings
    fetcher: Fetcher
    cleaner: Cleaner
    places: Places = field(default_factory=Places)
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))


@dataclass(frozen=True, slots=True)
class CleanRequest:
    """The parameters of a request to `/clean`."""

    url: str
    method: str | None
    options: dict[str, object]
    format: str

    @classmethod
    def of(cls, query: QueryParams) -> "CleanRequest":
        """Return the parameters in a query.

        Raises InputError for unknown names and invalid values, ConfigError for invalid options.
        """
        unknown = sorted(set(query) - {"url", "method", "format", "o"})
        if unknown:
            raise InputError(f"{visible(unknown[0])[:50]!r}: unknown; the parameters are url, method, format and o")
        for name in ("url", "method", "format"):
            if len(query.getlist(name)) > 1:
                raise InputError(f"{name}: is given twice; encode an & in the URL as %26")
        url, form = query.get("url", "").strip(), query.get("format") or "html"
        if not url:
            raise InputError("url: is missing; ask for /clean?url=https://example.org/a-page")
        if form not in FORMATS:
            raise InputError(f"format {visible(form)[:50]!r}: one of {', '.join(FORMATS)}")
        return cls(url, query.get("method") or None, read_options(filter(None, query.getlist("o"))), form)


def application(service: Service) -> Starlette:
    """Return the ASGI application of the service."""
    application = Starlette(
        routes=[Route("/", form), Route("/clean", clean)],
        middleware=[Middleware(Door, access=service.access)],
        exception_handlers={SitecrawlError: problem, HTTPException: not_found},
    )
    application.state.service = service
    return application


def form(request: Request) -> Response:
    """Return the form."""
    values = {"methods": extractor_names(), "formats": list(FORMATS), "style": STYLE}
    chosen = _service(request).sites.default.method
    text = TEMPLATES.get_template("form.html").render(values, chosen=chosen)
    return HTMLResponse(text, headers={"Content-Security-Policy": FORM_CSP})


async def clean(request: Request) -> Response:
    """Return the requested page, cleaned. Raises the errors of STATUS.

    If the client leaves, its request ends at once, so that it does not keep a place from others.
    """
    service, asked = _service(request), CleanRequest.of(request.query_params)
    service.sites.choice(asked.url).changed(asked.method, asked.options).extractor()  # checked before the fetch
    work = asyncio.create_task(_cleaned(service, asked))
    left = asyncio.create_task(_until_left(request))
    try:
        await asyncio.wait((work, left), return_when=asyncio.FIRST_COMPLETED)
        return work.result() if work.done() else refusal(503, "the client has left")
    finally:
        work.cancel()
        left.cancel()


async def _cleaned(service: Service, asked: CleanRequest) -> Response:
    async with service.places.place(_host(asked.url)):
        fetched = await service.fetcher.fetch(asked.url)
    choice = service.sites.choice(fetched.url).changed(asked.method, asked.options)
    async with service.turns:
        made = await service.cleaner.clean(decoded(fetched.body, fetched.charset), fetched.url, choice, asked.format)
    headers = {"Sitecrawl-Method": made.method, "Sitecrawl-Template": str(made.template or "none")}
    if made.format == "html":
        headers["Content-Security-Policy"] = PAGE_CSP
    return Response(made.text.encode("utf-8", "replace"), 200, headers, f"{FORMATS[made.format]}; charset=utf-8")


def _host(url: str) -> str:
    """Return the host and port of a URL; empty if it is malformed, which its fetch will report."""
    return netloc_of(url) if split_url(url) is not None else ""


async def _until_left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def problem(request: Request, error: Exception) -> Response:
    """Return the response to an error: one line."""
    status = next(status for kind, status in STATUS if isinstance(error, kind))
    headers = {"Retry-After": RETRY_AFTER} if status == 503 else {}
    return refusal(status, visible(" ".join(str(error).split())), headers)


def not_found(request: Request, error: Exception) -> Response:
    """Return the response to a request for an unknown path, or with another method than GET."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    headers = {"Allow": "GET, HEAD"} if status == 405 else {}
    return refusal(status, "the paths are / and /clean, with the method GET", headers)


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found
