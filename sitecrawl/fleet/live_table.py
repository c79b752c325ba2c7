"""Shows the running crawls of a worker on a terminal: as a table if `rich` is installed, else in one line."""

import json
from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple, TextIO

from sitecrawl.fleet.supervisor import REPORT
from sitecrawl.plurals import counted
from sitecrawl.printable import visible

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

ROWS: Final = 20
"""Maximum number of crawls in the table: those with the most pages."""


class Running(NamedTuple):
    """A running crawl."""

    site: str
    pages: int
    queued: int
    seconds: int


class Report(NamedTuple):
    """The report of one process, sent each second."""

    done: int
    """Crawls that have ended."""
    pages: int
    """Pages of the crawls that have ended."""
    memory: int
    """Memory in use, in megabytes."""
    running: tuple[Running, ...]


def parse_report(line: str) -> Report:
    """Return the report in a line whose first character was removed. Raises ValueError."""
    done, pages, memory, running = json.loads(line)
    return Report(done, pages, memory, tuple(Running(*one) for one in running))


def summary(reports: Mapping[int, Report]) -> str:
    """Return the state of all processes in one line."""
    running = [one for report in reports.values() for one in report.running]
    rate = sum(one.pages / max(one.seconds, 1) for one in running)
    done = sum(report.done for report in reports.values())
    memory = sum(report.memory for report in reports.values())
    return (
        f"{counted(len(running), 'crawl')}, {counted(sum(one.pages for one in running), 'page')}, {rate:.1f}/s;"
        f" {counted(done, 'crawl')} ended; {counted(len(reports), 'process', 'processes')}, {memory} MB"
    )


class LiveTable:
    """Shows the reports of the processes, and prints their other lines above."""

    def __init__(self, screen: TextIO) -> None:
        self._screen = screen
        self._reports: dict[int, Report] = {}
        self._live: Live | None = None
        self._shown_at = 0.0
        try:
            from rich import live  # noqa: PLC0415
            from rich.console import Console  # noqa: PLC0415  (an extra)
        except ImportError:
            return
        self._live = live.Live(console=Console(file=screen), auto_refresh=False)
        self._live.start()

    def heard(self, number: int, line: str) -> None:
        """Process a line that a process has written: a report, or a line to print."""
        if line.startswith(REPORT):
            self._reports[number] = parse_report(line[1:])
            if monotonic() - self._shown_at >= 0.5:
                self._show()
        elif self._live is not None:
            self._live.console.print(visible(line), markup=False, highlight=False, soft_wrap=True)
        else:
            self._screen.write(f"\r\x1b[2K{visible(line)}\n")

    def close(self) -> None:
        """Remove the table or the line."""
        if self._live is not None:
            self._live.stop()
        else:
            self._screen.write("\r\x1b[2K")

    def _show(self) -> None:
        self._shown_at = monotonic()
        if self._live is None:
            self._screen.write(f"\r\x1b[2K{summary(self._reports)}")
            self._screen.flush()
        else:
            self._live.update(self._table(), refresh=True)

    def _table(self) -> "Table":
        from rich.table import Table  # noqa: PLC0415  (an extra)

        table = Table(caption=summary(self._reports), expand=False)
        table.add_column("site")
        for name in ("pages", "queued", "seconds"):
            table.add_column(name, justify="right")
        running = [one for report in self._reports.values() for one in report.running]
        for one in sorted(running, key=lambda one: -one.pages)[:ROWS]:
            table.add_row(one.site, str(one.pages), str(one.queued), str(one.seconds))
        if len(running) > ROWS:
            table.add_row(f"and {len(running) - ROWS} more", "", "", "")
        return table
