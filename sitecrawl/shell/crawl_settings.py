"""Checks settings before a site is leased or a crawl begins, since every crawl would refuse invalid ones."""

from sitecrawl.config import Config
from sitecrawl.crawl.extraction import chosen_extractor
from sitecrawl.links.crawl_rules import patterns
from sitecrawl.overrides.folders import Overrides
from sitecrawl.shell.addresses import parse_allowances


def check_crawl_settings(config: Config) -> None:
    """Check the method, the allowed addresses, the URL patterns, and the folders and names of override files.

    Raises ConfigError or ExtractorError.
    """
    chosen_extractor(config)
    Overrides(config.overrides)
    parse_allowances(config.allowed_addresses)
    patterns(config.include, "SITECRAWL_INCLUDE")
    patterns(config.exclude, "SITECRAWL_EXCLUDE")
