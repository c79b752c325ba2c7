"""Headlines as a reader sees them."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.metadata.headlines import headlines, lower_headlines, only_headline


def found(html):
    return [" ".join(text.split()) for text in headlines(Page.from_html(html, "https://example.org/").named("h1"))]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>A storm</h1>", "A storm"),
        ("<h1>A <i>great</i>er storm<br>hits the <a href=/>harbour</a>.</h1>", "A greater storm hits the harbour."),
        ("<h1><div>A storm</div><div>hits</div>us</h1>", "A storm hits us"),
        ("<h1>Module tokio::<b>runtime</b><button>Copy path</button></h1>", "Module tokio::runtime"),
        ("<h1><time>Dec 18</time>A storm<select><option>en</select></h1>", "A storm"),
        ("<h1>A storm <a href='#a'>\u00b6</a></h1>", "A storm"),
        ("<h1>C#</h1>", "C#"),
        ("<h1>A storm #</h1>", "A storm"),
        ("<h1>Home\u00admade<!-- a comment --> soup</h1>", "Homemade soup"),
        ("<h1><span class='visually-hidden'>Collection: </span>Moles</h1>", "Moles"),
        ("<h1><span class='u-sr-only'>Old</span> moles</h1>", "Old moles"),
        ("<h1><span class='label'>Collection: </span>Moles</h1>", "Collection: Moles"),
        ("<h1></h1>", ""),
    ],
)
def test_a_headline_is_what_a_reader_sees(html, expected):
    assert found(html) == [expected]


@pytest.mark.parametrize(
    ("html", "names", "expected"),
    [
        ("<h1><div>Sponsored by <a>Moles</a></div> A storm at sea</h1>", {"a storm at sea"}, "A storm at sea"),
        ("<h1>A storm at sea <a href=/w>Weather news</a></h1>", {"a storm at sea"}, "A storm at sea"),
        ("<h1>A storm at sea <small>photo: Ann Lee</small></h1>", {"a storm"}, "A storm at sea photo: Ann Lee"),
        ("<h1><b>Part</b> A storm at sea</h1>", {"a storm at sea"}, "Part A storm at sea"),
        ("<h1>A storm <a>at sea</a></h1>", {"a storm at sea", "a storm"}, "A storm at sea"),
        ("<h1><span>Section 2.3</span> Old moles</h1>", {"old moles"}, "Section 2.3 Old moles"),
        ("<h1><a>Old and grey</a> moles</h1>", {"moles"}, "Old and grey moles"),
    ],
)
def test_a_part_that_the_other_names_lack_is_left_out(html, names, expected):
    elements = Page.from_html(html, "https://example.org/").named("h1")
    assert [" ".join(text.split()) for text in headlines(elements, names)] == [expected]


def test_four_headlines_are_read():
    assert found("<h1>x</h1>" * 9) == ["x"] * 4


def test_a_headline_of_megabytes_is_cut():
    assert len(found(f"<h1>{'<b>word </b>' * 100_000}</h1>")[0]) <= 4_000


def test_twelve_lower_headlines_are_read_in_their_order():
    page = Page.from_html(
        "<h3>First</h3><h1>Top</h1><h2>Second \u00b6</h2>" + "<h2>x</h2>" * 20, "https://example.org/"
    )
    assert list(lower_headlines(page.root)) == ["First", "Second", *["x"] * 10]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>The mole</h2><h3>Stones</h3><h3>Pilots</h3>", "The mole"),
        ("<h3>The mole ¶</h3><p>Text</p>", "The mole"),
        ("<h2>The mole</h2><h2>The pier</h2><h3>Stones</h3>", ""),
        ("<p>Text</p>", ""),
    ],
)
def test_the_only_headline_of_the_highest_level(html, expected):
    assert only_headline(Page.from_html(html, "https://example.org/").root) == expected
