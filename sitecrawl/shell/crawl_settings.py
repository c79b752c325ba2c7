"""Checks settings that every crawl would refuse, before a site is leased or a crawl begins."""

from sitecrawl.config import Config
from sitecrawl.links.crawl_rules import patterns
from sitecrawl.shell.addresses import parse_allowances


def check_crawl_settings(config: Config) -> None:
    """Raise ConfigError for allowed addresses or patterns of URLs that cannot be read."""
    parse_allowances(config.allowed_addresses)
    patterns(config.include, "SITECRAWL_INCLUDE")
    patterns(config.exclude, "SITECRAWL_EXCLUDE")
