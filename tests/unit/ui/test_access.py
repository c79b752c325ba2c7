import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.ui.access import TRIES, WINDOW, is_loopback, new_access

PASSWORD = "a long enough password"


def test_an_address_that_others_can_reach_needs_a_password():
    with pytest.raises(ConfigError, match=r"0\.0\.0\.0: other machines can reach this address; give a password"):
        new_access("0.0.0.0", 8765, None)
    with pytest.raises(ConfigError, match="5 characters; use 12 or more"):
        new_access("0.0.0.0", 8765, "short")
    assert new_access("0.0.0.0", 8765, PASSWORD).password == PASSWORD


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("x.org", False),
    ],
)
def test_loopback_addresses_are_recognised(address, own):
    assert is_loopback(address) == own


@pytest.mark.parametrize(
    ("header", "allowed"),
    [
        ("127.0.0.1:8765", True),
        ("localhost:9999", True),
        ("[::1]:8765", True),
        ("LOCALHOST", True),
        ("crawls.example:8765", True),
        ("evil.example:8765", False),
        ("127.0.0.1.evil.example", False),
        ("user@localhost:1", True),
        ("", False),
        ("[", False),
    ],
)
def test_only_own_host_headers_are_allowed(header, allowed):
    assert new_access("127.0.0.1", 8765, None, ["Crawls.example"]).allows_host(header) == allowed


def test_secrets_of_two_runs_differ():
    one, two = new_access("127.0.0.1", 1, None), new_access("127.0.0.1", 1, None)
    assert one.takes_token(one.token) and not one.takes_token(two.token) and not one.takes_token(None)
    assert one.knows(one.session) and not one.knows(two.session) and not one.knows(None)
    assert one.takes_form(one.form) and not one.takes_form(one.session) and not one.takes_form("é")


def test_with_a_password_the_token_opens_nothing():
    access = new_access("127.0.0.1", 1, PASSWORD)
    assert not access.takes_token(access.token)
    assert access.takes_password(PASSWORD, 0.0)


def test_after_many_wrong_passwords_none_is_taken_for_a_while():
    access = new_access("127.0.0.1", 1, PASSWORD)
    assert [access.takes_password("wrong", 1.0) for _ in range(TRIES)] == [False] * TRIES
    assert not access.takes_password(PASSWORD, 2.0)
    assert access.takes_password(PASSWORD, 2.0 + WINDOW)
