import pytest

from sitecrawl.links.anchor_texts import LinkText
from sitecrawl.storage.anchor_texts import TARGETS, TEXTS, LinkTextRepository, Pair, Settled, text_key
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.deletions import DeletionRepository
from sitecrawl.storage.search.repository import SearchFilter, SearchIndex
from sitecrawl.storage.search.terms import parse_query
from sitecrawl.storage.sites import SiteRepository
from tests.unit.storage.test_contents import NOW, outbox, record
from tests.unit.storage.test_contents import site_id as site_id


@pytest.fixture
def texts(engine, site_id):
    with session_scope(engine) as session:
        yield LinkTextRepository(session)


def say(texts, site_id, source, **said):
    """Store that the source calls page N (`pN`) so."""
    texts.record(site_id, source, [LinkText(int(key[1:]), one) for key, one in said.items()])


def test_each_text_counts_once_whatever_its_case(texts, site_id):
    say(texts, site_id, 1, p2="Lentil soup", p3="Contact")
    say(texts, site_id, 2, p3="Write to us", p1="Home")
    say(texts, site_id, 3, p2="LENTIL  SOUP")
    assert texts.of(site_id, 2) == ["Lentil soup"]
    assert texts.of(site_id, 3) == ["Contact", "Write to us"]
    assert texts.of(site_id, 4) == []
    assert texts.of(site_id + 1, 2) == []


def test_what_leads_to_many_pages_tells_none_of_them(texts, site_id):
    for target in range(1, TARGETS + 3):
        texts.record(site_id, 99, [LinkText(key, "Read more") for key in range(1, target + 1)])
        assert texts.of(site_id, 1) == (["Read more"] if target <= TARGETS else [])


def test_a_page_has_so_many_texts_at_most(texts, site_id):
    texts.record(site_id, 1, [LinkText(2, f"name {number}") for number in range(TEXTS + 5)])
    assert len(texts.of(site_id, 2)) == TEXTS


def test_what_many_pages_say_is_stored_for_few_targets_and_so_many_texts_of_each(texts, site_id):
    for source in range(100, 100 + TEXTS + 3):
        texts.record(site_id, source, [LinkText(source, "Read more"), LinkText(2, f"name {source}")])
    stored = texts.session.connection().exec_driver_sql(
        "SELECT text = 'Read more', count(*) FROM link_text GROUP BY 1 ORDER BY 1"
    )
    assert [tuple(row) for row in stored] == [(False, TEXTS), (True, TARGETS + 1)]


def test_what_one_page_says_is_stored_for_few_targets_and_so_many_texts_of_each(texts, site_id):
    said = [LinkText(2, f"name {number}") for number in range(TEXTS + 3)]
    texts.record(site_id, 100, [*said, *(LinkText(key, "Read more") for key in range(3, TARGETS + 7))])
    stored = texts.session.connection().exec_driver_sql(
        "SELECT text = 'Read more', count(*) FROM link_text GROUP BY 1 ORDER BY 1"
    )
    assert [tuple(row) for row in stored] == [(False, TEXTS), (True, TARGETS + 1)]


def test_a_page_that_says_it_no_more_takes_it_back_until_another_says_it(texts, site_id):
    say(texts, site_id, 1, p2="Soup")
    say(texts, site_id, 3, p2="Soup")
    say(texts, site_id, 1, p2="Broth")
    assert texts.of(site_id, 2) == ["Broth"]
    say(texts, site_id, 3, p2="Soup")
    assert texts.of(site_id, 2) == ["Broth", "Soup"]


def test_only_pages_of_an_index_are_told_and_once(texts, site_id):
    contents = ContentRepository(texts.session)
    for key in (1, 2):
        contents.put(site_id, record(key=key))
    contents.put(site_id, record(key=3), index=False)
    say(texts, site_id, 1, p2="Soup", p3="Contact", p4="Nobody")
    assert texts.outdated(site_id, 1) == [2]
    texts.settle(site_id)
    assert texts.outdated(site_id, 1) == []
    say(texts, site_id, 1, p3="Contact")
    assert texts.outdated(site_id, 1) == [2]
    texts.settle(site_id)
    assert texts.session.connection().exec_driver_sql("SELECT text FROM link_text ORDER BY text").all() == [
        ("Contact",),
    ]


def test_a_text_that_comes_to_lead_to_many_pages_touches_them_all(texts, site_id):
    contents = ContentRepository(texts.session)
    for key in (1, 2, 3):
        contents.put(site_id, record(key=key))
    say(texts, site_id, 1, p2="More", p3="More")
    texts.settle(site_id)
    say(texts, site_id, 2, p1="More")
    assert texts.outdated(site_id, 1) == [1, 2, 3]


def test_indexes_are_told_of_new_texts_only(engine, site_id):
    with session_scope(engine) as session:
        texts, contents = LinkTextRepository(session), ContentRepository(session)
        say(texts, site_id, 2, p1="Broth")
        contents.put(site_id, record())
        assert contents.get(site_id, 1).record.anchors == ("Broth",)
        assert not contents.relink(site_id, 1, NOW)
        say(texts, site_id, 3, p1="Lentil soup")
        assert contents.relink(site_id, 1, NOW)
        assert contents.get(site_id, 1).record.anchors == ("Broth", "Lentil soup")
        say(texts, site_id, 3, p1="Related links of today")
        assert contents.put(site_id, record(crawl_id=2)) == "unchanged"
        assert texts.outdated(site_id, 2) == []
        assert contents.get(site_id, 1).record.anchors == ("Broth", "Lentil soup")
        texts.settle(site_id)
        assert contents.put(site_id, record(crawl_id=3, title="Another title")) == "unchanged"
        assert contents.get(site_id, 1).record.anchors == ("Broth", "Related links of today")
    assert outbox(engine) == [(1, 1, 3)]


@pytest.mark.parametrize(
    ("query", "hits"), [("lentil", 1), ('"lentil soup"', 1), ('"broth lentil"', 0), ("broth lentil", 1)]
)
def test_a_page_is_found_by_what_links_call_it(engine, site_id, query, hits):
    with session_scope(engine) as session:
        texts, contents = LinkTextRepository(session), ContentRepository(session)
        say(texts, site_id, 2, p1="Lentil soup")
        say(texts, site_id, 3, p1="Broth")
        contents.put(site_id, record())
        answer = SearchIndex(session).find(parse_query(query), SearchFilter(), 10)
        assert len(answer.hits) * answer.all_words == hits
        assert SearchIndex(session).rebuild() == 1
        answer = SearchIndex(session).find(parse_query("lentil broth"), SearchFilter(), 10)
        assert answer.all_words


def test_what_links_call_a_page_counts_more_than_its_text_and_less_than_its_title(engine, site_id):
    with session_scope(engine) as session:
        say(LinkTextRepository(session), site_id, 3, p2="Otters")
        for key, title, words in ((1, "A title", "otters swim well"), (2, "A title", "x"), (3, "Otters", "y")):
            ContentRepository(session).put(site_id, record(key=key, title=title, words=words))
        hits = SearchIndex(session).find(parse_query("otters"), SearchFilter(), 10).hits
    assert [hit.url[-1] for hit in hits] == ["3", "2", "1"]


def test_a_page_that_is_deleted_says_nothing_any_more(engine, site_id):
    with session_scope(engine) as session:
        contents = ContentRepository(session)
        say(LinkTextRepository(session), site_id, 1, p2="Soup")
        for key in (1, 2):
            contents.put(site_id, record(key=key))
        DeletionRepository(session).carry_out(site_id, [1], 1, 5, NOW)
        assert LinkTextRepository(session).outdated(site_id, 1) == [2]
        assert contents.relink(site_id, 2, NOW)
        assert contents.get(site_id, 2).record.anchors == ()


def test_texts_go_with_their_site(engine, site_id):
    with session_scope(engine) as session:
        say(LinkTextRepository(session), site_id, 1, p2="Soup")
        SiteRepository(session).forget("example.org")
        assert session.connection().exec_driver_sql("SELECT count(*) FROM link_text").scalar() == 0


def test_what_is_settled_is_not_asked_again_but_after_a_drop(engine, site_id):
    settled = Settled()
    said = [LinkText(2, "Soup"), LinkText(3, "Stew")]
    with session_scope(engine) as session:
        LinkTextRepository(session, settled).record(site_id, 1, said)
        assert settled.open(said)  # not before the commit
    assert settled.open([*said, LinkText(3, "STEW"), LinkText(2, "Stew")]) == {
        Pair(2, text_key("Stew")): "Stew",
    }
    with session_scope(engine) as session:
        LinkTextRepository(session, settled).record(site_id, 1, [LinkText(2, "Soup")])
    assert len(settled.open(said)) == 2 - 1
    with session_scope(engine) as session:
        texts = LinkTextRepository(session, settled)
        texts.record(site_id, 9, said)
        assert (texts.of(site_id, 2), texts.of(site_id, 3)) == (["Soup"], ["Stew"])


def test_nothing_is_settled_by_a_transaction_that_fails(engine, site_id):
    settled = Settled()
    with pytest.raises(ZeroDivisionError), session_scope(engine) as session:
        LinkTextRepository(session, settled).record(site_id, 1, [LinkText(2, "Soup")])
        raise ZeroDivisionError
    assert settled.open([LinkText(2, "Soup")])


def test_what_a_page_of_the_same_transaction_drops_is_not_settled(engine, site_id):
    with session_scope(engine) as session:
        LinkTextRepository(session).record(site_id, 1, [LinkText(2, "Soup")])
    settled = Settled()
    with session_scope(engine) as session:
        texts = LinkTextRepository(session, settled)
        texts.record(site_id, 5, [LinkText(2, "Soup")])
        texts.record(site_id, 1, [])
    with session_scope(engine) as session:
        texts = LinkTextRepository(session, settled)
        texts.record(site_id, 7, [LinkText(2, "Soup")])
        assert texts.of(site_id, 2) == ["Soup"]
