"""The text of the elements that a user's selector selects on a page."""

from lxml.etree import _Element

from sitecrawl.dom.flat import elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.dom.text import printable
from sitecrawl.overrides.selectors import Selector


def selected_texts(page: Page, selector: Selector) -> list[str]:
    """Return the text of each element, text or attribute that a selector selects, in document order, if not blank.

    Elements give readable lines, one per block; the others, and elements outside the page's content, one line.
    """
    found = selector.xpath(page.root)
    held = list(elements(page.root))  # held, because lxml recreates elements that nobody holds
    rows = dict(zip(held, (i for i, tag in enumerate(page.flat.tag) if tag != TEXT), strict=False))
    texts = (_text(page, one, rows) for one in (found if isinstance(found, list) else [found]))
    return [text for text in texts if text]


def _text(page: Page, selected: object, rows: dict[_Element, int]) -> str:
    if isinstance(selected, _Element):
        row = rows.get(selected)
        if row is not None:
            return page.text((row,))
        selected = "".join(map(str, selected.itertext()))
    return printable(" ".join(str(selected).split()))
