"""Tests of the joint decision of the pages of a layout."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.templates.decision import LayoutKind, PageEvidence, PathEvidence, decide, shared_place
from sitecrawl.templates.decision_records import from_record, stored_form, to_record

MAIN, TEXT, ADS, HEAD, RARE = 1, 2, 3, 4, 5


def path(key, place, *, blocks=1, liked=0, kept=0, odds=0.0, shared=0, inside=True):
    return PathEvidence(key, place, blocks, liked, kept, 100, odds, shared, inside)


def page(kind=LayoutKind.ARTICLE, *, mean=120.0, liked=4, more=()):
    return PageEvidence(
        kind,
        mean,
        MAIN,
        "div.main",
        (
            path(TEXT, "div.main > p", blocks=4, liked=liked, kept=liked, odds=2.0),
            path(ADS, "div.main > div.ad", odds=-1.0, shared=60),
            path(HEAD, "header > h1", liked=1, kept=1, inside=False),
            *more,
        ),
    )


def test_what_most_pages_say_is_decided():
    decision = decide([page() for _ in range(10)])
    assert (decision.kind, decision.pages, decision.mean) == (LayoutKind.ARTICLE, 10, 120.0)
    assert 0.6 < decision.sure < 0.7
    assert [(one.place, one.share) for one in decision.regions] == [("div.main", 1.0)]
    assert [one.place for one in decision.content] == ["div.main > p"]
    assert [(one.place, one.shared) for one in decision.furniture] == [("div.main > div.ad", 0.6)]
    assert [one.place for one in decision.beside] == ["header > h1"]
    assert decision.verdicts[TEXT] == (1.0, 1.0)
    assert decision.verdicts[ADS] == (0.0, 0.0)
    assert decision.content[0].odds == round(20 / 15, 4)


def test_a_region_counts_the_pages_with_their_content_further_in():
    inner = replace(page(), region=TEXT, place="div.main > div.text", around=(MAIN,))
    decision = decide([page()] * 3 + [inner] * 7)
    assert [(one.place, one.share, one.within) for one in decision.regions] == [
        ("div.main > div.text", 0.7, 0.7),
        ("div.main", 0.3, 1.0),
    ]


def test_a_region_that_was_stored_without_the_pages_further_in_has_its_own():
    record = to_record(decide([page()] * 4))
    del record["within"]
    (region,) = from_record(record).regions
    assert (region.share, region.within) == (1.0, 1.0)


def test_a_path_of_few_pages_has_no_verdict():
    rare = path(RARE, "div.main > div.note")
    decision = decide([page(more=(rare,) if number < 3 else ()) for number in range(10)])
    assert RARE not in decision.verdicts
    assert all(one.path != RARE for one in (*decision.content, *decision.furniture))


def test_pages_of_many_kinds_are_mixed():
    kinds = [LayoutKind.ARTICLE, LayoutKind.LISTING, LayoutKind.REFERENCE, LayoutKind.ARTICLE]
    assert decide([page(kind) for kind in kinds]).kind is LayoutKind.MIXED
    assert decide([page(kind) for kind in (*kinds, LayoutKind.ARTICLE)]).kind is LayoutKind.ARTICLE


def test_lists_of_threads_are_no_votes_against_threads():
    kinds = [LayoutKind.THREAD] * 6 + [LayoutKind.LISTING] * 20 + [LayoutKind.REFERENCE] * 4
    assert decide([page(kind) for kind in kinds]).kind is LayoutKind.THREAD


@pytest.mark.parametrize(("threads", "others", "kind"), [(3, 0, LayoutKind.LISTING), (6, 5, LayoutKind.MIXED)])
def test_few_threads_and_threads_beside_other_content_are_votes_like_others(threads, others, kind):
    lists = 8
    kinds = [LayoutKind.THREAD] * threads + [LayoutKind.LISTING] * lists + [LayoutKind.ARTICLE] * others
    assert decide([page(one) for one in kinds]).kind is kind


def test_pages_without_content_decide_nothing():
    empty = PageEvidence(LayoutKind.MIXED, 0.0, 0, "")
    assert decide([]) is None
    assert decide([empty]) is None
    assert decide([empty, page()]).pages == 1


def test_a_layout_of_few_pages_binds_none():
    assert not decide([page()]).binds
    assert not decide([page(), page(), page()]).binds
    assert decide([page()] * 4).binds


PAGES = st.lists(
    st.builds(
        page,
        st.sampled_from(LayoutKind),
        mean=st.floats(1, 500).map(lambda number: round(number, 1)),
        liked=st.integers(0, 4),
        more=st.lists(
            st.sampled_from([path(RARE + n, f"div > p.c{n}", odds=n / 7) for n in range(9)]), unique=True
        ).map(tuple),
    ),
    max_size=12,
)


@given(PAGES, st.randoms())
def test_the_order_of_pages_does_not_count(pages, luck):
    other = luck.sample(pages, len(pages))
    assert decide(pages) == decide(other)
    if pages:
        assert decide(pages).verdicts == decide(other).verdicts


@given(PAGES)
def test_a_decision_is_stored_and_read_again(pages):
    decision = decide(pages)
    if decision is None:
        assert from_record(None) is None
        return
    record = json.loads(json.dumps(to_record(decision)))
    again = from_record(record)
    assert again == stored_form(decision) == stored_form(again)
    assert again.verdicts.keys() == decision.verdicts.keys()
    assert again.kind is decision.kind


def test_it_is_said_in_three_lines():
    lines = decide([page() for _ in range(10)]).lines()
    assert lines == (
        "article (67% sure, from 10 pages), 120 characters a block",
        "content in div.main (100% of the pages); beside it header > h1",
        "left out there: div.main > div.ad",
    )


def test_paths_of_one_name_are_said_once():
    boxes = [path(RARE + number, "div.main > div.ad", odds=-1.0) for number in range(3)]
    last = decide([page(more=boxes) for _ in range(10)]).lines()[2]
    assert last.count("div.main > div.ad") == 1


@pytest.mark.parametrize(
    ("places", "name"),
    [
        (["div.body > section.about"], "div.body > section.about"),
        (["div.body > section.about", "div.body > section.news"], "div.body > section"),
        (["div.main.wide > p", "div.main > p"], "div.main > p"),
        (["main > p", "p"], "main > p"),
    ],
)
def test_a_place_is_named_as_pages_agree_on_it(places, name):
    assert shared_place(places) == shared_place(reversed(places)) == name
