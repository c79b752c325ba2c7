import asyncio
from types import SimpleNamespace

import pytest

from sitecrawl.shell import stopping
from sitecrawl.shell.stopping import SLICE, is_stopping, pause

STOPPED = SimpleNamespace(_slot=SimpleNamespace(closing=object()))
RUNNING = SimpleNamespace(_slot=SimpleNamespace(closing=None))


@pytest.mark.parametrize(
    ("engine", "stopping"), [(None, False), (SimpleNamespace(_slot=None), False), (RUNNING, False), (STOPPED, True)]
)
def test_a_crawl_is_stopping_once_its_engine_closes(engine, stopping):
    assert is_stopping(SimpleNamespace(_engine=engine)) is stopping


@pytest.mark.parametrize(("stopped_after", "slept"), [(None, [SLICE, SLICE, 0.25]), (1, [SLICE]), (0, [])])
def test_a_pause_ends_when_the_crawl_is_stopped(monkeypatch, stopped_after, slept):
    done = []
    crawler = SimpleNamespace(_engine=STOPPED if stopped_after == 0 else RUNNING)

    async def sleep(seconds):
        done.append(seconds)
        if len(done) == stopped_after:
            crawler._engine = STOPPED

    monkeypatch.setattr(stopping, "asyncio", SimpleNamespace(sleep=sleep))
    asyncio.run(pause(crawler, 1.25))
    assert done == slept
