"""Volatile blocks and those of further articles are not judged."""

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.extractors.base import SiteContext
from sitecrawl.extractors.combined.judged_blocks import judged_blocks
from sitecrawl.templates.volatile import VolatileBlocks, VolatilePlace
from tests.unit.extractors.combined.test_further_articles import NAMES, article, known, page_of, plain_site


def texts(page, blocks):
    return [block_text(page.flat, blocks, block) for block in range(len(blocks))]


def test_an_ordinary_page_keeps_the_blocks_that_it_has():
    page = page_of(article(NAMES[0]) + "<p>And a line.</p>")
    assert judged_blocks(page, None, None) is text_blocks(page.flat)


def test_blocks_of_further_articles_are_left_out():
    page = page_of("<p>Before</p>" + article(NAMES[0]) + article(NAMES[1]) + "<p>After</p>")
    found = texts(page, judged_blocks(page, None, None))
    assert found[:2] + found[3:] == ["Before", NAMES[0], "After"]
    assert found[2].startswith(f"{NAMES[0]}:")


def test_the_template_tells_which_they_are():
    pages = plain_site()
    assert len(judged_blocks(pages[0], None, None)) == 6
    assert len(judged_blocks(pages[0], SiteContext(learned=True), known(pages))) == 2


def test_volatile_blocks_are_left_out_too():
    page = page_of(article(NAMES[0]) + "<p>Today: 17 ships</p>" + article(NAMES[1]))
    blocks = text_blocks(page.flat)
    path = page.flat.path[blocks.container[texts(page, blocks).index("Today: 17 ships")]]
    volatile = VolatileBlocks(paths={path: VolatilePlace(path, "p", 2, 2)})
    found = texts(page, judged_blocks(page, SiteContext(volatile=volatile), None))
    assert len(found) == 2
    assert found[0] == NAMES[0]
    assert texts(page, judged_blocks(page, None, None)) == [*found, "Today: 17 ships"]
