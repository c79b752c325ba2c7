"""Tables of fields inside the content are kept whole."""

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.field_tables import with_fields

PROSE = "The harbour was closed for three days, since nobody could see the mole."
HEADED = "".join(f"<tr><th>{one}</th><td>{one[0]}</td></tr>" for one in ("Owner", "Priority", "State"))
PLAIN = HEADED.replace("th>", "td>")
COLUMNS = "<tr><th>Mo</th><th>Tu</th><th>We</th></tr><tr><td>1</td><td>2</td><td>3</td></tr>"
WIDE = "<tr><td>a</td><td>b</td><td>c</td></tr>" * 3
LINKS = "".join(f"<dt>1{n}:00</dt><dd><a href=/{n}>Storm {n} at sea</a></dd>" for n in range(4))
LIST = "".join(f"<dt>{one}</dt><dd>{one[0]}</dd>" for one in ("Owner", "Priority", "State"))
FIELDS = ["Owner", "O", "Priority", "P", "State", "S"]


def cut(body, again=(), regions=()):
    """Return the texts that are kept of a page, of which the sentences were kept.

    `regions` are the names of elements that are regions of the layout.
    """
    page = Page.from_html(f"<html><body>{body}</body></html>", "https://a.example/")
    blocks = text_blocks(page.flat)
    texts = [block_text(page.flat, blocks, i) for i in range(len(blocks))]
    kept = [text.endswith(".") for text in texts]
    usual = frozenset(path for path, names in zip(page.flat.path, page.flat.names, strict=True) if names in regions)
    found = with_fields(page.flat, blocks, kept, [text in again for text in texts], usual)
    return [text for text, wanted in zip(texts, found, strict=True) if wanted]


@pytest.mark.parametrize(
    "table", [f"<table>{HEADED}</table>", f"<table><tbody>{PLAIN}</tbody></table>", f"<dl>{LIST}</dl>"]
)
def test_a_table_of_fields_in_the_content_is_kept_whole(table):
    assert cut(f"<main><div>{table}<p>{PROSE}</p><p>{PROSE}</p></div></main>") == [*FIELDS, PROSE, PROSE]
    beside = f"<main><div>{table}</div><div><p>{PROSE}</p><p>{PROSE}</p></div></main>"
    assert cut(beside) == [*FIELDS, PROSE, PROSE]
    assert cut(beside.replace("<main>", "<main><table><tr><td>").replace("</main>", "</table></main>"))[-1] == PROSE


@pytest.mark.parametrize(
    "body",
    [
        f"<div><table>{HEADED}</table></div><main><div><p>{PROSE}</p><p>{PROSE}</p></div></main>",  # outside
        f"<main><div><nav><table>{HEADED}</table></nav><p>{PROSE}</p><p>{PROSE}</p></div></main>",
        f"<main><div><div class=author><dl>{LIST}</dl></div><p>{PROSE}</p><p>{PROSE}</p></div></main>",
        f"<main><div><dl><dt>Owner</dt><dd>O</dd><dt>State</dt><dd>S</dd></dl><p>{PROSE}</p><p>{PROSE}</p></div></main>",
        f"<main><div><table>{COLUMNS}</table><p>{PROSE}</p><p>{PROSE}</p></div></main>",
        f"<main><div><table>{WIDE}</table><p>{PROSE}</p><p>{PROSE}</p></div></main>",
        f"<main><div><dl>{LINKS}</dl><p>{PROSE}</p><p>{PROSE}</p></div></main>",
        f"<main><div><table>{HEADED.replace('<th>', '<th>What the keeper of the mole said of the ')}</table>"
        f"<p>{PROSE}</p><p>{PROSE}</p></div></main>",
    ],
)
def test_other_tables_are_left(body):
    assert cut(body) == [PROSE, PROSE]


def test_between_kept_blocks_of_a_page_without_containers_a_table_is_kept():
    table = f"<table>{HEADED}</table>"
    assert cut(f"<p>{PROSE}</p>{table}<p>{PROSE}</p>") == [PROSE, *FIELDS, PROSE]
    assert cut(f"{table}<p>{PROSE}</p><p>{PROSE}</p>") == [PROSE, PROSE]


def test_what_repeats_a_kept_block_is_left():
    body = f"<main><div><p>{PROSE}</p><table>{HEADED}</table><p>{PROSE}</p></div></main>"
    assert cut(body, again=("P", "S")) == [PROSE, "Owner", "O", "Priority", "State", PROSE]


def test_a_page_without_kept_text_stays_empty():
    assert cut(f"<main><table>{HEADED}</table></main>") == []


def test_a_page_with_little_text_has_the_region_of_its_layout():
    """Its own region is the paragraph; the table of the species is elsewhere in the article."""
    species = f"<div class=facts><div><table>{HEADED}</table></div></div>"
    body = f"<main><div class=entry>{species}<div class=text><div><p>{PROSE}</p><p>{PROSE}</p></div></div></div></main>"
    assert cut(body) == [PROSE, PROSE]
    assert cut(body, regions=["entry"]) == [*FIELDS, PROSE, PROSE]
    assert cut(body, regions=["facts"]) == [PROSE, PROSE]  # beside the content of this page
    entry = f"<div class=entry>{species}<div><div><p>{PROSE}</p><p>{PROSE}</p></div></div></div>"
    assert cut(entry, regions=["entry"]) == [*FIELDS, PROSE, PROSE]
