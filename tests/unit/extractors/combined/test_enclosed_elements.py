"""Lists, paragraphs and quotations right between two kept blocks are kept whole."""

import time

import pytest

from sitecrawl.extractors.combined.enclosed_elements import with_enclosed_elements

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
PLAIN = "<ul><li>ITEM one</li><li>ITEM two</li></ul>"
ITEMS = ["ITEM one", "ITEM two"]
SECONDS = 4.0
"""Far above what a page with a thousand nested lists takes."""


def links(*targets):
    items = "".join(
        f"<li><a href='{target}'>ITEM {name}</a></li>" for target, name in zip(targets, ("one", "two"), strict=True)
    )
    return f"<ul>{items}</ul>"


def added(html, *, others=(), again=""):
    """Return the texts that are kept too if the items are not; `again` is the text of a repetition."""
    site = Sample([f"<main>{html}</main>", *others])
    return site.added(
        lambda one, kept, repeats, known: with_enclosed_elements(one.page, one.blocks, kept, repeats, known),
        "ITEM",
        again=again,
        known=site.known if others else None,
    )


@pytest.mark.parametrize(
    "html",
    [
        f"{TEXT}{PLAIN}{TEXT}",
        f"{TEXT}{PLAIN.replace('ul>', 'ol>')}{TEXT}",
        f"<h2>The stones</h2>{PLAIN}{TEXT}",
        f"<div>The stones: {PLAIN} and some others, which the ships brought later on.</div>",
        f"{TEXT}{links('https://b.example/', 'https://c.example/x')}{TEXT}",
        f"{TEXT}{links('https://b.example/', '/7')}{TEXT}",
    ],
)
def test_a_list_between_two_kept_blocks_is_kept(html):
    assert added(html) == ITEMS


@pytest.mark.parametrize(
    "html",
    [
        f"{TEXT}{links('/7', '/8').replace('ul>', 'ol>')}{TEXT}",
        f"<dl><dt>The stones</dt><dd>ITEM <a href=/7>one</a></dd><dt>The ships</dt></dl>{TEXT}",
        f"{TEXT}<dl><dt>ITEM one</dt><dd><a href=/8>ITEM two</a></dd></dl>{TEXT}",
        f"{TEXT}<blockquote>ITEM one</blockquote>{TEXT}",
        f"{TEXT}<p>{'ITEM,' * 20}</p>{TEXT}",
    ],
)
def test_numbered_lists_terms_quotations_and_paragraphs_are_kept_too(html):
    assert added(html)


@pytest.mark.parametrize(
    "html",
    [
        f"{TEXT}<blockquote><a href='https://b.example/'>ITEM one</a></blockquote>{TEXT}",
        f"{TEXT}<p>{'ITEM,' * 19}</p>{TEXT}",
        f"{TEXT}<p>{'ITEM,' * 20}<a href=/7>more</a></p>{TEXT}",
        f"{TEXT}<div>{'ITEM,' * 20}</div>{TEXT}",
        f"{TEXT}<table><tr><td>ITEM one</td></tr></table>{TEXT}",
    ],
)
def test_short_and_linked_paragraphs_and_other_elements_are_not(html):
    assert added(html) == []


@pytest.mark.parametrize(
    "html",
    [
        f"{TEXT}{TEXT}{PLAIN}",  # nothing follows
        f"{PLAIN}{TEXT}{TEXT}",
        f"{TEXT}<p>ITEM before it</p>{PLAIN}{TEXT}",
        f"{TEXT}<div>{PLAIN}</div>{TEXT}",  # in a box of its own
        f"<div>{TEXT}</div>{PLAIN}<section><div>{TEXT}</div></section>",
        f"{TEXT}{links('/7', '/8')}{TEXT}",
        f"{TEXT}{links('https://a.example/7', '//www.a.example/8')}{TEXT}",
        f"{TEXT}{PLAIN.replace('<ul>', '<ul class=share-buttons>')}{TEXT}",
    ],
)
def test_other_lists_stay_as_they_are(html):
    assert added(html) == []


def test_a_numbered_list_of_places_on_the_page_is_its_table_of_contents():
    def contents(count):
        items = "".join(f"<li><a href='#{i}'>ITEM {i}</a></li>" for i in range(count))
        return f"{TEXT}<ol>{items}</ol>{TEXT}"

    assert added(contents(3)) == []
    assert added(contents(2)) == ["ITEM 0", "ITEM 1"]
    assert added(contents(3).replace("'#0'", "/7").replace("'#1'", "/8")) == ["ITEM 0", "ITEM 1", "ITEM 2"]


def test_thousands_of_nested_lists_take_no_time():
    item = "<li>ITEM <a href=/7>x</a></li>" * 10
    html = f"{'<p>A line</p><ul>' * 1000}{item * 100}{'</ul><p>A line</p>' * 1000}"
    started = time.process_time()
    assert added(f"{TEXT}{html}{TEXT}") == []
    assert time.process_time() - started < SECONDS


def test_a_list_that_is_kept_in_part_is_kept_whole():
    assert added(f"{TEXT}{PLAIN.replace('ITEM one', 'A kept one')}{TEXT}") == ["ITEM two"]


def test_items_that_other_pages_show_and_repetitions_stay_dropped():
    page = f"<main>{TEXT}{PLAIN}{TEXT}</main>"
    assert added(f"{TEXT}{PLAIN}{TEXT}", others=[page] * 4) == []
    assert added(f"{TEXT}{PLAIN}{TEXT}", others=["<main><p>Another page</p></main>"] * 4) == ITEMS
    assert added(f"{TEXT}{PLAIN}{TEXT}", again="ITEM one") == ["ITEM two"]


def test_the_caption_of_a_quotation_goes_with_it():
    quote = "<figure><blockquote>The mole is long.</blockquote><figcaption>ITEM Ann Finch</figcaption></figure>"
    assert added(f"{TEXT}{quote}") == ["ITEM Ann Finch"]
    assert added(f"{TEXT}{quote.replace('The mole', 'ITEM The mole')}") == []
    assert added(f"{TEXT}{quote.replace('figure', 'div')}") == []
    assert added(f"{TEXT}{quote.replace('blockquote', 'p')}") == []  # a picture has credits too
    assert added(f"{TEXT}{quote}", others=[f"<main>{TEXT}{quote}</main>"] * 4) == []
