"""A box that shows the page's own address is dropped with its lines about author and licence."""

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.own_address import BLOCKS, BOX, LABEL, LINE, without_own_address

URL = "https://www.moles.example/2026/der-m%C3%B6le/"
SHOWN = "https://moles.example/2026/der-möle"
TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"


def dropped(html, url=URL, kept=None, title="The mole | Moles"):
    """Return the texts that are dropped of a page that keeps all, or its first blocks."""
    page = Page.from_html(f"<html><head><title>{title}</title></head><body>{html}</body></html>", url)
    blocks = text_blocks(page.flat)
    before = [kept is None or block < kept for block in range(len(blocks))]
    found = without_own_address(page, blocks, before)
    return [block_text(page.flat, blocks, i) for i, one in enumerate(found) if before[i] and not one]


@pytest.mark.parametrize(
    "shown",
    [SHOWN, f"{SHOWN}/", URL, "moles.example/2026/der-möle/", f"Link: <a href='/'>{SHOWN}</a>", f"« {SHOWN} »"],
)
def test_a_line_with_the_address_of_the_page_is_dropped_with_its_box(shown):
    box = (
        f"<div><div>The mole</div><div>Written by Jane Roe</div><div>{shown}</div><div>All rights reserved.</div></div>"
    )
    gone = dropped(f"<main>{TEXT * 3}{box}</main>")
    assert (gone[0], gone[1], gone[3]) == ("The mole", "Written by Jane Roe", "All rights reserved.")


def test_a_box_with_a_word_about_the_licence_is_dropped_too():
    box = f"<div><div>CC BY-NC 4.0</div><div>{SHOWN}</div></div>"
    assert dropped(f"<main>{TEXT * 3}{box}</main>") == ["CC BY-NC 4.0", SHOWN]


def test_an_address_without_title_and_licence_is_text():
    assert dropped(f"<main>{TEXT * 3}<div><div>To attend:</div><div>{SHOWN}</div></div></main>") == []
    assert dropped(f"<main>{TEXT * 3}<div><div>mo</div><div>{SHOWN}</div></div></main>") == []


def test_other_addresses_are_text():
    for shown in (
        f"{SHOWN}/2",
        f"{SHOWN}-2",
        f"{SHOWN}n",
        f"{SHOWN}?page=2",
        "https://other.example/2026/der-möle",
        "https://moles.example/",
    ):
        assert dropped(f"<main>{TEXT * 3}<div><p>© {shown}</p></div></main>") == [], shown


def test_a_start_page_has_no_such_box():
    html = f"<main>{TEXT * 3}<div>© https://moles.example/</div></main>"
    assert dropped(html, "https://moles.example/") == []
    assert dropped(html, "https://moles.example") == []


def test_the_query_is_a_part_of_the_address():
    url = "https://moles.example/show?p=7"
    assert dropped(f"<main>{TEXT * 3}<div>© {url}</div></main>", url) == [f"© {url}"]
    assert dropped(f"<main>{TEXT * 3}<div>© https://moles.example/show</div></main>", url) == []
    other = "https://moles.example/show?q=m%C3%B6le"
    assert dropped(f"<main>{TEXT * 3}<div>© {other}</div></main>", other) == [f"© {other}"]


@pytest.mark.parametrize(("words", "gone"), [(LABEL, 1), (LABEL + 1, 0)])
def test_an_address_in_a_sentence_is_text(words, gone):
    assert len(dropped(f"<main>{TEXT * 3}<p>©{'x' * (words - 2)} {SHOWN}</p></main>")) == gone


@pytest.mark.parametrize(("longest", "gone"), [(LINE, 3), (LINE + 1, 1)])
def test_the_box_ends_where_a_block_is_longer_than_a_line(longest, gone):
    box = f"<div><div>{'m' * longest}</div><section><div>Jane</div></section><p>© {SHOWN}</p></div>"
    assert len(dropped(f"<main>{TEXT * 9}{box}</main>")) == gone


@pytest.mark.parametrize(("lines", "gone"), [(1, 2), (BOX // 100 + 1, 1)])
def test_the_box_ends_where_it_becomes_too_large(lines, gone):
    line = f"<div>{'m' * 100}</div>"
    assert len(dropped(f"<main>{TEXT * 30}<div>{line * lines}<p>© {SHOWN}</p></div></main>")) == gone


@pytest.mark.parametrize(("lines", "gone"), [(BLOCKS - 1, BLOCKS), (BLOCKS, 1)])
def test_the_box_ends_where_it_has_too_many_blocks(lines, gone):
    assert len(dropped(f"<main>{TEXT * 30}<div>{'<div>mole</div>' * lines}<p>© {SHOWN}</p></div></main>")) == gone


def test_nothing_is_dropped_of_a_page_that_consists_of_the_box():
    assert dropped(f"<main><div>© {SHOWN}</div></main>") == []


def test_a_box_of_which_only_a_line_was_kept_is_dropped_too():
    box = f"<div><div>The mole</div><div>{SHOWN}</div></div>"
    assert dropped(f"<main>{TEXT * 3}{box}</main>", kept=4) == ["The mole"]


def test_a_page_without_a_site_keeps_all():
    assert dropped(f"<main>{TEXT * 3}<div>© {SHOWN}</div></main>", "") == []


@pytest.mark.parametrize(
    ("line", "url", "gone"),
    [
        ("harbour:mole", "https://moles.example/doku.php?do=show&id=harbour:mole", True),
        ("Harbour/Mole", "https://moles.example/wiki/harbour/mole", True),
        ("harbour:mole", "https://moles.example/wiki/harbour:mole", True),
        ("mole", "https://moles.example/wiki/harbour/mole", False),  # a word
        ("harbour:mole", "https://moles.example/wiki/harbour/pier", False),
        ("arbour:mole", "https://moles.example/wiki/harbour/mole", False),
    ],
)
def test_the_name_of_the_page_in_its_address_is_dropped_above_the_text(line, url, gone):
    assert dropped(f"<main><div>{line}</div>{TEXT * 4}</main>", url) == ([line] if gone else [])
    assert dropped(f"<main><h1>{line}</h1>{TEXT * 4}</main>", url) == []
    assert dropped(f"<main>{TEXT * 4}<div>{line}</div></main>", url) == []
