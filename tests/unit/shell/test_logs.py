import io
import logging

import pytest
from scrapy.http import HtmlResponse, Request
from twisted.python.failure import Failure

from sitecrawl.errors import DatabaseLostError, StorageError
from sitecrawl.shell.logs import (
    CERTIFICATES,
    QuietLogFormatter,
    show_safely,
    skip_unseen_records,
    warn_once_of_certificates,
)


@pytest.mark.parametrize(
    ("error", "level"), [(DatabaseLostError("full"), logging.DEBUG), (StorageError("one row"), logging.ERROR)]
)
def test_only_a_lost_database_is_quiet(error, level):
    formatter, response = QuietLogFormatter(), HtmlResponse("https://a.example/")
    request = Request("https://a.example/")
    assert formatter.item_error({}, error, response, None)["level"] == level
    assert formatter.spider_error(Failure(error), request, response, None)["level"] == level


@pytest.fixture
def log():
    """A logger whose lines are formatted as Scrapy formats them; what it wrote."""
    before, lines = logging.getLogRecordFactory(), io.StringIO()
    logging.setLogRecordFactory(logging.LogRecord)
    show_safely()
    handler = logging.StreamHandler(lines)
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    logger = logging.Logger("of.a.test")
    logger.addHandler(handler)
    yield logger, lines
    logging.setLogRecordFactory(before)


def test_what_a_server_wrote_steers_no_terminal(log):
    logger, lines = log
    logger.info("passed over %s: not HTML (%s)", "http://a.example/", "text/\x1b]0;x\x07plain\u202e")
    assert lines.getvalue() == "INFO: passed over http://a.example/: not HTML (text/\\x1b]0;x\\x07plain\\u202e)\n"


def test_tracebacks_are_safe_and_keep_their_lines(log):
    logger, lines = log
    try:
        raise ValueError("bad \x1b[2J header")
    except ValueError:
        logger.exception("failed")
    assert "ValueError: bad \\x1b[2J header" in lines.getvalue()
    assert lines.getvalue().startswith("ERROR: failed\nTraceback (most recent call last):\n  File ")


def test_a_project_with_records_of_its_own_keeps_them(log):
    class Own(logging.LogRecord):
        """A project's."""

    logging.setLogRecordFactory(Own)
    show_safely()
    assert logging.getLogRecordFactory() is Own


@pytest.mark.parametrize(
    ("levels", "level"),
    [((logging.WARNING, logging.INFO), logging.INFO), ((logging.DEBUG,), logging.DEBUG), ((), logging.CRITICAL)],
)
def test_scrapy_makes_no_records_that_no_handler_takes(levels, level, monkeypatch):
    monkeypatch.setattr(logging.root, "handlers", [logging.NullHandler(one) for one in levels])
    scrapy = logging.getLogger("scrapy")
    before = scrapy.level
    try:
        scrapy.setLevel(logging.CRITICAL)
        skip_unseen_records()
        assert logging.getLogger("scrapy.core.scraper").getEffectiveLevel() == level
    finally:
        scrapy.setLevel(before)


def test_a_certificate_that_is_accepted_is_warned_of_once(caplog):
    warn_once_of_certificates()
    warn_once_of_certificates()
    for host in ("a.example", "a.example", "b.example"):
        logging.getLogger(CERTIFICATES).warning('Remote certificate is not valid for hostname "%s"; %s', host, "wrong")
    assert [record.args[0] for record in caplog.records] == ["a.example", "b.example"]
