"""Tests of options as they are typed."""

import pytest

from sitecrawl.errors import ConfigError, ExtractorError
from sitecrawl.extractors.base import get_extractor
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


@pytest.mark.parametrize(
    ("method", "option", "value", "wanted"),
    [
        ("cnr", "share", "x", "give a number"),
        ("cnr", "share", True, "give a number"),
        ("cnr", "share", float("nan"), "give a number"),
        ("cnr", "levels", 2.5, "give a whole number"),
        ("cnr", "levels", True, "give a whole number"),
        ("cnr", "most", 10**400, "give a whole number"),
        ("cnr", "universe", [], "give a text"),
        ("combined", "threshold", "x", "give a number or None"),
        ("cetr", "variant", "x", "give 2d or threshold"),
        ("iwptd", "table", 1, "give another value or None"),
        ("webconex", "branch", 1, "give True or False"),
        ("crunch", "frame_share", 10**400, "give another value"),
    ],
)
def test_a_value_of_another_type_is_an_error(method, option, value, wanted):
    with pytest.raises(ConfigError, match=f"^{method}: {option} is .*{wanted}$"):
        get_extractor(method, **{option: value})


def test_values_that_fit():
    assert get_extractor("cnr", share=1, levels=-1).levels == -1
    assert get_extractor("combined", threshold=None).name == "combined"
    with pytest.raises(ExtractorError, match="'cnr' has no option size; it takes share, "):
        get_extractor("cnr", size=1)
