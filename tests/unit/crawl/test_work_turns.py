"""Turns of work: one step a round of the event loop, parsed pages first."""

import asyncio

import pytest

from sitecrawl.crawl import work_turns as work_turns_module
from sitecrawl.crawl.work_turns import BEHIND, pause, work_turns
from sitecrawl.dom.page import Page


class Rounds:
    """Counts the rounds of the event loop, as long as it is asked to."""

    def __init__(self):
        self.number, self.counting = 0, True
        self.count()

    def count(self):
        if self.counting:
            self.number += 1
            asyncio.get_running_loop().call_soon(self.count)


def played(*steps):
    """Let all steps ask for their turns in this order, after one that is done at once; return (name, round) as they came.

    A step is the line, its name, and for requests and pages the id of the site.
    """

    async def play():
        turns, rounds, came = work_turns(), Rounds(), []

        async def take(line, name, *site):
            await getattr(turns, line)(*site)
            came.append((name, rounds.number))

        await asyncio.gather(turns.of_parsed(), *(take(*step) for step in steps))
        rounds.counting = False
        return came

    return asyncio.run(play())


def test_who_is_alone_does_not_wait():
    async def play():
        rounds = Rounds()
        await work_turns().of_request(1)
        rounds.counting = False
        return rounds.number

    assert asyncio.run(play()) == 1


def test_one_step_has_its_turn_in_a_round_in_the_order_of_asking():
    came = played(*(("of_page", number, 1) for number in range(5)))
    assert [name for name, _ in came] == [0, 1, 2, 3, 4]
    assert len({number for _, number in came}) == 5


def test_parsed_pages_go_first_then_the_pages_of_sites_with_fewer_requests():
    further = [("of_request", "request", 1), ("of_page", "fetched", 2), ("of_request", "other", 3)]
    came = played(*further, ("of_parsed", "first"), ("of_parsed", "second"))
    assert [name for name, _ in came] == ["first", "second", "fetched", "request", "other"]


def test_the_site_with_the_fewest_requests_goes_first():
    often = [("of_request", f"often {number}", 1) for number in range(3)]
    came = [name for name, _ in played(*often, ("of_request", "seldom 0", 2), ("of_request", "seldom 1", 2))]
    assert came == ["often 0", "seldom 0", "often 1", "seldom 1", "often 2"]


@pytest.mark.parametrize(("missed", "first"), [(0, 0), (1, 1), (BEHIND, BEHIND), (BEHIND + 5, BEHIND)])
@pytest.mark.parametrize("waits", [False, True])
def test_a_site_catches_up_a_few_requests_and_no_more(missed, first, waits):
    async def play():
        turns, came = work_turns(), []

        async def request(site):
            await turns.of_request(site)
            came.append(site)

        for site in [1, 2] * 5 + [1] * missed:
            await asyncio.gather(*([turns.of_parsed()] if waits else []), request(site))
            await asyncio.sleep(0)
        del came[:]
        both = [site for _ in range(BEHIND + 2) for site in (1, 2)]
        await asyncio.gather(turns.of_parsed(), *map(request, both))
        return came

    assert asyncio.run(play())[: first + 1] == [2] * first + [1]


def test_a_step_that_comes_meanwhile_goes_before_the_pages_that_wait():
    async def play():
        turns, came = work_turns(), []

        async def page(name):
            await turns.of_page(1)
            came.append(f"parse {name}")
            await turns.of_parsed()
            came.append(f"learn {name}")

        await asyncio.gather(turns.of_parsed(), page("a"), page("b"))
        return came

    assert asyncio.run(play()) == ["parse a", "learn a", "parse b", "learn b"]


def test_who_was_cancelled_keeps_nobody_waiting():
    async def play():
        turns = work_turns()
        tasks = [asyncio.create_task(turns.of_request(1)) for _ in range(4)]
        tasks[1].get_loop().call_soon(tasks[1].cancel)  # after all have asked, before its turn
        await asyncio.wait(tasks, timeout=5)
        return [(task.done(), task.done() and task.cancelled()) for task in tasks]

    assert asyncio.run(play()) == [(True, False), (True, True), (True, False), (True, False)]


def test_each_event_loop_has_a_line_of_its_own():
    async def take():
        await work_turns().of_page(1)  # leaves its turn taken when the loop ends
        return work_turns()

    first, second = (asyncio.run(asyncio.wait_for(take(), 5)) for _ in range(2))
    assert first is not second


@pytest.mark.parametrize(("nodes", "pauses"), [(10, 0), (11, 1)])
def test_the_loop_runs_between_the_steps_on_a_large_page(monkeypatch, nodes, pauses):
    slept, sleep = [], asyncio.sleep

    async def noting(seconds):
        slept.append(seconds)
        await sleep(seconds)

    monkeypatch.setattr(work_turns_module, "PAUSED_FROM", 10)
    monkeypatch.setattr(work_turns_module.asyncio, "sleep", noting)
    url = "https://example.org/"
    page = Page.from_html("<p>x</p>", url)
    page = Page.from_html("<p>x</p>" + "<br>" * (nodes - len(page.flat)), url)
    assert len(page.flat) == nodes
    asyncio.run(pause(page))
    assert slept == [0] * pauses
