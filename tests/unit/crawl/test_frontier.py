import heapq
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.crawl.frontier import LINK_PRIORITY, SAMPLE_PRIORITY, SITEMAP_PRIORITY, Frontier
from sitecrawl.links.anchors import Anchor
from sitecrawl.links.selection import RankedAnchor


def ranked(*keys):
    return [
        RankedAnchor(Anchor(0, f"https://example.org/{key}", key, "", False), rank, 3, 1)
        for rank, key in enumerate(keys)
    ]


def limited(depth, step=0):
    frontier = Frontier(window=3)
    frontier.limit_depth(depth, step)
    return frontier


@pytest.fixture
def frontier():
    return Frontier(window=3)


def test_a_url_is_found_once(frontier):
    found = frontier.find(ranked(1, 2), 1, 1)
    assert [one.url_key for one in found] == [1, 2]
    assert [one.discovery for one in found] == [1, 2]
    assert [one.priority for one in found] == [SAMPLE_PRIORITY - 1, LINK_PRIORITY - 5 - 1]  # 0, +1, -1, +2, -2, +3
    assert frontier.find(ranked(1, 2, 3), 1, 1)[0].url_key == 3
    assert frontier.add(1, "https://example.org/1", 0, 0) is None


def test_what_was_found_is_known_once_it_is_stored(frontier):
    found = frontier.find(ranked(1), 1, 1)
    assert (frontier.knows(1), frontier.known) == (True, set())
    frontier.stored(found)
    assert (frontier.known, frontier.claimed) == ({1}, set())


def test_what_could_not_be_stored_is_found_again_with_its_number(frontier):
    frontier.release(frontier.find(ranked(1, 2), 1, 1))
    assert not frontier.knows(1)
    assert [one.discovery for one in frontier.find(ranked(1, 2), 1, 1)] == [1, 2]


@pytest.mark.parametrize(
    ("order", "expected"), [("seed", [0, 1, -1, 2, -2, 3, -100, -150]), ("hybex", [0, 1, 2, 3, -1, -2, -100, -150])]
)
def test_links_beyond_the_n_set_are_requested_in_the_order_of_their_distances(order, expected):
    frontier = Frontier(window=3, order=order)
    anchors = [
        RankedAnchor(Anchor(0, f"https://example.org/{key}", key, "", False), key, distance, None)
        for key, distance in enumerate([-150, -2, -1, 0, 1, 2, 3, -100])
    ]
    found = sorted(frontier.find(anchors, 20, 0), key=lambda one: -one.priority)
    assert [one.hyperlink_distance for one in found][:6] == expected[:6]
    assert {one.hyperlink_distance for one in found[6:]} == set(expected[6:])
    assert SITEMAP_PRIORITY < found[-1].priority < found[0].priority < SAMPLE_PRIORITY - 20


def test_members_of_an_n_set_that_wait_are_promoted_once(frontier):
    frontier.stored(frontier.find(ranked(1, 2, 3), 1, 0))
    frontier.take(2)
    assert frontier.promote((1, 2, 4)) == [1]  # 2 is in the engine, 4 is not known
    assert frontier.promote((3, 1)) == [3]


def test_nothing_is_found_below_the_depth(frontier):
    frontier.max_depth = 1
    assert frontier.find(ranked(1), 2, 1) == []


def test_an_answer_counts_as_a_page_once_it_is_stored(frontier):
    assert frontier.take(1)
    assert frontier.arrive(1, page=True)
    assert (frontier.pages, frontier.settled, frontier.is_requested(1), frontier.take(1)) == (0, set(), True, False)
    assert not frontier.arrive(1, page=True)
    frontier.settle(1)
    assert (frontier.pages, frontier.settled, frontier.known, frontier.arrived) == (1, {1}, {1}, {})
    assert not frontier.arrive(1)


def test_an_outcome_without_an_answer_is_no_page(frontier):
    frontier.take(1)
    frontier.settle(1)
    assert (frontier.pages, frontier.settled) == (0, {1})


def test_an_answer_that_cannot_be_stored_is_asked_for_once_more(frontier):
    for left in (True, False):
        assert frontier.take(1)
        frontier.arrive(1, page=True)
        frontier.give_back(1)
        assert (1 in frontier.postponed) is not left
    assert not frontier.take(1)
    assert (frontier.pages, frontier.settled) == (0, set())


def test_pages_that_are_about_to_be_stored_take_room_of_the_most_pages(frontier):
    frontier.max_pages = 2
    assert frontier.room == 2
    frontier.take(1)
    assert frontier.room == 1
    frontier.arrive(1, page=True)
    assert frontier.room == 1
    frontier.settle(1)
    assert (frontier.room, frontier.full) == (1, False)
    frontier.take(2)
    frontier.arrive(2, page=True)
    frontier.settle(2)
    assert (frontier.room, frontier.full) == (0, True)


def test_the_window_bounds_what_is_with_the_engine(frontier):
    assert [frontier.take(key) for key in range(4)] == [True, True, True, False]
    frontier.postpone(0)
    assert frontier.take(3)
    assert not frontier.take(0)


def test_nothing_is_asked_for_when_the_crawl_is_stopped(frontier):
    frontier.stopped = "outage"
    assert not frontier.take(1)


def test_what_is_left_are_the_known_urls_without_an_outcome(frontier):
    frontier.stored(frontier.find(ranked(1, 2, 3), 1, 0))
    frontier.arrive(1, page=True)
    frontier.settle(1)
    assert frontier.left == 2


@pytest.mark.parametrize(("depth", "found"), [(2, 1), (3, 0)])
def test_the_depth_itself_is_within_the_limit(depth, found):
    frontier = Frontier(window=3, max_depth=2)
    assert frontier.too_deep(ranked(1), depth) == 1 - found
    assert len(frontier.find(ranked(1), depth, 1)) == found
    assert frontier.too_deep(ranked(1), 3) == 1 - found  # a known URL is none


def test_the_limit_is_that_of_the_page_and_not_of_the_deepest_page():
    frontier = limited(0, 20)
    frontier.stored([frontier.add(7, "https://example.org/7", 95, 0)])
    found = {depth: len(frontier.find(ranked(depth), depth + 1, 1)) for depth in (19, 20, 21, 39, 40, 95)}
    assert found == {19: 1, 20: 0, 21: 1, 39: 1, 40: 0, 95: 1}
    assert (frontier.too_deep(ranked(1), 21), frontier.too_deep(ranked(1), 22)) == (1, 0)
    assert len(frontier.find(ranked(20), 21, 1, raised=True)) == 1


@pytest.mark.parametrize(("most", "full"), [(0, False), (1, True), (2, True), (3, False)])
def test_a_crawl_is_full_with_its_most_pages(most, full):
    frontier = Frontier(window=9, max_pages=most)
    for key in (1, 2):
        frontier.arrive(key, page=True)
        frontier.settle(key)
    frontier.arrive(3)
    frontier.settle(3)  # no page
    assert (frontier.pages, frontier.full) == (2, full)
    assert frontier.room == {0: 9, 1: 0, 2: 0, 3: 1}[most]


def test_a_url_is_taken_once_and_not_when_it_is_postponed_or_settled(frontier):
    assert frontier.take(1)
    assert not frontier.take(1)
    frontier.postpone(1)
    assert (frontier.is_requested(1), frontier.take(1), frontier.taken) == (False, False, set())
    frontier.arrive(2)
    assert (frontier.is_requested(2), frontier.take(2)) == (True, False)
    frontier.settle(2)
    assert (frontier.is_requested(2), frontier.take(2)) == (True, False)
    frontier.ask_again(2)
    assert (frontier.is_requested(2), frontier.take(2)) == (False, True)


def test_what_is_claimed_and_not_stored_gives_its_number_back_once(frontier):
    (first,) = frontier.find(ranked(1), 1, 0)
    frontier.stored([first])
    frontier.release([first])  # it is stored: nothing is given back
    assert frontier.find(ranked(2), 1, 0)[0].discovery == first.discovery + 1


def test_the_rank_below_the_size_is_of_the_n_set():
    found = Frontier(window=3).find(ranked(1, 2, 3), 4, 2)
    assert [one.priority >= SAMPLE_PRIORITY - 4 for one in found] == [True, True, False]
    assert [(one.depth, one.hyperlink_distance, one.dom_distance) for one in found] == [(4, 3, 1)] * 3
    added = Frontier(window=3).add(7, "https://example.org/7", 5, SITEMAP_PRIORITY)
    assert (added.depth, added.priority, added.hyperlink_distance, added.discovery) == (5, SITEMAP_PRIORITY, None, 1)


@pytest.mark.parametrize("by_a_sitemap", [False, True])
def test_another_spelling_of_a_url_is_what_is_tried_when_the_host_of_the_first_one_fails(frontier, by_a_sitemap):
    frontier.spellings.home = "https://example.org"
    first, other = (
        RankedAnchor(Anchor(0, f"https://{host}/1", 1, "", False), 0, 3, 1)
        for host in ("www.example.org", "example.org")
    )
    frontier.find([first], 1, 1)
    if by_a_sitemap:
        assert frontier.add(1, other.anchor.url, 1, 0) is None
    else:
        assert frontier.find([other], 1, 1) == []
    frontier.spellings.failed(1, "no address")
    assert frontier.spellings.take() == [(1, "https://example.org/1", "no address")]


def test_pages_far_from_the_start_come_last_and_level_by_level():
    frontier = limited(20)
    assert [limited(limit).near for limit in (0, 3, 12, 20, 100)] == [0, 1, 3, 5, 5]
    near, far, farther = (frontier.find(ranked(key), depth, 1)[0].priority for key, depth in ((1, 5), (2, 6), (3, 7)))
    assert near == SAMPLE_PRIORITY - 5
    assert SITEMAP_PRIORITY > 0 > far > farther
    assert frontier.link_priority(5) == LINK_PRIORITY - 5
    assert Frontier(window=3).find(ranked(4), 70, 1)[0].priority == SAMPLE_PRIORITY - 70  # without a limit of depth


def test_a_shorter_way_to_a_waiting_page_counts_once_it_is_stored():
    frontier = limited(20)
    frontier.stored(frontier.find(ranked(1, 2), 9, 1))
    frontier.stored(frontier.find(ranked(3), 5, 1))  # near: its depth says nothing about the order of requests
    assert (frontier.far, frontier.farther((1, 3, 4), 10)) == ({1: 9, 2: 9}, [])
    frontier.settle(2)
    assert frontier.farther((1, 2, 3, 4), 3) == [1]
    assert frontier.depth(1, 9) == 9
    frontier.bring_near([1], 3)
    assert (frontier.depth(1, 9), frontier.depth(3, 5), frontier.farther((1,), 3)) == (3, 5, [])
    frontier.bring_near([1], 4)  # another page's way, stored later
    assert frontier.depth(1, 9) == 3


GRAPHS = st.integers(2, 40).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, size - 1), max_size=6), min_size=size, max_size=size)
)


def lengths(links):
    """Return the number of links from page 0 to each page that it leads to."""
    found, queue = {0: 0}, deque([0])
    while queue:
        key = queue.popleft()
        for one in links[key]:
            if one not in found:
                found[one] = found[key] + 1
                queue.append(one)
    return found


@given(GRAPHS, st.integers(1, 12))
def test_no_page_within_the_limit_of_depth_less_what_is_near_is_left_out(links, limit):
    """The first two links of a page are its n-SET, which leads away from the start first."""
    frontier = limited(limit)
    waiting, depths, fetched = [], {}, {}

    def queue(found):
        frontier.stored(found)
        for one in found:
            depths[one.url_key] = one.depth
            heapq.heappush(waiting, (-one.priority, one.discovery, one.url_key))

    queue([frontier.add(0, "https://example.org/", 0, SAMPLE_PRIORITY)])
    while waiting:
        _, _, key = heapq.heappop(waiting)
        if key in fetched:
            continue
        fetched[key] = frontier.depth(key, depths[key])
        frontier.settle(key)
        depth = fetched[key] + 1
        queue(frontier.find(ranked(*dict.fromkeys(links[key])), depth, 2))
        for other in frontier.farther(links[key], depth):
            frontier.bring_near([other], depth)
            heapq.heappush(waiting, (-frontier.link_priority(depth), -1, other))

    for key, length in lengths(links).items():
        if length + frontier.near - 1 <= limit:
            assert fetched[key] - length < frontier.near
