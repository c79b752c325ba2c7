import pytest

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError, UnknownSinkError
from sitecrawl.index.ndjson import NdjsonSink
from sitecrawl.index.opensearch import OpenSearchSink
from sitecrawl.index.sinks import build_sink, sink_types


def test_the_installed_types():
    assert {
        "opensearch",
        "elasticsearch",
        "ndjson",
        "lancedb",
        "markdown",
        "webhook",
        "meilisearch",
        "typesense",
    } <= sink_types().keys()
    assert all(point.load() for point in sink_types().values())


def test_a_sink_is_named_after_its_type_or_names_it():
    assert isinstance(build_sink("ndjson", {"ndjson": {"folder": "x"}}), NdjsonSink)
    assert isinstance(build_sink("team", {"team": {"type": "opensearch", "url": "http://h:1"}}), OpenSearchSink)


@pytest.mark.parametrize(
    ("sinks", "error", "message"),
    [
        ({"a": {}, "b": {}}, UnknownSinkError, "x: there is no such sink; known: a, b"),
        ({}, UnknownSinkError, "known: none; set SITECRAWL_INDEX_SINKS"),
        ({"x": {}}, ConfigError, "unknown type 'x'; known: elasticsearch, lancedb, markdown"),
        ({"x": {"type": "ndjson"}}, ConfigError, "ndjson takes folder, max_bytes"),
        ({"x": {"type": "ndjson", "folder": "f", "colour": "red"}}, ConfigError, "'colour'"),
        ({"x": "http://h"}, ConfigError, "must be an object"),
        ({"x": {"type": "opensearch", "url": "ftp://h"}}, ConfigError, "not an http or https URL"),
        ({"x": {"type": "opensearch", "url": "http://u:secret@h:port"}}, ConfigError, "no valid port"),
        ({"x": {"type": "opensearch", "url": "http://h/?a=b"}}, ConfigError, "no query"),
    ],
)
def test_what_cannot_be_used_is_explained(sinks, error, message):
    with pytest.raises(error) as caught:
        build_sink("x", sinks)
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"type": "webhook", "url": 3}, "x: url takes a text"),
        ({"type": "webhook", "url": "http://h/", "timeout": "x"}, "x: timeout takes a number"),
        ({"type": "webhook", "url": "http://h/", "timeout": True}, "timeout takes a number"),
        ({"type": "webhook", "url": "http://h/", "timeout": 0}, "from above 0 to 3600"),
        ({"type": "webhook", "url": "http://h/", "headers": "x"}, "x: headers takes an object"),
        ({"type": "webhook", "url": "http://h/", "headers": {"X": "secret\nb"}}, "the header 'X' cannot be sent"),
        ({"type": "webhook", "url": "http://h/", "headers": {"X-N\u00e4me": "secret"}}, "cannot be sent"),
        ({"type": "webhook", "url": "http://h/", "headers": {"X": 5}}, "cannot be sent"),
        ({"type": "typesense", "url": "http://h/", "key": "secret \u043a\u043b\u044e\u0447"}, "cannot be sent"),
        ({"type": "meilisearch", "url": "http://h/", "key": ["secret"]}, "x: key takes a text"),
        ({"type": "meilisearch", "url": "http://h/", "index": 5}, "x: index takes a text"),
        ({"type": "ndjson", "folder": 3}, "x: folder takes a text"),
        ({"type": "ndjson", "folder": "f", "max_bytes": 1.5}, "x: max_bytes takes a whole number"),
    ],
)
def test_options_of_the_wrong_kind_are_explained(options, message):
    with pytest.raises(ConfigError) as caught:
        build_sink("x", {"x": options})
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("kinds", ["Content", "foo", "", "content;listing", "content,none"])
def test_kinds_that_would_empty_an_index_are_refused(kinds):
    with pytest.raises(ConfigError, match=r"SITECRAWL_INDEX_KINDS=.* one or both of content, listing"):
        Config.from_mapping({"SITECRAWL_INDEX_KINDS": kinds})
    assert Config.from_mapping({"SITECRAWL_INDEX_KINDS": "listing, content"}).index_kinds == ("listing", "content")


def test_options_may_be_left_out_or_none():
    sink = build_sink("x", {"x": {"type": "opensearch", "url": "http://h/", "headers": None, "timeout": 5}})
    assert isinstance(sink, OpenSearchSink)
