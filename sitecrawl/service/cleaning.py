"""Converts a fetched page to the response of the service: the edited page, its main content, or its text."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sitecrawl.api.pages import check_needs, extracted, page_json
from sitecrawl.config import Config
from sitecrawl.crawl.sandbox import Sandbox
from sitecrawl.crawl.site_context import StoredSite, stored_site
from sitecrawl.dom.heavy import is_heavy
from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.page import Page
from sitecrawl.errors import NoContentError
from sitecrawl.extractors.base import Editing, Extractor, Kind
from sitecrawl.overrides.extraction import extract
from sitecrawl.overrides.folders import Overrides
from sitecrawl.overrides.rules import Rule
from sitecrawl.service.site_settings import Choice

FORMATS: Final[Mapping[str, str]] = {
    "html": "text/html",
    "text": "text/plain",
    "md": "text/markdown",
    "json": "application/json",
}
"""Media type of each format."""
TEMPLATES: Final = Environment(
    loader=PackageLoader("sitecrawl.service", "html"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned page."""

    text: str
    format: str
    """A key of FORMATS."""
    method: str
    template: int | None
    """Version of the stored template that was used; None if there was none."""


class Cleaner:
    """Cleans pages by a method, with the stored template of the site if the database has one."""

    def __init__(self, config: Config) -> None:
        """Raise ConfigError if a folder of overrides cannot be used."""
        self._config = config
        Overrides(config.overrides)

    async def clean(self, html: str, url: str, choice: Choice, form: str) -> Cleaned:
        """Return a cleaned page in a format. A heavy page is first tried in a process with limits.

        Raises PageError for an unreadable page, NoContentError if there is no main content, ConfigError or
        ExtractorError for an invalid choice, StorageError for a failure of the database.
        """
        extractor = choice.extractor()
        if is_heavy(html):
            config = self._config.replaced({"extractor": choice.method, "extractor_options": choice.options})
            sandbox = Sandbox(config)
            trial = asyncio.create_task(sandbox.check(url, html))
            try:
                await asyncio.shield(trial)
            finally:
                await asyncio.gather(trial, return_exceptions=True)  # it may be starting a process, which is then ended
                await asyncio.to_thread(sandbox.close)
        return await asyncio.to_thread(self.cleaned, html, url, extractor, form)

    def cleaned(self, html: str, url: str, extractor: Extractor, form: str) -> Cleaned:
        """Return a cleaned page in a format, as `clean` does, but without a trial of heavy pages."""
        page = Page.from_html(html, url, max_nodes=self._config.max_nodes)
        known = stored_site(self._config, page, extractor)
        context = known.context if known is not None else None
        check_needs(extractor, context, url)
        if form in ("html", "text") and isinstance(extractor, Editing):
            text = extractor.filtered(page, form)
        elif form == "json":
            text = self._row(page, extractor, known)
        else:
            text = self._content(page, extractor, known, form)
        template = context.template if context is not None else None
        return Cleaned(text, form, extractor.name, template.version if template is not None else None)

    def _row(self, page: Page, extractor: Extractor, known: StoredSite | None) -> str:
        """Return the fields of the page as JSON, as `extract --format json` prints them."""
        context, values = known if known is not None else (None, None)
        made = extracted(page, extractor, self._config, context, values, self._rule(page))
        return page_json(made)

    def _content(self, page: Page, extractor: Extractor, known: StoredSite | None, form: str) -> str:
        """Return the main content of the page in a format."""
        found = extract(page, extractor, known.context if known is not None else None, self._rule(page)).extraction
        if found.kind is Kind.NONE or not found.nodes:
            raise NoContentError(page.url, f"the method {extractor.name!r} found no main content; try another method")
        if form == "text":
            return page.text(found.nodes)
        content = page.html(found.nodes)
        if form == "md":
            return markdown(content)
        return TEMPLATES.get_template("content.html").render(
            title=page.title or page.url,
            language=page.language or "",
            url=page.url,
            content=Markup(content),  # noqa: S704  (sanitised by nh3)
        )

    def _rule(self, page: Page) -> Rule | None:
        """Return the rule for a page. The files are read each time, since users edit them while the service runs."""
        return Overrides(self._config.overrides).rule(page.url)
