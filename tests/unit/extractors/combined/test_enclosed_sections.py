"""Lost sections with a heading of their own are kept if they stand right between two kept texts."""

import pytest

from sitecrawl.extractors.combined.enclosed_sections import with_enclosed_sections

from .sites import Sample

TEXT = "The mole of the harbour was built by hand, of stones that ships had brought."
LOST = ["LOST stones", f"LOST {TEXT}", "LOST It took eleven years, and nobody knows why it took so long."]


def box(texts, name="column-right-bottom", more="", heading="h3"):
    first, *others = texts
    return f"<div class={name}><{heading}>{first}</{heading}>{''.join(f'<p>{one}</p>' for one in others)}{more}</div>"


def added(*boxes, others=5, beside="", again=""):
    """Return the texts that are kept too if those with LOST are not."""
    pages = [f"<main><div><p>Page {number} {TEXT}</p>{beside}</div></main>" for number in range(others)]
    site = Sample([f"<body><main><h1>Harbour</h1>{''.join(boxes)}</main></body>", *pages])
    return site.added(
        lambda one, kept, repeats, what: with_enclosed_sections(one.flat, one.blocks, kept, repeats, what),
        "LOST",
        again=again,
        known=site.known,
    )


ABOVE, BELOW = box(["Moles", TEXT], "column-left-bottom"), box(["Piers", TEXT * 2], "column-center-bottom")


def test_a_section_with_a_heading_between_two_kept_texts_is_kept():
    assert added(ABOVE, box(LOST), BELOW) == LOST
    assert added(ABOVE, f"<section><div>{box(LOST)}</div></section>", BELOW) == LOST
    assert added(ABOVE, box(LOST), box(LOST, "column-left-bottom"), BELOW) == LOST * 2
    assert added(f"<p>{TEXT}</p>", box(LOST), f"<h3>Piers</h3><p>{TEXT}</p>") == LOST


@pytest.mark.parametrize(
    "lost",
    [
        box(LOST, heading="p"),
        box(LOST, "related-posts"),
        box(LOST, more=f"<p>{TEXT}</p>"),  # a part of it is kept
        box(LOST, more="<form><input name=mail></form>"),
        box(LOST, more=f"<a href=/mole>LOST {TEXT}</a>"),
        box([LOST[0], "LOST and found", "LOST again"]),
        box([LOST[0], *["LOST and found"] * 12]),
    ],
)
def test_other_boxes_stay_dropped(lost):
    assert added(ABOVE, lost, BELOW) == []


def test_a_box_before_or_after_the_text_stays_dropped():
    assert added(box(LOST), ABOVE, BELOW) == []
    assert added(ABOVE, BELOW, box(LOST)) == []
    assert added(ABOVE, box(LOST), box(["LOST too", "LOST"]), BELOW) == []


def test_a_box_that_other_pages_show_or_that_repeats_a_text_stays_dropped():
    whole = f"<main><h1>Harbour</h1>{ABOVE}{box(LOST)}{BELOW}</main>"
    site = Sample([whole] * 6)
    kept = ["LOST" not in text for text in site.texts]
    repeats = [False] * len(kept)
    assert with_enclosed_sections(site.flat, site.blocks, kept, repeats, site.known) == kept
    assert added(ABOVE, box(LOST), BELOW, again=LOST[1]) == []


def test_few_other_pages_tell_nothing():
    assert added(ABOVE, box(LOST), BELOW, others=3) == []
