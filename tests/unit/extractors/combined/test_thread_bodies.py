"""The body of a post is distinguished from the cells beside it, even in tables and boxes without class names."""

import pytest

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.thread_bodies import cell_steps

from .sites import Sample
from .test_threads import NAMES, cut, said, texts_of


def said_in_table(number, i):
    """Return the paragraphs of a post that is a row of a table."""
    return f"{said(number, i)} {said(number, i + 20)}", f"So {said(number, i + 50)}"


def row(number, i, *, name="post"):
    """Return a post as in old forums: the cells have no distinguishing names, and a row of buttons follows."""
    where = f"<td><p>Posted: {i} May</p></td><td><a href=/quote/{i}>Quote</a></td>"
    talk = "".join(f"<p>{text}</p>" for text in said_in_table(number, i))
    told = f"<table><tr>{where}</tr><tr><td>{talk}</td></tr></table>"
    who = f"<b>{NAMES[(number + i) % 3]}</b><br><br>Member<br><br>Posts: {number}{i}"
    return (
        f"<tr><td>{who}</td><td>{told}</td></tr><tr><td><a href=#top>Top</a></td><td><a href=/u>Profile</a></td></tr>"
    )


def boxed(number, i, *, name="post"):
    """Return a post as a table of its own, with a row for its date."""
    talk = "".join(f"<p>{text}</p>" for text in said_in_table(number, i))
    who = f"<b>{NAMES[(number + i) % 3]}</b><p>Member<p>Posts: {number}{i}"
    rows = f"<tr><td>{i} May</td><td>No. {i}</td></tr><tr><td>{who}</td><td>{talk}</td></tr><tr><td>offline</td></tr>"
    return f"<div><table>{rows}</table></div>"


def twins(number, i, *, name="post"):
    """Return a post of two boxes with the same name, of which the second is a footer."""
    talk = "".join(f"<p>{text}</p>" for text in said_in_table(number, i))
    who = f"<div class=left><b>{NAMES[(number + i) % 3]}</b><p>Posts: {number}{i}</div>"
    told = f"<div class=in>{who}<div class=right><div class=text>{talk}</div><p>Yours, {NAMES[i % 3]}</p></div></div>"
    return f"<div class=post><h2>{i} May</h2><div class=box>{told}<div class=in>online</div></div></div>"


def pages_of(made, count=12):
    """Return threads of tables."""
    html = "<body><p>Home</p>{}</body>"
    if made is row:
        html = html.format("<table><tr><td>Author</td><td>Message</td></tr>{}</table>")
    posts_of = ("".join(made(n, i) for i in range(2 + n % 3)) for n in range(count))
    return [Page.from_html(html.format(talk), f"https://forum.example/t/{n}") for n, talk in enumerate(posts_of)]


@pytest.mark.parametrize("made", [row, boxed, twins])
def test_posts_that_are_tables_or_like_boxes_are_cut_to_the_cell_with_their_text(made):
    pages = pages_of(made)
    expected = [text for i in range(3) for text in said_in_table(4, i)]
    assert cut(pages[4], pages) == expected
    kept = cut(pages[4], pages, [True] * len(text_blocks(pages[4].flat)))
    assert [text for text in kept if text not in ("Home", "Author", "Message", "Top", "Profile")] == expected


def test_lists_of_threads_keep_the_cells_beside_the_titles():
    def listed(number, i, *, name="post"):
        return f"<tr><td><a href=/t/{number}{i}>{said(number, i)}</a></td><td>{number}{i} answers by {NAMES[i % 3]}</td></tr>"

    pages = pages_of(listed)
    every = texts_of(pages[4])
    assert cut(pages[4], pages, [True] * len(every)) == every


def test_paragraphs_that_are_boxes_with_one_name_stay():
    def many(number, i, *, name="post"):
        texts = [f"{said(number, i)} {said(number, i + 9)}", *(said(number, i + n) for n in range(50, 51 + i % 2))]
        talk = "".join(f"<div class=line>{text}</div>" for text in texts)
        return f"<div class=post><h2>{i} May</h2><div class=text>{talk}</div></div>"

    pages = pages_of(many)
    expected = [text for text in texts_of(pages[4]) if text.startswith("In case")]
    assert cut(pages[4], pages) == expected


LONG = "The mole of the harbour was built by hand, of stones that ships had brought from the north of the country."


def cells(*texts, box="div class=box"):
    """Return the parts of a post."""
    return "".join(f"<{box}>{text}</{box.split()[0]}>" for text in texts)


def steps(*records, tag="div"):
    """Return the steps to the body of records on a page whose texts no other page has."""
    html = "".join(f"<{tag}>{one}</{tag}>" for one in records)
    site = Sample([f"<table>{html}</table>" if tag == "tr" else f"<main>{html}</main>", "<p>Ships</p>"])
    rows = [row for row, name in enumerate(site.flat.tag) if name == tag and not site.flat.names[row]]
    return len(cell_steps(site.flat, site.blocks, rows, site.known))


def test_the_cell_with_half_of_a_long_text_is_the_body():
    assert steps(*[cells(LONG, LONG[:50], box="td")] * 3, tag="tr") == 1
    assert steps(*[cells("The mole", "A", box="td")] * 3, tag="tr") == 0  # a table of data
    assert steps(*[cells(LONG, LONG, LONG, box="td")] * 3, tag="tr") == 0
    assert steps(*[cells(LONG * 3, "Ships", box="td")] * 2, *["Ships"] * 2, tag="tr") == 0  # two of four have it


def test_of_boxes_with_one_name_that_with_seven_tenths_is_the_body_if_each_post_has_as_many():
    assert steps(*[cells(LONG, "Ships")] * 3) == 1
    assert steps(*[cells(LONG, LONG[:70])] * 3) == 0
    assert steps(*[cells(LONG, "Ships")] * 2, cells(LONG, "Ships", "Ships")) == 0
    assert steps(*[cells(LONG)] * 3) == 0
