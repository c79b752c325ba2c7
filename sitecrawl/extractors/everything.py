"""The baseline: all text of the page."""

from typing import ClassVar

from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register


@register
class Everything:
    """Keeps every node: the baseline for all methods."""

    name: ClassVar[str] = "everything"
    needs: ClassVar[frozenset[Need]] = frozenset()

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the root, or no content for a page without text."""
        if not page.flat.chars[0]:
            return no_content(self.name)
        return Extraction((0,), self.name, 0.1)
