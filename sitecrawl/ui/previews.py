"""Previews the effect of a correction on stored pages before it is saved."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from sitecrawl.clock import now
from sitecrawl.crawl.content import text_and_kind
from sitecrawl.dom.page import Page
from sitecrawl.errors import DamagedBodyError, PageError
from sitecrawl.extractors.base import Kind, SiteContext
from sitecrawl.metadata.dates import chosen_date
from sitecrawl.overrides.rules import Override, Rule
from sitecrawl.overrides.selectors import Selector
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.ui.differences import MOST, DiffLine, changed_lines, differences, shortened
from sitecrawl.ui.opened_page import OpenedPage
from sitecrawl.ui.override_files import OverrideFile

SAMPLE: Final = 20
"""Number of pages whose change is shown, including the corrected page."""
LINES: Final = 60
"""Maximum lines of one page that are shown."""
ROOM: Final = 100_000
"""Maximum bytes of the lines of all pages; for each page beyond that, one line is shown."""
ELSEWHERE: Final = 8
"""Maximum number of pages of other layouts on which the selector is tried."""


class SampledPage(NamedTuple):
    """A stored page with the knowledge of its site."""

    url_key: int
    url: str
    page: Page
    context: SiteContext


class Effect(NamedTuple):
    """The effect of a correction on one page."""

    url_key: int
    url: str
    met: int
    """Number of elements that its selector selects."""
    before: str
    """Kind of the page without the correction, as in the feed."""
    after: str
    diff: list[DiffLine]
    """The first lines of the comparison."""
    lines: tuple[int, int]
    """Numbers of added and removed lines."""


def sampled(session: Session, opened: OpenedPage) -> list[SampledPage]:
    """Return the corrected page and other pages of its layout that are stored and readable."""
    layouts, site, key = LayoutRepository(session), opened.site, opened.stored.url_key
    layout = layouts.layout(site.id, key)
    keys = layouts.sample(site.id, layout, SAMPLE) if layout is not None else []
    found = [SampledPage(key, opened.page.url, opened.page, opened.context)]
    return found + _read(session, opened, [one for one in keys if one != key][: SAMPLE - 1])


def elsewhere(session: Session, opened: OpenedPage, layouts: Sequence[int]) -> list[SampledPage]:
    """Return stored pages of other layouts."""
    repository = LayoutRepository(session)
    own = repository.layout(opened.site.id, opened.stored.url_key)
    others = [one for one in layouts if one != own]
    each = max(ELSEWHERE // max(len(others), 1), 1)
    keys = [key for one in others for key in repository.sample(opened.site.id, one, each)]
    return _read(session, opened, keys[:ELSEWHERE])


def _read(session: Session, opened: OpenedPage, keys: Sequence[int]) -> list[SampledPage]:
    bodies, known, site_id = BodyRepository(session), opened.knowledge, opened.site.id
    found = []
    for key in keys:
        try:
            stored = bodies.stored(site_id, key)
            if stored is None or stored.html is None:
                continue
            page = Page.from_html(stored.html, stored.url, max_nodes=known.config.max_nodes)
            found.append(SampledPage(key, stored.url, page, known.context(session, site_id, stored, page)))
        except (DamagedBodyError, PageError):
            continue  # the other pages show the effect
    return found


def _title(chosen: Selector, page: Page) -> str | None:
    return chosen.first_text(page.root)


def _date(chosen: Selector, page: Page) -> str | None:
    text = chosen.first_date(page.root)
    return chosen_date(text, now()) if text else None


FIELDS: Final[dict[str, Callable[[Selector, Page], str | None]]] = {"title": _title, "published": _date}
"""Functions that read a field of the metadata with the user's selector, by key of the override."""


def effects(
    session: Session,
    opened: OpenedPage,
    sample: Sequence[SampledPage],
    file: OverrideFile,
    new: Override,
    made: Sequence[tuple[str, Selector]],
) -> list[Effect]:
    """Return the effect of a new override on each page of a sample, compared with the current file.

    `made` contains the new selectors, each with its key; the elements that the last one selects are counted. Titles and
    dates are compared with the stored ones.
    """
    contents, found = ContentRepository(session), []
    texts, room = [selector for key, selector in made if key not in FIELDS], ROOM
    for one in sample:
        diff, kinds = list[DiffLine](), ("", "")
        if texts:
            before = _cut(opened, one, file.rule(one.url))
            meets = any(selector.elements(one.page.root) for selector in texts)
            after = _cut(opened, one, new.rule(one.url)) if meets else before
            diff = differences(before[0], after[0], most=MOST)
            kinds = str(before[1]), str(after[1])
        for key, selector in made:
            if key in FIELDS:
                stored = contents.get(opened.site.id, one.url_key)
                old = (getattr(stored.record, key) if stored is not None else None) or ""
                diff = diff + differences(old, FIELDS[key](selector, one.page) or old)
        shown, room = shortened(diff, LINES, room)
        met = made[-1][1].count(one.page.root)
        found.append(Effect(one.url_key, one.url, met, *kinds, shown, changed_lines(diff)))
    return found


def _cut(opened: OpenedPage, sampled: SampledPage, rule: Rule | None) -> tuple[str, Kind]:
    """Return the text and the kind of a page that an extraction of the site would store."""
    known = opened.knowledge
    return text_and_kind(sampled.page, known.extract(sampled.page, sampled.context, rule).extraction, known.config)
