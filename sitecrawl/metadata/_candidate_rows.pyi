"""The compiled twin of `scanned`; `rows.py` chooses."""

from collections.abc import Callable

def scanned(
    tag: list[str], names: list[str], text: list[str], said: Callable[[str], int]
) -> tuple[list[int], list[int], list[tuple[int, int]], list[int]]: ...
