"""Writes a number with the name of what is counted, in the singular or the plural."""


def counted(number: int, name: str, plural: str = "") -> str:
    """Return a number and a name: `1 page`, `2 pages`; `plural` is for names that take more than an s."""
    return f"{number} {name if number == 1 else plural or f'{name}s'}"
