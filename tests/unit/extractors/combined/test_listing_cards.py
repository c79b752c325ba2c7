"""The cards of listings that keep hardly anything."""

import pytest

from sitecrawl.extractors.combined.cards import groups_of_cards
from sitecrawl.extractors.combined.listing_cards import with_own_cards
from tests.unit.extractors.combined.test_cards import ARTICLES, article, cards, known_and_shares, page


@pytest.mark.parametrize(
    ("wanted", "added"),
    [
        (("Products",), 2 * 6),  # the heading alone is kept
        (("Products", "Product 99 0", "Product 99 1"), 0),  # more than a tenth of the cards is kept
        ((), 2 * 6),
    ],
)
def test_a_listing_keeps_its_cards_if_hardly_any_is_kept(wanted, added):
    one = page(99, "<h1>Products</h1>" + cards(99))
    known, blocks, share = known_and_shares(one, ARTICLES)
    texts = [one.flat.text[row] for row in blocks.first]
    kept = [text in wanted for text in texts]
    found = with_own_cards(one, blocks, kept, share, known)
    assert sum(now and not before for now, before in zip(found, kept, strict=True)) == added
    assert not any(now for now, text in zip(found, texts, strict=True) if text in ("Home", "About us"))


def test_a_listing_without_cards_is_left_as_it_is():
    one = page(99, "<h1>Products</h1><p>A paragraph.</p>")
    known, blocks, share = known_and_shares(one, ARTICLES)
    kept = [False] * len(blocks)
    assert with_own_cards(one, blocks, kept, share, known) == kept


@pytest.mark.parametrize(
    ("main", "lines"),
    [
        (f"<p>{'Our products are made by hand in the village. ' * 4}</p>{cards(99)}", 0),  # it has a text of its own
        (f"<h1>Products</h1><aside>{cards(99)}</aside>", 0),
        (f"<h1>Products</h1><div class=toc>{cards(99)}</div>", 2 * 6),
        (f"<h1>Products</h1><div class=posts-collapse>{cards(99)}</div><p>To all of our products.</p>", 2 * 6),
        (f"<h1>Products</h1>{cards(99)}<div>Page 2</div>", 2 * 6),  # a sibling that is too short for a card
        (
            f"<h1>Products</h1><ul>{cards(99)}</ul><div>{cards(98, 4, name='topic')}</div>",
            2 * 6,
        ),  # the group with most text
        (f"<h1>Products</h1>{cards(99)}{cards(98, 3, name='card-wide')}", 2 * 6 + 2 * 3),
    ],
)
def test_cards_are_added_to_listings_without_a_text_and_from_no_furniture(main, lines):
    one = page(99, main)
    known, blocks, share = known_and_shares(one, ARTICLES)
    texts = [one.flat.text[row] for row in blocks.first]
    kept = [not text.startswith(("Product ", "For ", "Home", "About")) for text in texts]
    found = with_own_cards(one, blocks, kept, share, known)
    assert sum(found) - sum(kept) == lines


@pytest.mark.parametrize(("linked", "titles"), [(2, 4), (3, 0)])
def test_titles_of_threads_are_added_if_most_of_them_are_dropped(linked, titles):
    one = page(99, f"<h1>Topics</h1>{cards(99)}")
    known, blocks, share = known_and_shares(one, ARTICLES)
    texts = [one.flat.text[row] for row in blocks.first]
    kept = [text.startswith("For ") or text in [f"Product 99 {i}" for i in range(linked)] for text in texts]
    found = with_own_cards(one, blocks, kept, share, known)
    added = [text for text, now, before in zip(texts, found, kept, strict=True) if now and not before]
    assert added == [f"Product 99 {i}" for i in range(linked, linked + titles)]


@pytest.mark.parametrize(
    ("introduction", "lines"),
    [
        ("", 2 * 6),
        ("A line about our fine wares. " * 12, 0),  # more than half of the page's own text
    ],
)
def test_elements_that_all_pages_have_are_cards_of_a_listing_that_is_mainly_these(introduction, lines):
    pages = [article(number, cards(number, 2)) for number in range(9)]
    one = page(99, f"<h1>Products</h1>{cards(99)}<p>{introduction}</p>")
    known, blocks, share = known_and_shares(one, pages)
    assert not groups_of_cards(one, blocks, share, known)
    kept = [one.flat.text[row] == "Products" for row in blocks.first]
    assert sum(with_own_cards(one, blocks, kept, share, known)) - 1 == lines
