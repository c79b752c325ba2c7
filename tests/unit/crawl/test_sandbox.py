"""Heavy pages are tried in a process with limits; each test fails without the defence it is about."""

import asyncio
import os
import signal
import threading
import time

import pytest

from sitecrawl.config import Config
from sitecrawl.crawl import sandbox
from sitecrawl.crawl.sandbox import Sandbox, attempt
from sitecrawl.dom.heavy import is_heavy
from sitecrawl.dom.size_limits import check_size
from sitecrawl.errors import PageNotTriedError, PageTooLargeError

pytestmark = pytest.mark.processes
URL = "https://example.org/"
PLAN = {
    "max_nodes": 100_000,
    "extractor": "combined",
    "options": {},
    "extension": "auto",
    "html": True,
    "markdown": True,
    "memory": sandbox.MEMORY,
}
GOOD = "<html><body>" + f"<p>{'A page that is long and harmless. ' * 100}</p>" * 300 + "</body></html>"
"""Heavy by its million characters; with few nodes, so that a busy machine reads it in far less than a second too."""


def wrap(body):
    return f"<!DOCTYPE html><html><head><title>t</title></head><body><h1>Head</h1>{body}</body></html>"


def names(separator):
    return separator.join(f"a{i}" for i in range(100_000))


BOMBS = {
    "behind a script in a comment": lambda: wrap(f"<!-- <script> --><p {names(' ')}>x<script></script>"),
    "behind a quote in a comment": lambda: wrap(f'<!-- <b x=" --><p {names(" ")}>x<p y=">'),
    "behind a comment and an end in quotes": lambda: wrap(f'<!-- <b x=" --><p y=">" {names(" ")}>x<p y=">'),
    "with ends in quotes": lambda: wrap('<!-- <b x=" --><p ' + names("='>' ") + '>x<p y=">'),
}  # fmt: skip
"""A hundred thousand attributes of one tag, which counting does not see: minutes for libxml2."""


@pytest.fixture
def hasty(monkeypatch):
    """Limit the work on a page to a second, so that no test waits longer for a malicious page."""
    monkeypatch.setattr(sandbox, "SECONDS", 1)


@pytest.fixture
def narrow(monkeypatch):
    """Let a page have less memory, and more seconds, so that on a busy machine too it takes the memory first."""
    monkeypatch.setattr(sandbox, "MEMORY", 280 * 2**20)
    monkeypatch.setattr(sandbox, "SECONDS", 60)


@pytest.fixture
def running():
    one = Sandbox(Config(content_html=True))
    yield one
    one.close()


@pytest.fixture
def tried(running):
    return lambda html: asyncio.run(running.check(URL, html))


@pytest.mark.parametrize("html", [f"<\x00p {names(' ')}>x", f'<script>a<b x="</script><p {names(" ")}>x<p y=">'])
def test_a_nul_and_a_quote_in_a_script_hide_no_tag_from_counting(html):
    with pytest.raises(PageTooLargeError, match="attributes"):
        check_size(URL, wrap(html))


@pytest.mark.parametrize("name", BOMBS)
def test_a_tag_of_many_attributes_that_counting_misses_is_refused_in_time(name, hasty, tried):
    html = BOMBS[name]()
    check_size(URL, html)
    assert is_heavy(html)
    with pytest.raises(PageTooLargeError, match="over 1 s of work"):
        tried(html)


def test_a_page_that_takes_too_much_memory_is_refused(narrow, tried):
    tags = "".join("<p " + " ".join(f"a{i}=1" for i in range(1_990)) + ">x</p>" for _ in range(700))
    with pytest.raises(PageTooLargeError, match="over 280 MB of memory"):
        tried(wrap(tags))


def test_a_process_that_was_killed_or_has_grown_is_replaced(hasty, tried, monkeypatch):
    assert is_heavy(GOOD)
    with pytest.raises(PageTooLargeError):
        tried(BOMBS["behind a quote in a comment"]())
    monkeypatch.undo()  # a busy machine takes a second for a good page
    for _ in range(3):
        tried(GOOD)


def test_a_process_that_gets_no_time_says_nothing_of_the_page(running, tried, monkeypatch):
    tried(GOOD)
    os.kill(running._child.pid, signal.SIGSTOP)
    monkeypatch.setattr(sandbox, "PATIENCE", 0.2)
    with pytest.raises(PageNotTriedError, match="busy; the page is tried again in the next crawl"):
        tried(GOOD)
    monkeypatch.undo()
    tried(GOOD)


def test_a_process_that_waits_longer_than_it_may_work_is_waited_for(running, tried, monkeypatch):
    monkeypatch.setattr(sandbox, "SECONDS", 1)
    tried(GOOD)
    child = running._child.pid
    os.kill(child, signal.SIGSTOP)
    timer = threading.Timer(1.5, os.kill, (child, signal.SIGCONT))
    timer.start()
    tried(GOOD)
    timer.join()
    assert running._child.pid == child


def test_a_process_that_worked_too_long_says_so_though_it_was_ended_by_the_clock(tried, monkeypatch):
    tried(GOOD)
    monkeypatch.setattr(sandbox, "SECONDS", 0.0)
    monkeypatch.setattr(sandbox, "PATIENCE", 0.5)
    with pytest.raises(PageTooLargeError, match="s of work"):
        tried(BOMBS["behind a quote in a comment"]())


def test_a_process_that_is_killed_from_outside_says_nothing_of_the_page(running, tried, monkeypatch):
    tried(GOOD)
    monkeypatch.setattr(sandbox._Child, "alive", True)  # it is killed just after that was asked
    os.kill(running._child.pid, signal.SIGKILL)
    with pytest.raises(PageNotTriedError, match="killed from outside"):
        tried(GOOD)
    monkeypatch.undo()
    tried(GOOD)


@pytest.mark.parametrize(
    ("program", "why"), [("/nowhere/python", "cannot be started"), ("/bin/false", "ended with 1 at its start")]
)
def test_a_process_that_does_not_start_says_nothing_of_the_page(program, why, tried, monkeypatch):
    monkeypatch.setattr(sandbox.sys, "executable", program)
    with pytest.raises(PageNotTriedError, match=why):
        tried(GOOD)


def test_a_process_whose_start_takes_too_long_says_nothing_of_the_page(tried, monkeypatch):
    monkeypatch.setattr(sandbox, "PATIENCE", 0.001)
    with pytest.raises(PageNotTriedError, match="was not ready"):
        tried(GOOD)


def test_a_page_that_cannot_be_used_says_why():
    assert attempt(URL, "<p>" * 300_000, PLAN | {"max_nodes": 100}) == "300002 nodes, SITECRAWL_MAX_NODES is 100"
    assert attempt(URL, GOOD, PLAN | {"max_nodes": 10**6}) is None


def test_one_long_step_is_enough(monkeypatch):
    monkeypatch.setattr(sandbox, "STEP_SECONDS", 0.0)
    assert attempt(URL, GOOD, PLAN) == "over 0.0 s of work for parsing; it is not read"


WORDS = ["amber", "basin", "cellar", "drift", "ember", "fathom", "gravel", "hollow", "ivory", "juniper"]
LINEAR = {
    "equal blocks": "".join(f'<div class="c{i % 7}"><h3>{WORDS[i % 10]} {i}</h3><p>{i} words</p></div>' for i in range(9000)),
    "texts": "<br>".join(f"line {i}" for i in range(40_000)),
    "a class of megabytes": f'<div class="{"aB" * 1_000_000}">text</div><p id="{"c " * 1_000_000}">x</p>',
    "a class of dashes": f'<div class="{"-" * 2_000_000}">text</div>',
    "deep": "<div>" * 1900 + "".join(f"<p>text {i}" for i in range(40_000)),
    "deep quotes": "<blockquote>" * 1900 + "".join(f"<p>text {i}" for i in range(20_000)),
    "deep inline": "<b><i><u>" * 600 + "".join(f"<a href=/{i}>link {i}</a> " for i in range(20_000)),
    "dates": "".join(f'<p class="a{i} date">text {i} 2021-02-03</p>' for i in range(30_000)),
    "breadcrumbs without links": '<div class="breadcrumb"></div>' * 40_000 + "<a href=/></a>" * 50_000,
    "a base of a megabyte": f'<base href="http://example.org/{"x/" * 500_000}">' + "".join(f"<a href={i}>l</a>" for i in range(5000)),
    "long hrefs": "".join(f'<a href="/{"x/" * 1000}{i}">l</a>' for i in range(2000)),
    "a srcset of spaces": f'<p>words</p><img srcset="{"x " * 1_000_000}">',
    "a srcset of numbers": f'<p>words</p><img srcset="x {"1" * 2_000_000}">',
    "JSON-LD of blank lines": f'<script type="application/ld+json">{{{" " * 280_000}x</script>',
    "bars": f"<h1>{'a | ' * 500_000}</h1>",
    "one line": "<p>" + "page " * 800_000,
    "one word": "<p>" + "x" * 5_000_000,
    "hidden parts": "<div>" * 1900 + '<p hidden id=x>one</p><i style="display:none">two</i>' * 20_000,
    "white space": f"<p>a{' ' * 5_000_000}b",
    "combining marks": "<p>a" + "\u0301" * 2_000_000,
}  # fmt: skip
"""Pages on which some step was quadratic once, or might be."""


FREE_SECONDS = 0.13
"""CPU seconds of `slowness`' work on a free machine, on which the slowest step below takes 1.9."""


def slowness():
    """Return how many times as much CPU time as on a free machine a piece of work takes now, at least 1."""
    begun, counts = time.thread_time(), {}
    for i in range(300_000):
        counts[f"w{i % 5000}"] = counts.get(f"w{i % 5000}", 0) + i
    return max((time.thread_time() - begun) / FREE_SECONDS, 1)


@pytest.mark.parametrize("name", LINEAR)
def test_no_step_takes_long_on_a_page_made_to_hurt(name, monkeypatch):
    # what was quadratic took 5 to 50 seconds on a free machine
    monkeypatch.setattr(sandbox, "STEP_SECONDS", 4.0 * slowness())
    html = wrap(LINEAR[name])
    check_size(URL, html)
    assert attempt(URL, html, PLAN | {"markdown": False}) is None
