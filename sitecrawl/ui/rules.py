"""Pages for the corrections of a site: its override file, undoing a correction, and the extraction that follows."""

from collections.abc import Sequence
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sitecrawl.errors import ConfigError, SitecrawlError
from sitecrawl.overrides.folders import Overrides
from sitecrawl.overrides.rules import Rule
from sitecrawl.ui.forms import Form
from sitecrawl.ui.override_files import (
    KEYS,
    Correction,
    OverrideFile,
    corrections,
    override_file,
    save,
    without_correction,
)
from sitecrawl.ui.responses import quoted
from sitecrawl.ui.state import Ui, known_site, ui_of


class RuleUse(NamedTuple):
    """A rule of an override file, with the number of pages on which it applies."""

    rule: Rule
    pages: int

    @property
    def entries(self) -> list[tuple[str, str]]:
        """Pairs of a key of the rule and a selector or value of that key."""
        found = [(key, one.text) for key in KEYS for one in getattr(self.rule, key)]
        values = (("kind", self.rule.kind), ("comments", self.rule.comments))
        return found + [(key, value.value) for key, value in values if value is not None]


def rules_on(ui: Ui, urls: Sequence[str]) -> list[RuleUse]:
    """Return the rules that apply on some pages, those that apply on most of them first. Raises ConfigError."""
    overrides, found = Overrides(ui.config.overrides), dict[tuple[str, str], RuleUse]()
    for url in urls:
        rule = overrides.rule(url)
        if rule is not None:
            known = found.get((rule.source, rule.name))
            found[rule.source, rule.name] = RuleUse(rule, known.pages + 1 if known is not None else 1)
    return sorted(found.values(), key=lambda one: (-one.pages, one.rule.source, one.rule.name))


def rules(request: Request) -> Response:
    """Return the page with the corrections of a site and the progress of its extraction."""
    ui, host = ui_of(request), request.path_params["host"]
    file, problem = None, ""
    try:
        file = _file(ui, host)
        found = corrections(file)
    except ConfigError as error:
        found, problem = [], str(error)
    values = {**_job(ui, host), "file": file, "found": found, "problem": problem}
    return ui.pages.page("rules.html", **values, host=host, tab="rules")


def taken_back(request: Request, form: Form) -> Response:
    """Undo a correction, and extract the site again. Raises ChangedMeanwhileError."""
    ui, host = ui_of(request), request.path_params["host"]
    file = _file(ui, host)
    taken = Correction(form.get("key", ""), form.get("selector", ""), form.get("layout", ""))
    save(file, without_correction(file, taken), form.get("digest", ""))
    apply(ui, host)
    return RedirectResponse(f"/sites/{quoted(host)}/rules", 303)


def extracted_again(request: Request, form: Form) -> Response:
    """Extract the stored pages of a site again. Raises SiteLeasedError while an extraction is running."""
    ui, host = ui_of(request), request.path_params["host"]
    with ui.reading() as session:
        known_site(session, host)
    apply(ui, host, corrected=False)
    return RedirectResponse(f"/sites/{quoted(host)}/rules", 303)


def job(request: Request) -> Response:
    """Return the fragment with the progress, which the page reloads repeatedly."""
    ui = ui_of(request)
    return ui.pages.page("job.html", **_job(ui, request.path_params["host"]))


def apply(ui: Ui, host: str, *, corrected: bool = True) -> None:
    """Start an extraction of the stored pages of a site, after a correction or without one.

    Without a correction, raises SiteLeasedError while another extraction is running.
    """
    ui.jobs.extract_again(ui.config, host, corrected=corrected, digest=lambda: _digest(ui, host))


def _job(ui: Ui, host: str) -> dict[str, object]:
    """Return the last extraction of a site, and whether the file of its corrections has changed since."""
    known = ui.jobs.of(host)
    applied = known.digest if known is not None and known.ended and not known.error else None
    return {"job": known, "changed_since": applied is not None and applied != _digest(ui, host)}


def _digest(ui: Ui, host: str) -> str:
    """Return the fingerprint of the override file of a site; "" if it cannot be read."""
    try:
        return _file(ui, host).digest
    except SitecrawlError:
        return ""


def _file(ui: Ui, host: str) -> OverrideFile:
    """Return the override file of a site. Raises UnknownSiteError, ConfigError."""
    with ui.reading() as session:
        site = known_site(session, host)
    return override_file(ui.config, site.start_url, Overrides(ui.config.overrides).rule(site.start_url))
