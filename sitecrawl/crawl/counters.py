"""Consecutive numbers of stored rows: positions in the feed and in the order of discovery."""

from dataclasses import dataclass, field


class Numbers:
    """Issues consecutive numbers. The number of a row that could not be stored is given back."""

    def __init__(self, last: int = 0) -> None:
        self.last = last
        """The highest number in use; 0 if there is none."""
        self._returned: set[int] = set()

    def next(self) -> int:
        """Return the next number."""
        self.last += 1
        return self.last

    def give_back(self, number: int) -> None:
        """Release the number of a row that was not stored; it is reused unless a higher one is in use."""
        self._returned.add(number)
        while self.last in self._returned:
            self._returned.discard(self.last)
            self.last -= 1


@dataclass(slots=True)
class CrawlOrder:
    """The counters of a crawl for its fetched pages and its feed rows."""

    fetched: int = 0
    """Position of the last page in the order of fetching."""
    emitted: Numbers = field(default_factory=Numbers)
    """Positions in the feed."""
    emitted_before: int = 0
    """Position in the feed of the last row that interrupted runs of this crawl stored."""
