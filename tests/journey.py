"""Follows one page of the demo site through the calls of a real crawl, from its download to its row in the feed.

    python -m tests.journey [--calls]

A profiler records every call into sitecrawl, in the main thread and in the writer's thread. A *climb* is a call from a
module into a module of a higher layer (`.importlinter`): the reader has to go back up. A *room* is a module that gets
the page in one of its forms (`CARRIERS`) as an argument; a *stay* is a run of such calls in one room, and a *return* is
a stay in a room that was visited before. Prints the figures as JSON; with `--calls` also the stays.
"""

import configparser
import json
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

import sitecrawl
from sitecrawl.shell.demo_site import DemoSite, pages

ROOT = Path(sitecrawl.__file__).parent
CARRIERS = {"PageItem", "Visit", "Facts", "Change", "PageChange", "ContentChange", "ContentRecord", "HtmlResponse"}
"""The forms of the page on its way: response, item, visit, change."""

PASSES_ON = "twins"
"""The module that calls a function or its compiled twin in place of the caller."""


class Call(NamedTuple):
    """A call into a module of sitecrawl."""

    module: str
    function: str
    caller: str
    """The nearest module of sitecrawl below it on the stack; empty if Scrapy or a thread called."""
    carries: bool
    """Whether an argument is a form of the page."""


def layers() -> dict[str, int]:
    """Return the rank of each package in the contract of the layers; 0 is the highest."""
    contract = configparser.ConfigParser()
    contract.read(ROOT.parent / ".importlinter")
    lines = contract["importlinter:contract:layers"]["layers"].split("\n")
    rows = [line.replace("(", " ").replace(")", " ").replace("|", " ").split() for line in lines]
    return {name: rank for rank, row in enumerate(rows) for name in row}


def module_of(frame: FrameType) -> str:
    """Return the module of a frame as `crawl/commit`; empty outside sitecrawl, and for what only passes a call on."""
    path = Path(frame.f_code.co_filename)
    name = str(path.relative_to(ROOT).with_suffix("")) if path.is_relative_to(ROOT) else ""
    return "" if name == PASSES_ON else name


class Recorder:
    """A profile function that records calls from the read of a URL to its row in the feed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.calls: list[Call] = []
        self._on = False
        self._modules: dict[str, str] = {}

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        if event != "call":
            return
        module = self._module(frame)
        if not module:
            return
        if module == "spiders/pages" and frame.f_code.co_name == "read":
            self._on = self._on or frame.f_locals["response"].url.endswith(self.path)
        if not self._on:
            return
        caller = frame.f_back
        while caller is not None and not self._module(caller):
            caller = caller.f_back
        code = frame.f_code
        given = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
        carries = any(type(one).__name__ in CARRIERS for one in given)
        self.calls.append(Call(module, code.co_name, self._module(caller) if caller is not None else "", carries))
        if module == "shell/feed_export" and code.co_name == "item_scraped":
            self._on = False

    def _module(self, frame: FrameType) -> str:
        name = frame.f_code.co_filename
        if name not in self._modules:
            self._modules[name] = module_of(frame)
        return self._modules[name]


def record() -> list[Call]:
    """Crawl the demo site in this process and return the calls of its last page, for which the template is ready."""
    recorder = Recorder(max(path for path in pages() if path.startswith("/journal/")))
    with tempfile.TemporaryDirectory() as folder, DemoSite() as site:
        settings = Settings()
        settings.setmodule("sitecrawl.settings")
        own: dict[str, Any] = {
            "LOG_ENABLED": False,
            "SITECRAWL_DATABASE_URL": f"sqlite:///{folder}/journey.db",
            "SITECRAWL_TEMPLATE_MIN_PAGES": 3,
            "FEEDS": {f"{folder}/feed.jsonl": {"format": "jsonlines"}},
        }
        for name, value in own.items():
            settings.set(name, value, priority="cmdline")
        process = AsyncCrawlerProcess(settings)
        process.crawl("site", url=site.url)
        threading.setprofile(recorder)
        sys.setprofile(recorder)
        try:
            process.start()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return recorder.calls


def stays(calls: list[Call]) -> list[str]:
    """Return the rooms in the order of the stays."""
    rooms: list[str] = []
    for call in calls:
        if call.carries and (not rooms or rooms[-1] != call.module):
            rooms.append(call.module)
    return rooms


def climbs(calls: list[Call]) -> list[str]:
    """Return the calls into a higher layer, each once."""
    rank = layers()
    found = (
        f"{call.caller} -> {call.module}"
        for call in calls
        if call.caller and rank[call.module.split("/")[0]] < rank[call.caller.split("/")[0]]
    )
    return list(dict.fromkeys(found))


def main() -> None:
    """Print the figures."""
    calls = record()
    order = stays(calls)
    rooms = list(dict.fromkeys(order))
    figures = {"rooms": len(rooms), "stays": len(order), "returns": len(order) - len(rooms), "climbs": climbs(calls)}
    if "--calls" in sys.argv:
        sys.stdout.write("\n".join(order) + "\n")
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
