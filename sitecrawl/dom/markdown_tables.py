"""Markdown tables. A table whose cells contain more than lines is written as the sequence of its contents."""

import re
from typing import Final, NamedTuple

MAX_COLUMNS: Final = 100
_MORE: Final = re.compile(r"`{3,}|#{1,6} |\||:   ")
"""Beginnings of blocks that do not fit into a cell: code, headings, tables, definitions."""
_NUMBERS: Final = re.compile(r"`{3,}\s*\d+(?:\s+\d+)*\s*`{3,}")
_CODE: Final = re.compile(r"`{3,}")


class Cell(NamedTuple):
    """A cell of a table."""

    blocks: list[str]
    heading: bool
    columns: int
    rows: int


def table_blocks(rows: list[tuple[bool, list[Cell]]]) -> list[str]:
    """Return a table, given as (in `thead`, cells) per row, as blocks.

    A layout table (one column, or cells with code, headings or tables) returns the blocks in its cells.
    """
    rows = [(head, cells) for head, cells in rows if cells]
    if not rows:
        return []
    fits = all(not _MORE.match(block) for _, cells in rows for cell in cells for block in cell.blocks)
    if not fits or all(len(cells) == 1 for _, cells in rows):
        return [block for _, cells in rows for cell in _without_numbers(cells) for block in cell.blocks]
    lines = _grid([cells for _, cells in rows])
    width = max(map(len, lines))
    head, first = rows[0]
    if not head and not all(cell.heading for cell in first):
        lines.insert(0, [])
    lines.insert(1, ["---"] * width)
    return ["\n".join(f"| {' | '.join([*line, *[''] * (width - len(line))])} |" for line in lines)]


def _without_numbers(cells: list[Cell]) -> list[Cell]:
    """Return the cells of a row without the line numbers of program code."""
    if len(cells) < 2 or not any(_CODE.match(block) for cell in cells[1:] for block in cell.blocks):
        return cells
    return cells[1:] if len(cells[0].blocks) == 1 and _NUMBERS.fullmatch(cells[0].blocks[0]) else cells


def _grid(rows: list[list[Cell]]) -> list[list[str]]:
    """Return the text of each field of a table; a cell over several rows or columns leaves the other fields empty."""
    lines: list[list[str]] = []
    taken: dict[int, int] = {}  # column -> rows that a cell above still covers
    for cells in rows:
        line: list[str] = []
        for cell in cells:
            while taken.get(len(line), 0) > 0:
                taken[len(line)] -= 1
                line.append("")
            if len(line) >= MAX_COLUMNS:
                break
            start = len(line)
            line += [_field(cell), *[""] * (min(cell.columns, MAX_COLUMNS - start) - 1)]
            if cell.rows > 1:
                taken.update(dict.fromkeys(range(start, len(line)), cell.rows - 1))
        while taken.get(len(line), 0) > 0:
            taken[len(line)] -= 1
            line.append("")
        lines.append(line)
    return lines


def _field(cell: Cell) -> str:
    text = "<br>".join("<br>".join(line.strip() for line in block.split("\n") if line.strip()) for block in cell.blocks)
    return text.replace("|", r"\|")
