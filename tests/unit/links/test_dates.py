import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.links.dates import Dated, parse_date, parse_past_date

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


def utc(*parts):
    return dt.datetime(*parts, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-05-17T10:20:30Z", utc(2024, 5, 17, 10, 20, 30)),
        ("2024-05-17T10:20Z", utc(2024, 5, 17, 10, 20)),
        ("2024-05-17T10:20:30.123456789+02:00", utc(2024, 5, 17, 8, 20, 30)),
        ("2024-05-17T10:20:30-0330", utc(2024, 5, 17, 13, 50, 30)),
        (" 2024-05-17  10:20:30 UTC\n", utc(2024, 5, 17, 10, 20, 30)),
        ("2024-12-31T24:00:00Z", utc(2025, 1, 1)),
        ("2024-12-31T23:59:60Z", utc(2025, 1, 1)),
        ("Fri, 25 Jun 2010 15:00:00 PST", utc(2010, 6, 25, 23)),
        ("25-Jun-10 15:00:00 GMT", utc(2010, 6, 25, 15)),
        ("Friday, 25-Jun-10 15:00:00 +0100", utc(2010, 6, 25, 14)),
    ],
)
def test_moments(text, moment):
    assert parse_date(text) == Dated(moment, moment)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2024-05-17", utc(2024, 5, 16, 10), utc(2024, 5, 18, 12)),
        ("20240517", utc(2024, 5, 16, 10), utc(2024, 5, 18, 12)),
        ("2024/5/17", utc(2024, 5, 16, 10), utc(2024, 5, 18, 12)),
        ("2024-02", utc(2024, 1, 31, 10), utc(2024, 3, 1, 12)),
        ("2024-12", utc(2024, 11, 30, 10), utc(2025, 1, 1, 12)),
        ("2024", utc(2023, 12, 31, 10), utc(2025, 1, 1, 12)),
        ("2024-05-17T10:20:30", utc(2024, 5, 16, 20, 20, 30), utc(2024, 5, 17, 22, 20, 30)),
    ],
)
def test_what_is_not_said_stays_open(text, first, last):
    assert parse_date(text) == Dated(first, last)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "yesterday-ish",
        "2024-13-01",
        "2024-02-30",
        "2024-05-17T25:00:00Z",
        "2024-05-17T10:61:00Z",
        "0001-01-01T00:00:00Z",
        "0000-00-00",
        "1970-01-01",
        "9999-12-31T23:59:60Z",
        "9999",
        "99999999999",
        "Fri, 99 Jun 2010 15:00:00 PST",
        "1" * 100_000,
        "２０２４-05-17x",
        "{{ date }}",
    ],
)
def test_what_says_nothing(text):
    assert parse_date(text) is None


def test_dates_that_lie_ahead_are_past_dates_only_within_a_day():
    assert parse_past_date("2026-03-02T11:00:00Z", NOW) is not None
    assert parse_past_date("2026-03-01", NOW) is not None
    assert parse_past_date("2026-03-02T13:00:00Z", NOW) is None
    assert parse_past_date("2099-01-01", NOW) is None
    assert parse_date("2099-01-01") is not None


@given(st.text(max_size=80))
def test_no_text_raises(text):
    dated = parse_date(text)
    assert dated is None or dated.first <= dated.last


@given(st.datetimes(dt.datetime(1990, 1, 2), dt.datetime(2100, 1, 1), timezones=st.just(dt.UTC)))
def test_iso_is_read_back(moment):
    moment = moment.replace(microsecond=0)
    assert parse_date(moment.isoformat()) == Dated(moment, moment)
    day = parse_date(moment.date().isoformat())
    assert day.first <= moment <= day.last
