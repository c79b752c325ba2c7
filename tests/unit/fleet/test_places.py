import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.fleet.places import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    LOOK,
    NOTHING_DUE,
    OPENING,
    RETIREMENT,
    SOON,
    TRIAL,
    End,
    Limits,
    Look,
    Places,
    Stop,
    Take,
    Wait,
)


def places(places=2, sites=0, memory=0, turn=100.0, until_done=False):
    return Places(Limits(places, sites, memory, turn, until_done))


def filled(number, **limits):
    """Return places that are all taken, at times 0, 1, 2 ..."""
    made = places(number, **limits)
    for site in range(number):
        made.taken(site, float(site))
        made.opened(site)
    return made


def test_a_free_place_takes_a_site():
    assert places().step(0.0) == Take()


def test_few_crawls_are_opened_at_once():
    made = places(50)
    for site in range(OPENING):
        assert made.step(0.0) == Take()
        made.taken(site, 0.0)
    assert made.step(0.0) == Wait(LOOK)
    made.opened(0)
    assert made.step(0.0) == Take()


def test_a_crawl_that_ends_while_it_is_opened_is_no_longer_opened():
    made = places(50)
    for site in range(OPENING):
        made.taken(site, 0.0)
    made.ended(1)
    assert made.step(0.0) == Take()


@pytest.mark.parametrize(("following", "seconds"), [(None, LOOK), (3.0, 3.0), (3600.0, LOOK), (-5.0, SOON)])
def test_when_nothing_is_due_it_looks_again_when_the_next_site_is(following, seconds):
    made = places()
    made.nothing_due(0.0, following)
    assert made.step(0.0) == Wait(seconds)
    assert made.step(seconds) == Take()


def test_the_end_of_a_crawl_is_a_reason_to_look_at_once():
    made = filled(2)
    made.nothing_due(10.0, None)
    made.ended(0)
    assert made.step(10.0) == Take()


def test_the_pause_after_a_failure_of_the_database_doubles_until_one_succeeds():
    made = places()
    assert [made.failed(0.0) for _ in range(7)] == [1.0, 2.0, 4.0, 8.0, 16.0, LONGEST_PAUSE, LONGEST_PAUSE]
    assert made.step(0.0) == Wait(LONGEST_PAUSE)
    made.nothing_due(100.0, None)
    assert made.failed(200.0) == FIRST_PAUSE


def test_with_all_places_taken_it_looks_whether_a_site_waits():
    assert filled(2).step(5.0) == Look()


def test_the_longest_crawl_gives_its_place_to_a_site_that_waits():
    made = filled(3)
    assert made.looked(101.0, waiting=True) == Stop((0,))
    assert made.looked(110.0, waiting=True) is None, "one at a time"
    made.ended(0)
    assert made.looked(120.0, waiting=True) == Stop((1,))


def test_a_crawl_keeps_its_place_while_no_site_waits_or_its_turn_is_not_over():
    assert filled(2).looked(1000.0, waiting=False) is None
    assert filled(2).looked(99.0, waiting=True) is None


@pytest.mark.parametrize("limits", [{"sites": 2}, {"memory": 1000}])
def test_a_process_that_is_to_be_replaced_lets_its_crawls_end_for_a_while(limits):
    made = filled(2, **limits)
    assert made.step(10.0, memory=2000) == Wait(LOOK)
    assert made.ending
    made.ended(0)
    assert made.step(50.0, memory=0) == Wait(LOOK)
    assert made.step(10.0 + RETIREMENT) == Stop((1,))
    assert made.step(10.0 + RETIREMENT) == Wait(LOOK), "it is stopped once"
    made.ended(1)
    assert isinstance(made.step(80.0), End)


def test_without_limits_a_process_is_never_replaced():
    made = places()
    for site in range(10_000):
        made.taken(site, 0.0)
        made.ended(site)
    assert made.step(0.0, memory=10**12) == Take()


def test_draining_stops_all_crawls_at_once_and_then_ends():
    made = filled(3)
    made.taken(7, 3.0)
    made.drain("stopped by a signal")
    assert made.step(4.0) == Stop((0, 1, 2, 7))
    for site in (0, 1, 2, 7):
        assert made.step(4.0) == Wait(LOOK)
        made.ended(site)
    assert made.step(5.0) == End("stopped by a signal")


def test_draining_hurries_a_process_that_is_being_replaced():
    made = filled(1, sites=1)
    assert made.step(0.0) == Wait(LOOK)
    made.drain("stopped by a signal")
    assert made.step(1.0) == Stop((0,))


@given(st.lists(st.tuples(st.sampled_from(["step", "end", "look", "fail", "due"]), st.integers(0, 20)), max_size=200))
def test_no_more_sites_run_than_there_are_places(events):
    made, now, following = places(5, turn=50.0), 0.0, 0
    for event, number in events:
        now += number
        if event == "end" and made.running:
            made.ended(min(made.running))
        elif event == "look":
            stop = made.looked(now, waiting=True)
            assert stop is None or now - made.running[stop.sites[0]] >= 50.0
        elif event == "fail":
            made.failed(now)
        elif event == "due":
            made.nothing_due(now, float(number))
        elif isinstance(made.step(now), Take):
            following += 1
            made.taken(following, now)
            made.opened(following)
        step = made.step(now)
        assert len(made.running) <= 5
        assert isinstance(step, Take | Look) or (isinstance(step, Wait) and 0 < step.seconds <= LONGEST_PAUSE)


def test_while_wake_ups_come_an_idle_process_looks_rarely_and_at_once_when_it_is_woken():
    made = places()
    made.quiet = 60.0
    made.nothing_due(10.0, 2.0)
    assert made.step(10.0) == Wait(60.0)
    made.wake()
    assert made.step(10.0) == Take()


def test_a_process_that_is_to_run_until_nothing_is_due_ends_when_its_last_crawl_has_ended():
    made = filled(1, until_done=True)
    made.limits = made.limits._replace(places=2)
    made.nothing_due(1.0, 500.0)
    assert made.step(1.0) == Wait(5.0)
    made.ended(0)
    assert made.step(2.0) == Take()
    made.nothing_due(2.0, 500.0)
    assert made.step(2.0) == End(NOTHING_DUE)


def test_one_suspect_is_on_trial_at_a_time():
    made = places(9)
    made.taken(1, 0.0)
    assert made.takes_suspects(0.0)
    made.taken(2, 10.0, suspect=True)
    assert not made.takes_suspects(10.0 + TRIAL - 1)
    assert made.takes_suspects(10.0 + TRIAL)
    made.taken(3, 100.0, suspect=True)
    assert not made.takes_suspects(101.0)
    made.ended(3)
    assert made.takes_suspects(101.0)
