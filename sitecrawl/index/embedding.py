"""Vectors of texts, from an HTTP endpoint that speaks the embeddings API of OpenAI."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from sitecrawl.errors import ConfigError
from sitecrawl.index.http import HttpClient, as_json, quoted
from sitecrawl.index.sinks import SinkUnavailableError

TIMEOUT: Final = 60.0
AT_ONCE: Final = 64
"""Texts of one request: small servers take no more."""
PLACE: Final = "/embeddings"


class Embedding(Protocol):
    """Makes vectors of texts."""

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text, all of one length.

        Raises SinkUnavailableError, or BatchRefusedError if a text is refused.
        """

    def close(self) -> None:
        """Close connections."""


class HttpEmbedding:
    """Asks `url` + `/embeddings`, as OpenAI, Ollama, vLLM, llama.cpp and others answer. `key` is an API key."""

    def __init__(self, url: str, model: str, key: str | None = None, timeout: float = TIMEOUT) -> None:
        self._client = HttpClient(url, {"Authorization": f"Bearer {key}"} if key else None, float(timeout))
        self._path = f"{self._client.path.removesuffix(PLACE)}{PLACE}"
        self._model = model

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text. Raises SinkUnavailableError, BatchRefusedError."""
        found: list[list[float]] = []
        for first in range(0, len(texts), AT_ONCE):
            found += self._asked(texts[first : first + AT_ONCE])
        return found

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _asked(self, texts: Sequence[str]) -> list[list[float]]:
        body = as_json({"model": self._model, "input": list(texts), "encoding_format": "float"}).encode()
        answer = self._client.request("POST", self._path, body, "application/json")
        self._client.check(answer)
        try:
            rows = sorted(json.loads(answer.body)["data"], key=lambda row: int(row["index"]))
            found = [[float(number) for number in row["embedding"]] for row in rows]
        except (KeyError, TypeError, ValueError):
            found = []
        if len(found) != len(texts) or len({len(one) for one in found}) != 1 or not found[0]:
            raise SinkUnavailableError(
                f"{self._client.place}: no vectors for {len(texts)} texts from {self._path}; is it the embeddings API"
                f" of OpenAI? {quoted(answer.body)}"
            )
        return found


def embedding_of(options: Mapping[str, Any] | None) -> Embedding:
    """Return the embedding that options describe: `url`, `model`, `key`, `timeout`. Raises ConfigError."""
    try:
        if not isinstance(options, Mapping):
            raise TypeError("it is no object")
        return HttpEmbedding(**options)
    except TypeError as error:
        said = str(error).removeprefix("HttpEmbedding.__init__() ")
        raise ConfigError(
            f"SITECRAWL_INDEX_SINKS: embedding: {said}; it takes url and model, and key and timeout"
        ) from None
