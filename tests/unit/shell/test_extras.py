"""The check that an extra is installed."""

import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.shell.extras import need_extra


def test_an_installed_extra_raises_nothing():
    need_extra("ui", "json", "html")


def test_the_error_names_what_is_missing_and_how_to_install_it():
    message = "no-such-module, no-other: not installed; run: pip install 'sitecrawl\\[ui\\]'"
    with pytest.raises(ConfigError, match=message):
        need_extra("ui", "json", "no_such_module", "no_other")
