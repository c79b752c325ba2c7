import random

import pytest

from sitecrawl.links import infinite_spaces
from sitecrawl.links.closed_trap import ClosedKind
from sitecrawl.links.infinite_spaces import InfiniteSpaces, folders, invented, is_invented

SITE = "https://example.org/"
TRAP = "https://example.org/t/trap/"


def fresh(folder, count=40):
    return [f"{folder}{random.Random(f'{folder} {number}').getrandbits(48):x}" for number in range(count)]


def feed(guard, folder, pages, links=40):
    """Read pages of a folder that all link to new ones; return the suspected folders."""
    for number in range(pages):
        guard.read(f"{folder}{number}", fresh(f"{folder}{number}-", links))
    return guard.take()


def test_folders_of_a_page_are_those_above_it():
    assert folders("https://example.org/a/b/c?d=/e/") == [SITE, f"{SITE}a/", f"{SITE}a/b/"]
    assert folders("https://example.org/a/b/c/d/e/f") == [SITE, f"{SITE}a/", f"{SITE}a/b/", f"{SITE}a/b/c/"]
    assert folders("https://example.org/") == folders("https://example.org") == [SITE]


def test_a_folder_whose_pages_all_breed_is_suspected_once_and_closed():
    guard = InfiniteSpaces(50)
    assert feed(guard, TRAP, 49) == []
    guard.read(f"{TRAP}49", fresh(f"{TRAP}49-"))
    assert TRAP in guard.take()
    assert guard.refusal(f"{TRAP}x") is None
    assert TRAP not in feed(guard, TRAP, 60)  # not asked for again before there is an answer
    guard.close(TRAP)
    assert TRAP in guard.refusal(f"{TRAP}x/y")
    assert guard.refusal(f"{SITE}t/other") is None
    assert guard.refusal(TRAP) is not None
    assert TRAP not in feed(guard, TRAP, 200)


def test_an_honest_folder_is_cleared_and_asked_for_less_and_less():
    guard, asked = InfiniteSpaces(50), 0
    for _ in range(3200):
        if TRAP in feed(guard, TRAP, 1):
            asked += 1
            guard.clear(TRAP)
    assert asked == 6  # after 50, 100, 200, ... more pages


@pytest.mark.parametrize("links", [0, 1, 4])
def test_pages_that_name_few_new_ones_are_no_suspects(links):
    assert feed(InfiniteSpaces(50), TRAP, 500, links) == []


def test_a_tenth_and_more_of_leaves_is_honest():
    guard = InfiniteSpaces(50)
    for number in range(1000):
        guard.read(f"{TRAP}{number}", fresh(f"{TRAP}{number}-") if number % 8 else [])
    assert guard.take() == []


def test_links_out_of_the_folder_do_not_count():
    guard = InfiniteSpaces(50)
    for number in range(1000):
        guard.read(f"{TRAP}{number}", fresh(f"{SITE}articles/{number}-"))
    assert TRAP not in guard.take()


def test_nothing_is_suspected_with_the_setting_off():
    assert feed(InfiniteSpaces(0), TRAP, 500) == []


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(infinite_spaces, "MAX_FOLDERS", 10)
    guard = InfiniteSpaces(50)
    for number in range(100):
        guard.read(f"{SITE}{number}/x", [])
    assert len(guard._folders) == 10


def test_an_invented_url_says_who_asks_and_stays_the_same():
    assert invented(TRAP).startswith(f"{TRAP}sitecrawl-asks-")
    assert invented(TRAP) == invented(TRAP) != invented(SITE)
    assert is_invented(invented(TRAP))
    assert not is_invented(TRAP)


# From run to run ---------------------------------------------------------------------------------------------------


def test_what_was_closed_stays_closed_in_the_next_run():
    first = InfiniteSpaces(50)
    closed = first.close(TRAP)
    assert (closed.kind, closed.place) == (ClosedKind.FOLDER, TRAP)
    later = InfiniteSpaces(50)
    later.restore([closed])
    assert later.refusal(f"{TRAP}x/y") == first.refusal(f"{TRAP}x/y") == closed.reason
    assert later.take() == []
    assert TRAP not in feed(later, TRAP, 500)


def test_a_folder_that_was_closed_long_ago_is_asked_for_once_more():
    closed = InfiniteSpaces(50).close(TRAP)
    for answer, refused in (
        (InfiniteSpaces.close, True),
        (InfiniteSpaces.clear, False),
        (InfiniteSpaces.unanswered, True),
    ):
        guard = InfiniteSpaces(50)
        guard.restore([], [closed])
        assert guard.take() == [TRAP]
        assert guard.take() == []
        answer(guard, TRAP)
        assert (guard.refusal(f"{TRAP}x") is not None) == refused


def test_a_new_suspect_without_an_answer_stays_open():
    guard = InfiniteSpaces(50)
    assert TRAP in feed(guard, TRAP, 50)
    guard.unanswered(TRAP)
    assert guard.refusal(f"{TRAP}x") is None
    assert TRAP in feed(guard, TRAP, 100)


def test_the_start_page_is_asked_for_whatever_is_closed():
    guard = InfiniteSpaces(50, SITE)
    guard.close(SITE)
    assert guard.refusal(SITE) is None
    assert guard.refusal(f"{SITE}x") is not None


def test_pages_of_a_run_that_was_killed_count_in_the_next_one():
    """Read again in the order of the first run, they leave the same state, whenever that was killed."""
    pages = [(f"{TRAP}{number}", fresh(f"{TRAP}{number}-")) for number in range(50)]
    whole = InfiniteSpaces(50)
    for url, named in pages:
        whole.read(url, named)
    for killed in (1, 25, 49):
        again = InfiniteSpaces(50)
        for url, named in pages[:killed]:
            again.read(url, named)
        assert again.take() == []
        for url, named in pages[killed:]:
            again.read(url, named)
        assert again.take() == whole._due
