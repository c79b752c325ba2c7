import asyncio
import ipaddress

from sitecrawl.shell.address_pace import ANSWERS, KEPT, AddressPace, shared_address


class Time:
    """A clock that moves only while somebody sleeps."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        await asyncio.sleep(0)
        self.now += seconds


def asked(*requests):
    """Return the time at which each request (site, address, delay) got its turn, in the order of the turns."""
    time = Time()
    pace, turns = AddressPace(time, time.sleep), []

    async def one(site, address, delay):
        await pace.turn(address, delay)
        turns.append((site, round(time.now - 100.0, 3)))

    async def all_of_them():
        await asyncio.gather(*(one(*request) for request in requests))

    asyncio.run(all_of_them())
    return turns


def test_requests_to_one_address_are_a_delay_apart_in_the_order_of_asking():
    assert asked(("a", "192.0.2.1", 1.0), ("b", "192.0.2.1", 1.0), ("c", "192.0.2.1", 1.0)) == [
        ("a", 0.0), ("b", 1.0), ("c", 2.0),
    ]  # fmt: skip


def test_an_address_is_busy_for_the_delay_of_the_site_that_asked():
    assert asked(("a", "192.0.2.1", 10.0), ("b", "192.0.2.1", 1.0), ("c", "192.0.2.1", 1.0)) == [
        ("a", 0.0), ("b", 10.0), ("c", 11.0),
    ]  # fmt: skip


def test_other_addresses_do_not_wait():
    assert asked(("a", "192.0.2.1", 1.0), ("b", "192.0.2.2", 1.0)) == [("a", 0.0), ("b", 0.0)]


def test_without_a_delay_or_an_address_there_is_no_wait():
    assert asked(("a", "192.0.2.1", 0.0), ("b", "192.0.2.1", 0.0), ("c", "", 1.0), ("d", "", 1.0)) == [
        ("a", 0.0), ("b", 0.0), ("c", 0.0), ("d", 0.0),
    ]  # fmt: skip


def test_the_round_of_a_busy_loop_is_added_to_the_delay():
    time = Time()

    async def busy(seconds):
        await time.sleep(seconds or 0.25)  # one round of the loop takes a quarter of a second

    async def play():
        pace = AddressPace(time, busy)
        await pace.turn("192.0.2.1", 1.0)
        sent_at_the_latest = time.now + 0.25
        await pace.turn("192.0.2.1", 1.0)
        return time.now - sent_at_the_latest

    assert asyncio.run(play()) >= 1.0


ADDRESS = "192.0.2.1"


def next_turn(latency, *earlier, delay=1.0, waiting=False):
    """Return the seconds between a request whose answer took `latency` and the next one, after these latencies."""
    time = Time()

    async def play():
        pace = AddressPace(time, time.sleep)
        for one in earlier:
            pace.answered(ADDRESS, time.now - 100.0, one, delay)
        await pace.turn(ADDRESS, delay)
        sent = time.now
        following = asyncio.create_task(pace.turn(ADDRESS, delay))
        if waiting:
            await asyncio.sleep(0)  # it computes how long it waits before the answer is there
        pace.answered(ADDRESS, sent, latency, delay)
        await following
        return round(time.now - sent, 3)

    return asyncio.run(play())


def test_an_answer_later_than_usual_moves_the_next_request():
    assert next_turn(0.5, 0.2, 0.3) == 1.3
    assert next_turn(0.5, 0.2, 0.3, waiting=True) == 1.3
    assert next_turn(0.2, 0.2, 0.3) == 1.0


def test_a_server_that_is_always_slow_is_asked_once_a_delay():
    assert next_turn(0.8) == 1.0
    assert next_turn(0.8, 0.8, 0.8) == 1.0


def test_a_late_answer_adds_one_delay_at_most():
    assert next_turn(30.0, 0.1) == 2.0


def test_a_server_that_became_slower_is_asked_at_its_rate_again_after_some_answers():
    assert next_turn(0.9, 0.1, *[0.9] * (ANSWERS - 2)) == 1.8
    assert next_turn(0.9, 0.1, *[0.9] * (ANSWERS - 1)) == 1.0


def test_an_answer_counts_with_a_delay_and_an_address_only():
    time = Time()
    pace = AddressPace(time, time.sleep)
    pace.answered("", 100.0, 0.1, 1.0)
    pace.answered(ADDRESS, 100.0, 0.1, 0.0)
    assert pace._free_at == {}


def test_a_request_that_is_given_up_leaves_its_turn_to_the_next():
    time = Time()

    async def play():
        pace = AddressPace(time, time.sleep)
        await pace.turn("192.0.2.1", 5.0)
        given_up = asyncio.create_task(pace.turn("192.0.2.1", 5.0))
        waiting = asyncio.create_task(pace.turn("192.0.2.1", 5.0))
        await asyncio.sleep(0)
        given_up.cancel()
        await waiting
        return time.now

    assert asyncio.run(play()) == 105.0


def test_addresses_that_are_free_are_forgotten():
    time = Time()

    async def play():
        pace = AddressPace(time, time.sleep)
        for number in range(KEPT + 1):
            await pace.turn(f"192.0.2.{number}", 1.0)
            pace.answered(f"192.0.2.{number}", time.now, 0.1, 1.0)
        time.now += 2.0
        await pace.turn("198.51.100.1", 1.0)
        return len(pace._free_at), len(pace._latencies)

    assert asyncio.run(play()) == (1, 0)


def test_one_address_stands_for_a_host_whatever_the_order_in_which_a_resolver_gives_them():
    found = [ipaddress.ip_address(one) for one in ("2001:db8::1", "192.0.2.10", "192.0.2.9")]
    assert shared_address(found) == shared_address(found[::-1]) == "192.0.2.9"
    assert shared_address([]) == ""
