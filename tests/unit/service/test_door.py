import pytest

from sitecrawl.ui.access import TRIES
from tests.unit.service.conftest import opened

PASSWORD = "a long enough password"


@pytest.fixture
def locked(site, tmp_path):
    with opened(site, tmp_path, password=PASSWORD) as made:
        yield made


def test_a_name_that_somebody_points_at_this_machine(client):
    answer = client.get("/", headers={"Host": "evil.example"})
    assert (answer.status_code, answer.headers["cache-control"]) == (421, "no-store")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "object"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, 403),
    ],
)
def test_other_websites_may_link_here_and_not_load(client, headers, status):
    assert client.get("/", headers=headers).status_code == status


def test_without_the_password_every_request_is_refused(locked):
    answer = locked.get("/")
    assert answer.status_code == 401 and answer.headers["www-authenticate"].startswith("Basic ")
    assert locked.get("/", auth=("anyone", PASSWORD)).status_code == 200
    assert locked.get("/", headers={"Authorization": f"Bearer {PASSWORD}"}).status_code == 200
    for header in ("Basic", "Basic !", "Basic /w==", "Digest x", "Bearer"):
        assert locked.get("/", headers={"Authorization": header}).status_code == 401


def test_many_wrong_passwords(locked):
    answers = [locked.get("/", auth=("anyone", "a guess")).status_code for _ in range(TRIES + 1)]
    assert answers == [401] * TRIES + [429]
    assert locked.get("/", auth=("anyone", PASSWORD)).status_code == 429


def test_a_password_in_utf_8_may_be_sent_as_bearer(site, tmp_path):
    password = "correct horse battery \u00fc"
    with opened(site, tmp_path, password=password) as made:
        header = b"Bearer " + password.encode()
        assert made.get("/", headers={b"Authorization": header}).status_code == 200
        assert made.get("/", headers={b"Authorization": header[:-1]}).status_code == 401
