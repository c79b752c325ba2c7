import dataclasses
import datetime as dt

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.deletions import DeletionRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.search.repository import SPARE, Answer, SearchFilter, SearchIndex, page_date
from sitecrawl.storage.search.terms import parse_query
from sitecrawl.storage.sites import SiteRepository
from tests.fetched import fetched
from tests.unit.storage.test_contents import NOW, record

PAGES = {
    1: ("Lamps", "en", "On Sept. 27, the US House of Representatives unanimously passed a resolution about lamps."),
    2: ("House prices", "en", "The prices of houses are rising. Representatives of the banks met in the US."),
    3: ("编程入门", "zh-CN", "使用Python编程语言写程序很有趣，初学者也能学会。"),
    4: ("Новый дом", "ru", "Мы построили новые дома у реки, и ёлка стоит во дворе."),
    5: ("Canción", "es-AR", "La canción más bonita del año habla de la lluvia en Córdoba."),
    6: ("학교", "ko", "우리는 학교에서 한국어를 배운다. 선생님은 친절하다."),
    7: ("House plants", None, "Water them on Sundays, never on Mondays."),
}


def add(engine, host="example.org", pages=PAGES, **values):
    with session_scope(engine) as session:
        site = SiteRepository(session).get_or_add(host, f"https://{host}/", NOW)
        for key, (title, language, words) in pages.items():
            url = f"https://{host}/{key}"
            fetch = fetched(key, url=url)
            PageRepository(session).record(site.id, [fetch])
            one = record(key=key, words=words, title=title, language=language, order=key, published=None)
            ContentRepository(session).put(site.id, dataclasses.replace(one, **values))
    return site.id


@pytest.fixture
def site_id(engine):
    return add(engine)


def search(engine, query, limit=10, **wanted):
    with session_scope(engine, write=False) as session:
        return SearchIndex(session).find(parse_query(query), SearchFilter(**wanted), limit)


def found(engine, query, **wanted):
    answer = search(engine, query, **wanted)
    return [int(hit.url.rpartition("/")[2]) for hit in answer.hits] if answer.all_words else []


def test_a_phrase_broken_by_inline_elements_is_found(engine, site_id):
    assert found(engine, '"the US House of Representatives"') == [1]
    assert found(engine, '"House of the Representatives"') == []


def test_a_phrase_is_found_below_many_pages_with_its_stems(engine):
    stems = {key: ("The rivers banks", "en", f"The rivers banks of town {key}.") for key in range(1, SPARE + 3)}
    add(engine, pages={**stems, 99: ("Towns", "en", "and so on " * 50 + "the river bank")})
    assert [hit.url for hit in search(engine, '"river bank"', limit=1).hits] == ["https://example.org/99"]


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ("resolution lamps", [1]),
        ("resol*", [1]),
        ("cancion mas bonita", [5]),
        ("CÓRDOBA", [5]),
        ("новые дома", [4]),
        ("елка", [4]),
        ("编程", [3]),
        ("语言", [3]),
        ("学", [3]),
        ("python", [3]),
        ("학교", [6]),
        ("한국어", [6]),
        ("程编", []),
    ],
)
def test_words_of_many_scripts(engine, site_id, query, pages):
    assert found(engine, query) == pages


def test_the_title_counts_most(engine, site_id):
    assert found(engine, "house")[-1] == 1
    assert set(found(engine, "house")) >= {1, 2, 7}


def test_a_page_with_the_words_side_by_side_is_better(engine):
    far = "river " + "and so on " * 30 + "bank of the town"
    add(engine, pages={1: ("a", "en", far), 2: ("b", "en", "so on and on, the river bank " + "and so on " * 30)})
    assert found(engine, "river bank")[0] == 2


def test_when_no_page_has_all_words_those_with_some_are_shown(engine, site_id):
    answer = search(engine, "resolution zebra")
    assert [hit.url for hit in answer.hits] == ["https://example.org/1"]
    assert not answer.all_words
    assert search(engine, "zebra").hits == []


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ("lamp", [1]),
        ("plant sunday", [7]),
        ("representing", [1, 2]),
        ("дома", [4]),
        ("домом рек", [4]),
        ("canciones", [5]),
        ('"prices of houses"', [2]),
        ('"price of house"', []),
        ("house*", [1, 2, 7]),
        ("representative*", [1, 2]),
    ],
)
def test_words_of_one_stem_find_each_other(engine, query, pages):
    add(engine, pages={**PAGES, 7: ("House plants", "en", "Water them on Sundays, never on Mondays.")})
    assert sorted(found(engine, query)) == pages


def test_a_stem_counts_in_its_own_language_only(engine):
    add(engine, pages={1: ("Casas", "es", "Las casas de la playa."), 2: ("Cas", "en", "The cas of the beach.")})
    assert found(engine, "casa") == [1]
    assert found(engine, "english") == []


def test_an_index_that_an_upgrade_emptied_is_missed(engine, site_id):
    with session_scope(engine) as session:
        index = SearchIndex(session)
        assert not index.missing()
        session.execute(text("DELETE FROM search"))
        assert index.missing()
        index.rebuild()
        assert not index.missing()


def test_of_pages_with_a_part_those_with_the_rare_words_and_with_neighbours_are_better(engine):
    filler = "A harbour town by the river, with boats. "
    pages = {key: (f"Page {key}", "en", f"{filler * 2}{key}") for key in range(1, 9)}
    pages[9] = ("Page 9", "en", f"{filler}Otters swim there, and so on. {filler}")
    pages[10] = ("Page 10", "en", f"{filler}Here is a copper bridge. {filler}")
    pages[11] = ("Page 11", "en", f"{filler}Here is a bridge, and copper. {filler}")
    add(engine, pages=pages)
    answer = search(engine, "harbour town otters zebra")
    assert not answer.all_words
    assert answer.hits[0].url.endswith("/9")
    assert search(engine, "zebra copper bridge").hits[0].url.endswith("/10")


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ('"representatives unanimously US"', [1]),  # all words, not side by side
        ("编程语言 zebra", [3]),
        ("编语程言 zebra", []),  # pairs of a word are not looked for apart while there are other words
        ('"lluvia zebra"', [5]),
    ],
)
def test_a_query_that_finds_nothing_is_widened_step_by_step(engine, site_id, query, pages):
    answer = search(engine, query)
    assert [int(hit.url.rpartition("/")[2]) for hit in answer.hits] == pages
    assert answer.all_words == (pages == [])


def test_filters_restrict_the_hits(engine, site_id):
    add(engine, "other.example", {1: ("House", "en", "A house of another site.")}, kind="listing")
    assert [hit.site for hit in search(engine, "house", kind="listing").hits] == ["other.example"]
    assert set(found(engine, "house", site_id=site_id)) == {1, 2, 7}
    assert set(found(engine, "house", language="en", site_id=site_id)) == {1, 2}
    assert found(engine, "canción", language="es") == [5]
    assert found(engine, "canción", since=NOW.date(), until=NOW.date()) == [5]
    assert found(engine, "canción", since=NOW.date() + dt.timedelta(1)) == []
    assert found(engine, "canción", until=NOW.date() - dt.timedelta(1)) == []


def test_pages_with_the_same_text_are_one_result(engine):
    add(engine, pages={key: (f"Title {key}", "en", "The same text about otters.") for key in (1, 2, 3)})
    assert len(search(engine, "otters").hits) == 1


def test_a_page_that_changed_is_found_by_its_new_words_only(engine, site_id):
    with session_scope(engine) as session:
        ContentRepository(session).put(site_id, record(key=1, crawl_id=2, words="entirely about zebras"))
    assert found(engine, "zebras") == [1]
    assert found(engine, "resolution") == []


@pytest.mark.parametrize("how", ["noindex", "queued", "deleted", "empty", "forgotten", "content"])
def test_a_page_that_is_gone_is_not_found(engine, site_id, how):
    with session_scope(engine) as session:
        if how == "noindex":
            ContentRepository(session).put(site_id, record(key=1, crawl_id=2), index=False)
        elif how == "queued":
            ContentRepository(session).queue(site_id, 1, Operation.DELETE, NOW)
        elif how == "deleted":
            DeletionRepository(session).carry_out(site_id, [1], 2, 9, NOW)
        elif how == "empty":
            ContentRepository(session).put(site_id, record(key=1, crawl_id=2, words="", kind="none"))
        elif how == "forgotten":
            SiteRepository(session).forget("example.org")
        else:
            session.execute(text("DELETE FROM content"))
    assert search(engine, "resolution").hits == []


def test_no_words_are_left_behind_in_sqlite(sqlite_url):
    from sitecrawl.storage.db.engine import open_database

    engine = open_database(sqlite_url)
    add(engine)
    with session_scope(engine) as session:
        session.execute(text("DELETE FROM content"))
        assert session.scalar(text("SELECT count(*) FROM search_text")) == 0
        session.execute(text("INSERT INTO search_text (search_text) VALUES ('integrity-check')"))
    engine.dispose()


def test_rebuilt_it_answers_the_same(engine, site_id):
    before = [found(engine, query) for query in ("house", "编程", "новые дома")]
    with session_scope(engine) as session:
        session.execute(text("DELETE FROM search"))
    assert search(engine, "house").hits == []
    with session_scope(engine) as session:
        assert SearchIndex(session).rebuild() == len(PAGES)
    assert [found(engine, query) for query in ("house", "编程", "новые дома")] == before


def test_a_page_too_long_for_a_tsvector_is_stored(engine):
    words = " ".join(f"w{i:x}" for i in range(400_000))
    add(engine, pages={1: ("long", "en", words)})
    assert found(engine, "w10") == [1]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.text() | st.text(alphabet="\"*()^:-+&|!<>'\\ aOR学\x00", max_size=30))
def test_any_string_is_a_query(engine, site_id, query):
    hits = search(engine, query).hits
    assert len({hit.url for hit in hits}) == len(hits) <= len(PAGES)


@pytest.mark.parametrize(
    "query",
    [
        *("%", "_", '"', "*", "NEAR(", "NEAR(house plants)", "'; --", "'; DROP TABLE search; --", "house\x00plants"),
        *("🎈", "house 🎈", "title:house", "config:english", "{title} : house", "house AND OR NOT", "^house", "-house"),
        *("house " * 1700, "x" * 10_240, '"' * 10_240, "漢" * 5_000, "\ud800", "house\\", "((((((house"),
    ],
)
def test_operators_mean_nothing(engine, site_id, query):
    plain = "house" in query.lower().replace("\x00", " ").split() or "house" in query
    answer = search(engine, query)
    assert bool(answer.hits) == plain
    with session_scope(engine, write=False) as session:
        assert session.scalar(text("SELECT count(*) FROM search")) == len(PAGES)


def test_the_day_of_a_page():
    at = dt.datetime(2026, 3, 1, 23, 30, tzinfo=dt.timezone(dt.timedelta(hours=-5)))
    assert page_date("2020-05-06T10:00:00Z", "2021-01-01", at) == dt.date(2020, 5, 6)
    assert page_date("2020-05", None, at) == dt.date(2020, 5, 1)
    assert page_date("yesterday", "2021-01-02", at) == dt.date(2021, 1, 2)
    assert page_date(None, "", at) == dt.date(2026, 3, 2)


def test_a_query_without_words_finds_nothing_and_leaves_nothing_out(engine):
    add(engine)
    with session_scope(engine, write=False) as session:
        assert SearchIndex(session).find(parse_query(" - "), SearchFilter(), 9) == Answer([], True)


def test_what_is_rebuilt_is_what_an_index_may_hold(engine, site_id):
    with session_scope(engine) as session:
        index = SearchIndex(session)
        assert index.rebuild() == len(PAGES)
        session.execute(text("UPDATE content SET indexed = false WHERE url_key = 1"))
        session.execute(text("UPDATE content SET text = '' WHERE url_key = 2"))
        assert index.rebuild() == len(PAGES) - 2
        keys = session.scalars(text("SELECT url_key FROM search ORDER BY url_key")).all()
        assert keys == [key for key in PAGES if key > 2]
        session.execute(text("DELETE FROM search"))
        session.execute(text("UPDATE content SET indexed = false"))
        assert not index.missing()
