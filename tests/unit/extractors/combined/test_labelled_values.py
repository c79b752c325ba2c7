"""Labels and values of fields are kept together."""

import pytest

from sitecrawl.extractors.combined.labelled_values import LONGEST, MOST, SHORT, STEPS, values_of, with_labels_and_values

from .sites import Sample

TEXT = "<p>The talk is about moles and the stones of which they are made, and it takes an hour.</p>"
FIELD = "<div class=field><div class=field-label>Language</div><div class=items><div>Polish</div></div></div>"


def kept_of(field, *, lost, again=()):
    """Return the texts that are kept of a page with a field, where those in `lost` were not."""
    site = Sample([f"<main>{TEXT}{field}{TEXT.replace('talk', 'text')}</main>"])
    kept = [text not in lost for text in site.texts]
    found = with_labels_and_values(site.flat, site.blocks, kept, [text in again for text in site.texts])
    return [text for text in site.chosen(found) if "about moles" not in text]


def test_a_label_stays_with_its_value_and_a_value_with_its_label():
    assert kept_of(FIELD, lost=["Language"]) == ["Language", "Polish"]
    assert kept_of(FIELD, lost=["Polish"]) == ["Language", "Polish"]
    assert kept_of(FIELD, lost=["Language", "Polish"]) == []
    assert kept_of(FIELD, lost=["Language"], again=["Language"]) == ["Polish"]


@pytest.mark.parametrize(
    ("field", "label"),
    [
        ("<p><span>Language:</span></p><p>Polish</p>", False),  # not in one element
        ("<div><div>Language:</div><div>Polish</div></div>", True),
        ("<div><div>言語：</div><div>Polish</div></div>", True),
        ("<div><div>Language</div><div>Polish</div></div>", False),
        ("<div><div class=labels>Language</div><div>Polish</div></div>", False),
        ("<div><div class=field__label>Language</div><div>Polish</div></div>", True),
        ("<div><h3>Language:</h3><div>Polish</div></div>", False),
        ("<div><label class=label>Language:</label><div>Polish</div></div>", False),  # of a field to write in
        ("<div><div class=share-label>Share:</div><div>Polish</div></div>", False),
        (f"<div><div>{'Language' * 8}:</div><div>Polish</div></div>", False),
        ("<div><div><a href=/>Language:</a></div><div>Polish</div></div>", False),
        (f"<div><div>Language:</div>{'<p>Polish</p>' * MOST}</div>", False),
        (f"<div>{'<div>' * STEPS}Language:{'</div>' * STEPS}<div>Polish</div></div>", False),
    ],
)
def test_which_texts_are_labels(field, label):
    site = Sample([f"<main>{TEXT}{field}</main>"])
    name = site.texts[1]
    assert len("Language" * 8) > LONGEST
    assert (name in kept_of(field, lost=[name])) is label


def test_values_that_are_links_are_not_kept_for_their_label():
    field = "<div><div>Tags:</div><ul><li><a href=/a>Moles</a><li><a href=/b>Piers</a></ul></div>"
    assert kept_of(field, lost=["Moles", "Piers"]) == ["Tags:"]
    assert kept_of(field, lost=["Tags:"]) == ["Tags:", "Moles", "Piers"]


def test_long_values_are_not_kept_for_their_label():
    value = "a" * SHORT
    field = "<div><div>Code:</div><div>{}</div></div>"
    assert kept_of(field.format(value), lost=[value]) == ["Code:", value]
    assert kept_of(field.format(f"{value}b"), lost=[f"{value}b"]) == ["Code:"]


def test_half_of_the_values_must_be_kept():
    field = "<div><div>Speakers:</div><p>Ann Lee</p><p>Rosa Delgado</p></div>"
    assert kept_of(field, lost=["Speakers:", "Ann Lee"]) == ["Speakers:", "Rosa Delgado"]
    assert kept_of(field, lost=["Speakers:", "Rosa Delgado"]) == ["Ann Lee"]


def test_the_last_block_is_no_label():
    site = Sample([f"<main>{TEXT}<div><div>Language:</div></div></main>"])
    assert not values_of(site.flat, site.blocks, len(site.texts) - 1)
