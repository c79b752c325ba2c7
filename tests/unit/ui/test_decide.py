import re

import pytest
from sqlalchemy import text

from sitecrawl.clock import now
from sitecrawl.links.urls import url_id, url_key
from sitecrawl.storage.deletions import DeletionRepository
from sitecrawl.storage.sinks import SinkRepository
from sitecrawl.storage.sites import SiteRepository
from tests.unit.ui.test_correct import hidden


def run(ui, sql, **values):
    with ui.writing() as session:
        return session.execute(text(sql), values)


def value(ui, sql, **values):
    with ui.reading() as session:
        return session.execute(text(sql), values).scalar()


def token(client, path):
    return re.search(r'name="form_token" value="(\w+)"', client.get(path).text)[1]


@pytest.fixture
def held(ui):
    run(ui, "UPDATE page SET deletion = 1, status = 5, reason = 'HTTP 404' WHERE url LIKE '%/3' OR url LIKE '%/4'")
    return ui


def pending(ui):
    with ui.reading() as session:
        site = SiteRepository(session).get("example.org")
        return [one.url for one in DeletionRepository(session).pending(site.id)]


def test_without_held_deletions_the_view_says_none(client):
    page = client.get("/decide").text
    assert page.count("None.") == 2
    assert client.get("/decide/example.org").text.count("None.") == 2
    assert client.get("/decide/nowhere.example").status_code == 404


def test_held_deletions_are_listed(held, client):
    assert '<a href="/decide/example.org">example.org</a>' in client.get("/decide").text
    page = client.get("/decide/example.org").text
    assert "https://example.org/3" in page and "HTTP 404" in page and "Delete 2 pages" in page


def decide(client, decision, page=None, **fields):
    """Send the form of a site's page, as it is or as it was loaded earlier."""
    form = hidden(page or client.get("/decide/example.org"))
    return client.post("/decide/example.org", data={**form, "decision": decision, **fields})


def test_held_deletions_are_released(held, client):
    answer = decide(client, "release")
    assert answer.headers["location"] == "/decide/example.org?deleted=2"
    assert "2 pages deleted." in client.get(answer.headers["location"]).text
    assert pending(held) == []
    assert value(held, "SELECT count(*) FROM content WHERE status = 'gone'") == 2
    assert value(held, "SELECT stats FROM crawl WHERE reason = 'release'") == "{}"  # its rows are not given again


def test_held_deletions_are_kept(held, client):
    answer = decide(client, "keep")
    assert "2 pages kept." in client.get(answer.headers["location"]).text
    assert pending(held) == []
    assert value(held, "SELECT count(*) FROM content WHERE status = 'gone'") == 0
    assert value(held, "SELECT lease_owner FROM site") is None


def test_pages_are_deleted_by_who_is_sure(held, client):
    answer = decide(client, "release", sure="")
    assert (answer.status_code, "nothing was deleted; confirm that you are sure" in answer.text) == (400, True)
    assert len(pending(held)) == 2


@pytest.mark.parametrize("decision", ["keep", "release"])
def test_a_decision_on_what_is_not_held_any_more(held, client, decision):
    page = client.get("/decide/example.org")
    decide(client, "keep")
    answer = decide(client, decision, page)
    assert (answer.status_code, "(held now: none); nothing was done" in answer.text) == (409, True)
    assert 'href="/decide/example.org">See how it is now</a>' in answer.text
    run(held, "UPDATE page SET deletion = 1 WHERE url LIKE '%/5'")
    assert "(held now: 1)" in decide(client, decision, page).text
    assert pending(held) == ["https://example.org/5"]


def test_nothing_is_decided_while_the_site_is_crawled(held, client):
    with held.writing() as session:
        sites = SiteRepository(session)
        sites.lease(sites.get("example.org").id, "another", now(), 60)
    for decision in ("keep", "release"):
        answer = decide(client, decision)
        assert (answer.status_code, "Another process works on this site" in answer.text) == (409, True)
    assert len(pending(held)) == 2


def test_the_deletions_of_a_crawl_that_goes_on_are_not_held(held, client):
    run(held, "UPDATE crawl SET finished_at = NULL")
    assert client.get("/decide/example.org").text.count("None.") == 2


def test_a_decision_that_is_none(client):
    assert (
        client.post("/decide/example.org", data={"form_token": token(client, "/sites/example.org/rules")}).status_code
        == 400
    )
    assert client.post("/decide/example.org", data={"decision": "release"}).status_code == 403


def test_refused_documents_are_tried_again(ui, client):
    site = value(ui, "SELECT id FROM site")
    with ui.writing() as session:
        SinkRepository(session).register("elsewhere")
    run(
        ui,
        "INSERT INTO rejection (sink, site_id, url_key, attempts, reason, rejected_at) VALUES"
        " ('elsewhere', :site, :key, 5, 'mapping <b>', '2026-01-01')",
        site=site,
        key=url_key("https://example.org/3"),
    )
    page = client.get("/decide").text
    assert "mapping &lt;b&gt;" in page and "https://example.org/3" in page and "set aside" in page
    assert "1 document refused by an index" in client.get("/").text
    form = {"form_token": token(client, "/decide"), "sink": "elsewhere"}
    assert client.post("/decide/retry", data=form).status_code == 303
    assert value(ui, "SELECT attempts FROM rejection WHERE retry_at IS NOT NULL") == 0
    assert client.post("/decide/retry", data={**form, "sink": "nowhere"}).status_code == 400


def test_duplicates_side_by_side(ui, client):
    original = url_id("https://example.org/3")
    run(
        ui,
        "UPDATE content SET duplicate_of = :id WHERE url_key = :key",
        id=original,
        key=url_key("https://example.org/4"),
    )
    run(
        ui,
        "UPDATE content SET simhash = (SELECT simhash FROM content WHERE url_key = :key)",
        key=url_key("https://example.org/3"),
    )
    for band in ("band1", "band2", "band3", "band4"):
        run(
            ui,
            f"UPDATE content SET {band} = (SELECT {band} FROM content WHERE url_key = :key)",
            key=url_key("https://example.org/3"),
        )
    page = client.get("/decide/example.org").text
    assert "nearly the same" in page and "https://example.org/3" in page
    shown = client.get(f"/decide/example.org/compare/{url_key('https://example.org/4')}").text
    assert "Paragraph 0 of story 3" in shown and "Paragraph 0 of story 4" in shown and 'class="added"' in shown
    answer = client.get(f"/decide/example.org/compare/{url_key('https://example.org/5')}")
    assert (answer.status_code, "this page is not a duplicate" in answer.text) == (404, True)


def test_a_duplicate_whose_original_has_changed(ui, client):
    run(ui, "UPDATE content SET duplicate_of = 'ffff' WHERE url_key = :key", key=url_key("https://example.org/4"))
    assert "changed since" in client.get("/decide/example.org").text
