"""Pages to correct a layout by clicks: select an element, choose its role, see the effect on twenty pages, save."""

from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sitecrawl.dom.page import Page
from sitecrawl.errors import InputError
from sitecrawl.overrides.reading import parse_override
from sitecrawl.overrides.selectors import compile_selector, selector_of_key
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.site_report import SiteReportRepository
from sitecrawl.ui.draft import ACTS, CONTAINING, JOINED, Draft, finished
from sitecrawl.ui.forms import Form
from sitecrawl.ui.frame import Look
from sitecrawl.ui.opened_page import OpenedPage, open_page, read_key
from sitecrawl.ui.override_files import (
    ADDED,
    KEYS,
    Correction,
    OverrideFile,
    override_file,
    save,
    with_corrections,
)
from sitecrawl.ui.previews import Effect, effects, elsewhere, sampled
from sitecrawl.ui.proposals import Proposal, element_of, joined_selector, propose, rows_of, steps
from sitecrawl.ui.responses import quoted
from sitecrawl.ui.rules import apply
from sitecrawl.ui.state import Ui, known_site, ui_of
from sitecrawl.ui.stored_page import framed


@dataclass(frozen=True, slots=True)
class Preview:
    """An unsaved correction with its effect."""

    act: str
    chosen: str
    draft: Draft
    """The corrections that are saved together with it."""
    proposals: list[Proposal]
    effects: list[Effect]
    met_elsewhere: int
    """Number of sampled pages of other layouts on which the selector selects something."""
    elsewhere: int
    text: str
    """The override file with the correction."""
    digest: str
    problem: str = ""
    """Reason why the selector is invalid; empty if it is valid."""

    @property
    def met(self) -> int:
        """Number of sampled pages of the layout on which the selector selects something."""
        return sum(one.met > 0 for one in self.effects)

    @property
    def changed(self) -> int:
        """Number of sampled pages whose text, title or date changes."""
        return sum(bool(one.diff) for one in self.effects)


def correct(request: Request) -> Response:
    """Return the page on which the user clicks elements.

    Query parameters: `row` of the clicked element, `act`, the chosen role, `selector`, if it differs from the best one,
    `also`, the selector of the elements clicked before, and `before`, the finished corrections.
    """
    ui, given = ui_of(request), request.query_params.get("selector", "").strip()
    with ui.reading() as session:
        opened = _open(ui, session, request)
        draft = _draft(opened, request)
        file = override_file(ui.config, opened.page.url, opened.rule)
        shown = None
        if draft.act is not None and draft.row is not None:
            shown = _preview(session, opened, file, draft, given)
        elif draft.before:
            shown = _preview(session, opened, file, replace(draft, before=draft.before[:-1]), "", draft.before[-1])
    row = draft.row
    return ui.pages.page(
        "correct.html",
        opened=opened,
        host=opened.site.host,
        key=opened.stored.url_key,
        draft=draft,
        steps=steps(opened.page, row) if row is not None else [],
        excerpt=opened.page.text([row])[:300] if row is not None else "",
        acts=ACTS,
        joined=draft.act in JOINED,
        containing=CONTAINING,
        preview=shown,
        file=file,
    )


def frame(request: Request) -> Response:
    """Return the page with its original look, in which each block is a link that selects it.

    `selector` is that of the correction. A click inside the content that the correction adds excludes the clicked block
    and others like it.
    """
    ui, selector = ui_of(request), request.query_params.get("selector", "")
    with ui.reading() as session:
        opened = _open(ui, session, request)
    draft = _draft(opened, request)
    now, earlier = _met(opened.page, selector), [_met(opened.page, one.selector) for one in draft.before]
    inside = _inside(opened.page, now) if draft.act in CONTAINING else frozenset[int]()

    def link(row: int) -> str:
        return f"{(draft.taken_out if row in inside else draft.clicked)(row, selector).address}#clicked"

    return framed(opened, Look(link=link, picked=draft.row, met=now.union(*earlier)))


def _inside(page: Page, rows: frozenset[int]) -> frozenset[int]:
    """Return all rows inside the subtrees of these rows."""
    return frozenset(one for row in rows for one in range(row + 1, page.flat.end[row]))


def _met(page: Page, selector: str) -> frozenset[int]:
    """Return the rows of the elements that a selector selects; none if it is invalid."""
    try:
        return rows_of(page, compile_selector(selector).elements(page.root)) if selector else frozenset()
    except ValueError:
        return frozenset()


def saved(request: Request, form: Form) -> Response:
    """Save corrections, and extract the site again.

    Raises ChangedMeanwhileError if the file changed since the preview, ConfigError for an invalid selector, and
    InputError for a form without one.
    """
    ui, act, selector = ui_of(request), form.get("act", ""), form.get("selector", "")
    if act not in KEYS or not selector:
        raise InputError("the form has no selector; go back and choose one")
    with ui.reading() as session:
        opened = _open(ui, session, request)
    file = override_file(ui.config, opened.page.url, opened.rule)
    layout = _layout(opened)
    made = [*finished(form.get("before", ""), layout), Correction(act, selector, layout)]
    save(file, with_corrections(file, made), form.get("digest", ""))
    apply(ui, opened.site.host)
    return RedirectResponse(f"/sites/{quoted(opened.site.host)}/rules", 303)


def _open(ui: Ui, session: Session, request: Request) -> OpenedPage:
    site = known_site(session, request.path_params["host"])
    return open_page(ui, session, site, read_key(request.path_params["key"]))


def _draft(opened: OpenedPage, request: Request) -> Draft:
    """Return the draft that a request's address describes. Raises InputError for an invalid finished correction."""
    query = request.query_params
    here = f"/sites/{quoted(opened.site.host)}/page/{opened.stored.url_key}/correct"
    act = query.get("act") if query.get("act") in ACTS else None
    also = query.get("also", "").strip() if act in JOINED else ""
    return Draft(here, _row(opened, query.get("row")), act, also, finished(query.get("before", "")))


def _layout(opened: OpenedPage) -> str:
    """Return the name of the layout whose rule applies; "" for the rule at the top."""
    return opened.rule.name if opened.rule is not None else ""


def _row(opened: OpenedPage, text: str | None) -> int | None:
    """Return the row that an address names; None if it names none or one that the page does not have."""
    if text is None or not (text.isascii() and text.isdigit() and len(text) < 10):
        return None
    try:
        element_of(opened.page, int(text))
    except IndexError:
        return None
    return int(text)


def _preview(
    session: Session, opened: OpenedPage, file: OverrideFile, draft: Draft, typed: str, last: Correction | None = None
) -> Preview:
    """Return the effect of a draft. Nothing is changed.

    `typed` is a selector to use instead of the best one. `last` is a finished correction to use instead of a click.
    """
    sample = sampled(session, opened)
    layouts = SiteReportRepository(session).counts(opened.site.id).layouts
    others = elsewhere(session, opened, list(layouts))
    proposals: list[Proposal] = []
    if last is None and draft.row is not None:
        pages = [one.page for one in sample[1:]]
        proposals = propose(opened.page, draft.row, pages, several=draft.act in ADDED)
        proposals = [one._replace(selector=joined_selector(draft.also, one.selector)) for one in proposals]
    act = last.key if last is not None else draft.act or ""
    chosen = last.selector if last is not None else typed or (proposals[0].selector if proposals else "")
    made = [Correction(one.key, one.selector, _layout(opened)) for one in (*draft.before, Correction(act, chosen))]
    try:
        selectors = [(one.key, selector_of_key(one.key, one.selector)) for one in made]
        text = with_corrections(file, made)
        found = effects(session, opened, sample, file, parse_override(text, str(file.path)), selectors)
    except ValueError as error:
        return Preview(act, chosen, draft, proposals, [], 0, len(others), file.text, file.digest, str(error))
    met = sum(bool(selectors[-1][1].count(one.page.root)) for one in others)
    return Preview(act, chosen, draft, proposals, found, met, len(others), text, file.digest)
