"""A persistent HTTP connection to a sink with a time limit, whose failures are classified."""

import base64
import http.client
import json
import ssl
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from sitecrawl.clock import now
from sitecrawl.errors import ConfigError
from sitecrawl.index.sinks import BatchRefusedError, SinkUnavailableError
from sitecrawl.retry_after import retry_after

BUSY: Final = frozenset((408, 425, 429))
"""Statuses below 500 of temporary failures."""
SETUP: Final = frozenset((401, 403, 404, 405))
"""Statuses that mean a wrong configuration, whatever the documents; pages must not be set aside because of them."""
CLOSED: Final = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)
"""Failures of a connection that the server has closed: servers close those without requests after some seconds."""
SHOWN: Final = 300
"""Maximum characters quoted of an error response."""
_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""One encoder for all calls, since `json.dumps` creates a new one for each call with non-default options."""


LONGEST_TIMEOUT: Final = 3_600
"""Maximum seconds to wait for a server."""
_KEPT: Final = "/%:@!$&'()*+,;=~?[]"
"""Characters of a URL that are not percent-encoded."""


class Answer(NamedTuple):
    """A response of the server, with any status."""

    status: int
    body: bytes
    pause: float
    """Seconds of Retry-After; 0 if there is none."""


class HttpClient:
    """Sends requests to one server."""

    def __init__(self, url: str, headers: Mapping[str, str] | None, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"SITECRAWL_INDEX_SINKS: {_shown(url)!r} is not an http or https URL")
        try:
            port = parts.port
        except ValueError:
            raise ConfigError(f"SITECRAWL_INDEX_SINKS: {_shown(url)!r} has no valid port") from None
        if not 0 < timeout <= LONGEST_TIMEOUT:
            raise ConfigError(
                f"SITECRAWL_INDEX_SINKS: timeout is {timeout:g}; it takes seconds, from above 0 to {LONGEST_TIMEOUT}"
            )
        path, query = quote(parts.path, _KEPT), quote(parts.query, _KEPT)
        self.post_path = (path or "/") + (f"?{query}" if query else "")
        """The configured path with its query."""
        self.path = path.rstrip("/") + (f"?{query}" if query else "")
        """The same without `/` at the end of the path, to which further path segments are added."""
        self._headers = {"User-Agent": "sitecrawl", **_checked(headers or {})}
        if parts.username is not None:
            secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._headers["Authorization"] = f"Basic {base64.b64encode(secret.encode()).decode()}"
        self.place = f"{parts.scheme}://{parts.hostname}{f':{port}' if port else ''}"
        self._connection: http.client.HTTPConnection = (
            http.client.HTTPSConnection(parts.hostname, port, timeout=timeout, context=ssl.create_default_context())
            if parts.scheme == "https"
            else http.client.HTTPConnection(parts.hostname, port, timeout=timeout)
        )

    def request(self, method: str, path: str, body: bytes, content_type: str) -> Answer:
        """Send a request and return the response of the server. Raises SinkUnavailableError if there is none.

        A request on a connection that the server has closed meanwhile is sent again: changes may be repeated.
        """
        kept = self._connection.sock is not None
        try:
            try:
                return self._answer(method, path, body, content_type)
            except CLOSED:
                if not kept:
                    raise
                self._connection.close()
                return self._answer(method, path, body, content_type)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise SinkUnavailableError(f"{self.place}: no response ({error or type(error).__name__})") from error

    def _answer(self, method: str, path: str, body: bytes, content_type: str) -> Answer:
        self._connection.request(method, path or "/", body, {**self._headers, "Content-Type": content_type})
        response = self._connection.getresponse()
        data = response.read()
        return Answer(response.status, data, retry_after(response.headers.get("Retry-After"), now()) or 0.0)

    def check(self, answer: Answer) -> None:
        """Raise SinkUnavailableError or BatchRefusedError unless the response is a success."""
        if 200 <= answer.status < 300:
            return
        text = f"{self.place}: {answer.status} {quoted(answer.body)}"
        if answer.status >= 500 or answer.status in BUSY | SETUP or answer.status < 400:
            raise SinkUnavailableError(text, answer.pause)
        raise BatchRefusedError(text)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _checked(headers: Mapping[str, object]) -> dict[str, str]:
    """Return valid headers as texts. Raises ConfigError for invalid ones, without the value, which may be a secret."""
    for name, value in headers.items():
        ok = isinstance(value, str) and name.isascii() and name.isprintable() and value.isprintable()
        try:
            str(value).encode("latin-1")
        except UnicodeEncodeError:
            ok = False
        if not ok or not name or {":", " "} & set(name):
            raise ConfigError(
                f"SITECRAWL_INDEX_SINKS: the header {name!r} cannot be sent; it takes a name in ASCII, and one line of"
                " Latin letters"
            )
    return {name: str(value) for name, value in headers.items()}


def quoted(body: bytes) -> str:
    """Return the beginning of a response body as one line."""
    return " ".join(body[: 4 * SHOWN].decode("utf-8", "replace").split())[:SHOWN]


def as_json(value: Any) -> str:
    """Return compact JSON on one line."""
    return _COMPACT.encode(value)


def _shown(url: str) -> str:
    """Return a URL without its user info, which may contain a password."""
    return url.rpartition("@")[2]
