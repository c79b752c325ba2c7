import datetime as dt

import pytest
from sqlalchemy import text

from sitecrawl.clock import now
from sitecrawl.storage.sites import SiteRepository
from tests.unit.ui.test_correct import hidden

SITE = "/sites/example.org"


def send(client, path, at=SITE, **fields):
    form = hidden(client.get(at))
    return client.post(path, data={"form_token": form["form_token"], **fields})


def row(ui, host="example.org"):
    """Return (next_crawl_at, paused_at, options) of a site; None if there is none."""
    with ui.reading() as session:
        known = SiteRepository(session).get(host)
        if known is None:
            return None
        sql = "SELECT next_crawl_at, paused_at FROM site WHERE host = :host"
        return *session.execute(text(sql), {"host": host}).one(), SiteRepository(session).options(known.id)


def test_a_site_is_added_and_due_at_once(ui, client):
    answer = send(client, "/sites", at="/", url=" https://Harbour.example/start ", every="6h", max_pages="50")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sites/harbour.example")
    due, paused, options = row(ui, "harbour.example")
    assert due is not None and paused is None and options["max_pages"] == 50
    page = client.get("/sites/harbour.example").text
    assert "Crawl it now" in page
    assert "Never crawled, due now. A running <code>sitecrawl worker</code> crawls it" in page
    assert "Nothing to show yet" in page and "Layouts</h2>" not in page


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"url": ""}, "give the URL at which its crawl begins"),
        ({"url": "ftp://harbour.example/"}, "harbour.example"),
        ({"url": "https://harbour.example/", "every": "often"}, "often"),
        ({"url": "https://harbour.example/", "max_pages": "many"}, "many"),
    ],
)
def test_what_cannot_be_added_is_told(ui, client, fields, said):
    answer = send(client, "/sites", at="/", **fields)
    assert (answer.status_code, said in answer.text) == (400, True)
    assert row(ui, "harbour.example") is None


def test_a_site_is_paused_and_resumed(ui, client):
    assert send(client, SITE, act="pause").status_code == 303
    assert row(ui)[1] is not None
    page = client.get(SITE).text
    assert "it is never due" in page and "Crawl it now" not in page and ", due" not in page
    assert send(client, SITE, act="resume").status_code == 303
    assert row(ui)[1] is None


def test_a_site_that_was_paused_meanwhile_is_not_made_due(ui, client):
    send(client, SITE, act="pause")
    answer = send(client, SITE, act="due")
    assert (answer.status_code, "it is paused; resume it first" in answer.text) == (409, True)
    assert f'href="{SITE}">See how it is now</a>' in answer.text
    assert row(ui)[1] is not None


def test_a_site_is_made_due_with_all_its_pages(ui, client):
    later = "UPDATE page SET next_fetch_at = '2999-01-01 00:00:00.000000'"
    with ui.writing() as session:
        session.execute(text(later))
        session.execute(text("UPDATE site SET next_crawl_at = '2999-01-01 00:00:00.000000'"))
    assert send(client, SITE, act="due").status_code == 303
    with ui.reading() as session:
        assert session.scalar(text("SELECT count(*) FROM page WHERE next_fetch_at > '2998-01-01 00:00:00'")) == 0
        assert SiteRepository(session).next_due()[1] <= now() + dt.timedelta(seconds=1)


def test_a_site_is_forgotten_by_who_is_sure(ui, client):
    answer = send(client, SITE, act="forget")
    assert (answer.status_code, row(ui) is None) == (400, False)
    with ui.writing() as session:
        number = SiteRepository(session).get("example.org").id
        SiteRepository(session).lease(number, "another", now(), 60)
    assert send(client, SITE, act="forget", sure="yes").status_code == 409  # it is being crawled
    with ui.writing() as session:
        SiteRepository(session).release(number, "another")
    assert send(client, SITE, act="forget", sure="yes").headers["location"] == "/"
    assert row(ui) is None
    assert client.get(SITE).status_code == 404


def test_what_is_no_act_or_no_site(client):
    assert send(client, SITE, act="more").status_code == 400
    assert send(client, "/sites/nowhere.example", act="pause").status_code == 404
    assert client.post(SITE, data={"act": "pause"}).status_code == 403


def test_a_known_site_is_shown(client):
    answer = send(client, "/sites", at="/", url=" https://Example.org")
    assert answer.headers["location"] == f"{SITE}?known=1"
    page = client.get(answer.headers["location"]).text
    assert "The site is known already" in page and "https://example.org/</span>" in page
    assert "known already" not in client.get(SITE).text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"url": "https://example.org/", "max_pages": "50"}, "sitecrawl sites set example.org"),
        ({"url": "https://example.org/news"}, "its crawl begins at https://example.org/; nothing was changed"),
        ({"url": "http://example.org/"}, "To begin at http://example.org/, forget the site and add it again"),
    ],
)
def test_what_a_form_says_of_a_known_site_is_not_dropped_without_a_word(ui, client, fields, said):
    answer = send(client, "/sites", at="/", **fields)
    assert (answer.status_code, said in answer.text) == (400, True)
    assert row(ui)[2] == {}


def test_a_paused_site_is_listed_as_paused(client):
    assert "paused" not in client.get("/").text
    send(client, SITE, act="pause")
    assert "paused" in client.get("/").text
