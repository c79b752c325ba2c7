"""One crawl over the whole bad web together with a normal site: every case has its expected result."""

import json
import re
import signal
import subprocess
import threading
import time

import pytest
from sqlalchemy import text

import tests.badweb.answers
import tests.badweb.bodies
import tests.badweb.markup
import tests.badweb.network
import tests.badweb.pages
import tests.badweb.shown
import tests.badweb.texts
import tests.badweb.traps  # noqa: F401
from sitecrawl.storage.pages import GOOD, PageStatus
from tests import fork
from tests.badweb.catalogue import most_requests
from tests.badweb.server import ANY, CASES, FAILED, STORED, BadWeb, Expect
from tests.integration.test_crawl import command, environment, read

pytestmark = pytest.mark.badweb

SETTINGS = {
    "DOWNLOAD_TIMEOUT": "8",
    "CONCURRENT_REQUESTS": "8",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "8",
    "SITECRAWL_MAX_QUERY_VARIANTS": "30",
    "EXTENSIONS": json.dumps({"tests.badweb.heartbeat.Heartbeat": 1}),
    "STATS_DUMP": "True",
    "LOG_LEVEL": "INFO",
}


JOINED = "page JOIN content USING (site_id, url_key)"


def told(settings):
    return [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]


class Crawl:
    """The results of one crawl of the bad web."""

    def __init__(self, web, folder, *more):
        folder.mkdir(exist_ok=True)
        database, feed = f"sqlite:///{folder}/bad.db", folder / "feed.jsonl"
        line = command(web.url(), feed, database, *told(SETTINGS), *more)
        with (folder / "log").open("w") as log:
            child = fork.Popen(line, stderr=log, stdout=log, env=environment(), cwd=folder)
            deadline = threading.Timer(240, child.kill)
            deadline.start()
            self.code = child.wait()
            deadline.cancel()
        self.megabytes = child.megabytes
        self.log = (folder / "log").read_text(errors="replace")
        self.rows = [json.loads(line) for line in feed.read_text().splitlines()] if feed.exists() else []
        with read(database) as connection:
            found = connection.execute(text("SELECT url, status, reason FROM page"))
            self.pages = [(_path(url), PageStatus(status), reason) for url, status, reason in found]
            found = connection.execute(text(f"SELECT url, text FROM {JOINED} WHERE text <> ''"))
            self.texts = {_path(url): words for url, words in found}
            found = connection.execute(text(f"SELECT url FROM {JOINED} WHERE text <> '' AND duplicate_of IS NULL"))
            self.own = {_path(url) for (url,) in found}
            found = connection.execute(text(f"SELECT url FROM {JOINED} WHERE indexed"))
            self.indexed = {_path(url) for (url,) in found}

    def stat(self, name):
        found = re.search(rf"'{re.escape(name)}': ([\d.]+)", self.log)
        return float(found[1]) if found else 0.0

    def below(self, name):
        return {path for path in self.texts if path.startswith(f"/{name}/")}


def _path(url):
    return "/" + url.split("/", 3)[3]


@pytest.fixture(scope="module")
def web():
    with BadWeb() as running:
        yield running


@pytest.fixture(scope="module")
def crawled(web, tmp_path_factory):
    return Crawl(web, tmp_path_factory.mktemp("bad"))


def problems(name, expect, crawl, web):
    """Return in words the differences between a case's result and the expected one."""
    asked = web.asked(name)
    states = {path: (status, reason or "") for path, status, reason in crawl.pages}
    status, reason = states.get(f"/{name}/", (None, ""))
    if expect.linked:
        yield from _outcome(expect.outcome, status, reason, f"/{name}/" in crawl.texts)
        if expect.reason and not re.search(expect.reason, reason):
            yield f"the reason is {reason!r}, not {expect.reason!r}"
    for words in expect.holding:
        if words not in crawl.texts.get(f"/{name}/", ""):
            yield f"{words!r} does not stand in the text"
    times = [moment for moment, target, _ in web.times if target.startswith(f"/{name}/")]
    # a page that answered well may be requested once more, to know whether its host is down
    if expect.gap and times[1:] and times[1] - times[0] < expect.gap:
        yield f"asked again before {expect.gap} s"
    most = most_requests(name, expect.requests)
    if len(asked) > most:
        yield f"{len(asked)} requests, over {most}"
    for path in set(expect.fetched) - set(asked):
        yield f"{path!r} was not asked for"
    for path in set(expect.unasked) & set(asked):
        yield f"{path!r} was asked for"
    for path in crawl.below(name):
        for words in expect.without:
            if words in crawl.texts[path]:
                yield f"{words!r} stands in the text of {path}"
    documents = len({path for path in crawl.own if path.startswith(f"/{name}/")})
    if expect.documents is not None and not expect.documents[0] <= documents <= expect.documents[1]:
        yield f"{documents} documents, not {expect.documents}"
    stored = len(crawl.below(name))
    if expect.contents is not None and not expect.contents[0] <= stored <= expect.contents[1]:
        yield f"{stored} pages stored, not {expect.contents}"


def _outcome(wanted, status, reason, stored):
    if status is None or status is PageStatus.DISCOVERED:
        yield "the page has come to no end"
    elif wanted == STORED and not (stored and status in GOOD):
        yield f"it is not stored: {status.name}, {reason!r}"
    elif wanted not in (ANY, STORED):
        named = {"failed": "ERROR", "noindex": "FETCHED"}.get(wanted, wanted.upper())
        if status.name != named:
            yield f"it is {status.name} ({reason!r}), not {named}"
        if stored and wanted != "noindex":
            yield "its text is stored"


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_case_comes_to_what_is_expected(name, crawled, web):
    assert list(problems(name, CASES[name][1], crawled, web)) == []


def test_every_good_page_is_stored(crawled, web):
    assert crawled.code == 0, crawled.log[-3000:]
    emitted = [row["url"] for row in crawled.rows]
    assert web.good - {_path(url) for url in emitted} == set()
    for path in web.good:
        if path.startswith("/reports/"):
            assert f"Report {path[9:-5]} paragraph 3 tells of" in crawled.texts[path]
    # a page has another row only where the decision of its layout was wrong: one row in fifty at the most
    assert len(emitted) - len(set(emitted)) == crawled.stat("sitecrawl/content/replaced") <= len(emitted) / 50


def test_nothing_forbidden_was_connected_to(crawled, web):
    assert crawled.code == 0
    assert web.forbidden.connects == 0
    assert web.hosts == {f"127.0.0.1:{web.port}"}
    assert not any("/private/" in target for target in web.log)


def test_every_url_ends_in_one_state_with_a_reason(crawled):
    assert len({path for path, _, _ in crawled.pages}) == len(crawled.pages) > 150
    assert [page for page in crawled.pages if page[1] is PageStatus.DISCOVERED] == []
    assert [page for page in crawled.pages if page[1] not in GOOD and not (page[2] or "").strip()] == []
    assert [page for page in crawled.pages if "Traceback" in (page[2] or "") or "<twisted" in (page[2] or "")] == []


def test_the_log_has_no_traceback(crawled):
    assert "Traceback" not in crawled.log
    assert "\x1b" not in crawled.log


def test_memory_and_the_event_loop_are_bounded(crawled):
    assert crawled.megabytes <= 1024
    assert crawled.stat("badweb/busy") <= 2.0  # CPU seconds of the loop, so that a busy machine does not count


def test_a_flood_is_cut_off(crawled, web):
    assert crawled.code == 0
    assert 0 < web.sent["endless-body"] <= 80 * 2**20
    assert web.sent.get("body-of-200-megabytes", 0) <= 20 * 2**20  # hung up at the Content-Length, may be


SPOILING = (
    "soft-404",
    "soft-404-by-title",
    "bot-wall",
    "gzip-truncated",
    "zstd-truncated",
    "length-too-long",
    "chunks-broken-off",
    "reset-midway",
    "empty-body",
    "only-white-space",
    "picture-as-html",
    "partial-content",
    "status-403",
    "status-500",
    "attributes-100-000",
    "redirect-self",
)


def test_no_good_text_is_replaced_or_deleted_by_a_bad_answer(tmp_path):
    bad = False

    def turning(name):
        return lambda visit: CASES[name][0](visit) if bad else visit.answer()

    with BadWeb({name: (turning(name), CASES[name][1]) for name in SPOILING}) as web:
        first = Crawl(web, tmp_path)
        assert all(f"/{name}/" in first.texts for name in SPOILING)
        bad = True
        for _ in range(3):
            again = Crawl(web, tmp_path)
            assert again.code == 3, again.log[-3000:]  # a fifth of the pages could not be fetched
            states = {path: status for path, status, _ in again.pages}
            assert again.texts == first.texts
            assert [states[f"/{name}/"] for name in SPOILING if states[f"/{name}/"] in GOOD] == []
            assert [row["url"] for row in again.rows if row["status"] != "unchanged"] == []
        bad = False
        assert Crawl(web, tmp_path).texts == first.texts


def test_a_crawl_whose_downloads_have_stalled_stops_in_ten_seconds_and_is_resumed(tmp_path):
    stalled, database = True, f"sqlite:///{tmp_path}/bad.db"
    cases = {
        f"stall-{i}": (lambda visit: visit.hold(60) if stalled else visit.answer(), Expect(FAILED)) for i in range(8)
    }
    with BadWeb(cases, articles=12) as web:
        settings = {"CONCURRENT_REQUESTS": "8", "CONCURRENT_REQUESTS_PER_DOMAIN": "8"}
        line = command(web.url(), tmp_path / "feed.jsonl", database, *told(settings))
        with fork.Popen(line, stderr=subprocess.PIPE, text=True, env=environment(), cwd=tmp_path) as child:
            deadline = time.monotonic() + 60
            while sum(target.startswith("/stall-") for target in web.log) < 8 and time.monotonic() < deadline:
                time.sleep(0.1)
            child.send_signal(signal.SIGTERM)
            stopped = time.monotonic()
            log = child.communicate(timeout=60)[1]
            assert time.monotonic() - stopped <= 10
        assert child.returncode == 0, log
        assert "stopped by a signal; the same command resumes it" in log
        assert "Traceback" not in log
        with read(database) as connection:
            assert connection.execute(text("SELECT count(*) FROM page WHERE status = 0")).scalar() == 8
            assert connection.execute(text("SELECT lease_owner FROM site")).scalar() is None
        stalled = False
        again = Crawl(web, tmp_path)
    assert again.code == 0, again.log[-3000:]
    assert {path for path in again.texts if path.startswith("/stall-")} == {f"/{name}/" for name in cases}
