"""A feed that is killed again and again, of a database that changes, to a server that fails."""

import datetime as dt
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from sitecrawl.index.documents import change_of
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.outbox import Outbox
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.records import ContentRecord
from sitecrawl.storage.sinks import SinkRepository
from sitecrawl.storage.sites import SiteRepository
from tests import fork
from tests.fetched import fetched
from tests.integration.bulk_server import REFUSED
from tests.output import Output

ROOT = Path(__file__).parents[2]
HOST = "example.org"


def now():
    return dt.datetime.now(dt.UTC)


@contextmanager
def bulk_server(*options):
    command = [sys.executable, "-m", "tests.integration.bulk_server", *map(str, options)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        yield f"http://{Output(process.stdout).line().strip()}"
    finally:
        process.kill()
        process.wait(60)
        process.stdout.close()


def state(url):
    with urlopen(f"{url}/_state", timeout=30) as answer:
        return json.load(answer)


def index_command(database, sinks, *more):
    """Return a command that feeds sinks; a setting in `more` beats those given here."""
    settings = [
        f"SITECRAWL_DATABASE_URL={database}",
        f"SITECRAWL_INDEX_SINKS={json.dumps(sinks)}",
        "SITECRAWL_INDEX_POLL=0.1",
        "SITECRAWL_INDEX_BATCH=50",
    ]
    return [sys.executable, "-m", "scrapy.cmdline", "index", *(part for one in settings for part in ("-s", one)), *more]


def run_index(database, sinks, *more, timeout=300):
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    command = index_command(database, sinks, *more)
    return fork.run(command, env=environment, capture_output=True, text=True, timeout=timeout, cwd=ROOT)


def start_index(database, sinks, *more):
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    command = index_command(database, sinks, *more)
    return fork.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)


def content(key, words, crawl_id=1, **values):
    given = {
        **{"url_key": key, "kind": "content", "title": f"Page {key}", "text": words, "html": None},
        **{"description": None, "author": None, "published": None, "modified": None, "language": "en"},
        **{"image": None, "section": None},
        **{"words": len(words.split()), "digest": f"{random.getrandbits(128):032x}", "simhash": 0},
        **{"duplicate_of": None, "method": "combined", "confidence": 0.5, "template_version": 1},
        **{"canonical_url": None, "crawl_id": crawl_id, "emit_order": key, "extracted_at": now()},
    }
    return ContentRecord(**{**given, **values})


def add_pages(engine, count, host=HOST):
    """Make a site of pages with content, a few at once as a crawl does."""
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add(host, f"https://{host}/", now()).id
    for first in range(1, count + 1, 200):
        keys = range(first, min(count, first + 199) + 1)
        with session_scope(engine) as session:
            fetches = [fetched(key, url=f"https://{host}/{key}", fetched_at=now(), html=None) for key in keys]
            PageRepository(session).record(site_id, fetches)
            for key in keys:
                ContentRepository(session).put(site_id, content(key, f"the first words of page {key}"))
    return site_id


def change_pages(engine, site_id, pages, count, rng, pause=0.0):
    """Make `count` changes: most to the text, some to what is refused, some deletions."""
    done = 0
    while done < count:
        with session_scope(engine) as session:
            contents = ContentRepository(session)
            for _ in range(min(rng.randint(1, 20), count - done)):
                key, luck = rng.randint(1, pages), rng.random()
                words = f"version {done} of page {key}" + (f" {REFUSED}" if luck < 0.02 else "")
                kind = "listing" if 0.02 <= luck < 0.05 else "content"
                contents.put(site_id, content(key, words, crawl_id=2 + done, kind=kind), index=luck < 0.93)
                done += 1
        time.sleep(pause * rng.random())


def expected(engine):
    """Return (documents by id, ids of refused pages) from the database."""
    documents, refused = {}, set()
    with session_scope(engine, write=False) as session:
        outbox = Outbox(session)
        assert not outbox.unnumbered()
        for queued in outbox.after(0, 10**6):
            change = change_of(queued, ("content",))
            if change.document is not None and REFUSED in change.document.text:
                refused.add(change.id)
            elif change.document is not None:
                row = json.loads(json.dumps(change.document.as_dict()))
                documents[change.id] = {"version": change.sequence, "source": row}
    return documents, refused


def feed_with_kills(database, pages, changes, kills, rng, fail=0.1, hang=0.05, seconds=1.5):
    """Run all steps; return the figures for a report. Raises AssertionError if the server differs from the database."""
    engine = open_database(database)
    site_id = add_pages(engine, pages)
    began = time.monotonic()
    with bulk_server("--fail", fail, "--hang", hang, "--seconds", seconds, "--seed", rng.randint(1, 10**6)) as url:
        sinks = {"opensearch": {"url": url, "index": "pages", "timeout": seconds / 2}}
        share = changes // (kills + 1)
        for _ in range(kills):
            feed = start_index(database, sinks)
            change_pages(engine, site_id, pages, share, rng, pause=0.02)
            time.sleep(rng.uniform(1.0, 3.0))
            assert feed.poll() is None, "the feed ended by itself"
            feed.send_signal(signal.SIGKILL)
            feed.wait(60)
        change_pages(engine, site_id, pages, changes - share * kills, rng)
        last = run_index(database, sinks, "--once")
        server = state(url)
    documents, refused = expected(engine)
    with session_scope(engine, write=False) as session:
        named = {page.url for page in SinkRepository(session).rejected("opensearch")}
        (sink,) = SinkRepository(session).all()
    engine.dispose()
    assert last.returncode in (0, 3), last.stderr
    assert server["broken"] == []
    held = {name: one for name, one in server["documents"].items() if name not in refused}
    missing, spare = documents.keys() - held.keys(), held.keys() - documents.keys()
    differing = [name for name in documents.keys() & held.keys() if documents[name] != held[name]]
    assert (missing, spare, differing) == (set(), set(), [])
    assert len(named) == len(refused)
    assert (sink.pending, sink.set_aside) == (0, len(refused))
    return {
        "documents": len(documents),
        "refused": len(refused),
        "requests": server["requests"],
        "seconds": round(time.monotonic() - began, 1),
    }
