import datetime as dt
import math
import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.errors import ConfigError
from sitecrawl.scheduling import (
    GONE_VISITS,
    LONGEST,
    MEMORY,
    POLICIES,
    Bounds,
    History,
    Outcome,
    PlannedPage,
    Visit,
    best_interval,
    bring_forward,
    change_rate,
    death_pause,
    plan,
    site_due,
    words,
)

BOUNDS = Bounds()
START = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
HOUR, DAY = 3600, 86400
EARLY_KEY = 0xFFFFFFFF
"""The page that jitter sends earliest; page 0 is not sent early at all."""


def after(seconds):
    return START + dt.timedelta(seconds=seconds)


def visits(outcomes, policy="adaptive", bounds=BOUNDS, hub=False, url_key=0):
    """Visit a page each time it is due."""
    history, at, plans = History(), START, []
    for outcome in outcomes:
        made = plan(policy, bounds, history, Visit(Outcome(outcome), at, url_key, hub))
        plans.append(made)
        history = made.history
        at = made.next_fetch_at or at
    return plans


def seconds(plans):
    times = [START, *[made.next_fetch_at for made in plans]]
    return [(later - earlier).total_seconds() for earlier, later in pairwise(times)]


def test_adaptive_multiplies_the_interval_by_the_outcome():
    plans = visits(["new", "unchanged", "unchanged", "changed", "changed", "unchanged"])
    assert seconds(plans) == [DAY, 1.5 * DAY, 2.25 * DAY, 1.125 * DAY, 0.5625 * DAY, 0.84375 * DAY]
    assert [made.reason for made in plans] == [
        "new: 1 d",
        "unchanged once: 1.5 d",
        "unchanged twice: 2.2 d",
        "changed once: 1.1 d",
        "changed twice: 14 h",
        "unchanged once: 20 h",
    ]


def test_fixed_is_always_the_initial_interval():
    plans = visits(["new", "unchanged", "changed", "error", "unchanged"], "fixed")
    assert [made.history.interval for made in plans] == [DAY] * 5


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("outcome", ["changed", "unchanged"])
def test_intervals_stay_inside_the_bounds(policy, outcome):
    bounds = Bounds(minimum=HOUR, maximum=7 * DAY, initial=30 * DAY, worth=60)
    for gap in seconds(visits(["new", *[outcome] * 40], policy, bounds, url_key=EARLY_KEY)):
        assert HOUR <= gap <= 7 * DAY


def test_jitter_is_small_always_the_same_and_different_for_each_page():
    def gap(key):
        return seconds(visits(["new"], url_key=key))[0]

    assert gap(0) == DAY
    assert 0.9 * DAY <= gap(EARLY_KEY) < 0.901 * DAY
    chance = random.Random(7)
    keys = [chance.getrandbits(63) for _ in range(1000)]
    gaps = [gap(key) for key in keys]
    assert gaps == [gap(key) for key in keys]
    by_hour = [int(one // HOUR) for one in gaps]
    assert max(by_hour.count(hour) for hour in set(by_hour)) < 600  # of 2.4 hours


def test_jitter_does_not_add_up_in_the_interval():
    assert visits(["new", *["unchanged"] * 4], url_key=EARLY_KEY)[-1].history.interval == round(1.5**4 * DAY)


def test_failures_back_off_and_leave_the_estimate_alone():
    plans = visits(["new", "unchanged", *["error"] * 12, "unchanged"])
    gaps = seconds(plans)
    assert gaps[2:5] == [2 * HOUR, 4 * HOUR, 8 * HOUR]
    assert max(gaps) == 14 * DAY
    assert plans[3].reason == "failed twice: 4 h"
    assert plans[13].history.changes == 0
    assert plans[13].history.misses == 12
    assert plans[14].history.misses == 0
    assert plans[14].reason == "unchanged twice: 2.2 d"


@pytest.mark.parametrize("outcome", ["error", "withdrawn", "missing", "gone"])
def test_the_first_visit_that_does_not_find_a_page_dates_its_absence(outcome):
    plans = visits(["new", "unchanged", outcome, outcome, outcome, "unchanged"])
    missed = plans[1].next_fetch_at
    assert [made.history.missing_since for made in plans] == [None, None, missed, missed, missed, None]


@pytest.mark.parametrize("outcome", ["moved", "excluded"])
def test_an_end_that_is_no_absence_dates_none(outcome):
    assert visits(["new", "error", outcome])[-1].history.missing_since is None


def test_a_page_that_is_gone_is_looked_at_again_and_then_left():
    plans = visits(["new", "missing", *["gone"] * GONE_VISITS])
    assert seconds(plans[:3])[1:] == [2 * HOUR, 14 * DAY]
    assert plans[GONE_VISITS].next_fetch_at is None
    assert plans[GONE_VISITS].reason == "gone, found so 3 times: never again"


def test_a_page_that_the_site_withdrew_is_confirmed_again_and_again_and_never_given_up():
    plans = visits(["new", *["withdrawn"] * 12])
    assert seconds(plans)[1:5] == [2 * HOUR, 4 * HOUR, 8 * HOUR, 16 * HOUR]
    assert seconds(plans)[-2:] == [14 * DAY, 14 * DAY]
    assert plans[2].reason == "withdrawn, found so twice: 4 h"


@pytest.mark.parametrize("first", [["withdrawn"], ["missing", "withdrawn"]])
def test_a_page_that_was_deleted_is_given_up_after_the_longest_interval_and_no_sooner(first):
    plans = visits(["new", *first, "gone", "gone"])
    assert seconds(plans[:-1])[-1] == 14 * DAY
    assert plans[-1].next_fetch_at is None


@pytest.mark.parametrize("outcome", ["gone", "dead"])
def test_the_start_page_is_never_given_up(outcome):
    plans = visits([outcome] * 12, hub=True)
    assert seconds(plans)[:3] == [2 * HOUR, 4 * HOUR, 8 * HOUR]
    assert seconds(plans)[-1] == 14 * DAY
    assert plans[1].reason == f"{outcome}, found so twice: 4 h"


def test_a_dead_link_is_tried_again_at_growing_intervals():
    plans = visits(["dead"] * 8)
    assert seconds(plans) == [14 * DAY, 28 * DAY, 56 * DAY, 112 * DAY, 224 * DAY, 366 * DAY, 366 * DAY, 366 * DAY]
    assert plans[1].reason == "a dead link, found so twice: 28 d"


def test_a_dead_link_that_becomes_a_page_is_new():
    assert visits(["dead", "dead", "new"])[-1].history.misses == 0


def test_a_page_that_comes_back_is_new():
    plans = visits(["new", "unchanged", "unchanged", "gone", "new"])
    assert plans[-1].history == History(visited_at=plans[3].next_fetch_at, interval=DAY)


@pytest.mark.parametrize("outcome", ["moved", "excluded"])
def test_other_ends_are_looked_at_now_and_then(outcome):
    made = visits(["new", outcome])[-1]
    assert made.reason == f"{outcome}: 14 d"


def test_a_visit_that_is_told_twice_counts_once():
    history = visits(["new", "unchanged"])[-1].history
    again = plan("adaptive", Bounds(), history, Visit(Outcome.UNCHANGED, history.visited_at, 0))
    assert again.history.streak == 1
    assert again.history.comparisons == 1
    assert again.next_fetch_at == history.visited_at + dt.timedelta(seconds=1.5 * DAY)


def test_a_clock_that_was_set_back():
    ahead = plan("poisson", Bounds(), History(), Visit(Outcome.NEW, after(1000 * DAY), 0)).history
    made = plan("poisson", Bounds(), ahead, Visit(Outcome.CHANGED, START, 0))
    assert made.history.comparisons == 0
    assert made.history.visited_at == START
    assert HOUR <= (made.next_fetch_at - START).total_seconds() <= 14 * DAY


def test_a_clock_that_jumped_ahead_counts_for_a_year_at_most():
    history = plan("poisson", Bounds(), History(), Visit(Outcome.NEW, START, 0)).history
    made = plan("poisson", Bounds(), history, Visit(Outcome.UNCHANGED, after(100 * 365 * DAY), 0))
    assert made.history.unchanged_seconds == LONGEST


def test_bounds_that_cannot_be():
    for wrong in ({"minimum": 0}, {"minimum": 10, "maximum": 9}, {"maximum": LONGEST + 1}, {"error": 0}, {"worth": 0}):
        with pytest.raises(ConfigError):
            Bounds(**wrong)


def test_an_unknown_policy():
    with pytest.raises(ConfigError, match="known: fixed, adaptive, poisson"):
        plan("daily", Bounds(), History(), Visit(Outcome.NEW, START, 0))


# Change rate ------------------------------------------------------------------------------------------------------


def observed(changed, unchanged, interval=DAY):
    n = changed + unchanged
    return History(
        comparisons=n, changes=changed, changed_seconds=changed * interval, unchanged_seconds=unchanged * interval
    )


@pytest.mark.parametrize(("changed", "unchanged"), [(1, 0), (1, 9), (3, 7), (10, 0), (5, 5)])
def test_equal_intervals_give_the_estimator_of_the_paper(changed, unchanged):
    n = changed + unchanged
    expected = -math.log((unchanged + 0.5) / (n + 0.5)) / DAY
    assert change_rate(observed(changed, unchanged)) == pytest.approx(expected)


def test_a_page_that_changes_at_every_visit_is_taken_for_faster_and_faster():
    rates = [change_rate(replace(observed(n, 0), streak=-n)) for n in (1, 2, 4, 8, 16)]
    assert rates[1] == pytest.approx(math.log(5) / DAY)
    assert rates[4] == pytest.approx(math.log(1 + 2 * 15 * 16) / DAY)
    assert rates == sorted(rates)


def test_a_page_never_seen_changed_counts_half_a_change():
    assert change_rate(History()) is None
    rates = [change_rate(observed(0, n)) * DAY for n in (1, 2, 10, 100)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(0.5 / 100, rel=0.01)


def test_irregular_visits_find_the_rate():
    """A page that changes every 3 days, visited at random intervals: the estimate is near, and not one-sided."""
    chance, estimates = random.Random(5), []
    for _ in range(300):
        history, at = plan("fixed", Bounds(), History(), Visit(Outcome.NEW, START, 0)).history, START
        for _ in range(int(MEMORY)):
            gap = chance.uniform(0.5, 4) * DAY
            at += dt.timedelta(seconds=gap)
            changed = chance.random() < 1 - math.exp(-gap / (3 * DAY))
            outcome = Outcome.CHANGED if changed else Outcome.UNCHANGED
            history = plan("fixed", Bounds(), history, Visit(outcome, at, 0)).history
        estimates.append(change_rate(history) * 3 * DAY)
    estimates.sort()
    assert 0.85 < estimates[150] < 1.15
    assert 0.5 < estimates[15] < estimates[285] < 2


def test_old_visits_fade():
    history = visits(["new", *["changed"] * 60], "fixed")[-1].history
    assert history.comparisons == pytest.approx(MEMORY)
    later = visits(["new", *["changed"] * 60, *["unchanged"] * 60], "fixed")[-1].history
    assert later.changes < 0.1 * MEMORY


@given(st.lists(st.sampled_from(["new", "changed", "unchanged", "error", "gone", "excluded", "missing"]), max_size=60))
def test_every_plan_is_inside_the_bounds(outcomes):
    for policy in POLICIES:
        history, at = History(), START
        for outcome in outcomes:
            made = plan(policy, Bounds(), history, Visit(Outcome(outcome), at, 12345))
            history = made.history
            if made.next_fetch_at is not None:
                assert HOUR <= (made.next_fetch_at - at).total_seconds() <= 14 * DAY
                at = made.next_fetch_at
            assert 0 <= history.changes <= history.comparisons <= MEMORY
            assert history.changed_seconds >= 0 <= history.unchanged_seconds


# Interval ---------------------------------------------------------------------------------------------------------


def freshness(rate, interval):
    return (1 - math.exp(-rate * interval)) / (rate * interval)


@pytest.mark.parametrize("days", [0.5, 1, 3, 30, 365])
def test_the_interval_is_where_another_visit_gains_what_it_is_worth(days):
    rate, worth = 1 / (days * DAY), 6 * HOUR
    frequency = 1 / best_interval(rate, worth)
    small = frequency * 1e-4
    gain = (freshness(rate, 1 / (frequency + small)) - freshness(rate, 1 / (frequency - small))) / (2 * small)
    assert gain == pytest.approx(worth, rel=1e-3)


def test_pages_that_change_too_fast_are_not_run_after():
    assert best_interval(1 / (6 * HOUR), 6 * HOUR) == math.inf
    assert best_interval(0, 6 * HOUR) == math.inf
    bounds, history = Bounds(worth=DAY), replace(observed(10, 0, DAY), visited_at=START, streak=-10)
    visit = Visit(Outcome.CHANGED, after(DAY), 0)
    fast = plan("poisson", bounds, history, visit)
    assert fast.history.interval == bounds.maximum
    assert fast.reason == "changed 11 times, a change every 4.4 h, too fast to keep up with: 14 d"
    assert plan("poisson", bounds, history, replace(visit, hub=True)).history.interval == bounds.initial


def test_two_looks_in_a_row_do_not_make_a_page_one_that_changes_too_fast():
    first = plan("poisson", Bounds(), None, Visit(Outcome.NEW, START, 0))
    again = plan("poisson", Bounds(), first.history, Visit(Outcome.UNCHANGED, START + dt.timedelta(seconds=7), 0))
    assert again.history.interval == first.history.interval
    assert "too fast" not in again.reason
    changed = plan("poisson", Bounds(), again.history, Visit(Outcome.CHANGED, START + dt.timedelta(seconds=20), 0))
    assert changed.history.interval == Bounds().initial
    assert changed.reason.startswith("changed once") and "too few to tell" in changed.reason


@pytest.mark.parametrize("gap", [dt.timedelta(seconds=20), dt.timedelta(minutes=30), dt.timedelta(hours=5)])
def test_a_page_is_given_up_as_too_fast_after_its_third_change_only(gap):
    """An article that was corrected in its first hour is visited the next day, and not in two weeks."""
    bounds, history, at = Bounds(), None, START
    intervals = []
    for outcome in (Outcome.NEW, *[Outcome.CHANGED] * 3):
        history = plan("poisson", bounds, history, Visit(outcome, at, 0)).history
        intervals.append(history.interval)
        at += gap
    assert intervals == [bounds.initial] * 3 + [bounds.maximum]


def test_poisson_waits_longer_the_rarer_the_changes():
    rare = visits(["new", *["unchanged"] * 30], "poisson")
    gaps = [made.history.interval for made in rare]
    assert gaps == sorted(gaps)
    assert gaps[-1] > 8 * DAY
    often = visits(["new", *["unchanged", "changed"] * 15], "poisson")
    assert often[-1].history.interval < 2 * DAY
    assert often[-1].reason.startswith("changed once, a change every ")


# Dates of sitemaps ------------------------------------------------------------------------------------------------


def test_a_later_date_hastens():
    history, due, now = History(visited_at=START, streak=-1), after(5 * DAY), after(DAY)
    assert bring_forward(Bounds(), history, due, after(DAY / 2), now) == now
    assert bring_forward(Bounds(), history, None, after(DAY / 2), now) == now


def test_other_dates_do_not():
    history, due, now = History(visited_at=START, streak=-1), after(5 * DAY), after(DAY)
    for date in (after(-DAY), START, after(2 * DAY), after(10000 * DAY)):
        assert bring_forward(Bounds(), history, due, date, now) == due
    assert bring_forward(Bounds(), History(), due, after(DAY / 2), now) == due
    overdue = after(DAY / 2)
    assert bring_forward(Bounds(), history, overdue, after(DAY / 3), now) == overdue


def test_dates_that_lied_are_believed_less():
    due, now = after(10 * DAY), after(60)
    waits = [
        (bring_forward(Bounds(), History(visited_at=START, streak=n), due, after(30), now) - START).total_seconds()
        for n in (-3, 0, 1, 3, 30)
    ]
    assert waits == [HOUR, HOUR, 2 * HOUR, 8 * HOUR, 10 * DAY]


@pytest.mark.parametrize(
    ("value", "text"),
    [(5, "5 s"), (90, "1.5 min"), (3600, "1 h"), (27000, "7.5 h"), (86400, "1 d"), (12.4 * DAY, "12 d")],
)
def test_durations_in_words(value, text):
    assert words(value) == text


def planned(*hours, interval=100 * 3600, visited=None):
    return [PlannedPage(START + dt.timedelta(hours=one), interval, visited) for one in hours]


@pytest.mark.parametrize(
    ("first", "batch", "late", "hours"),
    [
        (planned(1, 2, 3), 1, 0.0, 1),  # without the rule: with its first page
        (planned(1, 2, 3), 2, 0.0, 1),  # none may be late
        (planned(1, 2, 3), 2, 0.1, 2),  # enough are due
        (planned(1, 2, 3), 3, 0.1, 3),
        (planned(1, 40), 2, 0.1, 11),  # the first is too late before enough are due
        (planned(1, 2), 20, 0.1, 11),  # a site with few pages
        (planned(1), 20, 1.0, 101),
        ([*planned(1), *planned(2, interval=3600)], 20, 0.5, 2.5),  # a page with a short interval waits less
        (planned(1, interval=None), 20, 0.5, 1 + 12),  # never found: of the initial interval
        (planned(1, visited=START - dt.timedelta(days=14, hours=-5)), 20, 0.1, 5),  # not beyond the longest interval
        (planned(1, visited=START - dt.timedelta(days=20)), 20, 0.1, 1),
    ],
)
def test_a_site_is_due_when_enough_pages_are_or_one_is_too_late(first, batch, late, hours):
    found = site_due(first[:batch], Bounds(batch=batch, late=late))
    assert found == START + dt.timedelta(hours=hours)


def test_a_site_without_planned_pages_is_never_due():
    assert site_due([], Bounds(batch=20, late=0.1)) is None


@pytest.mark.parametrize(
    ("deaths", "luck", "seconds"), [(2, 0.5, 60), (3, 0.5, 120), (3, 0.0, 60), (3, 1.0, 180), (99, 0.5, 86_400)]
)
def test_a_site_whose_crawls_die_waits_longer_each_time(deaths, luck, seconds):
    assert death_pause(deaths, luck) == dt.timedelta(seconds=seconds)
