"""Pages for decisions by the user: held deletions, documents that an index refused, and duplicates side by side."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sitecrawl.clock import now
from sitecrawl.crawl.deletions import end_releases, release
from sitecrawl.errors import InputError, UnknownSiteError
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.deletions import Deletion, DeletionRepository
from sitecrawl.storage.duplicate_pairs import DuplicatePairRepository
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sinks import SinkRepository
from sitecrawl.storage.site_report import SiteReportRepository
from sitecrawl.storage.sites import SiteRef, SiteRepository
from sitecrawl.ui.differences import differences
from sitecrawl.ui.forms import Form, StaleFormError
from sitecrawl.ui.opened_page import read_key
from sitecrawl.ui.paging import numbers, paged
from sitecrawl.ui.responses import quoted
from sitecrawl.ui.state import Ui, known_site, ui_of

REFUSED: Final = 100
"""Maximum number of refused documents shown."""
SHOWN: Final = 50
"""Number of pages in one part of a list."""


def decide(request: Request) -> Response:
    """Return the page with everything that waits for a decision."""
    ui = ui_of(request)
    with ui.reading() as session:
        held = [(one.host, one.held) for one in SiteReportRepository(session).states() if one.held]
        repository = SinkRepository(session)
        sinks, refused = repository.all(), repository.rejected()
    held.sort(key=lambda one: (-one[1], one[0]))
    return ui.pages.page(
        "decide.html", held=held, sinks=sinks, refused=refused[:REFUSED], left=max(len(refused) - REFUSED, 0)
    )


def retried(request: Request, form: Form) -> Response:
    """Schedule the documents that a sink refused again, as `index --retry` does. Raises InputError."""
    ui, name = ui_of(request), form.get("sink", "")
    with ui.writing() as session:
        sinks = SinkRepository(session)
        if name not in [one.name for one in sinks.all()]:
            raise InputError(f"{name}: there is no such sink")
        sinks.retry(name, now())
    return RedirectResponse("/decide", 303)


def site_decisions(request: Request) -> Response:
    """Return the page with the held deletions and the duplicates of a site.

    `page` and `duplicates` are the parts of the two lists; `deleted` and `kept` are the numbers of pages in a decision
    that was just made.
    """
    ui, host, query = ui_of(request), request.path_params["host"], request.query_params
    with ui.reading() as session:
        site = known_site(session, host)
        held, pairs = _held(session, site), DuplicatePairRepository(session)
        paging = paged(query.get("page"), SHOWN, len(held))
        others = paged(query.get("duplicates"), SHOWN, pairs.count(site.id))
        found = pairs.pairs(site.id, offset=others.offset, limit=SHOWN)
    return ui.pages.page(
        "site_decisions.html",
        host=site.host,
        done=[(number, what) for what in ("deleted", "kept") for number in numbers(query.get(what, ""))[:1]],
        held=held[paging.offset : paging.offset + SHOWN],
        digest=digest_of(held),
        paging=paging,
        pairs=found,
        others=others,
        tab="decide",
    )


def decided(request: Request, form: Form) -> Response:
    """Release the held deletions of a site, or keep the pages.

    Raises StaleFormError if the held deletions differ from those on the form's page, InputError, and SiteLeasedError.
    """
    ui, host, shown = ui_of(request), request.path_params["host"], form.get("digest", "")
    decision = form.get("decision")
    if decision == "release":
        if form.get("sure") != "yes":
            raise InputError(f"{host}: nothing was deleted; confirm that you are sure")
        done = f"deleted={release_held(ui, host, shown)}"
    elif decision == "keep":
        done = f"kept={keep_held(ui, host, shown)}"
    else:
        raise InputError("the form says neither release nor keep; go back and choose one")
    return RedirectResponse(f"/decide/{quoted(host)}?{done}", 303)


def release_held(ui: Ui, host: str, shown: str) -> int:
    """Delete the held pages of a site, as `recrawl --release HOST` does; return their number.

    Raises UnknownSiteError, StaleFormError, and SiteLeasedError while the site is crawled.
    """
    with ui.reading() as session:
        held = _shown(session, known_site(session, host), shown)
    released = release(ui.config, host, new_owner(), now())
    end_releases(ui.config, [] if released.crawl_id is None else [released.crawl_id], now())
    return len(held)


def keep_held(ui: Ui, host: str, shown: str) -> int:
    """Cancel the held deletions of a site; return their number. A later crawl may propose them again.

    Raises UnknownSiteError, StaleFormError, and SiteLeasedError while the site is crawled.
    """
    with ui.writing() as session:
        site, owner = known_site(session, host), new_owner()
        SiteRepository(session).lease(site.id, owner, now(), ui.config.lease_seconds)
        held = _shown(session, site, shown)
        PageRepository(session).amend(site.id, [{"url_key": one.url_key, "deletion": None} for one in held])
        SiteRepository(session).release(site.id, owner)
    return len(held)


def compare(request: Request) -> Response:
    """Return a page with a duplicate and its original side by side. Raises UnknownSiteError if it is no duplicate."""
    ui, host = ui_of(request), request.path_params["host"]
    key = read_key(request.path_params["key"])
    with ui.reading() as session:
        site, contents = known_site(session, host), ContentRepository(session)
        pair = next(iter(DuplicatePairRepository(session).pairs(site.id, url_key=key)), None)
        if pair is None or pair.original_key is None:
            raise UnknownSiteError(f"{host}: this page is not a duplicate, or its original has changed since")
        own, original = contents.get(site.id, key), contents.get(site.id, pair.original_key)
    texts = [one.record.text if one is not None else "" for one in (original, own)]
    return ui.pages.page(
        "compare.html", host=site.host, pair=pair, original=original, own=own, diff=differences(texts[0], texts[1])
    )


def _shown(session: Session, site: SiteRef, shown: str) -> list[Deletion]:
    """Return the held deletions of a site. Raises StaleFormError if their digest is not that of those shown."""
    held = _held(session, site)
    if digest_of(held) != shown:
        raise StaleFormError(
            f"{site.host}: the held deletions were decided or have changed meanwhile (held now: {len(held) or 'none'});"
            " nothing was done"
        )
    return held


def digest_of(held: Sequence[Deletion]) -> str:
    """Return a fingerprint of held deletions."""
    return sha256(",".join(str(one.url_key) for one in held).encode()).hexdigest()[:24]


def _held(session: Session, site: SiteRef) -> list[Deletion]:
    """Return the held deletions of a site; those of a running crawl are not held yet."""
    latest = CrawlRepository(session).latest(site.id)
    running = latest.id if latest is not None and latest.finished_at is None else None
    return [one for one in DeletionRepository(session).pending(site.id) if one.crawl_id != running]
