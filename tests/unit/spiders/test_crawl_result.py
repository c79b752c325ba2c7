"""The exit status of a crawl, and the reason in one line."""

from types import SimpleNamespace

import pytest

from sitecrawl.crawl.crawl_report import CrawlReport
from sitecrawl.crawl.deletions import Conclusion
from sitecrawl.exit_status import DONE, FAILED, PARTIAL
from sitecrawl.spiders.crawl_result import crawl_result
from sitecrawl.storage.page_report import Missed

LIVE = 48
EMPTY = "the page is empty"


def result(
    *,
    pages=0,
    missed=0,
    live=LIVE,
    due=False,
    outcome="finished",
    stopped="",
    reason=EMPTY,
    deleted=0,
    held=0,
    start="",
    **report,
):
    """Return the result of a crawl that found `pages`, after which readers have `missed` pages of `live` in vain."""
    told = CrawlReport(conclusion=Conclusion(deleted, held, live, 0), **report)
    crawl = SimpleNamespace(
        report=told,
        frontier=SimpleNamespace(pages=pages, stopped=stopped),
        start=SimpleNamespace(due=due),
        missed=Missed(missed, ((reason, missed),) if missed else ()),
        config=SimpleNamespace(deletions_share=0.2),
        forgotten=False,
        reach=None,
    )
    spider = SimpleNamespace(
        site_crawl=crawl,
        outcome=outcome,
        broken=[],
        start_url=f"https://example.org/{start}",
        scope=SimpleNamespace(key="example.org"),
        crawler=SimpleNamespace(crawling=True, engine=None),
    )
    return crawl_result(spider)


ELSEWHERE = "the start page redirects to https://example.net/, on another site; crawl that one"


def test_a_site_that_has_moved_is_named():
    """Return whether none of it is stored yet, or all of it would be deleted now."""
    new = result(live=0, elsewhere="https://example.net/", exclusions=["https://example.net/"])
    assert new == (FAILED, f"https://example.org/: nothing was fetched: {ELSEWHERE}")
    held = result(outcome="held", held=LIVE, elsewhere="https://example.net/")
    assert (held.status, held.message.endswith(f"recrawl --release example.org; {ELSEWHERE}")) == (PARTIAL, True)
    assert result(outcome="held", held=LIVE).message.endswith("recrawl --release example.org")
    assert result(pages=9, elsewhere="https://example.net/") == (DONE, "")


@pytest.mark.parametrize("due", [True, False])
def test_a_crawl_that_finds_no_page_of_the_site_failed_whether_it_was_due_or_not(due):
    found = result(missed=LIVE, due=due, exclusions=[EMPTY])
    assert found.status == FAILED
    assert found.message == f"https://example.org/: nothing was fetched: {EMPTY}"


@pytest.mark.parametrize(("live", "deleted", "missed"), [(1, 0, 1), (3, 3, 0)])
def test_a_small_site_is_lost_if_all_its_pages_are(live, deleted, missed):
    found = result(live=live, deleted=deleted, missed=missed, due=True, exclusions=["HTTP 410"])
    assert found.status == FAILED


def test_a_site_without_a_page_failed_whatever_its_start_page_is():
    """A site of a list is due before its first crawl, too."""
    reason = "200000 nodes, SITECRAWL_MAX_NODES is 100000"
    found = result(live=0, due=True, exclusions=[reason])
    assert found == (FAILED, f"https://example.org/: nothing was fetched: {reason}")
    moved = result(live=0, due=True, elsewhere="https://example.net/", exclusions=["https://example.net/"])
    assert moved == (FAILED, f"https://example.org/: nothing was fetched: {ELSEWHERE}")


def test_a_host_that_cannot_be_asked_is_tried_again_later_and_a_failed_login_is_not():
    unreadable = result(live=0, stopped="robots.txt unreadable", given_up="robots.txt cannot be read (HTTP 503)")
    assert unreadable.message.endswith("robots.txt cannot be read (HTTP 503); run the same command later")
    assert result(live=0, given_up="the login failed").message.endswith("nothing was fetched: the login failed")


def test_one_page_is_told_in_the_singular():
    assert "example.org: 1 page left to the next crawl: later" in result(pages=9, postponed=["later"]).message


def test_a_start_url_of_a_file_asks_for_a_page():
    reason = "not HTML (application/pdf)"
    found = result(live=0, start="a.pdf", exclusions=[reason])
    advice = "give a page of the site, such as https://example.org/"
    assert found.message == f"https://example.org/a.pdf: nothing was fetched: {reason}; {advice}"
    assert result(live=0, exclusions=[reason]).message == f"https://example.org/: nothing was fetched: {reason}"


def test_one_due_page_that_is_not_found_is_no_failure_of_its_site():
    assert result(missed=1, due=True, exclusions=["HTTP 404"]).status == DONE
    assert result(due=True, exclusions=["HTTP 404"]).status == DONE  # a dead link
    assert result(due=True).status == DONE  # nothing was due


def test_a_page_that_fails_again_and_again_alone_is_no_failure_of_its_site():
    assert result(missed=1, due=True, failures={"HTTP 500": 1}).status == DONE
    assert result(missed=1, due=True, failures={"HTTP 500": 1}, pages=2).status == DONE
    assert result(missed=1, failures={"HTTP 500": 1}).status == FAILED
    assert result(missed=LIVE, due=True, failures={"HTTP 500": 1}).status == FAILED
    assert result(live=0, due=True, failures={"HTTP 500": 1}).status == FAILED  # a new site


def test_a_crawl_that_is_not_concluded_says_nothing_of_the_site():
    assert result(missed=LIVE, live=0, due=True, outcome="outage", exclusions=[EMPTY]).status == PARTIAL


@pytest.mark.parametrize("due", [True, False])
@pytest.mark.parametrize(
    ("live", "missed", "status"), [(48, 10, PARTIAL), (48, 9, DONE), (4, 3, DONE), (4, 4, PARTIAL)]
)
def test_a_crawl_is_done_in_part_if_many_pages_were_not_found_at_their_last_visit(live, missed, status, due):
    found = result(pages=1, live=live, missed=missed, due=due, reason="HTTP 503", exclusions=["HTTP 404"])
    told = f"example.org: {missed} of {live} pages were not found at their last visit: HTTP 503 ({missed})"
    assert found == (status, told if status else "")


@pytest.mark.parametrize(("failed", "status"), [(3, PARTIAL), (2, DONE)])
def test_a_crawl_is_done_in_part_if_many_of_its_fetches_failed(failed, status):
    assert result(pages=8, failures={"HTTP 500": failed}).status == status
