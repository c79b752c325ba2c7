"""The interface of sinks, and their types: those of sitecrawl, and those of other packages (`sitecrawl.sinks`)."""

import inspect
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from types import UnionType
from typing import Any, Final, NamedTuple, Protocol, Union, get_args, get_origin, get_type_hints

from sitecrawl.errors import ConfigError, SinkError, UnknownSinkError
from sitecrawl.index.documents import Change

GROUP: Final = "sitecrawl.sinks"
OWN: Final = {
    "elasticsearch": "opensearch:OpenSearchSink",
    "lancedb": "lancedb:LanceDbSink",
    "markdown": "markdown:MarkdownSink",
    "meilisearch": "meilisearch:MeilisearchSink",
    "ndjson": "ndjson:NdjsonSink",
    "opensearch": "opensearch:OpenSearchSink",
    "typesense": "typesense:TypesenseSink",
    "webhook": "webhook:WebhookSink",
}
"""Types of sitecrawl, with the module of this package and the class."""


_TYPES: Final[dict[object, tuple[str, tuple[type, ...]]]] = {
    str: ("a text", (str,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
    bool: ("true or false", (bool,)),
    Mapping: ("an object", (Mapping,)),
}
"""The types of options that are checked: each in words, with the classes of its values."""


class Rejection(NamedTuple):
    """A change that a sink refused while it accepted others."""

    change: Change
    reason: str
    final: bool
    """Whether retrying is useless until the document or the sink changes."""


class SinkUnavailableError(SinkError):
    """The sink accepts nothing now; `pause` is the number of seconds that it asked to wait, 0 if it did not ask."""

    def __init__(self, message: str, pause: float = 0.0) -> None:
        super().__init__(message)
        self.pause = pause


class BatchRefusedError(SinkError):
    """The sink refused a batch as a whole; it may accept a smaller batch."""


class Sink(Protocol):
    """Receives changes of pages. It is built as `Sink(**options)` from its entry in SITECRAWL_INDEX_SINKS."""

    def send(self, changes: Sequence[Change]) -> list[Rejection]:
        """Deliver changes and return those refused; all others are durable on return.

        Changes may be repeated (at least once) and, after a lost database, have a lower sequence than before: a sink
        keeps the highest sequence of an id. Raises SinkUnavailableError or BatchRefusedError.
        """

    def close(self) -> None:
        """Close connections and files."""


def newest_of_each(changes: Sequence[Change]) -> list[Change]:
    """Return the newest change of each id.

    A batch has two of an id if a site was forgotten and crawled again: a deletion, and then a document.
    """
    return list({change.id: change for change in sorted(changes, key=lambda one: one.sequence)}.values())


def send_in_parts(sink: Sink, changes: Sequence[Change]) -> list[Rejection]:
    """Send changes, and their halves if they are refused as a whole; return the refused ones.

    Raises SinkUnavailableError.
    """
    waiting, rejections = [list(changes)], list[Rejection]()
    while waiting:
        part = waiting.pop()
        try:
            rejections += sink.send(part)
        except BatchRefusedError as error:
            if len(part) == 1:
                rejections.append(Rejection(part[0], str(error), final=True))
            else:
                middle = len(part) // 2
                waiting += [part[middle:], part[:middle]]
    return rejections


def sink_types() -> dict[str, EntryPoint]:
    """Return the types of sinks by name: those of sitecrawl, and those of other installed packages."""
    own = {name: EntryPoint(name, f"sitecrawl.index.{path}", GROUP) for name, path in OWN.items()}
    return {point.name: point for point in entry_points(group=GROUP)} | own


def sink_names(sinks: Mapping[str, Any]) -> list[str]:
    """Return the names of the sinks in SITECRAWL_INDEX_SINKS, in order."""
    return [str(name) for name in sinks]


def takes_chunks(name: str, sinks: Mapping[str, Any]) -> bool:
    """Return whether a sink of SITECRAWL_INDEX_SINKS receives chunks instead of pages. Raises ConfigError."""
    options = sinks.get(name)
    chunks = options.get("chunks", False) if isinstance(options, Mapping) else False
    if not isinstance(chunks, bool):
        raise ConfigError(f"SITECRAWL_INDEX_SINKS: {name}: chunks is {chunks!r}; it takes true or false")
    return chunks


def build_sink(name: str, sinks: Mapping[str, Any]) -> Sink:
    """Return a new sink, built from its entry in SITECRAWL_INDEX_SINKS.

    Raises UnknownSinkError naming the known ones, and ConfigError for unusable options.
    """
    if name not in sinks:
        known = ", ".join(sink_names(sinks)) or "none; set SITECRAWL_INDEX_SINKS, see docs/search.md"
        raise UnknownSinkError(f"{name}: there is no such sink; known: {known}")
    options = sinks[name]
    if not isinstance(options, Mapping):
        raise ConfigError(f"SITECRAWL_INDEX_SINKS: {name} must be an object of options; see docs/search.md")
    given = dict(options)
    given.pop("chunks", None)
    kind = str(given.pop("type", name))
    types = sink_types()
    if kind not in types:
        raise ConfigError(
            f"SITECRAWL_INDEX_SINKS: {name} is of the unknown type {kind!r}; known: {', '.join(sorted(types))}"
        )
    factory: Any = types[kind].load()
    try:
        inspect.signature(factory).bind(**given)
    except TypeError as error:
        takes = ", ".join(inspect.signature(factory).parameters)
        raise ConfigError(f"SITECRAWL_INDEX_SINKS: {name}: {error}; {kind} takes {takes}") from None
    hints = get_type_hints(factory.__init__ if inspect.isclass(factory) else factory)
    for option, value in given.items():
        wanted = _wanted(value, hints.get(option))
        if wanted is not None:
            raise ConfigError(f"SITECRAWL_INDEX_SINKS: {name}: {option} takes {wanted}")  # the value may be a secret
    sink: Sink = factory(**given)
    return sink


def _wanted(value: object, hint: object) -> str | None:
    """Return, in words, the values that an option takes if a value has the wrong type; None if the type is right."""
    takes = [one for one in (get_args(hint) or (hint,)) if one is not type(None)] if _is_union(hint) else [hint]
    if len(takes) != 1 or (value is None and _is_union(hint)):
        return None
    kind = get_origin(takes[0]) or takes[0]
    if kind not in _TYPES:
        return None
    words, accepted = _TYPES[kind]
    return None if isinstance(value, accepted) and (kind is bool or not isinstance(value, bool)) else words


def _is_union(hint: object) -> bool:
    return get_origin(hint) in (Union, UnionType)
