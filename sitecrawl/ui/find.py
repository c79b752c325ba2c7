"""The page for searches in the stored content, with filters and snippets."""

import datetime as dt
from typing import Final

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from sitecrawl.api.database import search_results
from sitecrawl.errors import ConfigError, UnknownSiteError
from sitecrawl.links.typed import readable_host
from sitecrawl.links.urls import url_key
from sitecrawl.page_kind import KINDS_WITH_TEXT
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.named_sites import named_site
from sitecrawl.storage.search.repository import SearchFilter, SearchIndex
from sitecrawl.storage.search.terms import parse_query
from sitecrawl.storage.sites import SiteRef, SiteRepository
from sitecrawl.ui.state import ui_of

LIMIT: Final = 20
LONGEST: Final = 400
"""Maximum characters of a query; the rest is ignored."""
HOSTS: Final = 5
"""Maximum number of sites shown whose host contains the words."""


def find(request: Request) -> Response:
    """Return the page with the results of a query, given by `q`, `site`, `language`, `since`, `until` and `kind`."""
    ui, given = ui_of(request), request.query_params
    typed = given.get("q", "").strip()
    words = typed[:LONGEST]
    named = {name: given.get(name, "").strip() for name in ("site", "language", "since", "until", "kind")}
    problems: list[str] = []
    since, until = _day(named["since"], problems), _day(named["until"], problems)
    if since is not None and until is not None and since > until:
        problems.append(f"{since} is after {until}; exchange the two days")
    if named["kind"] not in ("", *KINDS_WITH_TEXT):
        problems.append(f"{named['kind']} is not a kind of pages with text; choose {' or '.join(KINDS_WITH_TEXT)}")
    query = parse_query(words)
    results, all_words, missing = [], True, False
    with ui.reading() as session:
        sites = SiteRepository(session)
        known = [one.host for one in sites.refs()] if words else []
        hosts = [one for one in known if words.lower() in one or words.lower() in readable_host(one)][:HOSTS]
        site = _site(session, named["site"], ui.config.site_scope, problems)
        index = SearchIndex(session)
        missing = index.missing()
        if words and not problems:
            wanted = SearchFilter(
                site.id if site is not None else None,
                named["language"].lower()[:8] or None,
                since,
                until,
                named["kind"] or None,
            )
            answer = index.find(query, wanted, LIMIT)
            results, all_words = search_results(answer, query), answer.all_words
    found = [(one, url_key(one.url), Markup(one.snippet)) for one in results]  # noqa: S704  (escaped where it is made)
    return ui.pages.page(
        "search.html",
        words=words,
        empty=bool(words) and not query.clauses,
        named=named,
        kinds=KINDS_WITH_TEXT,
        found=found,
        all_words=all_words,
        missing=missing,
        problems=problems,
        hosts=hosts,
        limit=LIMIT,
        cut=LONGEST if len(typed) > LONGEST else 0,
    )


def _site(session: Session, name: str, scope: str, problems: list[str]) -> SiteRef | None:
    """Return the site of a host or URL; None if none is given or known. An unknown one is added to `problems`."""
    if not name:
        return None
    try:
        return named_site(session, name, scope)
    except (UnknownSiteError, ConfigError) as error:
        problems.append(str(error))
        return None


def _day(text: str, problems: list[str]) -> dt.date | None:
    """Return the day in a field; None if the field is empty or invalid. An invalid day is added to `problems`."""
    if not text:
        return None
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        problems.append(f"{text} is not a day; write it as 2026-03-01")
        return None
