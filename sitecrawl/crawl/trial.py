"""Tries a heavy page in a process that may be killed, before the crawl reads it in its own.

What is done with a page in a crawl is linear in its size, as far as we know. A page in doubt (`dom.heavy`) shows it: it
is parsed, learned and extracted elsewhere, under limits of time and memory, and is passed over when they are broken.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from time import thread_time
from typing import IO, Any, Final

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.digest import fingerprints
from sitecrawl.crawl.learning import Learning
from sitecrawl.crawl.pretence import pretended
from sitecrawl.dom import twin
from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError, PageTooLargeError
from sitecrawl.extractors.base import SiteContext, get_extractor
from sitecrawl.links.anchors import AnchorReader
from sitecrawl.links.directives import read_directives
from sitecrawl.links.relations import relations
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.selection import rank
from sitecrawl.metadata.describe import read

SECONDS: Final = 5
"""CPU seconds of all that is done with a page; `PATIENCE` on the clock."""
STEP_SECONDS: Final = 1.5
"""CPU seconds of one step: the event loop of the crawl is silent for as long (RELIABILITY P3: 2 s)."""
PATIENCE: Final = 8.0
MEMORY: Final = 700 * 2**20
"""Bytes of address space of the process, so that it and the crawl stay below 1 GB (RELIABILITY P4)."""
KEPT: Final = 256 * 1024
"""Kilobytes of peak memory above which the process is not used again."""
PAUSED_FROM: Final = 10_000
"""Nodes of a page, from which the event loop runs between two steps."""


async def pause(page: Page) -> None:
    """Let the event loop run between two steps of a large page."""
    if len(page.flat) > PAUSED_FROM:
        await asyncio.sleep(0)


class Trial:
    """The process of one crawl that pages are tried in; started when there is a page to try."""

    def __init__(self, config: Config) -> None:
        self._plan = json.dumps({
            "max_nodes": config.max_nodes,
            "extractor": config.extractor,
            "options": dict(config.extractor_options or {}),
            "extension": config.extension,
            "html": config.content_html or config.content_markdown,
            "markdown": config.content_markdown,
        })  # fmt: skip
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = asyncio.Lock()

    async def check(self, url: str, html: str) -> None:
        """Raise PageTooLargeError for a page that takes too long, or too much memory."""
        async with self._lock:
            reason = await asyncio.to_thread(self._ask, url, html)
        if reason is not None:
            raise PageTooLargeError(url, reason)

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                with contextlib.suppress(OSError):
                    pipe and pipe.close()

    def _ask(self, url: str, html: str) -> str | None:
        body = html.encode("utf-8", "surrogatepass")
        if self._child is None or self._child.poll() is not None:
            self.close()
            self._child = subprocess.Popen(  # noqa: S603  (this very program)
                [sys.executable, "-c", "from sitecrawl.crawl.trial import main; main()", self._plan],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                start_new_session=True,  # Ctrl-C is for the crawl, which closes this
            )
        child = self._child
        timer = threading.Timer(PATIENCE, child.kill)
        timer.start()
        try:
            assert child.stdin is not None and child.stdout is not None
            child.stdin.write(f"{len(body)} {url}\n".encode("utf-8", "replace") + body)
            child.stdin.flush()
            line = child.stdout.readline()
        except OSError:
            line = b""
        finally:
            timer.cancel()
        if line.endswith(b"\n"):
            reason: str | None
            reason, ends = json.loads(line)
            if ends:
                self.close()
            return reason
        status = child.wait()
        self.close()
        if status in (-signal.SIGXCPU, -signal.SIGKILL):
            return f"over {SECONDS} s of work; it is not read"
        return f"over {MEMORY >> 20} MB of memory, or a crash of the parser; it is not read"


def steps(url: str, html: str, plan: Mapping[str, Any]) -> Iterator[str]:
    """Do what a crawl does with a page; yield what was done, after each step. Raises PageError."""
    page = Page.from_html(html, url, max_nodes=plan["max_nodes"])
    flat = page.flat
    yield "parsing"
    pretended(page)
    read_directives(page.metas, [], now(), "sitecrawl")
    yield "text"
    scope = SiteScope.of(url, "host")
    anchors = AnchorReader(scope).read(page)
    rank(page, anchors.found)
    relations(page, scope)
    yield "links"
    learning = Learning(Config(template_min_pages=1), learn_blocks=True)
    learning.learn(page, 1)
    learning.publish_all()
    yield "learning"
    read(page, now())
    yield "metadata"
    layout = learning.find(page)
    context = SiteContext(
        template=learning.template_of(layout), blocks=learning.blocks_of(layout), neighbours=(flat,), learned=True
    )
    extraction = get_extractor(plan["extractor"], **plan["options"]).extract(page, context)
    yield "extraction"
    nodes = extraction.nodes or (0,)
    text = page.text(nodes)
    fingerprints(text)
    yield "the main text"
    made = page.html(nodes) if plan["html"] else ""
    yield "HTML"
    if plan["markdown"]:
        markdown(made)
        yield "Markdown"


def attempt(url: str, html: str, plan: Mapping[str, Any]) -> str | None:
    """Return why a page is not to be read, None for one that may be."""
    begun = thread_time()
    try:
        for step in steps(url, html, plan):
            ended = thread_time()
            if ended - begun > STEP_SECONDS:
                return f"over {STEP_SECONDS} s of work for {step}; it is not read"
            begun = ended
    except PageError as error:
        return error.reason
    except MemoryError:
        return f"over {MEMORY >> 20} MB of memory; it is not read"
    return None


def main() -> None:
    """Answer one line of JSON for each page on standard input: `length url`, then so many bytes."""
    import resource  # noqa: PLC0415  (of Unix)

    plan = json.loads(sys.argv[1])
    twin.choose(plan["extension"])
    given, answers = sys.stdin.buffer, sys.stdout.buffer
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    while (page := _next(given)) is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + SECONDS + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        try:
            reason = attempt(*page, plan)
        except Exception as error:  # noqa: BLE001  (the crawl meets it with the page at hand, and says more)
            reason = str(error) if isinstance(error, OSError) else None
        del page
        ends = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > KEPT
        answers.write(json.dumps((reason, ends)).encode() + b"\n")
        answers.flush()


def _next(given: IO[bytes]) -> tuple[str, str] | None:
    head = given.readline().decode("utf-8", "replace").rstrip("\n")
    if not head:
        return None
    length, _, url = head.partition(" ")
    return url, given.read(int(length)).decode("utf-8", "surrogatepass")
