import pytest

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError, ExtractorError
from sitecrawl.shell.crawl_settings import check_crawl_settings


def test_settings_that_every_crawl_would_refuse():
    check_crawl_settings(Config(allowed_addresses=("10.0.0.0/8:8080",), include=("/a",), exclude=(r"\?page=",)))
    for wrong in ({"allowed_addresses": ("foo:1",)}, {"include": ("[",)}, {"exclude": ("(",)}):
        (name,) = wrong
        with pytest.raises(ConfigError, match=f"SITECRAWL_{name.upper()}"):
            check_crawl_settings(Config(**wrong))


def test_a_method_and_a_folder_of_overrides_that_are_not_there(tmp_path):
    with pytest.raises(ExtractorError, match="unknown extraction method 'combine'"):
        check_crawl_settings(Config(extractor="combine"))
    with pytest.raises(ConfigError, match="not a folder of overrides"):
        check_crawl_settings(Config(overrides=(str(tmp_path / "none"),)))
