import datetime as dt
import re

import pytest

from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.site_report import ContentSample, SiteState
from sitecrawl.ui.trouble import Weight, troubles, weight

NOW = dt.datetime(2026, 5, 1, 12, tzinfo=dt.UTC)
FINE = SiteState(1, "example.org", "https://example.org/", NOW, None, None, 7, NOW, NOW, "finished", {}, layouts=1)
GOOD = ContentSample(40, 1, 3, 0.93)


def said(sample=GOOD, **state):
    return [(one.weight, one.text) for one in troubles(FINE._replace(**state), sample, NOW)]


def test_a_site_in_order_has_no_trouble():
    assert said() == []
    assert said(sample=None) == []
    assert said(sample=ContentSample(3, 3, 0, None)) == []  # too few to judge


@pytest.mark.parametrize(
    ("state", "sample", "text"),
    [
        ({"held": 12}, GOOD, "12 deletions held as too many: release or keep them"),
        ({"refused": 1}, GOOD, "1 document refused by an index"),
        ({"crawl_id": None}, GOOD, "never crawled"),
        ({"finished_at": None, "ended": "shutdown"}, GOOD, "stopped and can be resumed: shutdown"),
        ({"ended": "outage"}, GOOD, "ended early: outage"),
        ({"failing": 2}, GOOD, "requests fail at 2 hosts of the site"),
        ({"next_crawl_at": NOW - dt.timedelta(days=3)}, GOOD, "due for 3 days: recrawl --due does not run"),
        ({"layouts": 2, "new_layouts": 1}, GOOD, "1 new look in the last crawl: redesigned?"),
        ({}, ContentSample(40, 20, 0, 0.9), "20 of 40 sampled pages yield no main content"),
        ({}, ContentSample(40, 0, 0, 0.41), "low confidence: 0.41 on average"),
    ],
)
def test_each_trouble_is_said_in_words(state, sample, text):
    ((_, found),) = said(sample, **state)
    assert text in found


def test_a_running_crawl_is_no_trouble():
    running = {"crawled_by": "x", "leased_until": NOW + dt.timedelta(seconds=9), "finished_at": None}
    assert said(**running) == []


def test_a_crawl_whose_process_has_ended_does_not_run():
    ended = re.sub(r"\.\d+:", ".1:", new_owner())
    state = {"crawled_by": ended, "leased_until": NOW + dt.timedelta(seconds=9), "finished_at": None}
    assert [text for _, text in said(**state)] == ["its last crawl stopped and can be resumed: finished"]


def test_what_a_person_must_decide_comes_first():
    found = troubles(FINE._replace(held=3, failing=1, crawl_id=8), ContentSample(40, 0, 0, 0.2), NOW)
    assert [one.weight for one in found] == [Weight.URGENT, Weight.WARNING, Weight.WARNING]
    assert weight(found) > weight(found[1:]) > weight([])
