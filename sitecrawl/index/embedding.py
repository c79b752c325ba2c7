"""Computes vectors of texts: by an HTTP endpoint with OpenAI's embeddings API, or by a static model in this process."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from sitecrawl.errors import ConfigError
from sitecrawl.index.http import HttpClient, as_json, quoted
from sitecrawl.index.sinks import SinkUnavailableError
from sitecrawl.slices import slices

TIMEOUT: Final = 60.0
AT_ONCE: Final = 64
"""Maximum texts of one request: small servers accept no more."""
PLACE: Final = "/embeddings"
HTTP: Final = "http"
MODEL2VEC: Final = "model2vec"
TAKES: Final = {HTTP: "url and model, and key and timeout", MODEL2VEC: "model"}
"""The types of embeddings, with the options of each."""


class Embedding(Protocol):
    """Computes vectors of texts."""

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text, all of the same length.

        Raises SinkUnavailableError, or BatchRefusedError if a text is refused.
        """

    def close(self) -> None:
        """Close connections."""


class HttpEmbedding:
    """Requests `url` + `/embeddings`, the API of OpenAI, Ollama, vLLM, llama.cpp and others. `key` is an API key."""

    def __init__(self, url: str, model: str, key: str | None = None, timeout: float = TIMEOUT) -> None:
        self._client = HttpClient(url, {"Authorization": f"Bearer {key}"} if key else None, float(timeout))
        self._path = f"{self._client.path.removesuffix(PLACE)}{PLACE}"
        self._model = model

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text. Raises SinkUnavailableError, BatchRefusedError."""
        found: list[list[float]] = []
        for part in slices(texts, AT_ONCE):
            found += self._batch_vectors(part)
        return found

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _batch_vectors(self, texts: Sequence[str]) -> list[list[float]]:
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


class Model2VecEmbedding:
    """Computes vectors in this process with a static model and the library `model2vec`, without a server or a GPU.

    `model` is the folder of a model, or its name on Hugging Face, from where it is downloaded once into their cache.
    """

    def __init__(self, model: str) -> None:
        library = _model2vec()
        try:
            self._model = library.StaticModel.from_pretrained(model, force_download=False)
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"SITECRAWL_INDEX_SINKS: embedding: the model {model!r} cannot be loaded; give the folder of a model of"
                f" model2vec, or its name on Hugging Face: {' '.join(str(error).split())[:200]}"
            ) from error

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text, made from all its words; zeros if the model knows none of them."""
        found: list[list[float]] = self._model.encode(list(texts), max_length=None, use_multiprocessing=False).tolist()
        return found

    def close(self) -> None:
        """Do nothing: there is no connection."""


def embedding_of(options: Mapping[str, Any] | None) -> Embedding:
    """Return the embedding that options describe: its `type`, and the options of that type. Raises ConfigError."""
    kind, takes = HTTP, TAKES[HTTP]
    try:
        if not isinstance(options, Mapping):
            raise TypeError("it is not an object")
        given = dict(options)
        kind = str(given.pop("type", HTTP))
        if kind not in TAKES:
            raise ConfigError(
                f"SITECRAWL_INDEX_SINKS: embedding: unknown type {kind!r}; known: {', '.join(sorted(TAKES))}"
            )
        takes = TAKES[kind]
        return Model2VecEmbedding(**given) if kind == MODEL2VEC else HttpEmbedding(**given)
    except TypeError as error:
        problem = re.sub(r"^\w+\.__init__\(\) ", "", str(error))
        raise ConfigError(f"SITECRAWL_INDEX_SINKS: embedding: {problem}; it takes {takes}") from None


def _model2vec() -> Any:
    """Return the module `model2vec`. Raises ConfigError if it is not installed."""
    try:
        import model2vec  # noqa: PLC0415
    except ImportError:
        raise ConfigError("model2vec is not installed; install it: pip install 'sitecrawl[model2vec]'") from None
    return model2vec
