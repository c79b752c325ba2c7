"""Sink for a folder of Markdown files with front matter, one per page, for retrieval pipelines and for people."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from sitecrawl.dom.markdown import markdown
from sitecrawl.index.documents import Change, ChunkDocument, Document
from sitecrawl.index.http import as_json
from sitecrawl.index.sinks import Rejection, SinkUnavailableError
from sitecrawl.metadata.fields import METADATA_NAMES

_DATED: Final = METADATA_NAMES.index("modified") + 1
FRONT: Final = (
    *("id", "url", "canonical_url", "site", "kind", *METADATA_NAMES[:_DATED], "date", *METADATA_NAMES[_DATED:]),
    *("anchors", "words", "page", "headings", "tokens", "updated_at", "sequence"),
)
"""Fields of the front matter, in order."""
SLUG: Final = 80
"""Maximum characters of the readable part of a file name."""
ID: Final = 12
"""Hex digits of the id in a file name."""
HEAD: Final = 2**14
"""Bytes of a file that are searched for its sequence number."""
_SEQUENCE: Final = re.compile(rb"^sequence: ([0-9]+)$", re.MULTILINE)
_UNSAFE: Final = re.compile(r"[^\w.-]+")
_ITEM: Final = re.compile("- ")


class MarkdownSink:
    """Keeps `folder/HOST/PATH-ID.md` for every page; a file is never replaced by an older change."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def send(self, changes: Sequence[Change]) -> list[Rejection]:
        """Write and remove files; return the refused changes."""
        try:
            for change in changes:
                path = self._folder / file_name(change.url, change.id)
                twin = _twin(path)
                if max(_sequence(path), _sequence(twin)) > change.sequence:
                    continue
                if change.document is None:
                    path.unlink(missing_ok=True)
                else:
                    _replace(path, page_file(change.document))
                twin.unlink(missing_ok=True)
        except OSError as error:
            raise SinkUnavailableError(f"{self._folder}: {error.strerror or error}") from error
        return []

    def close(self) -> None:
        """Do nothing: no file is kept open."""


def file_name(url: str, identifier: str) -> Path:
    """Return the path of a page's file within the folder; it depends only on the URL and the id."""
    parts = urlsplit(url)
    host = _UNSAFE.sub("-", parts.netloc.rpartition("@")[2]).strip(".-") or "unknown"
    path = _UNSAFE.sub("-", unquote(f"{parts.path} {parts.query}")).strip(".-_") or "index"
    return Path(host) / f"{_cut(path)}-{identifier[:ID]}.md"


def page_file(document: Document | ChunkDocument) -> str:
    """Return the text of a document's file: front matter and body."""
    return file_text(document.as_dict(), FRONT, body_text(document.text, document.html))


def file_text(fields: Mapping[str, object], names: Iterable[str], body: str) -> str:
    """Return a file with front matter, of those `names` that have a value, and a body. JSON values are valid YAML."""
    front = "".join(f"{name}: {as_json(fields[name])}\n" for name in names if fields.get(name) is not None)
    return f"---\n{front}---\n\n{body}\n"


def body_text(text: str, html: str | None) -> str:
    """Return the main content as Markdown: from its HTML if stored, else its text with a paragraph per line."""
    return markdown(html) if html else paragraphs(text)


def paragraphs(text: str) -> str:
    """Return a text as Markdown in which each line is a paragraph; the entries of a list stay together."""
    lines = text.split("\n")
    body = lines[:1]
    for before, line in pairwise(lines):
        body.append("\n" if _ITEM.match(before) and _ITEM.match(line) else "\n\n")
        body.append(line)
    return "".join(body)


def _twin(path: Path) -> Path:
    """Return the file that a page has if its site adds `www.` to its host, or drops it: the page keeps its id."""
    host = path.parent.name
    return path.parent.with_name(host.removeprefix("www.") if host.startswith("www.") else f"www.{host}") / path.name


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    with new.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _sequence(path: Path) -> int:
    try:
        with path.open("rb") as file:
            found = _SEQUENCE.search(file.read(HEAD))
    except FileNotFoundError:
        return 0
    return int(found[1]) if found else 0


def _cut(name: str) -> str:
    """Return the beginning of a name that is short enough for a file name of at most 255 bytes."""
    while len(name) > SLUG or len(name.encode()) > 200:
        name = name[:-1]
    return name.rstrip(".-_")
