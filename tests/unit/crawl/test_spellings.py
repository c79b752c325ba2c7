import pytest

from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.spellings import Spellings, origin_of

HOME, WWW = "http://a.example", "http://www.a.example"


def test_an_origin_is_scheme_host_and_port():
    assert origin_of("https://a.example:8080/x/y?z") == "https://a.example:8080"


@pytest.mark.parametrize("seen_first", [True, False])
def test_a_page_whose_host_fails_is_asked_for_as_another_page_spells_it(seen_first):
    spellings = Spellings(HOME)
    spellings.found(1, f"{WWW}/x")
    for seen in (seen_first, not seen_first):
        if seen:
            spellings.seen(1, f"{HOME}/x")
        else:
            spellings.failed(1, "no address")
    assert spellings.take() == [(1, f"{HOME}/x", "no address")]
    assert spellings.take() == []


def test_a_page_is_asked_for_in_another_spelling_once():
    spellings = Spellings(HOME)
    for _ in range(2):
        spellings.found(1, f"{WWW}/x")
        spellings.seen(1, "https://a.example/x")
        spellings.failed(1, "no address")
        taken = spellings.take()
    assert taken == []


def test_the_spelling_of_the_start_url_is_preferred():
    spellings = Spellings(HOME)
    spellings.found(1, f"{WWW}/x")
    for url in ("https://a.example/x", f"{HOME}/x", "https://www.a.example/x"):
        spellings.seen(1, url)
    spellings.failed(1, "no address")
    assert spellings.take() == [(1, f"{HOME}/x", "no address")]


def test_nothing_is_asked_for_again_where_no_other_host_was_seen():
    spellings = Spellings(HOME)
    spellings.found(1, f"{WWW}/x")
    spellings.seen(1, f"{WWW}/x?")
    spellings.found(2, f"{HOME}/y")  # at home: its failures are those of the site
    spellings.seen(2, f"{WWW}/y")
    for key in (1, 2, 3):
        spellings.failed(key, "no address")
    assert spellings.take() == []


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr("sitecrawl.crawl.spellings.MOST", 2)
    spellings = Spellings(HOME)
    for key in range(4):
        spellings.found(key, f"{WWW}/{key}")
        spellings.seen(key, f"{HOME}/{key}")
        spellings.failed(key, "no address")
    assert [key for key, _, _ in spellings.take()] == [0, 1]


def test_the_frontier_notes_how_its_urls_are_spelt():
    frontier = Frontier(window=3, spellings=Spellings(HOME))
    found = [frontier.add(1, f"{WWW}/x", 1, 0)]
    frontier.stored(found)
    assert frontier.add(1, f"{HOME}/x", 1, 0) is None
    frontier.settle(1)
    frontier.spellings.failed(1, "no address")
    ((key, url, _),) = frontier.spellings.take()
    frontier.ask_again(key)
    assert url == f"{HOME}/x"
    assert frontier.take(1)
