import datetime as dt

import pytest
from scrapy.http import Response

from sitecrawl.middlewares.backoff import retry_after

NOW = dt.datetime(2026, 3, 1, 12, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(value, seconds):
    assert retry_after(Response("http://e.org/", headers={"Retry-After": value}), NOW) == seconds
