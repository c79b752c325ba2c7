"""The settings that name the fields of items."""

import pytest

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError
from sitecrawl.item_fields.targets import VALUES, Targets, item_targets


def targets(**settings):
    return item_targets(Config.from_mapping({f"SITECRAWL_{name.upper()}": value for name, value in settings.items()}))


def test_the_html_is_that_of_the_response_unless_a_field_is_named():
    fields = {"main_content": "text"}
    assert targets(item_fields=fields) == Targets(fields, None, "url")
    assert targets(item_fields='{"main_content": "text"}', item_html="body") == Targets(fields, "body", "url")
    assert targets(item_html="body", item_url="link") == Targets({}, "body", "link")


def test_the_values_are_those_of_the_public_page():
    assert set(VALUES) >= {"text", "title", "published", "author", "html", "markdown", "kind", "confidence", "digest"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"item_fields": {"body": "txt"}},
            "SITECRAWL_ITEM_FIELDS: 'body': 'txt' is not a value of a page; known: id, url,",
        ),
        ({"item_fields": {"body": ["text"]}}, "is not a value of a page"),
        ({"item_fields": "text"}, "SITECRAWL_ITEM_FIELDS='text' cannot be used: it takes a JSON object or a dict"),
        ({"item_fields": {"body": "text"}, "extractor": "webconex"}, "the method 'webconex' needs neighbours"),
        ({"item_fields": {"body": "text"}, "extractor": "sst"}, "of each page's site; choose another"),
    ],
)
def test_what_cannot_be_used_is_one_line(settings, words):
    with pytest.raises(ConfigError) as raised:
        targets(**settings)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
