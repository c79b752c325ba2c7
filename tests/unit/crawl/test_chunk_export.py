"""Tests of exports of chunks: exactly the changed chunks are written again."""

import datetime as dt
from random import Random

import pytest
from sqlalchemy import select

from sitecrawl.crawl import chunk_export
from sitecrawl.crawl.chunk_export import KEPT, ChunkExport, made_of_record
from sitecrawl.dom.chunks import chunks
from sitecrawl.links.urls import url_id
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.deletions import DeletionRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import SENT_CHUNKS
from tests.integration.feeding import add_pages, content
from tests.unit.storage.test_contents import record

START = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
PAGES = 12


class Exports:
    def __init__(self, engine):
        self.engine, self.moment = engine, START
        self.site_id = add_pages(engine, PAGES)

    def put(self, key, text, index=True, **values):
        with session_scope(self.engine) as session:
            ContentRepository(session).put(self.site_id, content(key, text, crawl_id=2, **values), index=index)

    def delete(self, *keys):
        with session_scope(self.engine) as session:
            DeletionRepository(session).carry_out(self.site_id, keys, 3, 99, self.moment)

    def run(self, kind="content", finish=True, hosts=None, **how):
        self.moment += dt.timedelta(hours=1)
        export = ChunkExport(self.engine, kind, self.moment)
        with session_scope(self.engine, write=False) as session:
            sites = [one for one in SiteRepository(session).refs() if hosts is None or one.host in hosts]
        rows = list(export.rows(sites, every=hosts is None, **how))
        if finish:
            export.finish()
        return rows


@pytest.fixture
def exports(engine):
    return Exports(engine)


def long_text(rng, paragraphs=30):
    return "\n".join(
        " ".join(rng.choices(("river", "stone", "harbour", "bridge", "letter"), k=30)) for _ in range(paragraphs)
    )


def edited(rng, text):
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    kind = rng.choice(("insert", "delete", "change", "move"))
    if kind == "insert":
        lines.insert(at, f"inserted {rng.random()} in the middle of all the others, by an editor")
    elif kind == "delete":
        del lines[at]
    elif kind == "change":
        lines[at] += " and more"
    else:
        lines.append(lines.pop(at))
    return "\n".join(lines)


def ids(page, text):
    return {one.id for one in chunks(url_id(f"https://example.org/{page}"), text, None)}


def test_three_versions_send_what_changed_and_nothing_else(exports):
    rng = Random(7)
    texts = {key: long_text(rng) for key in range(1, PAGES + 1)}
    for key, text in texts.items():
        exports.put(key, text)
    held = {row.id for row in exports.run()}
    assert held == set().union(*(ids(*one) for one in texts.items()))
    for version in range(3):
        changed = dict(texts)
        for key in rng.sample(sorted(texts), 5):
            changed[key] = edited(rng, texts[key])
            exports.put(key, changed[key])
        if version == 1:
            gone = sorted(texts)[0]
            exports.delete(gone)
            del changed[gone]
        rows = exports.run(changed=True)
        before = set().union(*(ids(*one) for one in texts.items()))
        after = set().union(*(ids(*one) for one in changed.items()))
        sent = [row.id for row in rows if row.status == "new"]
        dead = [row.id for row in rows if row.status == "gone"]
        assert sorted(sent) == sorted(after - before)
        assert sorted(dead) == sorted(before - after)
        held = (held - set(dead)) | set(sent)
        assert held == after
        texts = changed
    assert exports.run(changed=True) == []


def test_since_a_time_is_all_that_changed_after_it(exports):
    exports.run()
    first = exports.moment
    exports.put(1, "the text of page one in its second version")
    exports.run()
    exports.put(1, "the text of page one in its third version")
    exports.delete(2)
    exports.run()
    rows = exports.run(since=first + dt.timedelta(seconds=1))
    assert [row.text for row in rows if row.status == "new"] == ["the text of page one in its third version"]
    second = ids(1, "the text of page one in its second version")
    dead = ids(1, "the first words of page 1") | second | ids(2, "the first words of page 2")
    assert {row.id for row in rows if row.status == "gone"} == dead
    assert all(row.url and row.text is None for row in rows if row.status == "gone")
    assert len(exports.run()) == PAGES - 1  # without a time: all of them, and no tombstones


def test_an_export_that_was_not_finished_is_repeated(exports):
    exports.run()
    exports.put(1, "the text of page one in its second version")
    exports.delete(3)
    lost = exports.run(changed=True, finish=False)
    assert [row.status for row in lost] == ["new", "gone", "gone"]
    assert exports.run(changed=True) == lost
    assert exports.run(changed=True) == []


def test_a_text_that_comes_back_has_its_ids_again(exports):
    first = {row.id for row in exports.run()}
    exports.put(1, "another text for a while")
    exports.run(changed=True)
    exports.put(1, "the first words of page 1")
    rows = exports.run(changed=True)
    assert {row.id for row in rows if row.status == "new"} <= first
    assert [row.status for row in rows] == ["new", "gone"]


def test_pages_of_another_kind_and_duplicates_and_those_not_to_be_indexed_have_no_chunks(exports):
    exports.run()
    exports.put(1, "the first words of page 1", kind="listing")
    exports.put(2, "the first words of page 2", duplicate_of="d" * 32)
    exports.put(3, "the first words of page 3", index=False)
    rows = exports.run(changed=True)
    assert {(row.url, row.status) for row in rows} == {
        ("https://example.org/1", "gone"),
        ("https://example.org/2", "gone"),
        ("https://example.org/3", "gone"),
    }
    assert len(exports.run(kind=None)) == PAGES - 2  # an export of all kinds is another reader


def test_a_forgotten_site_leaves_tombstones(exports):
    exports.run()
    with session_scope(exports.engine) as session:
        SiteRepository(session).forget("example.org")
    rows = exports.run(changed=True)
    assert len(rows) == PAGES
    assert {row.status for row in rows} == {"gone"}
    assert {row.site for row in rows} == {"example.org"}


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("host", ["example.org", "www.example.org"])
def test_a_site_that_was_forgotten_and_crawled_again_keeps_its_chunks(exports, told, host):
    held = {row.id for row in exports.run()}
    start = exports.moment
    with session_scope(exports.engine) as session:
        SiteRepository(session).forget("example.org")
        SiteRepository(session).get_or_add("other.example", "https://other.example/", START)  # takes its number
    if told:
        held -= {row.id for row in exports.run(changed=True)}
        assert held == set()
    exports.site_id = add_pages(exports.engine, PAGES - 1, host)
    exports.put(1, "the text of page one in its second version")
    rows = exports.run(changed=True)
    new, gone = ({row.id for row in rows if row.status == status} for status in ("new", "gone"))
    after = {row.id for row in exports.run()}
    assert not new & gone
    assert (held - gone) | new == after
    since = exports.run(since=start)
    assert {row.id for row in since if row.status == "gone"}.isdisjoint(after)


def test_an_export_of_one_site_ends_nothing_for_the_others(exports):
    other = add_pages(exports.engine, 3, "example.com")
    exports.run(hosts=["example.org"], changed=True)
    lost = exports.run(hosts=["example.com"], changed=True, finish=False)
    assert len(lost) == 3
    exports.put(1, "the text of page one in its second version")
    assert [row.status for row in exports.run(hosts=["example.org"], changed=True)] == ["new", "gone"]
    assert exports.run(hosts=["example.com"], changed=True) == lost
    with session_scope(exports.engine) as session:
        DeletionRepository(session).carry_out(other, [2], 3, 99, exports.moment)
    exports.put(1, "the text of page one in its third version")
    assert {(row.site, row.status) for row in exports.run(changed=True)} == {
        ("example.com", "gone"),
        ("example.org", "new"),
        ("example.org", "gone"),
    }
    assert exports.run(changed=True) == []


def test_a_clock_that_is_set_back_loses_nothing(exports):
    exports.run()
    exports.moment -= dt.timedelta(days=30)
    exports.put(1, "the text of page one in its second version")
    exports.delete(2)
    assert [row.status for row in exports.run(changed=True)] == ["new", "gone", "gone"]
    assert exports.run(changed=True) == []


def test_tombstones_are_kept_for_a_time(exports):
    exports.run()
    exports.put(1, "another text")
    exports.run()
    exports.moment += KEPT
    exports.put(1, "a third text")
    exports.run()
    rows = exports.run(since=START)
    assert {row.id for row in rows if row.status == "gone"} == ids(1, "another text")


def test_the_time_itself_is_since_it(exports):
    exports.put(1, long_text(Random(1)))
    first = exports.run()
    at = exports.moment
    assert [row.id for row in exports.run(since=at)] == [row.id for row in first]
    assert exports.run(since=at + dt.timedelta(milliseconds=1)) == []
    exports.delete(1)
    gone = exports.run(changed=True)
    at = exports.moment
    assert {row.status for row in gone} == {"gone"}
    assert len(exports.run(since=at)) == len(gone)
    assert exports.run(since=at + dt.timedelta(milliseconds=1)) == []


@pytest.mark.parametrize("read", [1, 2, 500])
def test_the_tombstones_of_the_chosen_sites_are_written(exports, monkeypatch, read):
    monkeypatch.setattr(chunk_export, "READ", read)
    for key in (1, 2, 3):
        exports.put(key, long_text(Random(key)))
    exports.run()
    exports.delete(1, 2)
    exports.moment += dt.timedelta(hours=1)
    with session_scope(exports.engine, write=False) as session:
        sites = SiteRepository(session).refs()
    export = ChunkExport(exports.engine, "content", exports.moment)
    assert list(export.rows([], changed=True)) == []
    rows = list(export.rows(sites, changed=True))
    assert {(row.page, row.status) for row in rows} == {
        (url_id(f"https://example.org/{key}"), "gone") for key in (1, 2)
    }


def test_a_page_that_only_lost_chunks_at_that_time_is_told(exports):
    lines = long_text(Random(5)).split("\n")
    whole = ids(1, "\n".join(lines))
    left = next(text for n in range(len(lines) - 1, 0, -1) if set(ids(1, text := "\n".join(lines[:n]))) < set(whole))
    exports.put(1, "\n".join(lines))
    exports.run()
    exports.put(1, left)
    gone = [row.id for row in exports.run(changed=True) if row.status == "gone"]
    assert set(gone) == set(whole) - set(ids(1, left))
    at = exports.moment
    assert [(row.id, row.status) for row in exports.run(since=at)] == [(one, "gone") for one in gone]
    assert exports.run(since=at + dt.timedelta(milliseconds=1)) == []


def test_the_fingerprint_of_a_page_fills_its_column():
    made = made_of_record(record(words="one text"))
    assert len(made) == SENT_CHUNKS.c.made_of.type.length
    assert made != made_of_record(record(words="another text"))


def test_the_time_of_an_export_is_stored_where_other_versions_look_for_it(exports):
    exports.run()
    mark = select(SENT_CHUNKS.c.chunks).where(SENT_CHUNKS.c.site_id == 0, SENT_CHUNKS.c.url_key == 0)
    with session_scope(exports.engine, write=False) as session:
        assert session.scalar(mark) == {"exported": int(exports.moment.timestamp() * 1000)}
