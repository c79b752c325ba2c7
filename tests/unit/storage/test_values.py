"""Values that repositories return cannot be changed, so that what was read stays what is stored."""

from dataclasses import FrozenInstanceError, fields

import pytest

from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.crawl_progress import CrawlProgress
from sitecrawl.storage.fleet_status import FleetStatus
from sitecrawl.storage.hosts import Breaker
from sitecrawl.storage.page_change import Fetch, PageChange, Placement
from sitecrawl.storage.page_state import Known, PageState
from sitecrawl.storage.records import ContentRecord
from sitecrawl.storage.site_report import PageFilter, SiteState
from sitecrawl.storage.sources import SourceKind


@pytest.mark.parametrize("kind", [ContentRecord, CrawlProgress, FleetStatus])
def test_a_value_cannot_be_changed(kind):
    one = object.__new__(kind)
    with pytest.raises(FrozenInstanceError):
        setattr(one, fields(kind)[0].name, None)


def test_a_record_is_made_by_names():
    with pytest.raises(TypeError, match="positional"):
        ContentRecord(*range(len(fields(ContentRecord))))


def test_a_page_without_a_row_has_an_empty_state():
    state = PageState()
    assert (state.stored, state.errors, state.fetches, state.not_modified, state.surveyed) == (False, 0, 0, 0, False)
    assert (state.known, state.content) == (Known(), None)
    assert (Known().strikes, Known().indexed, Known().live, Known().deleted) == (0, False, False, False)


def test_a_change_leaves_alone_what_it_does_not_name():
    change = PageChange(1, PageState())
    assert (change.surveyed, change.settled, Placement(3).counted) == (False, False, False)
    assert Fetch._field_defaults["strikes"] == 0


def test_a_list_of_pages_without_restrictions_has_all():
    assert PageFilter() == ((), None, False, None)


def test_a_site_has_no_troubles_unless_some_were_counted():
    counted = ("held", "failing", "refused", "layouts", "new_layouts")
    assert [SiteState._field_defaults[name] for name in counted] == [0] * 5


def test_the_numbers_in_the_database_are_those_that_the_schema_names():
    """docs/schema.md names them; a database of an earlier version has them."""
    assert [(one.name, one.value) for one in Operation] == [("UPSERT", 1), ("DELETE", 2)]
    assert [(one.name, one.value) for one in Breaker] == [("CLOSED", 0), ("OPEN", 1), ("GIVEN_UP", 2)]
    assert [(one.name, one.value) for one in SourceKind] == [("SITEMAP", 1), ("FEED", 2)]
