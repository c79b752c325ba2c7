import asyncio
import signal

import pytest

from sitecrawl.fleet.supervisor import NO_MORE, Supervisor


class Child:
    """A process that gets signals, or has ended."""

    def __init__(self, *, ended=False):
        self.ended, self.got = ended, []

    def send_signal(self, number):
        if self.ended:
            raise ProcessLookupError
        self.got.append(number)


def test_the_second_signal_cuts_off_what_still_runs():
    supervisor = Supervisor(2, lambda: None, [])
    running, ended = Child(), Child(ended=True)
    supervisor._children = {running, ended}
    supervisor.interrupt()
    assert (running.got, supervisor.killed) == ([signal.SIGTERM], 0)
    supervisor.interrupt()
    supervisor.interrupt()
    assert (running.got, supervisor.killed) == ([signal.SIGTERM, signal.SIGKILL, signal.SIGKILL], 1)


@pytest.mark.parametrize(("status", "left"), [(0, False), (NO_MORE, False), (3, True), (1, True), (-15, False)])
def test_a_process_that_was_stopped_says_whether_it_released_its_sites(status, left):
    class Starting:
        async def start(self, arguments, *, piped):
            return Stopped()

    class Stopped(Child):
        stderr = None

        async def wait(self):
            supervisor.interrupt()
            return status

    supervisor = Supervisor(1, Starting, [])
    asyncio.run(supervisor._keep(0, Starting()))
    assert (supervisor.left, supervisor.died) == (left, 0)
