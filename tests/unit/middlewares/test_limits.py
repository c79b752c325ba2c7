"""The limits of `middlewares` are those that docs/limits.md states: who plans memory and time relies on that page."""

from sitecrawl.middlewares.backoff import FIRST_PAUSE as BACKOFF_FIRST_PAUSE
from sitecrawl.middlewares.backoff import LONGEST_PAUSE as BACKOFF_LONGEST_PAUSE
from sitecrawl.middlewares.backoff import LONGEST_UNAVAILABLE_PAUSE as BACKOFF_LONGEST_UNAVAILABLE_PAUSE
from sitecrawl.middlewares.circuit_breaker import GOOD as CIRCUIT_BREAKER_GOOD
from sitecrawl.middlewares.compression import CHUNK as COMPRESSION_CHUNK
from sitecrawl.middlewares.robots import FRESH as ROBOTS_FRESH
from sitecrawl.middlewares.robots import MAX_BYTES as ROBOTS_MAX_BYTES
from tests.documented import limits, written

LIMITS = {
    "middlewares.backoff.FIRST_PAUSE": BACKOFF_FIRST_PAUSE,
    "middlewares.backoff.LONGEST_PAUSE": BACKOFF_LONGEST_PAUSE,
    "middlewares.backoff.LONGEST_UNAVAILABLE_PAUSE": BACKOFF_LONGEST_UNAVAILABLE_PAUSE,
    "middlewares.circuit_breaker.GOOD": CIRCUIT_BREAKER_GOOD,
    "middlewares.compression.CHUNK": COMPRESSION_CHUNK,
    "middlewares.robots.FRESH": ROBOTS_FRESH,
    "middlewares.robots.MAX_BYTES": ROBOTS_MAX_BYTES,
}


def test_the_limits_of_the_page_are_those_of_the_code():
    assert limits("middlewares") == {name: written(value) for name, value in LIMITS.items()}
