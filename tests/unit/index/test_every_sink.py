"""Tests of every sink: delivery at least once, in order, deletions, refusals by name, and recovery from kills.

Against a real server: SITECRAWL_TEST_OPENSEARCH_URL, SITECRAWL_TEST_MEILISEARCH_URL with SITECRAWL_TEST_MEILISEARCH_KEY,
SITECRAWL_TEST_TYPESENSE_URL with SITECRAWL_TEST_TYPESENSE_KEY (`test_a_real_server_takes_what_is_sent`).
"""

import json
import os
import random
import threading
import uuid
from contextlib import contextmanager

import pytest

from sitecrawl.dom.chunks import chunks
from sitecrawl.index import feeder as feeder_module
from sitecrawl.index.chunked import ChunkedSink, reader_of, send_again
from sitecrawl.index.documents import change_of
from sitecrawl.index.feeder import Feeder
from sitecrawl.index.lancedb import LanceDbSink
from sitecrawl.index.markdown import MarkdownSink
from sitecrawl.index.meilisearch import MeilisearchSink
from sitecrawl.index.ndjson import NdjsonSink
from sitecrawl.index.opensearch import OpenSearchSink
from sitecrawl.index.sinks import SinkUnavailableError, send_in_parts
from sitecrawl.index.typesense import TypesenseSink
from sitecrawl.index.webhook import WebhookSink
from sitecrawl.links.urls import url_id
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.outbox import Outbox
from sitecrawl.storage.sent_chunks import SentChunks
from sitecrawl.storage.sinks import SinkRepository
from sitecrawl.storage.sites import SiteRepository
from tests.integration.feeding import HOST, add_pages, bulk_server, content, state
from tests.unit.index.builders import deletion, upsert
from tests.unit.index.servers import REFUSED, Embeddings, Meilisearch, Receiver, Server, Typesense, letters

NAMES = ("lancedb", "markdown", "meilisearch", "ndjson", "opensearch", "typesense", "webhook")
HTTP = ("meilisearch", "opensearch", "typesense", "webhook")


class Kind:
    """A sink of one type that can be built repeatedly, and the content of its server or folder: id -> text."""

    def __init__(self, make, held, refuses=False):
        self.make, self.held, self.refuses = make, held, refuses


@contextmanager
def kind_of(name, folder, fail=0.0):
    if name == "ndjson":
        yield Kind(lambda: NdjsonSink(str(folder), max_bytes=4000), lambda: _lines(folder))
    elif name == "markdown":
        yield Kind(lambda: MarkdownSink(str(folder)), lambda: _files(folder))
    elif name == "lancedb":
        with Server(Embeddings, fail) as server:
            options = {"url": f"{server.url}/v1", "model": "letters", "key": "key"}
            yield Kind(lambda: LanceDbSink(str(folder), options), lambda: rows_of(folder), refuses=True)
            assert server.broken == []
    elif name == "opensearch":
        with bulk_server("--fail", fail, "--seed", 3) as url:
            documents = lambda: {key: one["source"]["text"] for key, one in state(url)["documents"].items()}  # noqa: E731
            yield Kind(lambda: OpenSearchSink(url), documents, refuses=True)
    else:
        handler = {"meilisearch": Meilisearch, "typesense": Typesense, "webhook": Receiver}[name]
        make = {
            "meilisearch": lambda url: MeilisearchSink(url, key="key", wait=lambda seconds: None),
            "typesense": lambda url: TypesenseSink(url, "key"),
            "webhook": WebhookSink,
        }[name]
        with Server(handler, fail) as server:
            texts = lambda: {key: one["text"] for key, one in server.documents.items()}  # noqa: E731
            yield Kind(lambda: make(server.url), texts, refuses=True)
            assert server.broken == []


def rows_of(folder):
    """The texts in a table of LanceDB by id; each has the vector of its text."""
    import lancedb  # two seconds that only the worker of these tests has to spend

    rows = lancedb.connect(str(folder)).open_table("pages").to_arrow().to_pylist()
    assert all(row["vector"] == letters(embedded_text_of(row)) for row in rows)
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"]: row["text"] for row in rows}


def embedded_text_of(row):
    above = row["headings"] or [] if row["page"] else [row["title"]]
    return "\n".join([*above, row["text"]])


def _lines(folder):
    newest = {}
    for path in sorted(folder.glob("*.ndjson")):
        for row in map(json.loads, path.read_text().splitlines()):
            if row["sequence"] >= newest.get(row["id"], row)["sequence"]:
                newest[row["id"]] = row
    return {name: row["document"]["text"] for name, row in newest.items() if row["operation"] == "upsert"}


def _files(folder):
    held = {}
    for path in folder.rglob("*.md"):
        front, _, body = path.read_text().removeprefix("---\n").partition("---\n\n")
        fields = dict(line.split(": ", 1) for line in front.splitlines())
        held[json.loads(fields["id"])] = body.rstrip("\n").replace("\n\n", "\n")
    return held


@pytest.fixture(params=NAMES)
def kind(request, tmp_path):
    with kind_of(request.param, tmp_path / "sink") as one:
        yield one


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(feeder_module, "FIRST_PAUSE", 0.0)
    monkeypatch.setattr(feeder_module, "LONGEST_PAUSE", 0.0)


def test_documents_are_stored_replaced_and_deleted(kind):
    sink = kind.make()
    assert sink.send([upsert(1, text="one"), upsert(2, text="two"), deletion(3)]) == []
    assert kind.held() == {upsert(1).id: "one", upsert(2).id: "two"}
    assert sink.send([upsert(1, 12, text="one again"), deletion(2, 13), upsert(4, 14, text="four")]) == []
    assert kind.held() == {upsert(1).id: "one again", upsert(4).id: "four"}
    sink.close()


def test_a_repeated_change_changes_nothing_and_a_late_one_neither(kind):
    changes = [upsert(1, 20, text="new"), upsert(2, 21, text="two")]
    for _ in range(3):
        sink = kind.make()
        sink.send(changes)
        sink.close()
    sink = kind.make()
    assert sink.send([upsert(1, 10, text="old"), deletion(2, 11)]) == []
    assert kind.held() == {upsert(1).id: "new", upsert(2).id: "two"}
    sink.close()


def test_a_page_that_is_forgotten_and_crawled_again_is_there(kind):
    sink = kind.make()
    sink.send([upsert(1, 10, text="one"), upsert(2, 11, text="two")])
    assert sink.send([deletion(1, 20), deletion(2, 21), upsert(1, 22, text="one again")]) == []
    assert kind.held() == {upsert(1).id: "one again"}
    sink.close()


def test_a_refused_document_is_named_and_the_others_are_stored(kind):
    if not kind.refuses:
        return  # files take any text
    sink = kind.make()
    rejections = send_in_parts(sink, [upsert(n, text=f"{REFUSED if n == 3 else 'text'} {n}") for n in range(1, 8)])
    assert [(one.change.id, one.final) for one in rejections] == [(upsert(3).id, True)]
    assert rejections[0].reason
    assert kind.held().keys() == {upsert(n).id for n in (1, 2, 4, 5, 6, 7)}
    sink.close()


@pytest.mark.parametrize("name", HTTP)
def test_a_server_that_is_away_or_forbids_is_unavailable(name):
    away = {
        "meilisearch": lambda url: MeilisearchSink(url),
        "opensearch": OpenSearchSink,
        "typesense": lambda url: TypesenseSink(url, "wrong"),
        "webhook": WebhookSink,
    }[name]
    with pytest.raises(SinkUnavailableError, match="no response"):
        away("http://127.0.0.1:9").send([upsert(1)])
    handler = {"meilisearch": Meilisearch, "typesense": Typesense}.get(name)
    if handler is not None:  # a wrong key is no page's fault
        with Server(handler) as server, pytest.raises(SinkUnavailableError, match=r" 40[13] "):
            away(server.url).send([upsert(1)])


class Killed(Exception):
    """The process ends here."""


class Deadly:
    """A sink in a process that is killed before, within or after a delivery."""

    def __init__(self, sink, rng):
        self.sink, self.rng = sink, rng

    def send(self, changes):
        luck = self.rng.random()
        if luck < 0.1:
            raise Killed
        if luck < 0.2:
            self.sink.send(changes[: len(changes) // 2])
            raise Killed
        done = self.sink.send(changes)
        if luck < 0.35:
            raise Killed
        return done

    def close(self):
        self.sink.close()


def run(engine, kind, rng=None, chunked=False):
    """Feed until the outbox is empty; with `rng`, processes are killed, and new ones continue."""
    while True:
        sink = kind.make()
        built = Deadly(sink, rng) if rng is not None else sink
        built = ChunkedSink(built, engine, "sink") if chunked else built
        try:
            result = Feeder(engine, "sink", built, batch=7).run(threading.Event(), attempts=200, poll=None)
        except Killed:
            continue
        finally:
            sink.close()
        assert result.failure is None
        return result


def wanted(engine, chunked):
    held = {}
    with session_scope(engine, write=False) as session:
        for queued in Outbox(session).after(0, 10_000):
            change = change_of(queued, ("content",))
            if change.document is None:
                continue
            if chunked:
                held.update({one.id: one.text for one in chunks(change.id, change.document.text, None)})
            else:
                held[change.id] = change.document.text
    return held


def edit(engine, site_id, rng, number):
    with session_scope(engine) as session:
        contents = ContentRepository(session)
        for _ in range(rng.randint(1, 6)):
            key, luck = rng.randint(1, 15), rng.random()
            lines = [
                f"line {i} of page {key} " + "word " * 80 + str(rng.randint(0, 2)) for i in range(rng.randint(1, 9))
            ]
            kind = "listing" if luck < 0.15 else "content"
            contents.put(site_id, content(key, "\n".join(lines), crawl_id=2 + number, kind=kind), index=luck < 0.85)


EVERY = [("sqlite", name, chunked) for name in NAMES for chunked in (False, True)]
EVERY.remove(("sqlite", "opensearch", True))  # the strict server of that API knows documents of pages only
EVERY += [("postgresql", "meilisearch", chunked) for chunked in (False, True)]  # sinks know nothing of databases


@pytest.mark.parametrize(("database_url", "name", "chunked"), EVERY, indirect=["database_url"])
def test_kills_and_failures_leave_exactly_what_the_database_says(tmp_path, engine, name, chunked):
    rng = random.Random(11)
    site_id = add_pages(engine, 15)
    with kind_of(name, tmp_path / "sink", fail=0.15) as kind:
        for number in range(6):
            edit(engine, site_id, rng, number)
            run(engine, kind, rng if number < 5 else None, chunked)
        assert {key: one.strip() for key, one in kind.held().items()} == {
            key: one.strip() for key, one in wanted(engine, chunked).items()
        }
        with session_scope(engine) as session:
            SiteRepository(session).forget(HOST)
        run(engine, kind, rng, chunked)
        assert kind.held() == {}
        with session_scope(engine, write=False) as session:
            assert SentChunks(session, reader_of("sink")).after(None, 10) == []


class Counting:
    """A sink that keeps documents in memory, and counts what it was sent."""

    def __init__(self):
        self.held, self.sent, self.refused = {}, [], set()

    def send(self, changes):
        from sitecrawl.index.sinks import Rejection

        rejections = []
        for change in changes:
            self.sent.append((change.id, change.document is not None))
            if change.id in self.refused:
                rejections.append(Rejection(change, "not this one", True))
            elif change.document is None:
                self.held.pop(change.id, None)
            else:
                self.held[change.id] = change.document
        return rejections

    def close(self):
        pass


def test_only_the_chunks_that_changed_are_sent(engine):
    rng, memory = random.Random(5), Counting()
    site_id = add_pages(engine, 15)
    kind = Kind(lambda: memory, lambda: memory.held)
    run(engine, kind, chunked=True)
    before = set(memory.held)
    for number in range(8):
        memory.sent.clear()
        edit(engine, site_id, rng, number)
        run(engine, kind, chunked=True)
        after = set(wanted(engine, chunked=True))
        assert set(memory.held) == after
        assert sorted(name for name, stored in memory.sent if stored) == sorted(after - before)
        assert sorted(name for name, stored in memory.sent if not stored) == sorted(before - after)
        before = after
    document = next(iter(memory.held.values())).as_dict()
    assert {"id", "page", "url", "site", "text", "tokens", "kind", "date", "sequence"} <= document.keys()
    memory.sent.clear()
    with session_scope(engine) as session:
        SinkRepository(session).rewind("sink")
    send_again(engine, "sink")
    run(engine, kind, chunked=True)
    assert sorted(name for name, stored in memory.sent if stored) == sorted(before)


def test_a_page_with_a_refused_chunk_is_refused_by_name(engine):
    memory = Counting()
    site_id = add_pages(engine, 3)
    with session_scope(engine) as session:
        ContentRepository(session).put(site_id, content(2, "\n".join(f"part {i} " + "word " * 300 for i in range(4))))
    parts = [
        one.id
        for one in chunks(url_id(f"https://{HOST}/2"), "\n".join(f"part {i} " + "word " * 300 for i in range(4)), None)
    ]
    memory.refused = {parts[1]}
    kind = Kind(lambda: memory, lambda: memory.held)
    assert run(engine, kind, chunked=True).rejected == 1
    with session_scope(engine, write=False) as session:
        (page,) = SinkRepository(session).rejected("sink")
    assert page.url == f"https://{HOST}/2"
    assert parts[1] in page.reason
    assert set(memory.held) == set(wanted(engine, chunked=True)) - {parts[1]}


REAL = {
    "opensearch": lambda url, key, name: OpenSearchSink(url, index=name),
    "meilisearch": lambda url, key, name: MeilisearchSink(url, index=name, key=key),
    "typesense": lambda url, key, name: TypesenseSink(url, key, collection=name),
}
LOCAL = {"meilisearch": Meilisearch, "typesense": Typesense}


@contextmanager
def real_server(name):
    """The address and key of a real server given by the environment, else of a server of these tests."""
    url = os.environ.get(f"SITECRAWL_TEST_{name.upper()}_URL")
    if url:
        yield url, os.environ.get(f"SITECRAWL_TEST_{name.upper()}_KEY", "")
    elif name == "opensearch":
        with bulk_server() as address:
            yield address, ""
    else:
        with Server(LOCAL[name]) as server:
            yield server.url, "key"


@pytest.mark.parametrize("name", REAL)
def test_a_real_server_takes_what_is_sent(name):
    with real_server(name) as (url, key):
        sink = REAL[name](url, key, "pages" if key == "key" else f"sitecrawl-{uuid.uuid4().hex[:8]}")
        assert send_in_parts(sink, [upsert(1, text="one"), upsert(2, text="two"), deletion(3)]) == []
        assert send_in_parts(sink, [upsert(1, 20, text="one again"), deletion(2, 21)]) == []
        assert send_in_parts(sink, [upsert(1, 5, text="old")]) == []
        sink.close()
