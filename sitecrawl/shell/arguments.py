"""Types of command line arguments for argparse, with errors of one line, and an option of two commands."""

import os
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return an argparse type for whole numbers from `least` to `most`."""

    def read(text: str) -> int:
        digits = text.strip().lstrip("+-")
        number = int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None
        if number is None or not least <= number <= most:
            raise ArgumentTypeError(f"{text[:40]!r} cannot be used: it takes a whole number from {least} to {most}")
        return number

    return read


def share(text: str) -> float:
    """Return a number from 0 to 1 parsed from a text; an argparse type."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ArgumentTypeError(f"{text[:40]!r} cannot be used: it takes a number from 0 to 1")
    return number


def add_processes(parser: ArgumentParser) -> None:
    """Add the option `--processes`: how many processes crawl sites, by default one per core."""
    cores = os.cpu_count() or 1
    parser.add_argument(
        "--processes",
        type=whole_number(1, 256),
        default=cores,
        metavar="N",
        help=f"processes that crawl sites (default: one per core, here {cores})",
    )
