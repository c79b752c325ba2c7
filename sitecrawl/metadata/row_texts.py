"""The text of a row, limited to the length of dates, names and breadcrumbs."""

from typing import Final

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT

SHORT: Final = 120
"""Maximum characters of a line that is about a date or a name."""
MAX_ROWS: Final = 40
"""Maximum rows that are read."""


def row_text(flat: FlatDom, row: int) -> str:
    """Return the text of a row, or of the first `MAX_ROWS` rows below it, up to 3 * `SHORT` characters."""
    end = min(flat.end[row], row + MAX_ROWS)
    return " ".join(" ".join(flat.text[i] for i in range(row, end) if flat.tag[i] == TEXT).split())[: 3 * SHORT]
