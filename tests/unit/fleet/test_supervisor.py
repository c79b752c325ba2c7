import signal

from sitecrawl.fleet.supervisor import Supervisor


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
