"""Checks settings before a site is leased or a crawl begins, since every crawl would refuse invalid ones."""

from sitecrawl.config import Config
from sitecrawl.links.crawl_rules import patterns
from sitecrawl.shell.addresses import parse_allowances


def check_crawl_settings(config: Config) -> None:
    """Raise ConfigError for invalid allowed addresses or URL patterns."""
    parse_allowances(config.allowed_addresses)
    patterns(config.include, "SITECRAWL_INCLUDE")
    patterns(config.exclude, "SITECRAWL_EXCLUDE")
