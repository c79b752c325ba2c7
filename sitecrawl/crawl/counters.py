"""Consecutive numbers for what a crawl stores: places in the feed, places in the order of discovery."""


class Numbers:
    """Gives one number after the other. A number whose row could not be stored is given back."""

    def __init__(self, last: int = 0) -> None:
        self.last = last
        """The highest number in use; 0 for none."""
        self._returned: set[int] = set()

    def next(self) -> int:
        """Return the number after the last one."""
        self.last += 1
        return self.last

    def give_back(self, number: int) -> None:
        """Note that nothing is stored under a number; it is used again unless a higher one is in use."""
        self._returned.add(number)
        while self.last in self._returned:
            self._returned.discard(self.last)
            self.last -= 1
