"""An extension for the crawl under test: how long the event loop was silent."""

from time import monotonic, thread_time
from typing import Any

from scrapy import signals
from twisted.internet.task import LoopingCall

EVERY = 0.05
PREFIX = "badweb/"


class Heartbeat:
    """Beats in the event loop; the stats get its longest pause, in seconds and in CPU seconds of the loop."""

    def __init__(self, crawler: Any) -> None:
        self.stats = crawler.stats
        self.longest = self.longest_busy = 0.0
        self.call = LoopingCall(self._beat)
        crawler.signals.connect(self._open, signals.spider_opened)
        crawler.signals.connect(self._close, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Heartbeat":
        return cls(crawler)

    def _open(self) -> None:
        self.last, self.busy = monotonic(), thread_time()
        self.call.start(EVERY)

    def _beat(self) -> None:
        now, busy = monotonic(), thread_time()
        self.longest, self.longest_busy = max(self.longest, now - self.last), max(self.longest_busy, busy - self.busy)
        self.last, self.busy = now, busy

    def _close(self) -> None:
        self.call.stop()
        self.stats.set_value(f"{PREFIX}silence", round(self.longest, 2))
        self.stats.set_value(f"{PREFIX}busy", round(self.longest_busy, 2))
