"""Returns the text of the elements that a user's selector selects on a page."""

from lxml.etree import _Element

from sitecrawl.dom.flat import elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.dom.text import printable
from sitecrawl.overrides.selectors import Selector


def selected_texts(page: Page, selector: Selector) -> list[str]:
    """Return the text, unless blank, of each element, text or attribute that a selector selects, in document order.

    The text of an element has one line per block; attributes, texts, and elements outside the flat page have one line.
    """
    found = selector.xpath(page.root)
    held = list(elements(page.root))  # kept alive, because lxml otherwise creates new objects for elements
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
