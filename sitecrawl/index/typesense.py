"""Sink for Typesense, through its HTTP API `documents/import`, which reports a result for each document.

Typesense has no versions of documents, so the sink skips a change if the collection has a newer one.
"""

import json
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from sitecrawl.index.documents import Change
from sitecrawl.index.http import Answer, HttpClient, as_json, quoted
from sitecrawl.index.sinks import BatchRefusedError, Rejection, SinkUnavailableError, newest_of_each
from sitecrawl.slices import slices

TIMEOUT: Final = 60.0
NAMED_AT_ONCE: Final = 50
"""Maximum ids in one URL: servers and proxies accept URLs of a few thousand characters."""
FIELDS: Final = (
    *({"name": name, "type": "string"} for name in ("url", "site", "text")),
    *({"name": name, "type": "string", "optional": True} for name in ("title", "description", "author", "page")),
    *({"name": name, "type": "string", "facet": True, "optional": True} for name in ("kind", "language", "date")),
    *({"name": name, "type": "string[]", "optional": True} for name in ("anchors", "headings", "section")),
    {"name": "sequence", "type": "int64"},
)
"""Fields of a new collection; further fields are stored but not searched."""
MISSING: Final = 404
EXISTS: Final = 409
FULL: Final = b"running out of resource type"
"""Part of the message, with status 422, of a server that takes no documents because its disk or memory is full."""


class TypesenseSink:
    """Keeps one collection equal to the database; a missing one is created. `key` is an API key."""

    def __init__(self, url: str, key: str, collection: str = "pages", timeout: float = TIMEOUT) -> None:
        self._client = HttpClient(url, {"X-TYPESENSE-API-KEY": key}, float(timeout))
        self._collection, self._there = collection, False

    def send(self, changes: Sequence[Change]) -> list[Rejection]:
        """Import and delete documents; return the refused changes."""
        self._create()
        newest = self._newest([change.id for change in changes])
        fresh = [change for change in newest_of_each(changes) if change.sequence >= newest.get(change.id, 0)]
        rejections = self._import([change for change in fresh if change.document is not None])
        for ids in slices([change.id for change in fresh if change.document is None], NAMED_AT_ONCE):
            self._client.check(self._ask("DELETE", f"documents?filter_by={_named(ids)}"))
        return rejections

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _ask(self, method: str, path: str, body: bytes = b"") -> Answer:
        where = f"{self._client.path}/collections/{quote(self._collection)}"
        return self._client.request(method, f"{where}/{path}" if path else where, body, "application/json")

    def _create(self) -> None:
        if self._there:
            return
        answer = self._ask("GET", "")
        if answer.status == MISSING:
            schema = as_json({"name": self._collection, "fields": FIELDS}).encode()
            answer = self._client.request("POST", f"{self._client.path}/collections", schema, "application/json")
        if answer.status != EXISTS:  # another process has created it meanwhile
            try:
                self._client.check(answer)
            except BatchRefusedError as error:  # no document is at fault
                raise SinkUnavailableError(f"the collection {self._collection} cannot be created: {error}") from error
        self._there = True

    def _newest(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the sequence numbers of those documents that the collection has, by id."""
        found: dict[str, int] = {}
        for part in slices(ids, NAMED_AT_ONCE):
            answer = self._ask("GET", f"documents/export?filter_by={_named(part)}&include_fields=id,sequence")
            self._client.check(answer)
            found |= {row["id"]: int(row.get("sequence", 0)) for row in self._rows(answer)}
        return found

    def _import(self, changes: Sequence[Change]) -> list[Rejection]:
        if not changes:
            return []
        lines = "\n".join(as_json(change.document.as_dict()) for change in changes if change.document is not None)
        answer = self._ask("POST", "documents/import?action=upsert", lines.encode())
        if FULL in answer.body and not 200 <= answer.status < 300:  # no document is at fault
            raise SinkUnavailableError(f"{self._client.place}: {answer.status} {quoted(answer.body)}", answer.pause)
        self._client.check(answer)
        rows = self._rows(answer)
        if len(rows) != len(changes):
            raise SinkUnavailableError(f"{self._client.place}: {len(rows)} answers to {len(changes)} documents")
        refused = [(change, row) for change, row in zip(changes, rows, strict=True) if row.get("success") is not True]
        if any(int(row.get("code", 400)) >= 500 for _, row in refused):
            raise SinkUnavailableError(f"{self._client.place}: {quoted(answer.body)}")
        return [Rejection(change, str(row.get("error"))[:1000], final=True) for change, row in refused]

    def _rows(self, answer: Answer) -> list[dict[str, Any]]:
        try:
            rows = [json.loads(line) for line in answer.body.splitlines() if line.strip()]
        except ValueError:
            rows = [None]
        if not all(isinstance(row, dict) for row in rows):
            raise SinkUnavailableError(f"{self._client.place}: no answer of Typesense: {quoted(answer.body)}")
        return rows


def _named(ids: Sequence[str]) -> str:
    return quote(f"id:[{','.join(ids)}]")
