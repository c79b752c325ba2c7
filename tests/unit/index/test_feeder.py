import datetime as dt
import itertools
import threading
from contextlib import contextmanager

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from sitecrawl.errors import DatabaseLostError, SinkError, StorageError
from sitecrawl.index import feeder as feeder_module
from sitecrawl.index.feeder import Feeder
from sitecrawl.index.sinks import BatchRefusedError, Rejection, SinkUnavailableError
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.sinks import SinkRepository
from sitecrawl.storage.sites import SiteRepository
from tests.integration.feeding import add_pages, content


class Memory:
    """A sink that keeps documents by URL, after the outcomes in a list of answers."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.documents = {}
        self.batches = []
        self.refused = {}

    def send(self, changes):
        self.batches.append([change.url.rpartition("/")[2] for change in changes])
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        rejections = []
        for change in changes:
            final = self.refused.get(change.url.rpartition("/")[2])
            if final is not None:
                rejections.append(Rejection(change, "not this one", final))
            elif change.document is None:
                self.documents.pop(change.url, None)
            else:
                self.documents[change.url] = change.document
        return rejections

    def close(self):
        pass


class Clock:
    def __init__(self):
        self.time = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)

    def __call__(self):
        return self.time

    def forward(self, seconds):
        self.time += dt.timedelta(seconds=seconds)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(feeder_module, "FIRST_PAUSE", 0.0)


@pytest.fixture
def site_id(engine):
    return add_pages(engine, 6)


def put(engine, site_id, key, words, **options):
    values = {name: options.pop(name) for name in ("kind", "crawl_id") if name in options}
    with session_scope(engine) as session:
        ContentRepository(session).put(site_id, content(key, words, **{"crawl_id": 2, **values}), **options)


def feed(engine, sink, name="memory", attempts=1, clock=None, **options):
    more = {"clock": clock} if clock else {}
    return Feeder(engine, name, sink, **options, **more).run(threading.Event(), attempts=attempts, poll=None)


def urls(*numbers):
    return {f"https://example.org/{number}" for number in numbers}


def rejected(engine, name="memory"):
    with session_scope(engine, write=False) as session:
        return SinkRepository(session).rejected(name)


def only_state(engine):
    with session_scope(engine, write=False) as session:
        (state,) = SinkRepository(session).all()
        return state


def test_everything_is_sent_once_then_what_changed(engine, site_id):
    sink = Memory()
    assert feed(engine, sink, batch=4).delivered == 6
    assert [len(batch) for batch in sink.batches] == [4, 2]
    assert feed(engine, sink).delivered == 0
    put(engine, site_id, 3, "changed once")
    put(engine, site_id, 3, "changed twice", crawl_id=3)
    assert feed(engine, sink).delivered == 1
    assert sink.documents["https://example.org/3"].text == "changed twice"


def test_every_sink_gets_everything_at_its_own_pace(engine, site_id):
    early, late = Memory(), Memory()
    feed(engine, early, "early")
    put(engine, site_id, 1, "changed")
    feed(engine, late, "late")
    feed(engine, early, "early")
    assert early.documents == late.documents
    assert len(late.documents) == 6


def test_what_is_not_to_be_indexed_is_deleted(engine, site_id):
    sink = Memory()
    feed(engine, sink)
    put(engine, site_id, 1, "now a listing", kind="listing")
    put(engine, site_id, 2, "now hidden", index=False)
    feed(engine, sink)
    assert set(sink.documents) == urls(3, 4, 5, 6)
    both = Memory()
    feed(engine, both, "both", kinds=("content", "listing"))
    assert set(both.documents) == urls(1, 3, 4, 5, 6)


def test_a_forgotten_site_is_deleted_and_may_come_back(engine, site_id):
    sink = Memory()
    feed(engine, sink)
    with session_scope(engine) as session:
        SiteRepository(session).forget("example.org")
    feed(engine, sink)
    assert sink.documents == {}
    add_pages(engine, 2)
    feed(engine, sink)
    assert set(sink.documents) == urls(1, 2)


def test_sequence_numbers_only_grow_even_when_the_clock_does_not(engine, site_id):
    clock, sink = Clock(), Memory()
    feed(engine, sink, clock=clock)
    first = max(one.sequence for one in sink.documents.values())
    assert first >= clock.time.timestamp() * 1000
    clock.forward(-86_400)
    put(engine, site_id, 1, "changed")
    assert feed(engine, sink, clock=clock).delivered == 1
    assert sink.documents["https://example.org/1"].sequence == first + 1


def test_a_change_while_sending_is_sent_again(engine, site_id):
    class Slow(Memory):
        def send(self, changes):
            if len(self.batches) == 0:
                put(engine, site_id, 1, "changed meanwhile")
            return super().send(changes)

    sink = Slow()
    assert feed(engine, sink).delivered == 7
    assert sink.documents["https://example.org/1"].text == "changed meanwhile"


def test_a_kill_between_sending_and_noting_sends_again(engine, site_id, monkeypatch):
    sink = Memory()
    with monkeypatch.context() as patch:
        patch.setattr(SinkRepository, "acknowledge", lambda *arguments: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            feed(engine, sink)
    assert feed(engine, sink).delivered == 6


def test_a_sink_that_is_down_loses_nothing_and_says_since_when(engine, site_id, caplog):
    clock, sink = Clock(), Memory(SinkUnavailableError("no answer"), SinkUnavailableError("no answer"))
    result = feed(engine, sink, attempts=2, clock=clock)
    assert (result.delivered, result.failing_since, result.failure) == (0, clock.time, "no answer")
    assert "memory is down since 2026-03-01 00:00:00 UTC, 6 changes are waiting: no answer" in caplog.text
    sink.answers = [SinkUnavailableError("still none")]
    clock.forward(3600)
    assert feed(engine, sink, clock=clock).failing_since == clock.time - dt.timedelta(hours=1)
    assert only_state(engine).failure == "still none"
    assert feed(engine, sink, clock=clock).delivered == 6
    assert only_state(engine).failing_since is None


def test_a_sink_that_asks_for_a_pause_gets_it(engine, site_id):
    waits = []

    class Stop(threading.Event):
        def wait(self, timeout=None):
            waits.append(timeout)
            return False

    sink = Memory(SinkUnavailableError("busy", 7.0), SinkUnavailableError("busy", 10**6))
    Feeder(engine, "memory", sink).run(Stop(), attempts=9, poll=None)
    assert waits == [7.0, feeder_module.LONGEST_ASKED_PAUSE]


def test_batches_shrink_while_a_sink_fails_and_grow_again(engine, site_id):
    sink = Memory(*(SinkUnavailableError("away") for _ in range(2)))
    feed(engine, sink, attempts=9, batch=4)
    assert [len(batch) for batch in sink.batches] == [4, 2, 1, 2, 3]


def test_a_batch_refused_as_a_whole_is_taken_apart(engine, site_id):
    class Picky(Memory):
        def send(self, changes):
            if any(change.url.endswith("/4") for change in changes):
                raise BatchRefusedError("bad document")
            return super().send(changes)

    sink = Picky()
    result = feed(engine, sink)
    assert (result.delivered, result.rejected) == (5, 1)
    assert set(sink.documents) == urls(1, 2, 3, 5, 6)
    (page,) = rejected(engine)
    assert (page.url, page.reason, page.retry_at) == ("https://example.org/4", "bad document", None)


def test_a_refused_page_is_set_aside_until_it_changes(engine, site_id):
    sink = Memory()
    sink.refused = {"4": True}
    assert feed(engine, sink).rejected == 1
    assert feed(engine, sink).rejected == 0
    assert only_state(engine).set_aside == 1
    sink.refused = {}
    put(engine, site_id, 4, "better now")
    feed(engine, sink)
    assert rejected(engine) == []
    assert sink.documents["https://example.org/4"].text == "better now"


def test_a_page_that_a_sink_could_not_take_is_tried_again_later(engine, site_id):
    clock, sink = Clock(), Memory()
    sink.refused = {"4": False}
    feed(engine, sink, clock=clock)
    tries = 1
    for seconds in feeder_module.RETRIES:
        assert rejected(engine)[0].retry_at == clock.time + dt.timedelta(seconds=seconds)
        clock.forward(seconds - 1)
        feed(engine, sink, clock=clock)
        assert rejected(engine)[0].attempts == tries
        clock.forward(1)
        feed(engine, sink, clock=clock)
        tries += 1
    assert rejected(engine)[0].retry_at is None
    with session_scope(engine) as session:
        assert SinkRepository(session).retry("memory", clock.time) == 1
    sink.refused = {}
    assert feed(engine, sink, clock=clock).delivered == 1
    assert rejected(engine) == []


def test_two_processes_on_one_sink_are_noticed(engine, site_id):
    class Doubled(Memory):
        def send(self, changes):
            with session_scope(engine) as session:
                session.execute(text("UPDATE sink SET sequence = 1"))
            return super().send(changes)

    with pytest.raises(SinkError, match="memory: another process feeds this sink"):
        feed(engine, Doubled())


def test_resent_everything_comes_again(engine, site_id):
    sink = Memory()
    sink.refused = {"4": True}
    feed(engine, sink)
    with session_scope(engine) as session:
        SinkRepository(session).rewind("memory")
    assert rejected(engine) == []
    assert feed(engine, sink).delivered == 5


def test_numbers_wait_for_no_writer(engine, site_id):
    """A writer that is slow to commit gets its numbers later, so no reader has passed them."""
    if engine.dialect.name == "sqlite":
        return  # one writer at a time
    feed(engine, Memory())
    with session_scope(engine) as slow:
        ContentRepository(slow).put(site_id, content(1, "slow", crawl_id=2))
        put(engine, site_id, 2, "quick")
        sink = Memory()
        assert feed(engine, sink).delivered == 1
    assert feed(engine, sink).delivered == 1
    assert {one.text for one in sink.documents.values()} == {"slow", "quick"}


def test_it_goes_on_until_it_is_stopped(engine, site_id):
    stop, sink = threading.Event(), Memory()
    thread = threading.Thread(target=lambda: Feeder(engine, "memory", sink).run(stop, attempts=1, poll=0.02))
    thread.start()
    put(engine, site_id, 1, "changed")
    deadline = dt.datetime.now() + dt.timedelta(seconds=10)
    while "changed" not in {one.text for one in list(sink.documents.values())}:
        assert dt.datetime.now() < deadline
    stop.set()
    thread.join(10)
    assert not thread.is_alive()


def test_a_sink_that_fails_in_a_way_of_its_own_is_down_and_tried_again(engine, site_id):
    sink = Memory(UnicodeEncodeError("ascii", "\u00e9", 0, 1, "ordinal not in range"), ValueError("x"))
    result = feed(engine, sink, attempts=3)
    assert (result.delivered, result.failure, len(sink.batches)) == (6, None, 3)
    put(engine, site_id, 3, "changed")
    sink.answers = [ValueError("no\nsuch")] * 2
    result = feed(engine, sink, attempts=2)
    assert (result.delivered, result.failure) == (0, "ValueError: no such")
    assert only_state(engine).failure == "ValueError: no such"


def away(monkeypatch, *fails):
    """Let the database be away at these accesses, counted from 1; return how often it was."""
    seen, scope, count = [], feeder_module.session_scope, itertools.count(1)

    @contextmanager
    def failing(engine, **options):
        number = next(count)
        if number in fails:
            seen.append(number)
            raise DatabaseLostError("the server cannot be reached") from OperationalError("", None, Exception())
        with scope(engine, **options) as session:
            yield session

    monkeypatch.setattr(feeder_module, "session_scope", failing)
    return seen


@pytest.mark.parametrize("fails", [(1, 2), (2,), (3, 4), (5, 6), (7,)])
def test_a_database_that_is_away_for_a_while_is_waited_for(engine, site_id, monkeypatch, caplog, fails):
    seen, sink = away(monkeypatch, *fails), Memory()
    feed(engine, sink)
    assert (tuple(seen), set(sink.documents)) == (fails, urls(1, 2, 3, 4, 5, 6))
    assert caplog.text.count("memory waits for the database: the server cannot be reached") == len(fails)


def test_a_database_that_is_away_while_a_sink_is_down_is_waited_for(engine, site_id, monkeypatch):
    sink = Memory(SinkUnavailableError("down"))
    seen = away(monkeypatch, 6)  # where it is noted that the sink is down
    result = feed(engine, sink, attempts=2)
    assert (seen, result.delivered, result.failure) == ([6], 6, None)


def test_a_database_that_stays_away_ends_a_run_to_the_end(engine, site_id, monkeypatch):
    seen = away(monkeypatch, 1, 2)
    monkeypatch.setattr(feeder_module, "PATIENCE", 0.0)
    with pytest.raises(DatabaseLostError):
        feed(engine, Memory())
    assert seen == [1]


def test_a_failure_of_the_database_in_a_sink_is_none_of_the_sink(engine, site_id, caplog):
    lost = DatabaseLostError("the server cannot be reached")
    lost.__cause__ = OperationalError("", None, Exception())
    result = feed(engine, Memory(lost))
    assert (result.delivered, result.failure) == (6, None)
    assert "memory waits for the database" in caplog.text
    with pytest.raises(StorageError, match="the disk is full"):
        feed(engine, Memory(DatabaseLostError("the disk is full")), "other")
