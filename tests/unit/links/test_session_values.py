"""Session ids under unknown names are told by pages that say the same with several values; one page that does not, tells."""

import pytest

from sitecrawl.links import session_values
from sitecrawl.links.session_values import PAGES, SessionValues

SITE = "https://example.org"
FIRST, SECOND, THIRD = "a1b2c3d4e5f6", "0f1e2d3c4b5a", "9a8b7c6d5e4f"


def read(number, value, own, name="zap"):
    return f"{SITE}/item/{number}?lang=en&{name}={value}", own


def twice(count=PAGES, name="zap"):
    """Each page was read with two values; the second is a duplicate of the first."""
    return [read(number, value, value == FIRST, name) for value in (FIRST, SECOND) for number in range(count)]


def learned(outcomes, start_url=""):
    values = SessionValues(start_url)
    values.learn(outcomes)
    return values


def refused(values, number, value):
    return values.refusal(read(number, value, None)[0]) is not None


def test_each_page_is_requested_with_the_value_that_gave_its_content():
    values = learned(twice())
    assert values.names == {"zap"}
    assert [refused(values, 3, value) for value in (FIRST, SECOND, THIRD)] == [False, True, True]
    assert "'zap'" in values.refusal(read(3, THIRD, None)[0])


def test_a_new_page_is_requested_with_the_first_value_that_is_asked_for():
    values = learned(twice())
    assert [refused(values, 99, value) for value in (THIRD, THIRD, FIRST)] == [False, False, True]


@pytest.mark.parametrize("query", ["", "?lang=en"])
def test_a_page_whose_content_is_known_without_the_parameter_is_requested_without_it(query):
    ids = f"{query}&zap=" if query else "?zap="
    items = [f"{SITE}/item/{number}" for number in range(PAGES)]
    read_twice = [(url + ids + one, False) for one in (FIRST, SECOND) for url in items]
    values = learned([*((url + query, True) for url in items), *read_twice])
    assert [values.refusal(items[0] + ids + one) is not None for one in (FIRST, THIRD)] == [True, True]
    assert values.refusal(items[0] + query) is None


@pytest.mark.parametrize(
    "more",
    [
        [read(50, FIRST, True), read(50, SECOND, True)],  # two texts: the values are documents
        [read(number, FIRST, False) for number in range(1)],
    ],
)
def test_one_page_with_two_texts_keeps_all_values(more):
    values = learned([*twice(), *more])
    assert (values.names == {"zap"}) is (len(more) == 1)
    assert refused(values, 3, SECOND) is (len(more) == 1)


@pytest.mark.parametrize(
    "outcomes",
    [
        twice(PAGES - 1),
        [read(number, FIRST, True) for number in range(50)],
        [read(number, value, None) for value in (FIRST, SECOND) for number in range(50)],  # never read
        [read(number, value, value == "12") for value in ("12", "13") for number in range(50)],  # numbers of pages
    ],
)
def test_without_enough_such_pages_nothing_is_refused(outcomes):
    values = learned(outcomes)
    assert values.names == set()
    assert not refused(values, 1, THIRD)


def test_other_parameters_and_the_start_page_are_requested():
    start = read(1, THIRD, None)[0]
    values = learned(twice(), start)
    assert values.refusal(start) is None
    assert values.refusal(f"{SITE}/item/1?lang=en&tap={THIRD}") is None
    assert values.refusal(f"{SITE}/item/1") is None


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(session_values, "MAX_URLS", PAGES)
    values = learned(twice(2 * PAGES))
    assert len(values._urls) == PAGES
