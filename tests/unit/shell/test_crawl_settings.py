import pytest

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError
from sitecrawl.shell.crawl_settings import check_crawl_settings


def test_settings_that_every_crawl_would_refuse():
    check_crawl_settings(Config(allowed_addresses=("10.0.0.0/8:8080",), include=("/a",), exclude=(r"\?page=",)))
    for wrong in ({"allowed_addresses": ("foo:1",)}, {"include": ("[",)}, {"exclude": ("(",)}):
        (name,) = wrong
        with pytest.raises(ConfigError, match=f"SITECRAWL_{name.upper()}"):
            check_crawl_settings(Config(**wrong))
