"""Tries heavy pages in a subprocess with CPU and memory limits before the crawl parses them.

A heavy page (`dom.heavy`) is parsed, learned and extracted in another process under limits of CPU time and memory. A
page that exceeds a limit is excluded. If the process got no CPU time, or could not be started, the machine was busy,
and the next crawl tries the page again.
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
from time import process_time, thread_time
from typing import IO, Any, Final, NamedTuple

from lxml import etree

from sitecrawl import twins
from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.digest import fingerprints
from sitecrawl.crawl.learning import Learning
from sitecrawl.crawl.soft404 import soft404_outcome
from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError, PageNotTriedError, PageTooLargeError
from sitecrawl.extractors.base import SiteContext, get_extractor
from sitecrawl.links.anchors import AnchorReader
from sitecrawl.links.directives import read_directives
from sitecrawl.links.relations import relations
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.selection import rank
from sitecrawl.metadata.describe import read

SECONDS: Final = 5
"""Maximum CPU seconds for all steps of a page."""
STEP_SECONDS: Final = 1.5
"""Maximum CPU seconds of one step, during which the crawl's event loop would be blocked."""
PATIENCE: Final = 120.0
"""Seconds of wall time after which a trial is given up. That says nothing about the page: a process that shares two
cores with thirty others may take this long for 5 s of CPU time."""
MEMORY: Final = 700 * 2**20
"""Maximum address space of the process in bytes, so that it and the crawl stay below 1 GB."""
BUSY: Final = "this machine is too busy; the page is tried again in the next crawl"
KEPT: Final = 256 * 1024
"""Peak memory in kilobytes above which the process is not reused."""


class Sandbox:
    """The sandbox process of one crawl; started with the first heavy page."""

    def __init__(self, config: Config) -> None:
        self._plan = json.dumps({
            "max_nodes": config.max_nodes,
            "extractor": config.extractor,
            "options": dict(config.extractor_options or {}),
            "extension": config.extension,
            "html": config.content_html or config.content_markdown,
            "markdown": config.content_markdown,
            "seconds": SECONDS,
            "memory": MEMORY,
        })  # fmt: skip
        self._child: _Child | None = None
        self._lock = asyncio.Lock()

    async def check(self, url: str, html: str) -> None:
        """Try a page.

        Raises PageTooLargeError if it takes too much time or memory; PageNotTriedError if the process got no CPU time
        or could not be started.
        """
        async with self._lock:
            reason = await asyncio.to_thread(self._ask, url, html)
        if reason is not None:
            raise PageTooLargeError(url, reason)

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def _ask(self, url: str, html: str) -> str | None:
        child = self._running(url)
        body = html.encode("utf-8", "surrogatepass")
        answer = child.ask(f"{len(body)} {url}\n".encode("utf-8", "replace") + body)
        if answer is not None:
            if answer.ends:
                self.close()
            return answer.reason
        self._child = None
        status, seconds = child.end()
        if seconds >= SECONDS or status == -signal.SIGXCPU:
            return f"over {SECONDS} s of work; it is not read"
        if child.timed_out:
            raise PageNotTriedError(url, f"the trial got {seconds:.1f} s of CPU time in {PATIENCE:.0f} s: {BUSY}")
        if status in (-signal.SIGKILL, -signal.SIGTERM):
            raise PageNotTriedError(url, f"the process of the trial was killed from outside: {BUSY}")
        return f"over {MEMORY >> 20} MB of memory, or a crash of the parser; it is not read"

    def _running(self, url: str) -> "_Child":
        """Return a process that has reported to be ready. Raises PageNotTriedError."""
        child = self._child
        if child is not None and child.alive:
            return child
        self.close()
        try:
            child = _Child(self._plan)
        except OSError as error:
            raise PageNotTriedError(url, f"the process of the trial cannot be started ({error}): {BUSY}") from error
        if child.ask(b"") is None:
            status, _ = child.end()
            why = f"was not ready after {PATIENCE:.0f} s" if child.timed_out else f"ended with {status} at its start"
            raise PageNotTriedError(url, f"the process of the trial {why}: {BUSY}")
        self._child = child
        return child


class _Answer(NamedTuple):
    """The report of the subprocess: on a page, or that it is ready."""

    reason: str | None
    ends: bool
    """Whether the process must be replaced."""
    seconds: float
    """CPU seconds that it has used since its start."""


class _Child:
    """The subprocess, as the crawl uses it."""

    def __init__(self, plan: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603  (this very program)
            [sys.executable, "-c", "from sitecrawl.crawl.sandbox import main; main()", plan],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            start_new_session=True,  # Ctrl-C is for the crawl, which ends this process
        )
        self.pid = self._process.pid
        self.timed_out = False
        self._before = 0.0
        """CPU seconds that the process had used at its last report."""

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, question: bytes) -> _Answer | None:
        """Return the report of the process; None if it ended without one, or was killed after `PATIENCE` seconds."""
        timer = threading.Timer(PATIENCE, self._give_up)
        timer.start()
        try:
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.write(question)
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = b""
        finally:
            timer.cancel()
            timer.join()
        if not line.endswith(b"\n"):
            return None
        answer = _Answer(*json.loads(line))
        self._before = answer.seconds
        return answer

    def end(self) -> tuple[int, float]:
        """End the process; return its exit status (negative for a signal) and the CPU seconds since its last report.

        If the process had already ended, the status is its own.
        """
        process, seconds = self._process, self._before
        if process.returncode is None:
            self._kill()
            with contextlib.suppress(ChildProcessError):
                _, status, used = os.wait4(self.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                seconds = used.ru_utime + used.ru_stime
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe and pipe.close()
        return process.wait(), seconds - self._before

    def _give_up(self) -> None:
        self.timed_out = True
        self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)  # `Popen.kill` would reap the exit status and lose the CPU seconds


def steps(url: str, html: str, plan: Mapping[str, Any]) -> Iterator[str]:
    """Run the steps of a crawl on a page; yield the name of each after it. Raises PageError."""
    page = Page.from_html(html, url, max_nodes=plan["max_nodes"])
    flat = page.flat
    yield "parsing"
    soft404_outcome(page)
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
    """Return the reason why a page must not be read; None if it may be."""
    begun = thread_time()
    try:
        for step in steps(url, html, plan):
            ended = thread_time()
            if ended - begun > STEP_SECONDS:
                return f"over {STEP_SECONDS} s of work for {step}; it is not read"
            begun = ended
    except PageError as error:
        return error.reason
    except (MemoryError, etree.XMLSyntaxError):  # libxml2 reads any page, unless memory runs out
        return f"over {plan['memory'] >> 20} MB of memory; it is not read"
    return None


def main() -> None:
    """Write a line of JSON when ready, and one for each page on standard input: `length url`, then that many bytes."""
    import resource  # noqa: PLC0415  (of Unix)

    plan = json.loads(sys.argv[1])
    twins.choose(plan["extension"])
    given, answers = sys.stdin.buffer, sys.stdout.buffer
    attempt("https://example.org/", "<p>What is imported when a page is read is no work for the first one.", plan)
    resource.setrlimit(resource.RLIMIT_AS, (plan["memory"], plan["memory"]))
    _answer(answers, None, ends=False)
    # on Linux the peak of a new process is at least that of the process that started it
    kept = max(KEPT, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    while (page := _next(given)) is not None:
        limit = int(process_time()) + plan["seconds"] + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        try:
            reason = attempt(*page, plan)
        except Exception as error:  # noqa: BLE001  (the crawl gets the same error with the page at hand, and reports it)
            reason = str(error) if isinstance(error, OSError) else None
        del page
        ends = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > kept
        _answer(answers, reason, ends=ends)


def _answer(answers: IO[bytes], reason: str | None, *, ends: bool) -> None:
    answers.write(json.dumps(_Answer(reason, ends, process_time())).encode() + b"\n")
    answers.flush()


def _next(given: IO[bytes]) -> tuple[str, str] | None:
    head = given.readline().decode("utf-8", "replace").rstrip("\n")
    if not head:
        return None
    length, _, url = head.partition(" ")
    return url, given.read(int(length)).decode("utf-8", "surrogatepass")
