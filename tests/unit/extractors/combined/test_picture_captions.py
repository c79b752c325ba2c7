"""Captions in the middle of the text are kept, if other pages show that they are this page's own."""

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.picture_captions import MOST, with_picture_captions
from sitecrawl.extractors.combined.region import ENOUGH, RARE, Known
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

PAGES = 12
PROSE = "The mole was built by hand, and nobody of village {} could see its end."
CAPTION = "The harbour at dusk"


def added(html, *, pages=PAGES, shown=1, again=False, known=True):
    """Return the texts that are added to the sentences of the first page; `shown` pages have its caption."""

    def made(number):
        body = html.replace("PROSE", PROSE.format(number)).replace(
            "CAPTION", CAPTION if number < shown else f"View {number}"
        )
        return Page.from_html(f"<html><body><main>{body}</main></body></html>", f"https://a.example/{number}").flat

    learned = SiteTemplate()
    for number in range(pages):
        learned.learn(made(number))
    flat = made(0)
    blocks = text_blocks(flat)
    texts = [block_text(flat, blocks, i) for i in range(len(blocks))]
    kept = [text.endswith(".") for text in texts]
    told = Known(site_statistics(snapshot(learned, 1)), 1) if known else None
    found = with_picture_captions(flat, blocks, kept, [again and text == CAPTION for text in texts], told)
    return [text for text, wanted in zip(texts, found, strict=True) if wanted and not text.endswith(".")]


FIGURE = "<p>PROSE</p><figure><img src='a.png'><figcaption>CAPTION</figcaption></figure><p>PROSE</p>"


@pytest.mark.parametrize(
    "html",
    [
        FIGURE,
        "<p>PROSE</p><div class='wp-caption alignleft'><img><p class='wp-caption-text'>CAPTION</p></div><p>PROSE</p>",
        "<p>PROSE</p><div class='thumb'><div class='thumbcaption'>CAPTION</div></div><p>PROSE</p>",
        "<p>PROSE</p><div class='code-block-caption'>CAPTION</div><pre>a = 1.</pre><p>PROSE</p>",
        # names inside of a figure say nothing
        "<p>PROSE</p><figure><div class='side-panel'><figure><figcaption>CAPTION</figcaption></figure></div></figure><p>PROSE</p>",
    ],
)
def test_a_caption_between_kept_blocks_is_kept(html):
    assert added(html) == [CAPTION]


def test_a_page_alone_or_beside_few_others_keeps_the_verdict_of_the_passes():
    assert added(FIGURE, known=False) == []
    assert added(FIGURE, pages=ENOUGH) == []  # with one page fewer than enough beside it
    assert added(FIGURE, pages=ENOUGH + 1) == [CAPTION]


def test_a_caption_that_other_pages_show_or_that_repeats_a_text_is_left_out():
    assert added(FIGURE, shown=1 + int(RARE * PAGES)) == [CAPTION]
    assert added(FIGURE, shown=2 + int(RARE * PAGES)) == []
    assert added(FIGURE, again=True) == []


@pytest.mark.parametrize(
    "html",
    [
        "<div><p>PROSE</p><p>PROSE</p><figure><figcaption>CAPTION</figcaption></figure></div>",  # after the last kept block
        "<figure><figcaption>CAPTION</figcaption></figure><p>PROSE</p><p>PROSE</p>",
        "<p>PROSE</p><figure><figcaption><a href='/x'>CAPTION</a></figcaption></figure><p>PROSE</p>",  # a card
        "<p>PROSE</p><div class='related'><figure><figcaption>CAPTION</figcaption></figure></div><p>PROSE</p>",
        "<p>PROSE</p><div class='has-caption'>CAPTION</div><p>PROSE</p>",  # a name about the box
        "<p>PROSE</p><div class='captions'>CAPTION</div><p>PROSE</p>",
        "<p>PROSE</p><div class='slide-caption'>CAPTION</div><p>PROSE</p>",
        "<p>PROSE</p><div class='caption'>CAPTION</div><p>PROSE</p>",  # of a card as well
        f"<p>PROSE</p><div class='image-caption'>{'<p>CAPTION</p>' * (MOST + 1)}</div><p>PROSE</p>",  # a box of text
    ],
)
def test_what_is_no_caption_in_the_text_stays_out(html):
    assert added(html) == []


def test_captions_that_are_kept_stay():
    html = FIGURE.replace("CAPTION", "The harbour at dusk.")
    assert added(html) == []
    assert added("<p>a</p>") == []  # nothing is kept
