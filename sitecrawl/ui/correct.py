"""Correct a layout by clicks: point at an element, say what it is, see the effect on twenty pages, save."""

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sitecrawl.dom.page import Page
from sitecrawl.errors import InputError
from sitecrawl.overrides.reading import parse_override
from sitecrawl.overrides.selectors import compile_selector
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.site_report import SiteReportRepository
from sitecrawl.ui.forms import Form
from sitecrawl.ui.frame import Look
from sitecrawl.ui.opened_page import OpenedPage, open_page, read_key
from sitecrawl.ui.override_files import KEYS, Correction, OverrideFile, override_file, save, with_correction
from sitecrawl.ui.previews import FIELDS, Effect, effects, elsewhere, field_effects, sampled
from sitecrawl.ui.proposals import Proposal, element_of, joined_selector, propose, rows_of, steps
from sitecrawl.ui.responses import quoted, with_query
from sitecrawl.ui.state import Ui, known_site, ui_of
from sitecrawl.ui.stored_page import framed

ACTS: Final = {
    "content": "This is the content",
    "exclude": "Never this",
    "title": "This is the title",
    "published": "This is the date",
}
JOINED: Final = frozenset(("content", "exclude"))
"""Acts for which several blocks are clicked one after the other; they are saved as one selector."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A correction that is not saved, with its effect."""

    act: str
    chosen: str
    proposals: list[Proposal]
    effects: list[Effect]
    met_elsewhere: int
    """Sampled pages of other layouts on which the selector selects something."""
    elsewhere: int
    text: str
    """The override file as it would be."""
    digest: str
    problem: str = ""
    """Why the selector cannot be used."""

    @property
    def met(self) -> int:
        """Sampled pages of the layout on which the selector selects something."""
        return sum(one.met > 0 for one in self.effects)

    @property
    def changed(self) -> int:
        """Sampled pages whose text, title or date changes."""
        return sum(bool(one.diff) for one in self.effects)


def correct(request: Request) -> Response:
    """Answer with the page to click in.

    `row` was clicked, `act` was chosen, `selector` is another than the best, `also` selects what was clicked before.
    """
    ui, query = ui_of(request), request.query_params
    act = query.get("act") if query.get("act") in ACTS else None
    also = query.get("also", "").strip() if act in JOINED else ""
    with ui.reading() as session:
        opened = _open(ui, session, request)
        file = override_file(ui.config, opened.page.url, opened.rule)
        row = _row(opened, query.get("row"))
        shown = None
        if row is not None and act is not None:
            shown = _preview(session, opened, file, row, _Choice(act, query.get("selector", "").strip(), also))
    return ui.pages.page(
        "correct.html",
        opened=opened,
        host=opened.site.host,
        key=opened.stored.url_key,
        row=row,
        steps=steps(opened.page, row) if row is not None else [],
        excerpt=opened.page.text([row])[:300] if row is not None else "",
        acts=ACTS,
        act=act,
        joined=act in JOINED,
        also=also,
        preview=shown,
        file=file,
    )


def frame(request: Request) -> Response:
    """Answer with the page as it looked, in which each block is a link that picks it; `selector` is the correction."""
    ui, query = ui_of(request), request.query_params
    with ui.reading() as session:
        opened = _open(ui, session, request)
    here = f"/sites/{quoted(opened.site.host)}/page/{opened.stored.url_key}/correct"
    act = query.get("act") if query.get("act") in ACTS else None
    selector = query.get("selector", "")
    link = _Link(here, act, selector if act in JOINED else "")
    return framed(opened, Look(link=link, picked=_row(opened, query.get("row")), met=_met(opened.page, selector)))


def _met(page: Page, selector: str) -> frozenset[int]:
    """Return the rows of the elements that a selector selects; none if it cannot be used."""
    try:
        return rows_of(page, compile_selector(selector).elements(page.root)) if selector else frozenset()
    except ValueError:
        return frozenset()


@dataclass(frozen=True, slots=True)
class _Link:
    """Addresses that clicks on blocks open."""

    here: str
    act: str | None
    also: str
    """Selects what was clicked before; kept beside what is clicked next."""

    def __call__(self, row: int) -> str:
        return with_query(self.here, row=row, act=self.act, also=self.also)


def saved(request: Request, form: Form) -> Response:
    """Save a correction, and extract the site again.

    Raises ChangedMeanwhileError if the file changed since the preview, and ConfigError for a selector that is none.
    """
    ui, act, selector = ui_of(request), form.get("act", ""), form.get("selector", "")
    if act not in KEYS or not selector:
        raise InputError("the form says no selector; go back and choose one")
    with ui.reading() as session:
        opened = _open(ui, session, request)
    file = override_file(ui.config, opened.page.url, opened.rule)
    text = with_correction(file, Correction(act, selector, opened.rule.name if opened.rule is not None else ""))
    save(file, text, form.get("digest", ""))
    ui.jobs.extract_again(ui.config, opened.site.host)
    return RedirectResponse(f"/sites/{quoted(opened.site.host)}/rules", 303)


def _open(ui: Ui, session: Session, request: Request) -> OpenedPage:
    site = known_site(session, request.path_params["host"])
    return open_page(ui, session, site, read_key(request.path_params["key"]))


def _row(opened: OpenedPage, text: str | None) -> int | None:
    """Return the row that an address names; None for none, and for one that the page does not have."""
    if text is None or not (text.isascii() and text.isdigit() and len(text) < 10):
        return None
    try:
        element_of(opened.page, int(text))
    except IndexError:
        return None
    return int(text)


@dataclass(frozen=True, slots=True)
class _Choice:
    """The correction that a person has chosen for the row that was clicked."""

    act: str
    selector: str
    """A selector that was typed or chosen; "" for the best."""
    also: str
    """Selects what was clicked before."""


def _preview(session: Session, opened: OpenedPage, file: OverrideFile, row: int, choice: _Choice) -> Preview:
    """Return the effect of a correction. Nothing is changed."""
    act, sample = choice.act, sampled(session, opened)
    layouts = SiteReportRepository(session).counts(opened.site.id).layouts
    others = elsewhere(session, opened, list(layouts))
    proposals = propose(opened.page, row, [one.page for one in sample[1:]], several=act == "exclude")
    proposals = [one._replace(selector=joined_selector(choice.also, one.selector)) for one in proposals]
    chosen = choice.selector or (proposals[0].selector if proposals else "")
    layout = opened.rule.name if opened.rule is not None else ""
    try:
        selector = compile_selector(chosen)
        text = with_correction(file, Correction(act, chosen, layout))
        if act in FIELDS:
            made = field_effects(session, opened, sample, selector, act)
        else:
            made = effects(opened, sample, file, parse_override(text, str(file.path)), selector)
    except ValueError as error:
        return Preview(act, chosen, proposals, [], 0, len(others), file.text, file.digest, str(error))
    met = sum(bool(selector.elements(one.page.root)) for one in others)
    return Preview(act, chosen, proposals, made, met, len(others), text, file.digest)
