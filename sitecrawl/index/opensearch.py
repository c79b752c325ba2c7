"""Sink for OpenSearch and Elasticsearch, through their common `_bulk` API.

It uses plain HTTP without a client library: the API is a single request, and each official client refuses the servers
of the other.
The version of a document is its sequence number (`external_gte`), so a late or repeated request changes nothing.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote, urlsplit

from sitecrawl.errors import ConfigError
from sitecrawl.index.documents import Change, ChunkDocument, Document
from sitecrawl.index.http import BUSY, SETUP, HttpClient, as_json, quoted
from sitecrawl.index.sinks import BatchRefusedError, Rejection, SinkUnavailableError

MAX_BYTES: Final = 5 * 2**20
"""Maximum bytes of one request; both servers advise 5 to 15 MB, and refuse 100 MB."""
TIMEOUT: Final = 60.0
CONFLICT: Final = 409
GONE: Final = 404
DOWN: Final = BUSY | {502, 503, 504}
"""Statuses of single documents for which a shard is at fault: it is overloaded or away."""
INDEX_AT_FAULT: Final = frozenset(
    ("cluster_block_exception", "index_not_found_exception", "index_closed_exception", "security_exception")
)
"""Error types of single documents for which the index is at fault: it is read-only, missing, closed, or may not be
written to by this user."""
EXISTS: Final = b"resource_already_exists_exception"
"""Error type if another process has created the index meanwhile."""


class OpenSearchSink:
    """Keeps one index equal to the database.

    `url` may contain user and password; `headers` may contain an API key. A missing index is created with the mapping
    of `mapping.json`, or with `settings` if given. `pipeline` names an ingest pipeline.
    """

    def __init__(
        self,
        url: str,
        index: str = "pages",
        pipeline: str | None = None,
        headers: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        if urlsplit(url).query:
            raise ConfigError("SITECRAWL_INDEX_SINKS: the url of a search server has no query; name the index apart")
        self._client = HttpClient(url, headers, float(timeout))
        self._index = index
        self._pipeline = pipeline
        self._settings = settings
        self._created = False

    def send(self, changes: Sequence[Change]) -> list[Rejection]:
        """Send changes in requests of a few megabytes; return the refused changes."""
        self._create()
        rejections: list[Rejection] = []
        part: list[tuple[Change, bytes]] = []
        size = 0
        for change in changes:
            lines = bulk_lines(change)
            if part and size + len(lines) > MAX_BYTES:
                rejections += self._bulk(part)
                part, size = [], 0
            part.append((change, lines))
            size += len(lines)
        return rejections + self._bulk(part)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _create(self) -> None:
        """Create the index with its mapping if it is missing; this is checked once per object."""
        if self._created:
            return
        path = f"{self._client.path}/{quote(self._index)}"
        there = self._client.request("HEAD", path, b"", "application/json")  # an index, an alias or a data stream
        if there.status == GONE:
            body = self._settings or mapping()
            there = self._client.request("PUT", path, as_json(body).encode(), "application/json")
        if not (there.status == 400 and EXISTS in there.body):
            try:
                self._client.check(there)
            except BatchRefusedError as error:  # no document is at fault
                raise SinkUnavailableError(f"the index {self._index} cannot be created: {error}") from error
        self._created = True

    def _bulk(self, part: list[tuple[Change, bytes]]) -> list[Rejection]:
        if not part:
            return []
        query = f"?pipeline={quote(self._pipeline)}" if self._pipeline else ""
        path = f"{self._client.path}/{quote(self._index)}/_bulk{query}"
        body = b"".join(lines for _, lines in part)
        answer = self._client.request("POST", path, body, "application/x-ndjson")
        self._client.check(answer)
        try:
            items = [next(iter(item.values())) for item in json.loads(answer.body)["items"]]
            results = zip((change for change, _ in part), items, strict=True)
            failed = [(change, item) for change, item in results if not _done(change, item)]
            down = [_reason(item) for _, item in failed if _is_down(item)]
        except (ValueError, KeyError, TypeError, AttributeError, StopIteration) as error:
            raise SinkUnavailableError(f"{self._client.place}: no bulk response: {quoted(answer.body)}") from error
        if down:  # the accepted changes may be sent again without effect
            raise SinkUnavailableError(
                f"{self._client.place}: {len(down)} of {len(items)} documents cannot be stored now: {down[0]}",
                answer.pause,
            )
        return [Rejection(change, _reason(item), final=_is_final(int(item["status"]))) for change, item in failed]


def _done(change: Change, item: Mapping[str, Any]) -> bool:
    """Return whether the index has the change, or a newer one (a conflict)."""
    status = int(item["status"])
    return status < 300 or status == CONFLICT or (status == GONE and change.document is None)


def _is_down(item: Mapping[str, Any]) -> bool:
    """Return whether a document was refused because of its shard or its index, which would refuse others too."""
    error = item.get("error")
    kind = error.get("type") if isinstance(error, Mapping) else None
    return int(item["status"]) in DOWN or kind in INDEX_AT_FAULT


def _is_final(status: int) -> bool:
    """Return whether a refusal is final; a document that is forbidden may be allowed once the server is set up."""
    return status < 500 and status not in SETUP


def _reason(item: Mapping[str, Any]) -> str:
    """Return why a document was refused."""
    error = item.get("error")
    reason = f"{error.get('type')}: {error.get('reason')}" if isinstance(error, Mapping) else str(error)
    return f"{item['status']} {reason}"[:1000]


def bulk_lines(change: Change) -> bytes:
    """Return the action line of a change, followed by the document unless it is a deletion."""
    action = {"_id": change.id, "version": change.sequence, "version_type": "external_gte"}
    if change.document is None:
        return (as_json({"delete": action}) + "\n").encode()
    return (as_json({"index": action}) + "\n" + as_json(change.document.as_dict()) + "\n").encode()


def mapping() -> dict[str, Any]:
    """Return the settings and the mapping of a new index, from `mapping.json`; fields missing there are keywords."""
    body: dict[str, Any] = json.loads(files("sitecrawl.index").joinpath("mapping.json").read_text("utf-8"))
    properties = body["mappings"]["properties"]
    names = (one.name for document in (Document, ChunkDocument) for one in fields(document))
    missing = {name: {"type": "keyword", "ignore_above": 256} for name in names}
    body["mappings"]["properties"] = missing | properties
    return body
