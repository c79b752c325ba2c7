"""Notes and warnings of a text are kept, though the site repeats them."""

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.admonitions import with_admonitions
from sitecrawl.extractors.combined.region import Known
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

PAGES = 12
WARNING = "Mind the tide"
PROSE = "The mole number {} was built by hand, and nobody could see its end."
SECTION = f"<section><p>{PROSE}</p><p>So: {PROSE}</p></section>"


def cut(html, *, shown=4, pages=PAGES, again=(), known=True):
    """Return the texts that are kept of the first page, of which the sentences were kept.

    `shown` pages have the box in the place of `BOX`.
    """

    def made(number, name):
        body = html.replace("BOX", f"<div class='{name}'><p>{WARNING}</p></div>" if number < shown else "")
        return Page.from_html(f"<html><body>{body.format(number, number)}</body></html>", f"https://a.example/{number}")

    learned = SiteTemplate()
    for number in range(pages):
        learned.learn(made(number, "admonition danger").flat)
    flat = made(0, "admonition danger").flat
    blocks = text_blocks(flat)
    texts = [block_text(flat, blocks, i) for i in range(len(blocks))]
    kept = [text.endswith(".") for text in texts]
    told = Known(site_statistics(snapshot(learned, 1)), 1) if known else None
    found = with_admonitions(flat, blocks, kept, [text in again for text in texts], told)
    return [text for text, wanted in zip(texts, found, strict=True) if wanted and not text.endswith(".")]


@pytest.mark.parametrize(
    "html",
    [
        f"<main><div>BOX{SECTION}</div></main>",  # right beside the region
        f"<main><div>{SECTION.replace('</p><p>', '</p>BOX<p>')}</div></main>",
    ],
)
def test_an_admonition_in_the_region_or_beside_it_is_kept(html):
    assert cut(html) == [WARNING]
    assert cut(html, again=[WARNING]) == []
    assert cut(html, known=False) == []
    assert cut(html, pages=4) == []  # three others are no evidence


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        (f"<main><div>BOX{SECTION}</div></main>", PAGES),  # a notice of the site
        (f"<main><div>BOX</div><div><div>{SECTION}</div></div></main>", 4),  # elsewhere
        (f"BOX{SECTION}", 4),  # beside it is the whole page
        (f"BOX<p>{PROSE}</p><p>So: {PROSE}</p>", 4),
    ],
)
def test_other_admonitions_are_left(html, shown):
    assert cut(html, shown=shown) == []


def test_nothing_is_added_where_nothing_is_kept():
    assert cut("<main>BOX<p>{} or {}</p></main>") == []
