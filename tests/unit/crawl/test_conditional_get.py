import datetime as dt

import pytest

from sitecrawl.crawl.conditional_get import dated_validator, may_ask


def asks(key, every, visits=60):
    """Whether each of a page's visits was conditional."""
    seen, not_modified = [], 0
    for _ in range(visits):
        conditional = may_ask(key, not_modified, every)
        not_modified = not_modified + 1 if conditional else 0
        seen.append(conditional)
    return seen


@pytest.mark.parametrize("every", [2, 3, 10, 25])
@pytest.mark.parametrize("key", [0, 1, 7, (1 << 63) - 1])
def test_at_least_every_nth_fetch_is_a_whole_one(key, every):
    visits = asks(key, every)
    assert visits[0] is True  # the second visit of a page asks, or nothing is saved
    for i in range(len(visits) - every):
        assert not all(visits[i : i + every])


def test_whole_fetches_do_not_fall_on_one_visit():
    first = {asks(key, 10).index(False) for key in range(100)}
    assert first == {5, 6, 7, 8, 9}


def test_one_means_always_and_zero_means_never():
    assert not any(asks(3, 1))
    assert all(asks(3, 0))


NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
DATE = "Sun, 01 Mar 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("last_modified", "date"),
    [
        ("Sat, 03 Feb 2024 04:05:06 GMT", DATE),
        ("Sat, 03 Feb 2024 04:05:06 GMT", None),
        ("Sat, 03 Feb 2024 04:05:06 GMT", "no date"),
        ("Sunday, 01-Mar-26 11:59:00 GMT", DATE),  # RFC 850, a minute old
    ],
)
def test_a_date_that_was_over_when_the_answer_was_made_is_a_validator(last_modified, date):
    assert dated_validator(last_modified, date, NOW) == last_modified


@pytest.mark.parametrize(
    ("last_modified", "date"),
    [
        (None, DATE),
        ("", DATE),
        ("yesterday-ish", DATE),
        ("0", DATE),
        ("Thu, 01 Jan 1970 00:00:00 GMT", DATE),  # a program's zero
        ("Thu, 01 Jan 2099 00:00:00 GMT", DATE),
        ("Thu, 01 Jan 2099 00:00:00 GMT", None),
        ("Thu, 01 Jan 2099 00:00:00 GMT", "Thu, 01 Jan 2099 00:10:00 GMT"),  # the server's clock is ahead
        (DATE, DATE),
        (DATE, None),
        ("Sun, 01 Mar 2026 11:59:30 GMT", DATE),
        ("Sat, 28 Feb 2026 10:00:00 GMT", "Sat, 28 Feb 2026 10:00:00 GMT"),  # the server's clock is behind
    ],
)
def test_other_dates_are_no_validators(last_modified, date):
    assert dated_validator(last_modified, date, NOW) is None
