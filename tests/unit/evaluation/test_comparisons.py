"""The methods that are measured against only, on small examples."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.errors import ExtractorError, UnknownExtractorError
from sitecrawl.evaluation.comparisons import COMPARISONS, method
from sitecrawl.evaluation.mdr import Mdr, regions, similar
from sitecrawl.evaluation.rows import extractor_of
from sitecrawl.evaluation.shingles import Shingles, grams
from sitecrawl.evaluation.site_justext import Paragraph, Pool
from sitecrawl.extractors.base import Kind, SiteContext, extractor_names


def page(body, url="https://example.org/"):
    return Page.from_html(f"<html><body>{body}</body></html>", url)


def test_they_are_no_methods_of_a_crawl():
    assert set(COMPARISONS) & set(extractor_names()) == set()
    assert extractor_of("mdr most_children=2").most_children == 2
    with pytest.raises(ExtractorError, match="'shingles' has no option size; it takes length, share, pages"):
        method("shingles", {"size": 2})
    with pytest.raises(UnknownExtractorError):
        method("nonsense", {})


# --- MDR ---


@pytest.mark.parametrize(
    ("one", "other", "most", "expected"),
    [
        ([1, 2, 3], [1, 2, 3], 0.0, True),
        ([1, 2, 3, 4], [1, 2, 4], 0.3, True),  # distance 1, mean length 3.5
        ([1, 2, 3], [1, 2], 0.3, False),  # distance 1, mean length 2.5
        ([1, 2, 3, 4, 5, 6, 7], [1, 9, 3, 4, 5, 6, 8], 0.3, True),
        ([1, 2, 3, 4, 5, 6, 7], [9, 9, 3, 4, 5, 6, 8], 0.3, False),
        ([1] * 4, [1] * 8, 0.3, False),
        ([1, 2], [2, 1], 1.0, True),
    ],
)
def test_similar_tag_strings(one, other, most, expected):
    assert similar(one, other, most) is similar(other, one, most) is expected


def record(number, more=""):
    return f"<div><h3><a href=/{number}>Record {number}</a></h3><p>What record {number} says.{more}</p></div>"


def test_a_list_of_records():
    records = "".join(record(n, " <b>New</b>" if n == 2 else "") for n in range(5))
    made = page(f"<h1>List</h1><div id=all>{records}<table><tr><td>Next</td></tr></table></div><p>Foot</p>")
    (found,) = regions(made.flat)
    assert (made.flat.names[found.parent], found.first, found.size, found.children) == ("all", 0, 1, 5)
    extraction = Mdr().extract(made)
    assert (extraction.kind, len(extraction.nodes)) == (Kind.CONTENT, 5)
    assert made.text(extraction.nodes).splitlines()[::2] == [f"Record {n}" for n in range(5)]


def test_records_of_several_children_each():
    """In the second region of Figure 6 of the paper a record is two rows; one row is not like the next."""
    rows = "".join(
        f"<tr><td><a><img></a></td><td><b>Name {n}</b></td></tr><tr><td><ul><li>Price</li><li>Size</li></ul></td></tr>"
        for n in range(4)
    )
    made = page(f"<table><tbody>{rows}</tbody></table>")
    (found,) = regions(made.flat)
    assert (made.flat.tag[found.parent], found.size, found.children) == ("tbody", 2, 8)
    assert regions(made.flat, most_children=1) == []


def test_two_regions_and_one_inside():
    inner = "".join(f"<ul><li><b>{n}{m}</b></li></ul>" for n in range(1) for m in range(3))
    other = "".join(record(n) for n in range(3))
    made = page(f"<section><div>{inner}</div><p>Between</p></section><main>{other}</main>")
    assert [(made.flat.tag[one.parent], one.children) for one in regions(made.flat)] == [("div", 3), ("main", 3)]
    outer = page("".join(f"<div>{inner}</div>" for _ in range(3)))
    assert [(outer.flat.tag[one.parent], one.children) for one in regions(outer.flat)] == [("body", 3)]


def test_a_page_without_records():
    assert Mdr().extract(page("<div><p>One text.</p></div>")).kind is Kind.NONE


# --- shingles ---


def test_grams():
    assert grams("One two three", 2) == [("one", "two"), ("two", "three")]
    assert grams("One", 2) == [("one",)]
    assert grams("", 2) == [()]


def test_repeated_paragraphs_go():
    frame = "<p>The paper of the harbour, printed since 1907.</p>"
    first = page(f"{frame}<p>A ship has come in today with coal and tea.</p><p>It leaves on Monday for the north.</p>")
    second = page(f"{frame}<p>A ship has come in today with letters.</p>", "https://example.org/2")
    found = Shingles().extract(first, SiteContext(neighbours=(second.flat,)))
    assert first.text(found.nodes).splitlines() == [
        "A ship has come in today with coal and tea.",
        "It leaves on Monday for the north.",
    ]
    strict = Shingles(share=0.3).extract(first, SiteContext(neighbours=(second.flat,)))
    assert first.text(strict.nodes) == "It leaves on Monday for the north."


def test_shingles_need_other_pages():
    made = page("<p>A text.</p>")
    assert Shingles().extract(made).kind is Kind.NONE
    assert Shingles().extract(made, SiteContext(neighbours=(made.flat,))).kind is Kind.NONE
    other = page("<p>A text.</p><p>More.</p>", "https://example.org/2")
    assert Shingles().extract(made, SiteContext(neighbours=(other.flat,))).kind is Kind.NONE


# --- site-level jusText ---


def test_verdicts_are_pooled_by_text_and_by_place():
    foot = Paragraph("All rights reserved by the printers", "body.div", True)
    first = [
        Paragraph("A long text that jusText takes", "body.main.p", True),
        Paragraph("Short words", "body.main.p", False),
        Paragraph("Related things", "body.ul.li", False),
        foot,
    ]
    second = [
        Paragraph("Another long text that jusText takes", "body.main.p", True),
        Paragraph("One good line", "body.ul.li", True),
        Paragraph("Four bad words here", "body.ul.li", False),
        foot,
    ]
    pool = Pool.of([first, second])
    assert pool.kept(first) == ["A long text that jusText takes", "Short words"]
    assert pool.kept(second) == ["Another long text that jusText takes"]
