"""Faults that a case puts into the crawl under test, as Scrapy extensions."""

import datetime as dt
import os
import signal
import socket
import sys
import time
from pathlib import Path

from scrapy import signals

from sitecrawl import clock
from sitecrawl.storage.pages import PageRepository


class KillInTransaction:
    """Kills the process between the write of a page and that of the URLs found on it, at the 25th page."""

    def __init__(self):
        plain, count = PageRepository.discover, 0

        def discover(repository, *arguments):
            nonlocal count
            count += 1
            if count == 25:
                os.kill(os.getpid(), signal.SIGKILL)
            return plain(repository, *arguments)

        PageRepository.discover = discover

    @classmethod
    def from_crawler(cls, _crawler):
        return cls()


class ClockJump:
    """Moves the clock of the process by DRILL_JUMP seconds after 30 answers; the monotonic clock is unchanged."""

    def __init__(self, crawler):
        self.seconds, self.answers = crawler.settings.getfloat("DRILL_JUMP"), 0
        crawler.signals.connect(self._answer, signals.response_received)

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def _answer(self):
        self.answers += 1
        if self.answers == 30:
            plain, seconds = time.time, self.seconds
            time.time = lambda: plain() + seconds
            clock.now = lambda: dt.datetime.now(dt.UTC) + dt.timedelta(seconds=seconds)
            for module in list(sys.modules.values()):
                if getattr(module, "__name__", "").startswith("sitecrawl.") and hasattr(module, "now"):
                    module.now = clock.now


class Names:
    """A resolver for names below sitecrawl-drill.org whose behaviour DRILL_NAMES defines."""

    def __init__(self, crawler):
        behaviour, count, plain = crawler.settings["DRILL_NAMES"], 0, socket.getaddrinfo
        private = {
            "ten": "10.0.0.1",
            "meta": "169.254.169.254",
            "local": "127.77.0.2",
            "zero": "0.0.0.0",
            "home": "192.168.1.1",
            "sitecrawl-drill": "127.77.0.1",
        }

        def resolve(host, *arguments, **options):
            nonlocal count
            name = host.decode()
            if not name.endswith("sitecrawl-drill.org"):
                return plain(host, *arguments, **options)
            count += 1
            if behaviour == "none":
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            if behaviour == "failure" or (behaviour == "flapping" and count % 2):
                raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
            if behaviour == "silence":
                time.sleep(20)
            address = private[name.partition(".")[0]] if behaviour == "private" else "127.0.0.1"
            return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, 0))]

        socket.getaddrinfo = resolve

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)


class Memory:
    """Writes (answers, resident megabytes) into the file `memory` after every 500 answers."""

    def __init__(self, crawler):
        self.answers = 0
        crawler.signals.connect(self._answer, signals.response_received)

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def _answer(self):
        self.answers += 1
        if self.answers % 500 == 0:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            with Path("memory").open("a") as file:
                file.write(f"{self.answers},{pages * os.sysconf('SC_PAGE_SIZE') // 2**20}\n")
