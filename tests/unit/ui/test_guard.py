import re

import pytest

from sitecrawl.config import Config
from sitecrawl.ui.access import new_access
from sitecrawl.ui.server import new_ui
from tests.unit.ui.conftest import client_of

PASSWORD = "a long enough password"


def token_of(page):
    return re.search(r'name="form_token" value="(\w+)"', page.text)[1]


def test_without_the_token_nothing_is_shown(ui):
    client = client_of(ui)
    for path in ("/", "/?token=wrong", "/sites/example.org", "/nowhere"):
        answer = client.get(path)
        assert answer.status_code == 403
        assert "The token is missing or wrong" in answer.text
        assert "example.org" not in answer.text


def test_the_token_becomes_a_cookie_and_leaves_the_address(ui):
    client = client_of(ui)
    answer = client.get(f"/sites/example.org?x=1&token={ui.access.token}")
    assert answer.headers["location"] == "/sites/example.org?x=1"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and ui.access.token not in cookie
    assert client.get("/sites/example.org").status_code == 200


def test_a_name_that_leads_here_is_refused(client):
    answer = client.get("/", headers={"host": "evil.example:8765"})
    assert answer.status_code == 421
    assert "This name is not known here" in answer.text


def test_every_answer_has_the_headers(client):
    for path in ("/", "/nowhere", "/login", "/static/ui.css"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none';")
        assert "unsafe" not in policy and "http:" not in policy and "*" not in policy
        assert headers["x-content-type-options"] == "nosniff"
    assert client.get("/").headers["cache-control"] == "no-store"


def test_pages_ask_for_nothing_from_elsewhere(client):
    for path in ("/", "/sites/example.org", "/sites/example.org/pages", "/sites/example.org/template"):
        page = client.get(path).text
        assert re.findall(r'(?:src|href|action)="(?:https?:)?//[^"]*"', page) == []
        assert " style=" not in page and " onclick" not in page


def test_a_form_of_another_page_is_refused(client):
    for form in ({}, {"form_token": "wrong"}):
        answer = client.post("/login", data={**form, "password": "x"})
        assert answer.status_code == 403
        assert "This form was not sent from this server" in answer.text
    assert client.post("/login", data={}, headers={"sec-fetch-site": "cross-site"}).status_code == 403


@pytest.mark.parametrize(
    ("origin", "taken"),
    [
        (None, True),
        ("http://127.0.0.1:8765", True),
        ("http://localhost:8765", True),
        ("https://evil.example", False),
        ("http://127.0.0.1.evil.example:8765", False),
        ("null", False),  # a page without an address, such as a file
        ("", False),
    ],
)
def test_the_right_form_is_taken_from_an_own_address_only(client, origin, taken):
    form = {"form_token": token_of(client.get("/")), "act": "pause"}
    answer = client.post(
        "/sites/example.org", data=form, headers={} if origin is None else {"origin": origin}, follow_redirects=False
    )
    assert answer.status_code == (303 if taken else 403)
    assert client.post("/login", content=b"x=1&" * 40_000).status_code == 400


@pytest.fixture
def guarded(url):
    made = new_ui(Config(database_url=url), new_access("127.0.0.1", 8765, PASSWORD))
    yield client_of(made)
    made.engine.dispose()


def test_with_a_password_one_logs_in(guarded):
    assert guarded.get("/").headers["location"] == "/login"
    token = token_of(guarded.get("/login"))
    wrong = guarded.post("/login", data={"form_token": token, "password": "guess"})
    assert (wrong.status_code, "The password is wrong" in wrong.text) == (403, True)
    right = guarded.post("/login", data={"form_token": token, "password": PASSWORD})
    assert right.headers["location"] == "/"
    assert guarded.get("/").status_code == 200


def test_too_many_wrong_passwords(guarded):
    token = token_of(guarded.get("/login"))
    answers = [guarded.post("/login", data={"form_token": token, "password": "guess"}).status_code for _ in range(11)]
    assert answers == [403] * 10 + [429]


def test_a_login_where_there_is_no_password_leads_home(client):
    assert client.get("/login").headers["location"] == "/"
