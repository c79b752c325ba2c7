import pytest

from sitecrawl.links.parameters import (
    SESSION_IF_HASH,
    SESSION_NAMES,
    TRACKING_NAMES,
    TRACKING_PREFIXES,
    without_state,
    without_tracking,
)


def test_tables_are_lower_case_and_apart():
    assert all(name == name.lower() for name in (*TRACKING_NAMES, *SESSION_NAMES, *SESSION_IF_HASH, *TRACKING_PREFIXES))
    assert not TRACKING_NAMES & SESSION_NAMES
    assert not (TRACKING_NAMES | SESSION_NAMES) & SESSION_IF_HASH


@pytest.mark.parametrize("name", sorted(TRACKING_NAMES) + [prefix + "x" for prefix in TRACKING_PREFIXES])
def test_tracking_parameters_are_dropped_everywhere(name):
    query = f"b=1&{name.upper()}=x&a=2"
    assert without_tracking(query) == without_state(query) == "b=1&a=2"


@pytest.mark.parametrize("name", [*sorted(SESSION_NAMES), "ASPSESSIONIDQQ"])
def test_session_parameters_are_dropped_from_what_a_page_is(name):
    query = f"b=1&{name}=x"
    assert without_tracking(query) == query
    assert without_state(query) == "b=1"


@pytest.mark.parametrize(
    ("value", "is_hash"),
    [
        ("a1b2c3d4", True),
        ("0123456789abcdef", True),
        ("Zk3xY8pQr2Tn6vWb", True),
        ("1234567890123456", True),
        ("12345678", False),
        ("deadbeef", False),
        ("about-the-museum-shop", False),
        ("7", False),
        ("", False),
    ],
)
def test_sid_is_a_session_when_it_looks_like_a_hash(value, is_hash):
    assert without_state(f"sid={value}") == ("" if is_hash else f"sid={value}")


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("f=3&f=3&f=3", "f=3"),
        ("f=3&g=1&f=3", "f=3&g=1"),
        ("f=3&f=4&f=3", "f=3&f=4"),
        ("f=2&f=1", "f=2&f=1"),
        ("f=3&g=3", "f=3&g=3"),
        ("f=3&F=3", "f=3&F=3"),
    ],
)
def test_a_pair_that_is_repeated_says_nothing_more_about_what_a_page_is(query, rest):
    assert without_state(query) == rest
    assert without_tracking(query) == query, "what is requested is as the page spells it"
