"""Divides long lists into parts."""

from typing import NamedTuple


class Paging(NamedTuple):
    """One part of a list."""

    page: int
    """Number of the part, from 1."""
    pages: int
    """Number of parts, at least 1."""
    size: int
    total: int

    @property
    def offset(self) -> int:
        """Number of rows before this part."""
        return (self.page - 1) * self.size

    @property
    def first(self) -> int:
        """Number of the first row, from 1; 0 if there is none."""
        return self.offset + 1 if self.total else 0

    @property
    def last(self) -> int:
        """Number of the last row."""
        return min(self.offset + self.size, self.total)


def numbers(text: str) -> list[int]:
    """Return the comma-separated numbers in a text; anything else is ignored."""
    parts = [part for part in text.split(",") if part.isascii() and part.isdigit() and len(part) < 16]
    return [int(part) for part in parts]


def paged(page: str | None, size: int, total: int) -> Paging:
    """Return the part of a list with the number in an address; the nearest part if there is no such number."""
    pages = max(1, -(-total // size))
    number = int(page) if page is not None and page.isascii() and page.isdigit() and len(page) < 10 else 1
    return Paging(min(max(number, 1), pages), pages, size, total)
