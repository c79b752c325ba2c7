import signal

import pytest

from sitecrawl.commands import index
from sitecrawl.config import Config
from sitecrawl.errors import SinkError
from tests.integration.feeding import add_pages


class Sink:
    def __init__(self, error=None):
        self.error, self.closed = error, False

    def send(self, changes):
        if self.error is not None:
            raise self.error
        return []

    def close(self):
        self.closed = True


@pytest.fixture(autouse=True)
def signals():
    """Put back the handlers of signals."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("once", [False, True])
def test_a_sink_that_can_no_longer_be_fed_ends_the_command(engine, once):
    add_pages(engine, 2)
    sinks = {"well": Sink(), "taken": Sink(SinkError("taken: another process feeds this sink"))}
    with pytest.raises(SinkError, match="another process"):
        index._feed(engine, Config(index_poll=0.01), sinks, once=once)
    assert all(sink.closed for sink in sinks.values())
