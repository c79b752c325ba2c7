import pytest

from sitecrawl.config import Config
from sitecrawl.spiders.site_source import pause_after
from sitecrawl.spiders.site_worker import memory_in_use


@pytest.mark.parametrize("outcome", ["finished", "held", "shutdown", "lease_lost", "database"])
def test_a_crawl_that_ended_or_was_stopped_in_order_leaves_the_plan_as_it_is(outcome):
    assert pause_after(outcome, Config()) == 0


@pytest.mark.parametrize("outcome", ["robots.txt unreadable", "outage", "address", "failed"])
def test_a_site_that_does_not_answer_is_left_alone_for_a_while(outcome):
    assert pause_after(outcome, Config(recrawl_error_interval=7200)) == 7200


def test_a_limit_of_pages_is_a_limit_a_day():
    assert pause_after("max_pages", Config(recrawl_initial_interval=86_400)) == 86_400


def test_a_process_uses_memory():
    assert 10 * 2**20 < memory_in_use() < 10 * 2**30
