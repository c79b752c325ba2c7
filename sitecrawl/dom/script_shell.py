"""Recognises pages with hardly any text until a browser runs their scripts."""

from typing import Final

from sitecrawl.dom.page import Page

TEXT: Final = 200
"""Characters from which a page has enough text: "This application needs JavaScript" has up to 100. Own choice."""


def needs_scripts(page: Page) -> bool:
    """Return whether a page has almost no text, and loads a script. Raises PageTooLargeError for too many nodes."""
    return page.flat.chars[0] < TEXT and any(script.get("src") for script in page.named("script"))
