"""Sink that posts changes as JSON to a URL."""

from collections.abc import Mapping, Sequence

from sitecrawl.index.documents import Change
from sitecrawl.index.http import HttpClient, as_json
from sitecrawl.index.sinks import Rejection

TIMEOUT = 60.0


class WebhookSink:
    """Posts `{"changes": [...]}`; any 2xx response means that the receiver has stored them."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None, timeout: float = TIMEOUT) -> None:
        self._client = HttpClient(url, headers, float(timeout))

    def send(self, changes: Sequence[Change]) -> list[Rejection]:
        """Post the changes in one request; return the refused changes, which are none."""
        body = as_json({"changes": [change_row(change) for change in changes]}).encode()
        self._client.check(self._client.request("POST", self._client.post_path, body, "application/json"))
        return []

    def close(self) -> None:
        """Close the connection."""
        self._client.close()


def change_row(change: Change) -> dict[str, object]:
    """Return a change as JSON: `operation`, `id`, `url`, `sequence`, and for an upsert `document`."""
    row: dict[str, object] = {
        "operation": "delete" if change.document is None else "upsert",
        "id": change.id,
        "url": change.url,
        "sequence": change.sequence,
    }
    if change.document is not None:
        row["document"] = change.document.as_dict()
    return row
