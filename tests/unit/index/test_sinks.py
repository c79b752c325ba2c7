import pytest

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
        ({"a": {}, "b": {}}, UnknownSinkError, "x: no such sink; known: a, b"),
        ({}, UnknownSinkError, "known: none; set SITECRAWL_INDEX_SINKS"),
        ({"x": {}}, ConfigError, "unknown type 'x'; known: elasticsearch, lancedb, markdown"),
        ({"x": {"type": "ndjson"}}, ConfigError, "ndjson takes folder, max_bytes"),
        ({"x": {"type": "ndjson", "folder": "f", "colour": "red"}}, ConfigError, "'colour'"),
        ({"x": "http://h"}, ConfigError, "must be an object"),
        ({"x": {"type": "opensearch", "url": "ftp://h"}}, ConfigError, "no http or https URL"),
        ({"x": {"type": "opensearch", "url": "http://u:secret@h:port"}}, ConfigError, "no valid port"),
        ({"x": {"type": "opensearch", "url": "http://h/?a=b"}}, ConfigError, "no query"),
    ],
)
def test_what_cannot_be_used_is_explained(sinks, error, message):
    with pytest.raises(error) as caught:
        build_sink("x", sinks)
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)
