"""Lists and like siblings of which most is kept are kept whole."""

import time

import pytest

from sitecrawl.extractors.combined.partial_lists import NEAR, with_whole_lists, with_whole_siblings
from sitecrawl.extractors.combined.region import ENOUGH

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
SECONDS = 4.0
"""Far above what a page with a thousand nested lists takes."""


def items(*texts):
    return "".join(f"<li>{text}</li>" for text in texts)


def added(html, *, others=(), again=""):
    """Return the texts that are kept too if the items are not; `again` is the text of a repetition."""
    site = Sample([f"<main>{html}</main>", *others])
    return site.added(
        lambda one, kept, repeats, known: with_whole_lists(one.flat, one.blocks, kept, repeats, known),
        "ITEM",
        again=again,
        known=site.known if others else None,
    )


LIST = items("The stones of the mole", "The ships of the harbour", "ITEM one", "ITEM two")


@pytest.mark.parametrize("html", [f"{TEXT}<ul>{LIST}</ul>", f"{TEXT}<ol>{LIST}</ol>", f"<ul>{LIST}</ul>{TEXT}"])
def test_a_list_of_which_most_is_kept_is_kept_whole(html):
    assert added(html) == ["ITEM one", "ITEM two"]


def test_items_that_are_links_are_kept_too():
    assert added(f"{TEXT}<ul>{LIST.replace('ITEM one', '<a href=/7>ITEM one</a>')}</ul>") == ["ITEM one", "ITEM two"]


def test_a_list_in_a_list_may_be_kept_alone():
    html = f"{TEXT}<ul>{items('ITEM' + ' of the long quay' * 9, f'<ul>{LIST}</ul>')}</ul>"
    assert added(html) == ["ITEM one", "ITEM two"]


@pytest.mark.parametrize(
    "html",
    [
        f"{TEXT}<ul>{items('The stones', 'ITEM one', 'ITEM two', 'ITEM three', 'ITEM four')}</ul>",  # less than half
        f"{TEXT}<ul>{items('The stones of the mole', 'ITEM one')}</ul>",  # two items
        f"{TEXT}<ul>{items('ITEM one', 'ITEM two', 'ITEM three')}</ul>",  # nothing is kept
        f"{TEXT}<ul class=sidebar>{LIST}</ul>",
        f"{TEXT}<div class=comments><ul>{LIST}</ul></div>",
        f"{TEXT}<div>{LIST.replace('li>', 'p>')}</div>",
    ],
)
def test_other_lists_are_not_completed(html):
    assert added(html) == []


def test_on_a_page_alone_improbable_items_stay_dropped():
    site = Sample([f"<main>{TEXT}<ul>{LIST}</ul></main>"])
    kept, near = ["ITEM" not in text for text in site.texts], ["two" not in text for text in site.texts]
    alone = with_whole_lists(site.flat, site.blocks, kept, [False] * len(kept), None, near)
    assert site.chosen(alone)[-1] == "ITEM one"
    assert all(with_whole_lists(site.flat, site.blocks, kept, [False] * len(kept), site.known, near))


def test_texts_of_the_site_and_repetitions_stay_dropped():
    html = f"{TEXT}<ul>{LIST}</ul>"
    others = [f"<main><p>Report {n}</p><ul>{items(f'Ship {n}', 'ITEM one')}</ul></main>" for n in range(9)]
    assert added(html, others=others) == ["ITEM two"]
    assert added(html, again="ITEM two") == ["ITEM one"]


def test_many_nested_lists_take_no_long_time():
    html = f"{TEXT}{'<ul><li>ITEM, of the quay of stones' * 1_000}"
    began = time.process_time()
    added(html)
    assert time.process_time() - began < SECONDS


def member(name, more):
    return f"<div class=entry><b>Member {name} of the harbour</b><div>{more} {name}</div></div>"


NAMES = ("boat", "mole", "quay", "pier")
MEMBERS = "".join(member(name, "ITEM") for name in NAMES)
OTHERS = [f"<main><p>Report {n} on the ships</p></main>" for n in range(6)]
ONE_OF_FIVE = (
    f"<div class=entry><b>{'The boats of the harbour. ' * 9}</b><div>ITEM one</div></div>"
    + "<div class=entry><b>ITEM two</b><div>ITEM three</div></div>" * 4
)
LIMIT = 0.5


def joined(html, *, others=OTHERS, again="", chance=NEAR * LIMIT, named=True):
    """Return the texts that are kept too of like siblings, if the items have a probability."""
    site = Sample([f"<main>{html}</main>", *others])
    chances = [chance if "ITEM" in text else 1.0 for text in site.texts]
    return site.added(
        lambda one, kept, repeats, known: with_whole_siblings(
            one.flat, one.blocks, kept, repeats, chances, LIMIT, known
        ),
        "ITEM",
        again=again,
        known=site.known if named else None,
    )


def test_like_siblings_of_which_most_is_kept_are_kept_whole():
    assert joined(TEXT + MEMBERS) == [f"ITEM {name}" for name in NAMES]


@pytest.mark.parametrize(
    "html",
    [
        TEXT + "".join(member(name, "ITEM") for name in NAMES[:3]),  # three siblings
        TEXT + "".join(member(name, "ITEM, built of the stones of the old quay,") for name in NAMES),  # less than half
        TEXT + ONE_OF_FIVE,
        TEXT + "".join(f"<div class=entry>{text}</div>" for text in ("The mole", "The quay", "The pier", "ITEM")),
        TEXT + MEMBERS.replace("div class=entry", "div class=sidebar"),
        TEXT + f"<ul>{MEMBERS.replace('<div class=entry>', '<li>')}</ul>",
        TEXT + "".join(f"<div class={name}>{member(name, 'ITEM')}</div>" for name in NAMES),  # no siblings
    ],
)
def test_other_elements_are_not_completed(html):
    assert joined(html) == []


def test_improbable_texts_and_texts_of_the_site_stay_dropped():
    assert joined(TEXT + MEMBERS, chance=NEAR * LIMIT - 0.01) == []
    assert joined(TEXT + MEMBERS, again="ITEM mole") == ["ITEM boat", "ITEM quay", "ITEM pier"]
    shared = [f"<main><p>Report {n}</p>{MEMBERS}</main>" for n in range(6)]
    assert joined(TEXT + MEMBERS, others=shared) == []


def test_few_other_pages_tell_nothing():
    assert joined(TEXT + MEMBERS, others=OTHERS[: ENOUGH - 1]) == []
    assert joined(TEXT + MEMBERS, named=False) == []


def test_texts_without_letters_stay_dropped():
    numbers = "".join(member(name, "").replace(f" {name}</div>", f"{n}</div>") for n, name in enumerate(NAMES))
    site = Sample([f"<main>{TEXT}{numbers}</main>", *OTHERS])
    kept = [not text.isdigit() for text in site.texts]
    chances = [0.4] * len(kept)
    assert with_whole_siblings(site.flat, site.blocks, kept, [False] * len(kept), chances, LIMIT, site.known) == kept
