"""Drops the labels of the fields of a form (`dom.field_labels`).

Pure in the page. [OWN]
"""

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.furniture_boxes import REST, without_rows


def without_field_labels(page: Page, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return `kept` without the labels of form fields; unchanged if the page consists of them."""
    labels = page.field_labels if True in kept else ()
    return without_rows(page.flat, blocks, kept, labels, REST) if labels else kept
