"""Every view and every form answers on PostgreSQL as on SQLite. The databases are made once for this module."""

import asyncio
import re
from contextlib import ExitStack

import pytest

from sitecrawl.config import Config
from sitecrawl.ui.access import new_access
from sitecrawl.ui.server import new_ui
from tests.unit.ui.conftest import client_of, crawl
from tests.unit.ui.test_correct import hidden
from tests.unit.ui.test_decide import decide
from tests.unit.ui.test_manage import send
from tests.unit.ui.test_progress import end
from tests.unit.ui.views import PAGE, SIDE, SITE, VIEWS, fill, run

MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d|(?:in )?\d+ \w+ ago|in \d+ \w+|just now|in a moment|\d+ min \d+ s|\d+\.\d+ a minute"
    r"|(?<=a minute</dt><dd>)[\d.]+|name=\"form_token\" value=\"[^\"]+\"|/[^\s<]*example\.org\.yaml"
)
"""Matches the parts that differ between two runs: times, speeds, the tokens of forms, folders."""
MORE = (
    *(f"{SITE}/template?view=sst", f"{SITE}/template?view=fastce", f"{SITE}/progress", "/progress?sites=1"),
    *(f"{SITE}/pages?status=error", f"{SITE}/pages?layout=1&q=/1", f"{PAGE}/frame", f"{PAGE}/correct/frame"),
    *("/?q=example", "/search?q=story&kind=content&language=en", "/search?q=%22story+3%22", f"{SITE}/job"),
    f"{PAGE}/correct?row={SIDE}&act=title",
)


@pytest.fixture(scope="module")
def both(crawled_file, postgres_url_of_module, tmp_path_factory):
    """The UI on SQLite and on PostgreSQL, with equal sites."""
    copy = tmp_path_factory.mktemp("both") / "sites.db"
    copy.write_bytes(crawled_file.read_bytes())
    asyncio.run(crawl(postgres_url_of_module))
    with ExitStack() as stack:
        clients = []
        for url in (f"sqlite:///{copy}", postgres_url_of_module):
            overrides = (str(tmp_path_factory.mktemp("overrides")),)
            ui = new_ui(Config(database_url=url, overrides=overrides), new_access("127.0.0.1", 8765, None))
            stack.callback(ui.engine.dispose)
            fill(ui)
            client = client_of(ui)
            client.get(f"/?token={ui.access.token}")
            clients.append((ui, client))
        yield clients


def shown(client, path):
    answer = client.get(path)
    return answer.status_code, MOMENT.sub("…", answer.text)


@pytest.mark.parametrize("path", [*VIEWS.values(), *MORE])
def test_each_view_is_the_same_on_both_databases(both, path):
    (_, first), (_, second) = both
    status, text = shown(first, path)
    assert status == (404 if path == "/nowhere" else 200)
    assert shown(second, path) == (status, text)


def decided(ui, client):
    """Send each form; return the answers, and what the views show then."""
    end(ui, 2)
    answers = [send(client, "/sites", at="/", url="https://harbour.example/", every="6h", max_pages="50")]
    answers += [send(client, SITE, act=act) for act in ("pause", "resume", "due")]
    answers.append(decide(client, "keep"))
    correction = hidden(client.get(f"{PAGE}/correct?row={SIDE}&act=content"))
    answers.append(client.post(f"{PAGE}/correct", data=correction))
    jobs = [ui.jobs.wait("example.org")]
    corrected = shown(client, PAGE)
    answers.append(client.post(f"{SITE}/rules", data=hidden(client.get(f"{SITE}/rules"))))
    jobs.append(ui.jobs.wait("example.org"))
    run(ui, "UPDATE page SET deletion = 1, reason = 'HTTP 404' WHERE url LIKE '%/6'")
    answers.append(decide(client, "release"))
    answers.append(send(client, "/sites/harbour.example", act="forget", sure="yes"))
    told = [(one.status_code, one.headers.get("location")) for one in answers]
    done = [(job.error, job.pages, job.changed) for job in jobs]
    return told, done, corrected, shown(client, f"{SITE}/pages?status=all"), shown(client, "/")


def test_forms_do_the_same_on_both_databases(both):
    first, second = (decided(ui, client) for ui, client in both)
    assert {status for status, _ in first[0]} == {303}
    assert [error for error, _, _ in first[1]] == ["", ""]
    assert "content: div.side</code> selected 1" in first[2][1]
    assert "deletion held" not in first[3][1]
    assert first == second
