import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.retry_after import LONGEST, retry_after

NOW = dt.datetime(2026, 3, 1, 12, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 0 ", 0.0),
        ("000120", 120.0),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
        ("Sun, 01 Mar 2026 14:00:30 +0200", 30.0),
        ("Sun, 01 Mar 2026 12:00:30", 30.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("31536000", 31_536_000.0),
        ("99999999999999999999", LONGEST),
        ("9" * 5000, LONGEST),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST),
    ],
)
def test_it_is_read_as_seconds_or_date_and_bounded(value, seconds):
    assert retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "soon",
        "-5",
        "1.5",
        "1e9",
        "\u00b2",  # a digit for `isdigit`, and for no number
        "\u0667",
        "Sun, 01 Mar 20260 12:00:30 GMT",
        "Sun, 99 Mar 2026 99:00:30 GMT",
    ],
)
def test_what_is_neither_is_none(value):
    assert retry_after(value, NOW) is None


@pytest.mark.parametrize("value", ["Fri, 31 Dec 9999 23:59:59 -2359", "Mon, 01 Jan 0001 00:00:00 +2359"])
def test_a_date_that_is_in_no_calendar_after_its_zone_is_counted_raises_nothing(value):
    assert retry_after(value, NOW) in (None, 0.0, LONGEST)


@given(st.one_of(st.text(), st.from_regex(r"\A\w{3}, \d{1,3} \w{3} \d{1,6} \d\d:\d\d:\d\d [+-]\d{4}\Z")))
def test_any_retry_after_gives_bounded_seconds_or_none(value):
    seconds = retry_after(value, NOW)
    assert seconds is None or 0.0 <= seconds <= LONGEST
