"""Values passed between the crawl, its writer's thread and the exports cannot be changed after their creation."""

from dataclasses import FrozenInstanceError, fields

import pytest

from sitecrawl.crawl.chunk_export import ChunkItem
from sitecrawl.crawl.commit import Rules
from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.page_lifecycle import Decision, FetchOutcome, FetchResult
from sitecrawl.crawl.site_options import Access, Login, SiteOptions
from sitecrawl.crawl.visit_decision import Facts, Finds, Visit
from sitecrawl.storage.page_state import PageStatus


@pytest.mark.parametrize("kind", [Access, ChunkItem, CrawlStart, Finds, Login, Rules, SiteOptions, Visit])
def test_a_value_cannot_be_changed(kind):
    one = object.__new__(kind)
    with pytest.raises(FrozenInstanceError):
        setattr(one, fields(kind)[0].name, None)


def test_a_row_of_chunks_is_made_by_names():
    with pytest.raises(TypeError, match="positional"):
        ChunkItem("id", "page", "https://example.org/", "example.org", "new")
    row = ChunkItem(id="1", page="p", url="https://example.org/", site="example.org", status="new")
    assert (row.title, row.headings, row.tokens) == (None, (), None)


def test_a_crawl_starts_without_limits_unless_it_is_told():
    start = CrawlStart("https://example.org/")
    assert (start.max_depth, start.owner, start.due, start.given) == (0, None, False, {})


def test_a_visit_claims_nothing_that_it_was_not_told():
    visit = Visit(None, FetchOutcome(FetchResult.PAGE))
    assert (visit.hub, visit.stored, visit.emit_order, visit.again) == (False, False, 0, False)
    assert (visit.settles, visit.corrected, visit.indexable, visit.waits) == (False, (), False, False)
    assert not Facts(None).canonical_indexed
    assert not Rules(1, 1, None, None, 9, store_bodies=True, keep_body=True).emit_unchanged


@pytest.mark.parametrize(
    "access",
    [
        Access(cookies={"session": "secret"}),
        Access(headers={"Authorization": "secret"}),
        Access(proxy="http://user:secret@proxy.example"),
        Login("https://example.org/login", {"password": "secret"}),
    ],
)
def test_a_log_line_shows_no_secret(access):
    assert "secret" not in repr(access)


def test_an_outcome_forbids_nothing_and_a_decision_counts_no_strike_unless_told():
    outcome = FetchOutcome(FetchResult.PAGE)
    assert (outcome.noindex, outcome.canonical_indexed) == (False, False)
    decision = Decision(PageStatus.FETCHED, None)
    assert (decision.strikes, decision.delete, decision.indexable) == (0, None, True)
