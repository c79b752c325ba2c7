import logging

import pytest
from scrapy.http import HtmlResponse, Request
from twisted.python.failure import Failure

from sitecrawl.errors import DatabaseLostError, StorageError
from sitecrawl.logs import QuietLogFormatter


@pytest.mark.parametrize(
    ("error", "level"), [(DatabaseLostError("full"), logging.DEBUG), (StorageError("one row"), logging.ERROR)]
)
def test_only_a_lost_database_is_quiet(error, level):
    formatter, response = QuietLogFormatter(), HtmlResponse("https://a.example/")
    request = Request("https://a.example/")
    assert formatter.item_error({}, error, response, None)["level"] == level
    assert formatter.spider_error(Failure(error), request, response, None)["level"] == level
