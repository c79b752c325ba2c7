"""Tests of both ends of the sandbox without a process: its input and output, and the crawl's use of its answers."""

import asyncio
import io
import json
import resource
import signal
import sys
from types import SimpleNamespace

import pytest
from lxml import etree

from sitecrawl.config import Config
from sitecrawl.crawl import sandbox
from sitecrawl.crawl.sandbox import BUSY, MEMORY, SECONDS, Sandbox, attempt, main, steps
from sitecrawl.errors import PageNotTriedError, PageTooLargeError

URL = "https://example.org/"
PLAN = {
    **{"max_nodes": 1000, "extractor": "combined", "options": {}, "extension": "auto", "html": True},
    **{"markdown": True, "seconds": 5, "memory": sandbox.MEMORY},
}


class Child:
    """A process as the crawl sees it, with answers that are given."""

    def __init__(self, *answers, status=0, seconds=0.0, timed_out=False, alive=True):
        self.answers, self.asked, self.ended = list(answers), [], 0
        self.status, self.seconds, self.timed_out, self.alive = status, seconds, timed_out, alive

    def ask(self, question):
        self.asked.append(question)
        return self.answers.pop(0)

    def end(self):
        self.ended += 1
        return self.status, self.seconds


READY = sandbox._Answer(None, False, 0.1)


def checked(child, html="<p>"):
    """Return the sandbox of a process after it was asked for a page, and why the page may not be read."""
    one = Sandbox(Config())
    one._child = child
    try:
        asyncio.run(one.check(URL, html))
    except (PageNotTriedError, PageTooLargeError) as error:
        return one, error
    return one, None


@pytest.mark.parametrize("reason", [None, "it has too many nodes"])
@pytest.mark.parametrize("ends", [False, True])
def test_the_answer_of_the_process_counts_and_it_goes_on_unless_it_has_grown(reason, ends):
    child = Child(sandbox._Answer(reason, ends, 1.0))
    one, error = checked(child, "<p>\u00e9 \ud800")
    assert child.asked == [b"9 https://example.org/\n<p>\xc3\xa9 \xed\xa0\x80"]
    assert (error is None) is (reason is None)
    assert reason is None or (isinstance(error, PageTooLargeError) and reason in str(error))
    assert (one._child, child.ended) == ((None, 1) if ends else (child, 0))
    one.close()
    one.close()
    assert (one._child, child.ended) == (None, 1)


@pytest.mark.parametrize(
    ("ended", "kind", "said"),
    [
        ({"seconds": SECONDS}, PageTooLargeError, "over 5 s of work; it is not read"),
        ({"seconds": SECONDS, "timed_out": True}, PageTooLargeError, "over 5 s of work"),
        ({"status": -signal.SIGXCPU, "seconds": 0.1}, PageTooLargeError, "over 5 s of work"),
        ({"timed_out": True, "seconds": 4.94}, PageNotTriedError, "got 4.9 s of CPU time in 120 s: " + BUSY),
        ({"status": -signal.SIGKILL}, PageNotTriedError, "was killed from outside: " + BUSY),
        ({"status": -signal.SIGTERM}, PageNotTriedError, "was killed from outside: " + BUSY),
        ({"status": -signal.SIGSEGV}, PageTooLargeError, "over 700 MB of memory, or a crash of the parser"),
        ({"status": 1}, PageTooLargeError, "over 700 MB of memory, or a crash of the parser"),
    ],
)
def test_a_process_that_ended_says_by_its_end_what_the_page_is(ended, kind, said):
    child = Child(None, **ended)
    one, error = checked(child)
    assert type(error) is kind
    assert said in str(error)
    assert (one._child, child.ended) == (None, 1)


def test_a_process_that_runs_is_used_again_and_one_that_ended_is_replaced(monkeypatch):
    started = []

    def start(plan):
        started.append(Child(READY, READY))
        return started[-1]

    monkeypatch.setattr(sandbox, "_Child", start)
    one, error = checked(Child(READY))
    assert (error, started) == (None, [])
    dead = Child(alive=False)
    one, error = checked(dead)
    assert (error, dead.ended, one._child) == (None, 1, started[0])
    assert started[0].asked[0] == b""  # it is ready


@pytest.mark.parametrize(
    ("started", "said"),
    [
        (OSError("no memory"), "cannot be started (no memory): " + BUSY),
        (Child(None, timed_out=True), "was not ready after 120 s: " + BUSY),
        (Child(None, status=3), "ended with 3 at its start: " + BUSY),
    ],
)
def test_a_process_that_does_not_start_says_nothing_of_the_page(monkeypatch, started, said):
    def start(plan):
        if isinstance(started, OSError):
            raise started
        return started

    monkeypatch.setattr(sandbox, "_Child", start)
    one, error = checked(None)
    assert isinstance(error, PageNotTriedError)
    assert said in str(error)
    assert one._child is None


@pytest.mark.parametrize(("html", "markdown", "wanted"), [(0, 0, False), (1, 0, True), (0, 1, True), (1, 1, True)])
def test_the_process_is_told_how_the_crawl_extracts(html, markdown, wanted):
    config = Config(content_html=bool(html), content_markdown=bool(markdown), max_nodes=77)
    plan = json.loads(Sandbox(config)._plan)
    assert (plan["html"], plan["markdown"], plan["max_nodes"]) == (wanted, bool(markdown), 77)
    assert (plan["seconds"], plan["memory"]) == (SECONDS, MEMORY)
    assert (plan["extractor"], plan["extension"]) == (config.extractor, config.extension)


def test_a_page_is_tried_step_by_step(monkeypatch):
    assert attempt(URL, "<p>A page</p>", PLAN) is None
    assert "1000" in attempt(URL, "<p>x</p>" * 1001, PLAN)
    clock = iter([0.0, *(1.5 + number * 1.5 for number in range(50))])
    monkeypatch.setattr(sandbox, "thread_time", lambda: next(clock))
    assert attempt(URL, "<p>A page</p>", PLAN) is None  # each step takes as long as it may
    clock = iter([0.0, 1.6])
    assert attempt(URL, "<p>A page</p>", PLAN).startswith("over 1.5 s of work for ")
    monkeypatch.setattr(sandbox, "thread_time", lambda: 0.0)
    for error in (MemoryError(), etree.XMLSyntaxError("unknown error", 0, 0, 0)):
        monkeypatch.setattr(sandbox, "steps", lambda *_, error=error: (_ for _ in ()).throw(error))
        assert attempt(URL, "<p>", PLAN) == "over 700 MB of memory; it is not read"


@pytest.mark.parametrize("grown", [False, True])
def test_the_process_answers_one_line_for_each_page(monkeypatch, grown):
    pages = ("<p>One</p>", "<p>x</p>" * 1001, "<p>\u00e9</p>")
    given = b"".join(
        b"%d https://example.org/%d\n" % (len(one.encode()), i) + one.encode() for i, one in enumerate(pages)
    )
    answers, limits, chosen, tried = io.BytesIO(), [], [], []
    used = iter([1000, *([sandbox.KEPT + grown] * 9)])
    monkeypatch.setattr(sys, "argv", ["-c", json.dumps(PLAN)])
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(given)))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=answers))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limit: limits.append((kind, limit)))
    monkeypatch.setattr(resource, "getrusage", lambda who: SimpleNamespace(ru_maxrss=next(used)))
    monkeypatch.setattr(sandbox, "process_time", lambda: 2.5)
    monkeypatch.setattr(sandbox.twins, "choose", chosen.append)
    whole = sandbox.attempt
    monkeypatch.setattr(sandbox, "attempt", lambda *one: tried.append(one[:2]) or whole(*one))
    main()
    ready, *found = (sandbox._Answer(*json.loads(line)) for line in answers.getvalue().splitlines())
    assert ready == (None, False, 2.5)
    assert [one.reason is None for one in found] == [True, False, True]
    assert [(one.ends, one.seconds) for one in found] == [(grown, 2.5)] * 3
    assert tried[1:] == [(f"https://example.org/{i}", one) for i, one in enumerate(pages)]
    cpu = resource.RLIMIT_CPU, (2 + 5 + 1, resource.RLIM_INFINITY)
    assert limits == [(resource.RLIMIT_AS, (sandbox.MEMORY, sandbox.MEMORY)), cpu, cpu, cpu]
    assert chosen == ["auto"]


@pytest.mark.parametrize(("error", "reason"), [(OSError("no file"), "no file"), (ValueError("odd"), None)])
def test_an_error_that_is_not_the_page_s_is_left_to_the_crawl(monkeypatch, error, reason):
    answers, calls = io.BytesIO(), []

    def fail(*one):
        calls.append(one)
        if len(calls) > 1:
            raise error

    monkeypatch.setattr(sys, "argv", ["-c", json.dumps(PLAN)])
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"3 https://example.org/\n<p>")))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=answers))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limit: None)
    monkeypatch.setattr(sandbox.twins, "choose", lambda extension: None)
    monkeypatch.setattr(sandbox, "attempt", fail)
    main()
    _, found = (sandbox._Answer(*json.loads(line)) for line in answers.getvalue().splitlines())
    assert found.reason == reason


STEPS = {
    "text": ("soft404_outcome", "read_directives"),
    "links": ("rank", "relations"),
    "metadata": ("read",),
    "the main text": ("fingerprints",),
    "Markdown": ("markdown",),
}
"""The processing of a page by a crawl, by the step in which the sandbox tries it: a hostile page may hurt any step."""


@pytest.mark.parametrize("html", [True, False])
def test_all_that_a_crawl_does_to_a_page_is_tried(monkeypatch, html):
    done, learned = [], []
    for names in STEPS.values():
        for name in names:
            whole = getattr(sandbox, name)
            monkeypatch.setattr(
                sandbox, name, lambda *given, name=name, whole=whole: done.append(name) or whole(*given)
            )
    for name in ("learn", "publish_all"):
        whole = getattr(sandbox.Learning, name)
        monkeypatch.setattr(
            sandbox.Learning,
            name,
            lambda self, *given, name=name, whole=whole: learned.append(name) or whole(self, *given),
        )
    found = {}
    for step in sandbox.steps(
        URL, "<h1>A page</h1><p>With a text of its own.</p>", {**PLAN, "html": html, "markdown": html}
    ):
        found[step] = tuple(done)
        done.clear()
    expected = dict.fromkeys(
        ("parsing", "text", "links", "learning", "metadata", "extraction", "the main text", "HTML"), ()
    )
    assert found == {**expected, **{name: STEPS[name] for name in STEPS if html or name != "Markdown"}}
    assert learned == ["learn", "publish_all"]


@pytest.mark.parametrize("html", ["<p>", "<nav><a href=/>Home</a></nav>"])
def test_a_page_without_main_content_is_tried_to_the_end(html):
    assert list(steps(URL, html, PLAN))[-2:] == ["HTML", "Markdown"]
    assert list(steps(URL, html, {**PLAN, "markdown": False}))[-1] == "HTML"
    assert attempt(URL, html, PLAN) is None
