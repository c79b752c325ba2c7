"""Crawls versions of a site, and compares the chunks that were sent with the chunks that changed.

A version is what the site serves before one crawl: its paragraphs are edited and its pages go and come back. Readers
are an export, a sink that nothing happens to, and sinks whose process is killed within deliveries.
"""

import json
import os
import random
import re
import signal
import subprocess
import threading
from collections import Counter
from contextlib import ExitStack
from typing import Any, NamedTuple

from sitecrawl.dom.chunks import chunks
from sitecrawl.index.documents import Document, change_of
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.outbox import Outbox
from tests import fork
from tests.integration.server import SiteServer
from tests.integration.test_crawl import command, crawl, environment, release
from tests.unit.index.servers import Receiver, Server

PARAGRAPH = re.compile(r"<p\b[^>]*>((?:(?!</?(?:p|div|li|td|pre|script|style)\b).){80,}?)</p>", re.S | re.I)
WORD = re.compile(r"\w+")
TAG = re.compile(r"<[^>]*>")
SETTINGS = ("-s", "SITECRAWL_CONTENT_HTML=1", "-s", "SITECRAWL_PROGRESS=off")
GONE = (410, {}, "<h1>Gone</h1>")


class Version(NamedTuple):
    """The changes of one version."""

    edited: frozenset[str]
    gone: frozenset[str]
    back: frozenset[str]
    edits: int
    """Number of paragraphs that were reworded, inserted, removed, or given a link and no other word."""


class Outcome(NamedTuple):
    """Numbers of one version."""

    pages: int
    edits: int
    gone: int
    chunks: int
    """Chunks of all pages before the version."""
    changed: int
    """Chunks that are new or gone, of all pages."""
    exported: int
    sent: int
    """Changes that the undisturbed sink got; it takes pages of content only."""
    elsewhere: int
    """Changed chunks of pages that were not edited, and neither went nor came back."""
    kills: int
    """Kills of processes within deliveries to the killed sink."""
    repeated: int
    """Changes that the killed sink got twice."""


class Noting(Receiver):
    """A receiver that notes the changes that it was sent.

    It kills the sender at the requests of `deadly`, which says whether the request is taken all the same.
    """

    def reply(self, body):
        server = self.server
        changes = json.loads(body)["changes"]
        server.requests += 1
        taken = server.deadly.get(server.requests)
        if taken is not None:
            assert server.started.wait(60)
            os.kill(server.sender.pid, signal.SIGKILL)
            if not taken:
                return 503, {"message": "the sender is dead"}
        server.noted += [(one["operation"], one["id"]) for one in changes]
        return super().reply(body)


class Site:
    """A site of pages by path whose paragraphs can be edited; `gold` are texts by path that edits have to lie in."""

    def __init__(self, server: SiteServer, start: str, gold: dict[str, str] | None = None) -> None:
        self.server, self.start, self._gold = server, start, gold
        self._away: dict[str, Any] = {}

    def next_version(self, rng: random.Random, share: float = 0.1, gone: int = 2) -> Version:
        """Edit a share of the pages, remove some, and bring one back that was removed before."""
        pages = self.server.pages
        back = sorted(self._away)[:1]
        pages.update({path: self._away.pop(path) for path in back})
        found = {path: self._paragraphs(path) for path, one in pages.items() if isinstance(one, str)}
        chosen = sorted(path for path, places in found.items() if places and path != self.start and path not in back)
        rng.shuffle(chosen)
        left, rest = chosen[:gone], chosen[gone:]
        edited = rest[: max(3, round(len(found) * share))]
        edits = sum(self._edit(path, found[path], rng) for path in edited)
        for path in left:
            self._away[path] = pages[path]
            pages[path] = GONE
        return Version(frozenset(edited), frozenset(left), frozenset(back), edits)

    def _paragraphs(self, path: str) -> list[tuple[int, int]]:
        """Return the places of paragraphs, the last first."""
        page = self.server.pages[path]
        gold = None if self._gold is None else _words(self._gold.get(path, ""))
        return [
            one.span(1)
            for one in reversed(list(PARAGRAPH.finditer(page)))
            if gold is None or _words(TAG.sub("", one[1])) in gold
        ]

    def _edit(self, path: str, places: list[tuple[int, int]], rng: random.Random) -> int:
        page = self.server.pages[path]
        chosen = [one for one in places if rng.random() < 0.25] or places[:1]
        for first, last in chosen:
            number = rng.randrange(10**6)
            what = rng.choice(("reword", "insert", "remove", "link"))
            word = WORD.match(page, first, last)
            if what == "link" and word is not None:
                page = f'{page[:first]}<a href="https://example.org/{number}">{word[0]}</a>{page[word.end() :]}'
            elif what in ("reword", "link"):
                page = f"{page[:first]}As was corrected under number {number}, {page[first:]}"
            elif what == "insert":
                page = f"{page[:last]}</p><p>A paragraph that is new, with the number {number}.{page[last:]}"
            else:
                page = page[:first] + page[last:]
        self.server.pages[path] = page
        return len(chosen)


def _words(text: str) -> str:
    return " ".join(text.split())


class Readers:
    """The readers of chunks, with the chunks that they have."""

    def __init__(self, folder, database, batch=2) -> None:
        self.folder, self.database, self.batch = folder, database, batch
        self.export: set[str] = set()
        self.stack = ExitStack()
        self.calm, self.killed = (self.stack.enter_context(Server(Noting)) for _ in range(2))
        for one in (self.calm, self.killed):
            one.requests, one.deadly, one.noted, one.sender, one.started = 0, {}, [], None, threading.Event()

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.stack.close()

    def sinks(self):
        return {
            "calm": {"type": "webhook", "url": self.calm.url, "chunks": True},
            "killed": {"type": "webhook", "url": self.killed.url, "chunks": True},
            "lines": {"type": "ndjson", "folder": str(self.folder / "lines"), "chunks": True},
            "files": {"type": "markdown", "folder": str(self.folder / "files"), "chunks": True},
        }

    def feed(self, *names: str) -> None:
        """Feed the sinks until the outbox is empty."""
        done = fork.run(self._index(*names), capture_output=True, text=True, timeout=300, cwd=self.folder)
        assert done.returncode == 0, done.stderr

    def feed_with_kills(self, kills: int) -> int:
        """Feed the sink `killed` by processes that are killed within some deliveries; return the number of kills."""
        server, deaths = self.killed, 0
        server.requests, server.deadly = 0, {1 + 2 * number: number % 2 == 1 for number in range(kills)}
        while True:
            server.started.clear()
            server.sender = fork.Popen(self._index("killed"), stdout=subprocess.DEVNULL, cwd=self.folder)
            server.started.set()
            status = server.sender.wait(300)
            if status == 0:
                break
            assert status == -signal.SIGKILL
            deaths += 1
        return deaths

    def _index(self, *names: str) -> list[str]:
        sinks = {name: options for name, options in self.sinks().items() if name in names}
        settings = {
            "SITECRAWL_DATABASE_URL": self.database,
            "SITECRAWL_INDEX_SINKS": json.dumps(sinks),
            "SITECRAWL_INDEX_BATCH": self.batch,
        }
        return ["sitecrawl", "index", "--once", *(f"-s{key}={value}" for key, value in settings.items())]

    def read_changes(self) -> list[dict[str, Any]]:
        """Run `export --chunks --changed`, and record its output."""
        rows = self._export("--chunks", "--changed")
        for row in rows:
            (self.export.discard if row["status"] == "gone" else self.export.add)(row["id"])
        return rows

    def stored(self) -> dict[str, str]:
        """Return the page of each chunk that the stored pages have, by id, without asking an export of chunks."""
        rows = self._export("-s", "SITECRAWL_CONTENT_HTML=1")
        kept = [row for row in rows if row.get("duplicate_of") is None]
        return {one.id: row["url"] for row in kept for one in chunks(row["id"], row["text"] or "", row["html"])}

    def in_lines(self) -> set[str]:
        """Return the ids that the files of the sink `lines` finally contain."""
        held: set[str] = set()
        for path in sorted((self.folder / "lines").glob("*.ndjson")):
            for row in map(json.loads, path.read_text().splitlines()):
                (held.add if row["operation"] == "upsert" else held.discard)(row["id"])
        return held

    def in_files(self) -> set[str]:
        """Return the ids in the folder of the sink `files`."""
        front = [path.read_text().partition("\n---\n")[0] for path in (self.folder / "files").rglob("*.md")]
        return {match[1] for text in front for match in re.finditer(r'^id: "?([0-9a-f]{32})', text, re.M)}

    def _export(self, *arguments: str) -> list[dict[str, Any]]:
        done = fork.run(
            ["sitecrawl", "export", *arguments, "-s", f"SITECRAWL_DATABASE_URL={self.database}"],
            capture_output=True,
            timeout=300,
            cwd=self.folder,
        )
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


def indexed(database) -> set[str]:
    """Return the ids of the chunks that an index should contain."""
    engine = open_database(database)
    with session_scope(engine, write=False) as session:
        pages = [change_of(one, ("content",)).document for one in Outbox(session).after(0, 10**6)]
    engine.dispose()
    return {one.id for page in pages if isinstance(page, Document) for one in chunks(page.id, page.text, page.html)}


def killed_crawl(site: Site, folder, database, after: int) -> None:
    """Crawl, and kill the crawl with SIGKILL after so many requests."""
    url = site.server.url(site.start)
    site.server.log.clear()
    site.server.hold(after)
    process = fork.Popen(
        command(url, folder / "killed.jsonl", database, *SETTINGS),
        env=environment(),
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    site.server.wait(after, process)
    process.kill()
    process.wait()
    site.server.hold(None)
    release(database)


def versions(site: Site, folder, database, rng: random.Random, count=3, kills=2, kill_after=15, share=0.1):
    """Crawl `count` versions of a site with kills in between; yield an Outcome for each after the first.

    Raises AssertionError if a reader was not sent exactly the difference, or holds anything else than the pages have.
    """
    url = site.server.url(site.start)
    with Readers(folder, database) as readers:
        before: dict[str, str] = {}
        sent_before: set[str] = set()
        for number in range(count):
            version = site.next_version(rng, share) if number else Version(frozenset(), frozenset(), frozenset(), 0)
            if number:
                killed_crawl(site, folder, database, kill_after)
                readers.feed("lines", "files")  # a part of the new version is there before the crawl goes on
            done, _ = crawl(url, folder, database, *SETTINGS)
            assert done.returncode == 0, f"the crawl ended with {done.returncode}: {done.stderr[-800:]}"
            rows = readers.read_changes()
            readers.feed("calm", "lines", "files")
            deaths = readers.feed_with_kills(kills)
            after = readers.stored()
            wanted = indexed(database)
            _check(readers, rows, before, after, sent_before, wanted)
            gone = {site.server.url(path) for path in version.gone}
            left = gone & {*after.values(), *(one["url"] for one in readers.calm.documents.values())}
            assert not left, f"chunks are left of {sorted(left)}"
            if number:
                yield _outcome(site, version, readers, rows, before, after, deaths)
            before, sent_before = after, wanted
            readers.calm.noted.clear()
            readers.killed.noted.clear()


def _check(readers, rows, before, after, sent_before, wanted) -> None:
    """Compare each reader with the difference of the stored chunks."""
    told = sorted((row["status"], row["id"]) for row in rows)
    export = [("gone", name) for name in before.keys() - after.keys()]
    export += [("new", name) for name in after.keys() - before.keys()]
    _same("the rows of the export", told, sorted(export))
    _same("what the reader of the exports holds", sorted(readers.export), sorted(after))
    changes = [("delete", name) for name in sent_before - wanted] + [("upsert", name) for name in wanted - sent_before]
    _same("what was sent to the sink", sorted(readers.calm.noted), sorted(changes))
    _same("what was sent to the killed sink", sorted(set(readers.killed.noted)), sorted(changes))
    held = {
        "the sink": readers.calm.documents,
        "the killed sink": readers.killed.documents,
        "the lines": readers.in_lines(),
        "the files": readers.in_files(),
    }
    for name, ids in held.items():
        _same(f"what {name} has", sorted(ids), sorted(wanted))


def _same(what, found, wanted) -> None:
    if found != wanted:
        spare, missing = (Counter(one) - Counter(other) for one, other in ((found, wanted), (wanted, found)))
        counts = f"{len(found)} for {len(wanted)}"
        raise AssertionError(f"{what}: {counts}; spare: {[*spare][:5]}, missing: {[*missing][:5]}")


def _outcome(site, version, readers, rows, before, after, deaths) -> Outcome:
    touched = {site.server.url(path) for path in version.edited | version.gone | version.back}
    changed = {name: (after.get(name) or before.get(name)) for name in after.keys() ^ before.keys()}
    killed = readers.killed.noted
    return Outcome(
        pages=len({*after.values()}),
        edits=version.edits,
        gone=len(version.gone),
        chunks=len(before),
        changed=len(changed),
        exported=len(rows),
        sent=len(readers.calm.noted),
        elsewhere=sum(url not in touched for url in changed.values()),
        kills=deaths,
        repeated=len(killed) - len(set(killed)),
    )
