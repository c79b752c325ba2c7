"""Labels that the listings of a site share, and what a listing keeps beside them."""

import pytest

from sitecrawl.extractors.combined.listed_blocks import listed_blocks
from sitecrawl.extractors.combined.shared_labels import shared_labels
from tests.unit.extractors.combined.test_cards import ARTICLES, known_and_shares, page

TAGS = ("storms", "moles", "ropes", "piers", "tugs", "cranes")
PROSE = "The mole was made of stones that the ships of the town had carried as ballast for two hundred years. "


def cloud(tags=TAGS, box="<ul class=tags>{}</ul>", item="<li><a href=/tag/{0}>{0}</a> {1}</li>"):
    return box.format("".join(item.format(tag, number) for number, tag in enumerate(tags)))


def archive(number, labels=None):
    own = f"<h2><a href=/post/{number}>Storm {number} over the harbour</a></h2><p>{number} {PROSE}</p>"
    return page(number, f"{cloud() if labels is None else labels}<div class=entry>{own}</div>")


def texts(html_page, blocks, kept):
    return [html_page.flat.text[blocks.first[block]] for block, wanted in enumerate(kept) if wanted]


def labels_of(one, others):
    known, blocks, _ = known_and_shares(one, [*ARTICLES, *others])
    return [one.flat.text[blocks.first[block]] for block in sorted(shared_labels(one.flat, blocks, known))]


def test_labels_in_the_same_box_of_nearly_all_listings_are_shared():
    assert labels_of(archive(50), map(archive, range(51, 57))) == list(TAGS)
    assert labels_of(archive(50), map(archive, range(51, 53))) == []  # too few pages have the box


@pytest.mark.parametrize(
    "labels",
    [
        cloud(("storms", "moles")),  # too few
        cloud(tuple(f"{tag} and what was written of them in all these years" for tag in TAGS)),  # titles
        cloud(item="<li><h3>{0}</h3></li>"),  # headings
        cloud(box="<table><tr>{}</table>", item="<th>{0}</th>"),
        cloud(item="<li>{0}</li><p>A post of {1}</p>"),  # texts between them
    ],
)
def test_other_texts_are_no_labels(labels):
    assert labels_of(archive(50, labels), [archive(number, labels) for number in range(51, 57)]) == []


def test_labels_that_differ_between_the_listings_are_entries():
    others = [archive(number, cloud(tuple(f"{tag} {number}" for tag in TAGS))) for number in range(51, 57)]
    assert labels_of(archive(50), others) == []


def test_a_listing_keeps_its_entries_and_not_the_labels_beside_them():
    one = archive(50)
    known, blocks, share = known_and_shares(one, [*ARTICLES, *map(archive, range(51, 57))])
    every = [share[block] < 0.8 for block in range(len(blocks))]
    assert texts(one, blocks, every)[:2] == ["storms", "moles"]
    found = texts(one, blocks, listed_blocks(one, blocks, every, share, known, None))
    assert found == ["Storm 50 over the harbour", f"50 {PROSE}"]


def test_a_listing_of_nothing_but_labels_keeps_them():
    one = page(50, f"<h1>All tags</h1>{cloud()}")
    known, blocks, share = known_and_shares(one, [*ARTICLES, *map(archive, range(51, 57))])
    assert len(shared_labels(one.flat, blocks, known)) == len(TAGS)
    every = [share[block] < 0.8 for block in range(len(blocks))]
    assert texts(one, blocks, listed_blocks(one, blocks, every, share, known, None)) == ["All tags", *TAGS]
