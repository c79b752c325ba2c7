"""Tests of what happens to those who wait for the loss of a database or a lease."""

import asyncio
import threading

from sitecrawl.errors import DatabaseLostError, LeaseLostError
from sitecrawl.storage.db.loss import Loss, call_in_loop, until_any

ERROR = DatabaseLostError("the disk is full")


def test_those_who_wait_are_called_once_and_later_ones_at_once():
    loss, called = Loss(), []
    loss.call(lambda: called.append("early"))
    assert (loss.error, called) == (None, [])
    loss.note(ERROR)
    assert (loss.error, called) == (ERROR, ["early"])
    loss.call(lambda: called.append("late"))
    assert called == ["early", "late"]


def test_a_loop_waits_for_the_first_of_several_losses():
    database, lease = Loss(), Loss()

    async def wait():
        waiting = asyncio.create_task(until_any(database, lease))
        await asyncio.sleep(0)
        assert not waiting.done()
        thread = threading.Thread(target=lease.note, args=[LeaseLostError("taken over")])
        thread.start()
        await asyncio.wait_for(waiting, 60)
        thread.join()
        await asyncio.wait_for(until_any(database, lease), 60)  # it is known already

    asyncio.run(wait())
    assert database.error is None


def test_a_closed_loop_is_not_told():
    loop, called = asyncio.new_event_loop(), []
    assert call_in_loop(loop, called.append, 1)
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    assert not call_in_loop(loop, called.append, 2)
    assert called == [1]
