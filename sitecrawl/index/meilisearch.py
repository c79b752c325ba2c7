"""Sink for Meilisearch, through its HTTP API.

Meilisearch accepts a request and processes it later, so the sink polls the task of each request until it has ended.
Meilisearch has no versions of documents, so the sink skips a change if the index has a newer one.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from sitecrawl.index.documents import Change
from sitecrawl.index.http import HttpClient, as_json, quoted
from sitecrawl.index.sinks import BatchRefusedError, Rejection, SinkUnavailableError, newest_of_each

TIMEOUT: Final = 60.0
FIRST_LOOK: Final = 0.05
LONGEST_LOOK: Final = 1.0
"""Maximum seconds between polls of a task; the pause doubles each time."""
SETTINGS: Final = {
    "searchableAttributes": ["title", "headings", "text", "description", "anchors", "url"],
    "filterableAttributes": ["id", "page", "site", "kind", "language", "date", "section", "author"],
    "sortableAttributes": ["date", "sequence"],
}
"""Settings of a new index. `id` must be filterable."""
NO_INDEX: Final = "index_not_found"
EXISTS: Final = "index_already_exists"
OWN_FAULT: Final = "invalid_request"
"""Type of the errors that are caused by a document."""


class MeilisearchSink:
    """Keeps one index equal to the database; a missing index is created with `settings`.

    `key` is an API key that may write documents, create indexes, change settings and read tasks.
    """

    def __init__(
        self,
        url: str,
        index: str = "pages",
        key: str | None = None,
        settings: Mapping[str, Any] | None = None,
        timeout: float = TIMEOUT,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = HttpClient(url, {"Authorization": f"Bearer {key}"} if key else None, float(timeout))
        self._index, self._settings, self._timeout, self._wait = index, settings or SETTINGS, float(timeout), wait
        self._there = False

    def send(self, changes: Sequence[Change]) -> list[Rejection]:
        """Add and delete documents, and wait until both are done; return the refused changes."""
        self._create()
        newest = self._newest([change.id for change in changes])
        fresh = [change for change in newest_of_each(changes) if change.sequence >= newest.get(change.id, 0)]
        documents = [change.document.as_dict() for change in fresh if change.document is not None]
        gone = [change.id for change in fresh if change.document is None]
        if documents:
            self._task("POST", f"/indexes/{quote(self._index)}/documents?primaryKey=id", documents)
        if gone:
            self._task("POST", f"/indexes/{quote(self._index)}/documents/delete-batch", gone)
        return []

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _create(self) -> None:
        if self._there:
            return
        answer = self._ask("GET", f"/indexes/{quote(self._index)}", None)
        if answer.get("code") == NO_INDEX:
            try:
                self._task("POST", "/indexes", {"uid": self._index, "primaryKey": "id"})
                self._task("PATCH", f"/indexes/{quote(self._index)}/settings", dict(self._settings))
            except BatchRefusedError as error:  # no document is at fault
                raise SinkUnavailableError(f"the index {self._index} cannot be created: {error}") from error
        self._there = True

    def _newest(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the sequence numbers of those documents that the index has, by id."""
        named = ", ".join(as_json(one) for one in ids)
        asked = {"filter": f"id IN [{named}]", "fields": ["id", "sequence"], "limit": len(ids)}
        answer = self._ask("POST", f"/indexes/{quote(self._index)}/documents/fetch", asked)
        try:
            return {one["id"]: int(one.get("sequence", 0)) for one in answer["results"]}
        except (KeyError, TypeError, ValueError) as error:
            message = str(answer.get("message", answer))[:300]
            raise SinkUnavailableError(f"{self._client.place}: cannot look up documents by id: {message}") from error

    def _ask(self, method: str, path: str, body: object) -> dict[str, Any]:
        """Send a request; return the JSON of the response, even of an error. Raises SinkUnavailableError."""
        data = b"" if body is None else as_json(body).encode()
        answer = self._client.request(method, f"{self._client.path}{path}", data, "application/json")
        try:
            fields = json.loads(answer.body)
        except ValueError:
            fields = None
        if not isinstance(fields, dict):
            self._client.check(answer)
            raise SinkUnavailableError(f"{self._client.place}: no answer of Meilisearch: {quoted(answer.body)}")
        if answer.status >= 400 and fields.get("code") != NO_INDEX:
            try:
                self._client.check(answer)
            except BatchRefusedError as error:
                if fields.get("type") == OWN_FAULT:
                    raise
                raise SinkUnavailableError(str(error), answer.pause) from error  # such as a full disk: status 422
        return fields

    def _task(self, method: str, path: str, body: object) -> None:
        """Send a request and wait for its task. Raises BatchRefusedError, SinkUnavailableError."""
        number = self._ask(method, path, body).get("taskUid")
        pause, waited = FIRST_LOOK, 0.0
        while waited <= self._timeout:
            task = self._ask("GET", f"/tasks/{number}", None)
            status = task.get("status")
            if status == "succeeded":
                return
            if status in ("failed", "canceled"):
                self._failed(task.get("error") or {})
                return
            self._wait(pause)
            waited, pause = waited + pause, min(LONGEST_LOOK, pause * 2)
        raise SinkUnavailableError(f"{self._client.place}: task {number} has not ended in {self._timeout:g} s")

    def _failed(self, error: Mapping[str, Any]) -> None:
        if error.get("code") == EXISTS:
            return
        text = f"{self._client.place}: {error.get('code')}: {error.get('message')}"[:1000]
        if error.get("type") == OWN_FAULT:
            raise BatchRefusedError(text)
        raise SinkUnavailableError(text)
