"""CSV feeds that are safe to open in a spreadsheet: no cell is a formula."""

from io import BytesIO
from typing import IO, Any, Final, cast

from scrapy.exporters import CsvItemExporter

FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a formula, or characters that spreadsheets skip before one."""


class SafeCsvItemExporter(CsvItemExporter):
    """Scrapy's exporter with an apostrophe before texts that look like formulas, and one header line per file."""

    def __init__(self, file: IO[bytes], include_headers_line: bool = True, **kwargs: Any) -> None:
        """Write to `file`; a file that already contains rows has its header line."""
        begun = file.seekable() and file.tell() > 0
        super().__init__(cast("BytesIO", file), include_headers_line=include_headers_line and not begun, **kwargs)

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return the value of a cell, made safe if it looks like a formula."""
        value = super().serialize_field(field, name, value)
        return f"'{value}" if isinstance(value, str) and value.startswith(FORMULAS) else value
