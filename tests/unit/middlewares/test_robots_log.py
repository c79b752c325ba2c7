"""Tests of Scrapy's log messages about an unreadable robots.txt."""

import logging
from logging.config import dictConfig

from scrapy.utils.log import DEFAULT_LOGGING

import sitecrawl.middlewares.robots  # noqa: F401  (imported before a crawl is forked, which configures logging anew)


def test_an_unreachable_robots_has_no_traceback_in_a_forked_crawl_either(caplog):
    dictConfig(DEFAULT_LOGGING)
    logger = logging.getLogger("scrapy.downloadermiddlewares.robotstxt")
    with caplog.at_level(logging.INFO):
        logger.error("Error downloading robots.txt", exc_info=True)
        logging.getLogger("scrapy.downloadermiddlewares.retry").error("another one")
    assert [record.message for record in caplog.records] == ["another one"]
