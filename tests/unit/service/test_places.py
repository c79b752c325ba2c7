"""Pages of slow sites have a limited number of places, so that some are left for others."""

import asyncio

import pytest

from sitecrawl.errors import ServiceBusyError
from sitecrawl.service.places import Places


async def held(places, host, over):
    async with places.place(host):
        await over.wait()


def during(places, hosts, check):
    """Run a check while pages of these hosts are being fetched."""

    async def play():
        over = asyncio.Event()
        tasks = [asyncio.create_task(held(places, host, over)) for host in hosts]
        await asyncio.sleep(0)
        try:
            await check(places)
        finally:
            over.set()
            await asyncio.gather(*tasks)

    asyncio.run(play())


async def place(places, host):
    async with places.place(host):
        return True


def test_one_host_does_not_take_all_places():
    async def check(places):
        with pytest.raises(ServiceBusyError, match=r"slow\.example is slow, and other pages of it are being fetched"):
            await place(places, "slow.example")
        assert await place(places, "e.example")

    during(Places(3, 2, 0.01), ["slow.example"] * 2, check)


def test_a_request_waits_for_its_place_only_so_long():
    async def check(places):
        with pytest.raises(ServiceBusyError, match="too many slow pages"):
            await place(places, "d.example")

    during(Places(3, 2, 0.01), ["a.example", "b.example", "c.example"], check)


def test_a_place_that_becomes_free_is_given_to_the_next():
    async def play():
        places, over = Places(1, 1, 60), asyncio.Event()
        first = asyncio.create_task(held(places, "a.example", over))
        await asyncio.sleep(0)
        others = [asyncio.create_task(place(places, host)) for host in ("a.example", "b.example")]
        await asyncio.sleep(0)
        over.set()
        assert await asyncio.gather(first, *others) == [None, True, True]
        assert places._hosts == places._asking == {}

    asyncio.run(play())


def test_a_request_that_is_cancelled_leaves_its_place():
    async def play():
        places = Places(1, 1, 60)
        task = asyncio.create_task(held(places, "a.example", asyncio.Event()))
        await asyncio.sleep(0)
        task.cancel()
        assert await place(places, "a.example")

    asyncio.run(play())
