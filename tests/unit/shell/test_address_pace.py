import asyncio
import ipaddress

from sitecrawl.shell.address_pace import KEPT, AddressPace, shared_address


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
        time.now += 2.0
        await pace.turn("198.51.100.1", 1.0)
        return len(pace._free_at)

    assert asyncio.run(play()) == 1


def test_one_address_stands_for_a_host_whatever_the_order_in_which_a_resolver_gives_them():
    found = [ipaddress.ip_address(one) for one in ("2001:db8::1", "192.0.2.10", "192.0.2.9")]
    assert shared_address(found) == shared_address(found[::-1]) == "192.0.2.9"
    assert shared_address([]) == ""
