"""Lists of facts about the post are dropped, but not those about books, and not those of a list of articles."""

import pytest

from sitecrawl.extractors.combined.post_facts import without_post_facts

from .sites import Sample

TEXT = (
    "<p>The mole of the harbour was built by hand, of stones that ships had brought from far away, and it took them all of "
    "twelve years until the last one lay in its place.</p>"
)


def dropped(html):
    """Return the texts that are dropped from a page of which all texts were kept."""
    return Sample([html]).dropped(without_post_facts)


def items(*texts):
    """Return a list of items."""
    return f"<ul>{''.join(f'<li>{text}</li>' for text in texts)}</ul>"


@pytest.mark.parametrize(
    "facts",
    [
        ("By ANN FINCH in Kiel", "Last Updated: 2:31 PM, April 19, 2013", "Posted: 8:43 AM, April 19, 2013"),
        ("August 13, 2018", "Posted by Ann Finch", "Leave a comment"),
        ("by Ann Finch", "on August 13, 2018", "at 12:16 pm"),
        ("<b>Source:</b> The Times", "<b>Released:</b> May 2nd, 2026 08:44 AM", "<b>Author:</b> Ann Finch", "<b>Tag(s):</b> <a href=/t>mole</a>"),
        ("2022-10-22", "作者 Ann Finch", "1011 字"),
        ("作者：林海", "2024年5月3日"),
        ("Von Ann Finch", "3. Mai 2024", "12 Kommentare"),
    ],
)  # fmt: skip
def test_an_author_and_a_date_in_a_list_are_dropped(facts):
    assert len(dropped(f"<h1>Moles</h1>{items(*facts)}{TEXT}")) == len(facts)
    assert len(dropped(f"<h1>Moles</h1>{TEXT}{items(*facts)}")) == len(facts)


def test_a_term_and_its_description_are_one_fact():
    terms = "<dl><dt>Author:</dt><dd>Ann Finch</dd><dt>Publish date:</dt><dd>Nov 18, 2019</dd></dl>"
    assert dropped(f"{terms}{TEXT}") == ["Author:", "Ann Finch", "Publish date:", "Nov 18, 2019"]


@pytest.mark.parametrize(
    ("terms", "texts"),
    [
        ("<dt>Published</dt><dd>1 May 2024</dd>", ["Published", "1 May 2024"]),
        ("<dt>Published:</dt><dd>1 May 2024</dd><dt>Last updated:</dt><dd>3 June 2024</dd>", None),
        ("<dt>Veröffentlicht am</dt><dd>1. Mai 2024</dd><dt>Stand:</dt><dd>03.06.2024</dd>", None),
        ("<dt>Publié le</dt><dd>1er mai 2024</dd><dt>Mis à jour le</dt><dd>3 juin 2024</dd>", None),
    ],
)
def test_dates_of_publication_and_change_alone_are_dropped(terms, texts):
    found = dropped(f"<h1>Moles</h1><dl>{terms}</dl>{TEXT}")
    assert len(found) == terms.count("<dt>") * 2
    assert texts is None or found == texts


@pytest.mark.parametrize(
    "terms",
    [
        "<dt>Opened</dt><dd>1 May 1884</dd><dt>Closed</dt><dd>3 June 1965</dd>",
        "<dt>Published</dt><dd>1 May 2024, by the harbour office</dd>",
        "<dt>Published</dt><dd>1 May 2024</dd><dt>Pages</dt><dd>120 of 2024</dd>",
        "<dt>Last updated</dt><dd>three years ago</dd>",
    ],
)
def test_other_dates_and_facts_are_content(terms):
    assert dropped(f"<h1>Moles</h1><dl>{terms}</dl>{TEXT}") == []


@pytest.mark.parametrize(
    "facts",
    [
        ("Author: Ann Finch", "Published: May 3, 2024", "ISBN: 978-3-16-148410-0"),  # a book
        ("Author: Ann Finch", "Released: May 3, 2024", "License: GPL"),  # a download
        ("by hand", "May 3, 2024"),  # no name
        ("Speaker: Ann Finch", "May 3, 2024"),  # a talk
        ("By Ann Finch", "By Bob Crane", "May 3, 2024"),  # several articles
        ("By Ann Finch", "Two boats"),  # no date
        ("By Ann Finch, who had lived in the house beside the old harbour for all of her long life", "May 3, 2024"),
    ],
)
def test_other_lists_stay(facts):
    assert dropped(f"{TEXT}{items(*facts)}{TEXT}") == []


def test_a_list_of_articles_keeps_them():
    entry = f"<h2>Moles</h2>{items('Author: Ann Finch', 'Date: May 3, 2024')}{TEXT}"
    assert dropped(3 * entry) == []
    assert len(dropped(2 * entry)) == 4


def test_a_page_that_consists_of_them_keeps_them():
    assert dropped(items("Author: Ann Finch", "Date: May 3, 2024")) == []
