"""Pages that were fetched twice, and the volatile places of layouts, in the database."""

from sqlalchemy import text

from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.second_fetches import SecondFetch, SecondFetchRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.templates import TemplateRepository
from sitecrawl.templates.fetch_difference import CountingLine, FetchDifference, NumberedPlace, PathDifference
from sitecrawl.templates.volatile import VolatileBlocks, VolatilePlace
from tests.unit.storage.test_layouts import NOW, changes, fetch

LARGE = 2**63 - 1
FOUND = FetchDifference(
    (PathDifference(LARGE, 1, LARGE, 1, "div.“offer”", 2, 0, 0),),
    {7: 3},
    (NumberedPlace(5, 6, "p", 9),),
    (CountingLine(8, 9, "#views"),),
    frozenset({LARGE, 4}),
)
PLACES = VolatileBlocks(paths={LARGE: VolatilePlace(LARGE, "div.offer", 2, 3)}, refused=False)


def site(session):
    return SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id


def test_the_first_comparison_of_a_page_stays(engine):
    with session_scope(engine) as session:
        site_id, fetches = site(session), SecondFetchRepository(session)
        first, other = SecondFetch(1, LARGE, 4, FOUND), SecondFetch(2, 3, 5, None)
        for one in (other, first, SecondFetch(1, LARGE, 5, None)):
            fetches.add(site_id, one, NOW)
        assert fetches.all(site_id) == [first, other]
        fetches.forget(site_id, [1])
        assert fetches.all(site_id) == [other]
        fetches.forget(site_id)
        assert fetches.all(site_id) == []


def test_only_pages_with_a_body_of_this_crawl_are_candidates(engine):
    with session_scope(engine) as session:
        site_id, pages = site(session), PageRepository(session)
        pages.record(
            site_id, [fetch(1), fetch(2, crawl_id=2), fetch(3, crawl_id=2, status=PageStatus.ERROR, html=None)]
        )
        pages.record(site_id, [fetch(4, crawl_id=2)])
        pages.amend(site_id, [{"url_key": 4, "not_modified": 1}])
        assert SecondFetchRepository(session).candidates(site_id, 2, [1, 2, 3, 4]) == {2: "https://example.org/2"}


def test_what_is_volatile_is_stored_with_the_template_and_goes_with_it(engine):
    with session_scope(engine) as session:
        site_id, templates, fetches = site(session), TemplateRepository(session), SecondFetchRepository(session)
        templates.add(site_id, changes(1, 1), NOW, crawl_id=4)
        templates.add(site_id, changes(2, 2), NOW, crawl_id=4)
        assert templates.load(site_id, 1).volatile == VolatileBlocks()
        fetches.revise(site_id, 1, PLACES)
        fetches.add(site_id, SecondFetch(1, 3, 4, FOUND), NOW)
        fetches.add(site_id, SecondFetch(2, 3, 4, FOUND), NOW)
        assert templates.load(site_id, 1).volatile == PLACES
        assert templates.load(site_id, 2).volatile == VolatileBlocks()
        templates.retire(site_id, [1], NOW)
        assert [one.layout for one in fetches.all(site_id)] == [2]
        templates.forget(site_id)
        assert fetches.all(site_id) == []
        fetches.add(site_id, SecondFetch(2, 3, 4, FOUND), NOW)
        SiteRepository(session).forget("example.org")
        assert session.scalar(text("SELECT count(*) FROM second_fetch")) == 0


def test_second_fetches_are_those_of_one_site_however_many(engine, monkeypatch):
    monkeypatch.setattr("sitecrawl.storage.second_fetches.CHUNK", 2)
    with session_scope(engine) as session:
        site_id, fetches, pages = site(session), SecondFetchRepository(session), PageRepository(session)
        other = SiteRepository(session).get_or_add("b.example", "https://b.example/", NOW).id
        one = SecondFetch(1, 3, 4, FOUND)
        for number in (site_id, other):
            fetches.add(number, one, NOW)
            pages.record(number, [fetch(key, crawl_id=2) for key in range(1, 6)])
            TemplateRepository(session).add(number, changes(1, 1), NOW)
        assert sorted(fetches.candidates(site_id, 2, [5, 4, 3, 2, 1])) == [1, 2, 3, 4, 5]
        assert fetches.candidates(site_id, 2, []) == {}
        pages.amend(site_id, [{"url_key": 1, "status": int(PageStatus.GONE)}])
        BodyRepository(session).drop(site_id, 2)
        assert sorted(fetches.candidates(site_id, 2, range(1, 6))) == [3, 4, 5]
        fetches.forget(site_id, [])
        fetches.forget(site_id)
        fetches.revise(site_id, 1, PLACES)
        assert (fetches.all(site_id), fetches.all(other)) == ([], [one])
        assert TemplateRepository(session).load(other, 1).volatile == VolatileBlocks()
