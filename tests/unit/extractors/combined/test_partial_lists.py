"""Lists of which most is kept are kept whole."""

import time

import pytest

from sitecrawl.extractors.combined.partial_lists import with_whole_lists

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
