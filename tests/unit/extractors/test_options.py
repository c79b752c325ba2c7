"""Tests of options as they are typed."""

import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.extractors.options import option_value, read_options


def test_values_are_json_or_python_constants_or_texts():
    texts = ("2", "0.5", "true", "True", "None", "null", '["form"]', "tag+children", "")
    assert [option_value(text) for text in texts] == [2, 0.5, True, True, None, None, ["form"], "tag+children", ""]


def test_options_by_name():
    assert read_options(("size=8", "equality=tag+children", "a=b=c", "a=2")) == {
        "size": 8,
        "equality": "tag+children",
        "a": 2,
    }


@pytest.mark.parametrize("given", ["size", "=2", ""])
def test_an_option_of_another_form_is_an_error(given):
    with pytest.raises(ConfigError, match="OPTION=VALUE"):
        read_options((given,))
