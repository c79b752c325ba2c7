"""Crunch: removes clutter from a page's tree by filters that can be switched on and off.

Source: S4, "DOM-based content extraction of HTML documents" (Gupta, Kaiser, Neistadt, Grimm, 2003), sections 3 and 4.2.
`papers.crunch_filters` chooses what to remove, `papers.crunch_output` edits the page's tree.
"""

from dataclasses import replace
from typing import ClassVar

from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extraction, Kind, Need, SiteContext, no_content, register
from sitecrawl.extractors.papers.crunch_filters import filtering, removed_links
from sitecrawl.extractors.papers.crunch_output import filtered_page
from sitecrawl.extractors.papers.crunch_settings import read_settings


@register
class Crunch:
    """Keeps the texts that the filters leave; `filtered` returns the edited page."""

    name: ClassVar[str] = "crunch"
    needs: ClassVar[frozenset[Need]] = frozenset()
    file_options: ClassVar[frozenset[str]] = frozenset(("settings",))
    """Options that are file names, which `serve` does not accept in requests."""

    def __init__(self, *, settings: str = "", **switches: object) -> None:
        """Read the settings from a TOML file and from options, which take precedence (`CrunchSettings`).

        Raises ConfigError with the file or the unusable setting in its message.
        """
        self.settings = read_settings(settings, switches)

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the remaining texts; confidence is their share of the page's text. A link portal is a listing."""
        flat = page.flat
        found = filtering(page, self.settings)
        gone, kind = found.gone, Kind.LISTING if found.portal else Kind.CONTENT
        nodes = cover_texts(flat, [name == TEXT and not gone[i] for i, name in enumerate(flat.tag)])
        if not nodes:
            return no_content(self.name)
        evidence = {"removed": float(sum(gone)), "removed_links": float(len(removed_links(page, gone, self.settings)))}
        share = sum(flat.chars[i] for i in nodes) / flat.chars[0]
        return Extraction(nodes, self.name, share, kind, evidence)

    def filtered(self, page: Page, output: str | None = None) -> str:
        """Return the page without what the filters remove, as `html` or `text` (default: the setting `output`)."""
        return filtered_page(page, self.settings if output is None else replace(self.settings, output=output))
