"""Export formats: JSON lines, CSV, Parquet, and a folder of Markdown files."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias, cast

from sitecrawl.config import Config
from sitecrawl.crawl.chunk_export import ChunkItem
from sitecrawl.errors import ConfigError, FeedFileError
from sitecrawl.index.markdown import file_name, file_text, paragraphs
from sitecrawl.items import ContentItem, feed_fields

if TYPE_CHECKING:  # `scrapy` imports all commands to run one
    import pyarrow

SUFFIXES: Final = {".jsonl": "jsonl", ".jsonlines": "jsonl", ".jl": "jsonl", ".csv": "csv", ".parquet": "parquet"}
FORMATS: Final = ("jsonl", "csv", "md", "parquet")
BODY: Final = frozenset(("text", "html", "markdown"))
"""Fields that form the body of a Markdown file, and are not in its front matter."""
NUMBERS: Final = {
    **dict.fromkeys(("tokens", "words", "template_version"), "int32"),
    **dict.fromkeys(("http_status", "depth"), "int16"),
}
"""Parquet columns with whole numbers. `confidence` is a double, `noindex` a truth value, `headings` a list of texts.
All others are texts."""
GROUP: Final = 1000
"""Rows per row group of a Parquet file."""
Row: TypeAlias = ContentItem | ChunkItem
CHUNK_FIELDS: Final = tuple(one.name for one in fields(ChunkItem))
MARK: Final = ".sitecrawl-export"
"""Marker file in an exported folder, by which the next export knows that it may replace the folder."""


def format_of(target: str | None, asked: str | None) -> str:
    """Return the requested format, else the format that the file's name implies, else JSON lines."""
    return asked or SUFFIXES.get(Path(target or "").suffix.lower(), "jsonl")


def export_rows(rows: Iterable[ContentItem], target: str, form: str, config: Config) -> int:
    """Write rows to a file, or for `md` to a folder, which is replaced when complete; return the number of rows.

    Raises FeedFileError, and ConfigError if pyarrow is not installed or a folder contains anything else.
    """
    names = feed_fields(html=config.content_html, markdown=config.content_markdown)
    if form == "md":
        with new_folder(Path(target)) as folder:
            return write_files(rows, folder, names)
    with new_file(Path(target)) as file:
        return write_rows(rows, file, form, names)


def write_rows(rows: Iterable[Row], file: IO[bytes], form: str, names: Sequence[str]) -> int:
    """Write rows to a file; return their number. Raises OSError, and ConfigError if pyarrow is not installed."""
    if form == "parquet":
        return _write_parquet(rows, file, names)
    return _write_lines(rows, file, names) if form == "jsonl" else _write_csv(rows, file, names)


def _write_lines(rows: Iterable[Row], file: IO[bytes], names: Sequence[str]) -> int:
    from scrapy.exporters import JsonLinesItemExporter  # noqa: PLC0415  (the exporter of feeds, for equal lines)

    return _export(rows, JsonLinesItemExporter(cast("BytesIO", file), fields_to_export=list(names)))


def _write_csv(rows: Iterable[Row], file: IO[bytes], names: Sequence[str]) -> int:
    from sitecrawl.shell.csv_export import SafeCsvItemExporter  # noqa: PLC0415

    return _export(rows, SafeCsvItemExporter(file, fields_to_export=list(names)))


def _export(rows: Iterable[Row], exporter: Any) -> int:
    exporter.start_exporting()
    number = 0
    for row in rows:
        exporter.export_item(row)
        number += 1
    exporter.finish_exporting()
    return number


def _write_parquet(rows: Iterable[Row], file: IO[bytes], names: Sequence[str]) -> int:
    arrow = parquet_library()
    from pyarrow import parquet  # noqa: PLC0415

    kinds = {**NUMBERS, "confidence": "double", "noindex": "bool"}
    types = {name: arrow.type_for_alias(kinds.get(name, "string")) for name in names}
    if "headings" in types:
        types["headings"] = arrow.list_(arrow.string())
    schema = arrow.schema(list(types.items()))
    number = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for group in _groups(rows):
            number += len(group)
            columns = {name: [getattr(row, name) for row in group] for name in names}
            writer.write_table(arrow.table(columns, schema=schema))
    return number


def parquet_library() -> "pyarrow":
    """Return the module `pyarrow`. Raises ConfigError if it is not installed."""
    try:
        import pyarrow  # noqa: PLC0415
    except ImportError:
        raise ConfigError("Parquet needs pyarrow; install it: pip install 'sitecrawl[parquet]'") from None
    return pyarrow


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    for row in rows:
        group.append(row)
        if len(group) == GROUP:
            yield group
            group = []
    if group:
        yield group


def export_chunks(rows: Iterable[ChunkItem], target: str, form: str) -> int:
    """Write chunks to a file, which is replaced when complete; return their number.

    Raises FeedFileError, and ConfigError if pyarrow is needed and not installed.
    """
    with new_file(Path(target)) as file:
        return write_rows(rows, file, form, CHUNK_FIELDS)


def write_files(rows: Iterable[ContentItem], folder: Path, names: Sequence[str]) -> int:
    """Write a Markdown file for each page into a folder; return the number of files. Raises OSError."""
    front = [name for name in names if name not in BODY]
    number, made = 0, folder
    for row in rows:
        if row.status == "gone":
            continue  # the new folder gets no file for it
        number += 1
        path = folder / file_name(row.url, row.id)
        if path.parent != made:  # rows are ordered by host, so each folder is created once
            made = path.parent
            made.mkdir(exist_ok=True)
        body = row.markdown if row.markdown is not None else paragraphs(row.text)
        values = {name: getattr(row, name) for name in front}
        path.write_bytes(file_text(values, front, body).encode())
    return number


@contextmanager
def new_file(target: Path) -> Iterator[IO[bytes]]:
    """Yield a temporary file that replaces `target` when it is complete and on the disk; on errors the old file stays.

    Pipes and devices are written to directly. Raises FeedFileError.
    """
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                yield file
            return
        target = target.resolve()  # replace the target of a symbolic link, not the link
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".new", dir=target.parent)
        beside = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                beside.chmod(target.stat().st_mode & 0o777)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FeedFileError(f"{target}: the export cannot be written ({error.strerror or error})") from error


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield a temporary folder that replaces `target` when it is complete; on errors the old folder stays.

    Raises FeedFileError, and ConfigError for a folder that contains anything other than an export.
    """
    if target.exists() and not (target / MARK).is_file() and (not target.is_dir() or any(target.iterdir())):
        raise ConfigError(f"{target}: exists and is not an export of sitecrawl; name another folder, or remove it")
    try:
        target = target.resolve()
        beside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".new", dir=target.parent))
        try:
            (beside / MARK).write_text(json.dumps({"made by": "sitecrawl export"}) + "\n", "utf-8")
            yield beside
            old = beside.with_suffix(".old")
            if target.exists():
                target.rename(old)
            beside.rename(target)
            shutil.rmtree(old, ignore_errors=True)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise FeedFileError(f"{target}: the export cannot be written ({error.strerror or error})") from error
