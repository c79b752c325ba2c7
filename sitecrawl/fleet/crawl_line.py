"""One line about a finished crawl of a worker, as text or as JSON."""

import json
from dataclasses import asdict, dataclass
from typing import Final

from sitecrawl.plurals import counted

RESULTS: Final = {0: "done", 1: "failed", 3: "in part"}
"""Words for exit statuses."""


@dataclass(frozen=True, slots=True)
class CrawlLine:
    """A crawl that has ended."""

    time: str
    """The end of the crawl, in ISO 8601."""
    site: str
    outcome: str
    """The finish reason: `finished`, `max_pages`, `shutdown` ..."""
    result: str
    """`done`, `in part` or `failed`."""
    crawl: int = 0
    """The number of the crawl in the database; 0 if the site could not be opened."""
    resumed: bool = False
    pages: int = 0
    new: int = 0
    changed: int = 0
    gone: int = 0
    failed: int = 0
    """Fetches that failed."""
    requests: int = 0
    seconds: float = 0.0
    message: str = ""
    """The problem and its remedy; empty if there is none."""

    def text(self) -> str:
        """Return the line as text."""
        if not self.crawl:
            return self.message if self.message.startswith(self.site) else f"{self.site}: {self.message}"
        changes = f"{self.new} new, {self.changed} changed, {self.gone} gone"
        counts = f"{counted(self.pages, 'page')} in {self.seconds:.1f} s, {changes}"
        failed = f", {self.failed} failed" if self.failed else ""
        message = f"; {self.message.removeprefix(f'{self.site}: ')}" if self.message else ""
        return f"{self.site}: {self.outcome}, {counts}{failed}{message}"

    def json(self) -> str:
        """Return the line as a JSON object."""
        return json.dumps(asdict(self), ensure_ascii=False)
