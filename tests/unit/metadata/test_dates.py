"""Tests of reading dates."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.metadata.dates import date_in_text, date_in_url, iso_date

NOW = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2025-09-04", "2025-09-04"),
        ("2025-09-04T12:50:36+00:00", "2025-09-04T12:50:36+00:00"),
        ("2025-09-16T04:51:00-0600", "2025-09-16T04:51:00-06:00"),
        ("2025-12-02 10:39:46 -0600", "2025-12-02T10:39:46-06:00"),
        ("2025-12-02T10:39", "2025-12-02T10:39:00"),
        ("2025-12-02T24:00", "2025-12-02"),
        ("Fri, 25 Jun 2010 15:00:00 GMT", "2010-06-25T15:00:00+00:00"),
        ("Tuesday, 14 May 2019 10:33 AM", "2019-05-14"),
        ("2019/1/22", "2019-01-22"),
        ("01/07/16", None),
        ("3/4/2020", None),
        ("25/4/2020", "2020-04-25"),
        ("2014-02-30", None),
        ("2031-01-01", None),
        ("1970-01-01T00:00:00Z", None),
        ("", None),
    ],
)
def test_dates_of_markup_are_iso_dates_or_none(raw, expected):
    assert iso_date(raw, NOW) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Posted on September 4th, 2025 by Ann", "2025-09-04"),
        ("4 de septiembre de 2025", "2025-09-04"),
        ("Dim. 4 septembre 2025", "2025-09-04"),
        ("4 сентября 2025 г.", "2025-09-04"),
        ("2025년 9월 4일", "2025-09-04"),
        ("الخميس 4 سبتمبر 2025 - 10:10 م", "2025-09-04"),
        ("4 سبتمبر، 2025", "2025-09-04"),
        ("سبتمبر 4, 2025", "2025-09-04"),
        ("سبتمبر 4، 2025", "2025-09-04"),
        ("4 سبتمبر/ أيلول 2025", "2025-09-04"),
        ("4 أيلول 2025", "2025-09-04"),
        ("4 آب 2025", "2025-08-04"),
        ("4 كانون الثاني 2025", "2025-01-04"),
        ("4 كانون الأول 2025", "2025-12-04"),
        ("4 تشرين الاول 2025", "2025-10-04"),
        ("نوفمبر / تشرين الثاني 4, 2025", "2025-11-04"),
        ("4 نوفمبر / تشرين الثاني 2025", "2025-11-04"),
        ("4 كانون 2025", None),
        ("4 בספטמבר 2025", "2025-09-04"),
        ("4 יוני, 2025", "2025-06-04"),
        ("04.09.2025 - 05.09.2025", "2025-09-04"),
        ("version 4.9.20251", None),
        ("May 2020", None),
        ("the 30 boats of 2020", None),
    ],
)
def test_the_first_full_date_in_a_text_is_found(text, expected):
    assert date_in_text(text, NOW) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/2025/09/04/storm", "2025-09-04"),
        ("https://example.org/a/20180522/4456.shtml", "2018-05-22"),
        ("https://example.org/2018-05/22/c_1.htm", "2018-05-22"),
        ("https://example.org/2025/99/01/", None),
        ("https://example.org/?d=2025/09/04", None),
    ],
)
def test_the_date_in_a_path_is_found(url, expected):
    assert date_in_url(url, NOW) == expected


@given(st.text(max_size=80))
def test_anything_else_is_no_date_or_a_plausible_one(raw):
    for found in (iso_date(raw, NOW), date_in_text(raw, NOW)):
        assert found is None or dt.datetime.fromisoformat(found).year in range(1990, 2027)


def test_the_time_may_stand_before_the_year():
    assert date_in_text("Mon Aug  1 17:51:18 CEST 2011", NOW) == "2011-08-01"
    assert date_in_text("Aug 1 17:51:18 2011", NOW) == "2011-08-01"
    assert date_in_text("Aug 1 17:51 in 2011", NOW) is None
