import datetime as dt
import itertools

import pytest

from sitecrawl.crawl.page_lifecycle import (
    HTTP,
    STRIKES,
    Decision,
    Emit,
    FetchOutcome,
    FetchResult,
    decide,
    fetch_result,
    lasts,
)
from sitecrawl.scheduling import History, Outcome
from sitecrawl.storage.page_state import Known
from sitecrawl.storage.pages import PageStatus as S
from sitecrawl.storage.records import CANONICAL as NAMED
from sitecrawl.storage.records import NOINDEX

NEW = Known()
GOOD = Known(S.FETCHED, None, 0, "new", True)
DELETED = Known(S.GONE, "HTTP 410", STRIKES, "gone", False)
DEAD = Known(S.DEAD, "HTTP 404: a dead link, no page was ever found there")
BROKEN = Known(S.ERROR, "HTTP 500")
CANONICAL = "https://example.org/a"


def after(known, fetch_outcome):
    """The state that the next crawl finds, when deletions were carried out."""
    decision = decide(known, fetch_outcome)
    row, indexed = known.row, known.indexed
    if decision.emit is Emit.CONTENT:
        row, indexed = "changed" if known.live else "new", decision.indexable
    elif decision.emit is Emit.GONE:
        row, indexed = "gone", False
    return Known(decision.status, decision.reason, decision.strikes, row, indexed), decision


def walk(known, *findings):
    for fetch_outcome in findings:
        known, decision = after(known, fetch_outcome)
    return known, decision


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (200, FetchResult.PAGE),
        (204, FetchResult.UNUSABLE),
        (206, FetchResult.FAILED),
        (301, FetchResult.MOVED),
        (302, FetchResult.MOVED_FOR_NOW),
        (303, FetchResult.MOVED_FOR_NOW),
        (304, FetchResult.NOT_MODIFIED),
        (307, FetchResult.MOVED_FOR_NOW),
        (308, FetchResult.MOVED),
        (404, FetchResult.NOT_FOUND),
        (410, FetchResult.REMOVED),
        *(
            (status, FetchResult.FAILED)
            for status in (300, 400, 401, 403, 405, 418, 429, 451, 500, 502, 503, 504, 599, 999)
        ),
    ],
)
def test_every_http_status_means_one_thing(status, meaning):
    assert fetch_result(status) is meaning


def test_only_these_statuses_say_anything_of_a_page():
    assert {status for status, meaning in HTTP.items() if meaning in (FetchResult.NOT_FOUND, FetchResult.REMOVED)} == {
        404,
        410,
    }
    assert {status for status, meaning in HTTP.items() if meaning is FetchResult.MOVED} == {301, 308}


@pytest.mark.parametrize(
    ("known", "fetch_outcome", "status", "emit", "delete"),
    [
        (NEW, FetchOutcome(FetchResult.PAGE), S.FETCHED, Emit.CONTENT, False),
        (NEW, FetchOutcome(FetchResult.NOT_MODIFIED), S.UNCHANGED, Emit.NOTHING, None),
        (NEW, FetchOutcome(FetchResult.MOVED, "b"), S.REDIRECTED, Emit.NOTHING, None),
        (NEW, FetchOutcome(FetchResult.MOVED_FOR_NOW, "b"), S.REDIRECTED, Emit.NOTHING, False),
        (NEW, FetchOutcome(FetchResult.NOT_FOUND), S.DEAD, Emit.NOTHING, None),
        (NEW, FetchOutcome(FetchResult.REMOVED), S.DEAD, Emit.NOTHING, None),
        (NEW, FetchOutcome(FetchResult.FORBIDDEN), S.EXCLUDED, Emit.NOTHING, None),
        (NEW, FetchOutcome(FetchResult.REFUSED), S.EXCLUDED, Emit.NOTHING, None),
        (NEW, FetchOutcome(FetchResult.UNUSABLE), S.EXCLUDED, Emit.NOTHING, None),
        (NEW, FetchOutcome(FetchResult.FAILED), S.ERROR, Emit.NOTHING, None),
        (DEAD, FetchOutcome(FetchResult.PAGE), S.FETCHED, Emit.CONTENT, False),
        (DEAD, FetchOutcome(FetchResult.NOT_FOUND), S.DEAD, Emit.NOTHING, None),
        (DEAD, FetchOutcome(FetchResult.FAILED), S.ERROR, Emit.NOTHING, None),
        (BROKEN, FetchOutcome(FetchResult.NOT_FOUND), S.DEAD, Emit.NOTHING, None),
        (GOOD, FetchOutcome(FetchResult.PAGE), S.FETCHED, Emit.CONTENT, False),
        (GOOD, FetchOutcome(FetchResult.NOT_MODIFIED), S.UNCHANGED, Emit.UNCHANGED, None),
        (GOOD, FetchOutcome(FetchResult.MOVED, "b"), S.REDIRECTED, Emit.GONE, True),
        (GOOD, FetchOutcome(FetchResult.MOVED_FOR_NOW, "b"), S.REDIRECTED, Emit.NOTHING, False),
        (GOOD, FetchOutcome(FetchResult.NOT_FOUND), S.ERROR, Emit.NOTHING, None),
        (GOOD, FetchOutcome(FetchResult.REMOVED), S.GONE, Emit.GONE, True),
        (GOOD, FetchOutcome(FetchResult.FORBIDDEN), S.EXCLUDED, Emit.NOTHING, None),
        (GOOD, FetchOutcome(FetchResult.REFUSED), S.EXCLUDED, Emit.NOTHING, None),
        (GOOD, FetchOutcome(FetchResult.TRAPPED), S.EXCLUDED, Emit.NOTHING, None),
        (GOOD._replace(duplicate=True), FetchOutcome(FetchResult.TRAPPED), S.EXCLUDED, Emit.GONE, True),
        (GOOD._replace(duplicate=True), FetchOutcome(FetchResult.REFUSED), S.EXCLUDED, Emit.NOTHING, None),
        (GOOD, FetchOutcome(FetchResult.UNUSABLE), S.EXCLUDED, Emit.NOTHING, None),
        (GOOD, FetchOutcome(FetchResult.FAILED), S.ERROR, Emit.NOTHING, None),
        (DELETED, FetchOutcome(FetchResult.PAGE), S.FETCHED, Emit.CONTENT, False),
        (DELETED, FetchOutcome(FetchResult.MOVED, "b"), S.REDIRECTED, Emit.NOTHING, None),
        (DELETED, FetchOutcome(FetchResult.MOVED_FOR_NOW, "b"), S.REDIRECTED, Emit.NOTHING, False),
        (DELETED, FetchOutcome(FetchResult.NOT_FOUND), S.GONE, Emit.NOTHING, None),
        (DELETED, FetchOutcome(FetchResult.REMOVED), S.GONE, Emit.NOTHING, None),
        (DELETED, FetchOutcome(FetchResult.FORBIDDEN), S.EXCLUDED, Emit.NOTHING, None),
        (DELETED, FetchOutcome(FetchResult.REFUSED), S.EXCLUDED, Emit.NOTHING, None),
        (DELETED, FetchOutcome(FetchResult.UNUSABLE), S.EXCLUDED, Emit.NOTHING, None),
        (DELETED, FetchOutcome(FetchResult.FAILED), S.ERROR, Emit.NOTHING, None),
        (DELETED, FetchOutcome(FetchResult.NOT_MODIFIED), S.UNCHANGED, Emit.NOTHING, None),
    ],
)
def test_each_outcome_gives_the_status_row_and_deletion_of_the_table(known, fetch_outcome, status, emit, delete):
    decision = decide(known, fetch_outcome)
    assert (decision.status, decision.emit, decision.delete) == (status, emit, delete)


@pytest.mark.parametrize(
    "known",
    [
        Known(s, None, n, r, i)
        for s in S
        for n in (0, 1, 5)
        for r, i in ((None, False), ("new", True), ("unchanged", False), ("gone", False))
    ],
)
def test_nothing_is_deleted_that_is_not_live_and_only_deletions_are_emitted_as_gone(known):
    findings = [
        FetchOutcome(a, noindex=n, canonical=c, canonical_indexed=k)
        for a, n, c, k in itertools.product(FetchResult, (False, True), (None, CANONICAL), (False, True))
    ]
    for fetch_outcome in findings:
        decision = decide(known, fetch_outcome)
        assert (decision.emit is Emit.GONE) == (decision.delete is True)
        if decision.delete:
            assert known.live


@pytest.mark.parametrize(
    "given",
    [FetchResult.FAILED, FetchResult.UNUSABLE, FetchResult.ERROR_PAGE, FetchResult.REFUSED, FetchResult.MOVED_FOR_NOW],
)
def test_what_says_nothing_of_the_page_never_deletes_it(given):
    known = GOOD
    for _ in range(20):
        known, decision = after(known, FetchOutcome(given, "why"))
        assert decision.delete is not True
        assert known.live
        assert known.indexed


def test_404_deletes_in_the_second_crawl_in_a_row():
    missing, found = FetchOutcome(FetchResult.NOT_FOUND, "HTTP 404"), FetchOutcome(FetchResult.PAGE)
    _, first = walk(GOOD, missing)
    assert (first.status, first.strikes) == (S.ERROR, 1)
    assert first.reason == "HTTP 404, for the first time: deleted if the next crawl finds the same"
    assert walk(GOOD, missing, missing)[1].emit is Emit.GONE
    assert walk(GOOD, missing, found, missing)[1].emit is Emit.NOTHING
    assert walk(GOOD, missing, FetchOutcome(FetchResult.NOT_MODIFIED), missing)[1].emit is Emit.NOTHING
    # a failure in between proves nothing, neither that it is there nor that it is not
    assert walk(GOOD, missing, FetchOutcome(FetchResult.FAILED), missing)[1].emit is Emit.GONE


def test_a_url_that_never_was_a_page_is_a_dead_link_and_no_deletion():
    known, decision = walk(NEW, FetchOutcome(FetchResult.NOT_FOUND, "HTTP 404"))
    assert decision.reason == "HTTP 404: a dead link, no page was ever found there"
    assert (decision.strikes, decision.outcome) == (0, Outcome.DEAD)
    for later in (FetchResult.NOT_FOUND, FetchResult.REMOVED):
        assert walk(known, FetchOutcome(later))[1].status is S.DEAD
    assert walk(known, FetchOutcome(FetchResult.PAGE))[1].emit is Emit.CONTENT
    assert walk(known, FetchOutcome(FetchResult.PAGE), FetchOutcome(FetchResult.NOT_FOUND))[1].status is S.ERROR


def test_robots_delete_in_the_second_crawl_in_a_row():
    forbidden = FetchOutcome(FetchResult.FORBIDDEN, "forbidden by robots.txt")
    assert walk(GOOD, forbidden)[1].emit is Emit.NOTHING
    known, decision = walk(GOOD, forbidden, forbidden)
    assert (decision.status, decision.emit) == (S.EXCLUDED, Emit.GONE)
    assert walk(known, forbidden)[1].emit is Emit.NOTHING
    assert walk(GOOD, forbidden, FetchOutcome(FetchResult.FAILED), forbidden)[1].emit is Emit.NOTHING


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (FetchResult.MOVED_FOR_NOW, "to there for now, for over two weeks"),
        (FetchResult.ERROR_PAGE, "there, for over two weeks"),
    ],
)
def test_a_redirect_for_now_or_an_error_page_deletes_once_it_lasts(result, reason):
    known, first = after(GOOD, FetchOutcome(result, "there"))
    assert (first.emit, bool(first.delete)) == (Emit.NOTHING, False)
    known, lasting = after(known, FetchOutcome(result, "there", lasting=True))
    assert (lasting.emit, lasting.delete, lasting.reason) == (Emit.GONE, True, reason)
    assert decide(known, FetchOutcome(result, "there", lasting=True)).emit is Emit.NOTHING
    assert decide(known, FetchOutcome(FetchResult.PAGE)).emit is Emit.CONTENT


@pytest.mark.parametrize("result", [FetchResult.FAILED, FetchResult.REFUSED, FetchResult.UNUSABLE])
def test_failures_and_answers_without_a_page_never_delete_however_long_they_last(result):
    known, _ = after(GOOD, FetchOutcome(result, "why"))
    assert not decide(known, FetchOutcome(result, "why", lasting=True)).delete


@pytest.mark.parametrize("result", [FetchResult.MOVED_FOR_NOW, FetchResult.ERROR_PAGE])
def test_a_redirect_or_an_error_page_right_after_a_long_outage_deletes_nothing(result):
    known, _ = after(GOOD, FetchOutcome(FetchResult.FAILED, "HTTP 503"))
    assert not decide(known, FetchOutcome(result, "there", lasting=True)).delete


@pytest.mark.parametrize(
    ("days", "misses", "lasting"), [(15, 2, True), (14, 2, True), (13, 9, False), (60, 1, False), (None, 9, False)]
)
def test_what_lasts_was_not_found_for_long_and_at_several_visits(days, misses, lasting):
    at = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    since = None if days is None else at - dt.timedelta(days=days)
    found = at - dt.timedelta(days=90)  # a page that rarely changes is rarely visited
    assert lasts(History(visited_at=found, misses=misses, missing_since=since), at) is lasting


def test_a_404_and_robots_are_no_two_of_a_kind():
    missing, forbidden = FetchOutcome(FetchResult.NOT_FOUND), FetchOutcome(FetchResult.FORBIDDEN)
    for order in itertools.permutations((missing, forbidden)):
        assert walk(GOOD, *order)[1].emit is Emit.NOTHING


def test_a_page_that_comes_back_is_emitted():
    known, decision = walk(GOOD, FetchOutcome(FetchResult.REMOVED, "HTTP 410"), FetchOutcome(FetchResult.PAGE))
    assert decision.emit is Emit.CONTENT
    assert known.live


def test_held_deletions_are_decided_again_until_the_page_comes_back():
    held = Known(S.GONE, "HTTP 410", STRIKES, "new", True)  # nothing was carried out
    for given in (FetchResult.REMOVED, FetchResult.NOT_FOUND):
        assert decide(held, FetchOutcome(given)).delete is True
    assert decide(held, FetchOutcome(FetchResult.FAILED)).delete is None
    failed = Known(S.ERROR, "HTTP 500", decide(held, FetchOutcome(FetchResult.FAILED)).strikes, "new", True)
    assert decide(failed, FetchOutcome(FetchResult.NOT_FOUND)).delete is True
    assert decide(held, FetchOutcome(FetchResult.PAGE)).delete is False


def test_noindex_deletes_what_an_index_holds_and_is_silent_afterwards():
    noindex = FetchOutcome(FetchResult.PAGE, noindex=True)
    known, decision = walk(GOOD, noindex)
    assert (decision.status, decision.reason, decision.emit, decision.delete) == (S.FETCHED, "noindex", Emit.GONE, True)
    assert walk(known, noindex)[1].emit is Emit.NOTHING
    assert walk(known, FetchOutcome(FetchResult.NOT_MODIFIED))[1].emit is Emit.NOTHING
    back, decision = walk(known, FetchOutcome(FetchResult.PAGE))
    assert decision.emit is Emit.CONTENT
    assert back.indexed


def test_a_new_page_with_noindex_has_a_row_and_is_in_no_index():
    noindex = FetchOutcome(FetchResult.PAGE, noindex=True)
    known, decision = walk(NEW, noindex, noindex)
    assert decision.emit is Emit.CONTENT
    assert not known.indexed


def test_a_304_keeps_the_reason_of_the_body():
    known, _ = walk(NEW, FetchOutcome(FetchResult.PAGE, noindex=True), FetchOutcome(FetchResult.NOT_MODIFIED))
    assert (known.status, known.reason) == (S.UNCHANGED, "noindex")


def test_a_page_is_given_up_for_its_canonical_only_when_that_is_in_the_index():
    known, decision = walk(GOOD, FetchOutcome(FetchResult.PAGE, canonical=CANONICAL))
    assert (decision.emit, decision.indexable) == (Emit.CONTENT, True)
    known, decision = walk(known, FetchOutcome(FetchResult.PAGE, canonical=CANONICAL, canonical_indexed=True))
    assert (decision.emit, decision.reason) == (Emit.GONE, f"canonical: {CANONICAL}")
    known, decision = walk(known, FetchOutcome(FetchResult.PAGE, canonical=CANONICAL, canonical_indexed=True))
    assert decision.emit is Emit.NOTHING
    known, decision = walk(known, FetchOutcome(FetchResult.PAGE, canonical=CANONICAL))
    assert (decision.emit, decision.indexable) == (Emit.CONTENT, True)


def test_a_new_page_with_a_canonical_elsewhere_waits_outside_the_index():
    _, decision = walk(NEW, FetchOutcome(FetchResult.PAGE, canonical=CANONICAL))
    assert (decision.emit, decision.indexable) == (Emit.CONTENT, False)


@pytest.mark.parametrize(
    ("known", "fetch_outcome", "outcome"),
    [
        (GOOD, FetchOutcome(FetchResult.NOT_MODIFIED), Outcome.UNCHANGED),
        (GOOD, FetchOutcome(FetchResult.MOVED), Outcome.WITHDRAWN),
        (DELETED, FetchOutcome(FetchResult.MOVED), Outcome.MOVED),
        (GOOD, FetchOutcome(FetchResult.MOVED_FOR_NOW), Outcome.ERROR),
        (NEW, FetchOutcome(FetchResult.MOVED_FOR_NOW), Outcome.MOVED),
        (GOOD, FetchOutcome(FetchResult.NOT_FOUND), Outcome.MISSING),
        (NEW, FetchOutcome(FetchResult.NOT_FOUND), Outcome.DEAD),
        (GOOD._replace(status=S.ERROR, strikes=1), FetchOutcome(FetchResult.NOT_FOUND), Outcome.WITHDRAWN),
        (GOOD, FetchOutcome(FetchResult.REMOVED), Outcome.WITHDRAWN),
        (GOOD._replace(status=S.GONE), FetchOutcome(FetchResult.REMOVED), Outcome.WITHDRAWN),  # held
        (DELETED, FetchOutcome(FetchResult.REMOVED), Outcome.GONE),
        (GOOD, FetchOutcome(FetchResult.FORBIDDEN), Outcome.WITHDRAWN),
        (GOOD._replace(status=S.EXCLUDED, strikes=1), FetchOutcome(FetchResult.FORBIDDEN), Outcome.WITHDRAWN),
        (NEW, FetchOutcome(FetchResult.FORBIDDEN), Outcome.EXCLUDED),
        (GOOD, FetchOutcome(FetchResult.UNUSABLE), Outcome.WITHDRAWN),
        (NEW, FetchOutcome(FetchResult.UNUSABLE), Outcome.EXCLUDED),
        (GOOD, FetchOutcome(FetchResult.OUT_OF_SCOPE), Outcome.EXCLUDED),
        (GOOD, FetchOutcome(FetchResult.REFUSED), Outcome.EXCLUDED),
        (GOOD, FetchOutcome(FetchResult.FAILED), Outcome.ERROR),
        (GOOD, FetchOutcome(FetchResult.PAGE, noindex=True), Outcome.WITHDRAWN),
        (DELETED, FetchOutcome(FetchResult.PAGE, noindex=True), Outcome.EXCLUDED),
    ],
)
def test_what_a_visit_is_for_the_schedule(known, fetch_outcome, outcome):
    assert decide(known, fetch_outcome).outcome is outcome


@pytest.mark.parametrize(
    ("known", "noindex", "canonical_indexed", "decision"),
    [
        (Known(), True, None, Decision(S.FETCHED, NOINDEX, emit=Emit.CONTENT, delete=False, indexable=False)),
        (
            Known(row="new", indexed=True),
            *(True, None),
            Decision(S.FETCHED, NOINDEX, emit=Emit.GONE, delete=True, indexable=False),
        ),
        (
            Known(row="gone"),
            *(True, None),
            Decision(S.FETCHED, NOINDEX, emit=Emit.NOTHING, delete=False, indexable=False),
        ),
        (Known(), False, None, Decision(S.FETCHED, None, emit=Emit.CONTENT, delete=False, indexable=True)),
        (
            Known(row="new", indexed=True),
            *(False, False),
            Decision(S.FETCHED, f"{NAMED}/c", emit=Emit.CONTENT, delete=False, indexable=True),
        ),
        (
            Known(row="new", indexed=True),
            *(False, True),
            Decision(S.FETCHED, f"{NAMED}/c", emit=Emit.GONE, delete=True, indexable=False),
        ),
        (
            Known(row="gone"),
            *(False, True),
            Decision(S.FETCHED, f"{NAMED}/c", emit=Emit.NOTHING, delete=False, indexable=False),
        ),
    ],
)
def test_all_that_is_decided_on_a_page_that_exists(known, noindex, canonical_indexed, decision):
    canonical = "/c" if canonical_indexed is not None else None
    answer = FetchOutcome(FetchResult.PAGE, "", noindex, canonical, bool(canonical_indexed))
    found = decide(known, answer)
    assert found._replace(outcome=decision.outcome) == decision
