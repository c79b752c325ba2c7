import pytest
from sqlalchemy import text

from sitecrawl.links.urls import url_key


def test_a_search_leads_to_the_page(client):
    page = client.get("/search?q=matter3x2").text
    assert f"/sites/example.org/page/{url_key('https://example.org/3')}" in page
    assert "<mark>matter3x2</mark>" in page


def test_filters_of_the_search_view_restrict_the_results(client):
    assert "Nothing found" in client.get("/search?q=matter3x2&since=2999-01-01").text
    assert "Nothing found" in client.get("/search?q=matter3x2&kind=listing").text
    assert "<mark>" in client.get("/search?q=matter3x2&site=example.org&kind=content&until=2999-01-01").text
    assert "<mark>" in client.get("/search?q=matter3x2&site=https://www.example.org/").text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("site=nowhere.example", "nowhere.example: the database holds nothing about this site; "),
        ("since=2026-99-99", "2026-99-99 is not a day; write it as 2026-03-01"),
        ("since=2026-03-02&until=2026-03-01", "2026-03-02 is after 2026-03-01; exchange the two days"),
        ("kind=none", "none is not a kind of pages with text; choose content or listing"),
    ],
)
def test_a_filter_that_cannot_be_used_is_named_and_nothing_is_searched(client, given, words):
    page = client.get(f"/search?q=matter3x2&{given}").text
    assert words in page
    assert "<mark>" not in page and "Nothing found" not in page


def test_a_query_that_is_too_long_says_how_much_of_it_counts(client):
    words = "its first 400 characters are searched for"
    assert words in client.get("/search?q=matter3x2+" + "x" * 391).text
    assert words not in client.get("/search?q=matter3x2+" + "x" * 390).text


def test_queries_that_find_nothing(client):
    assert "This is what a user of the index finds" in client.get("/search").text
    assert "Nothing found" in client.get("/search?q=zebra").text
    assert "Nothing to search for" in client.get("/search?q=%22%26").text
    assert "No page has all of these words" in client.get("/search?q=matter3x2+zebra").text
    assert client.get("/search?q=" + "a%00" * 500).status_code == 200


def test_sites_are_found_by_their_host(client):
    assert '<a href="/sites/example.org">example.org</a>' in client.get("/search?q=example").text


def test_what_was_typed_and_found_is_escaped(ui, client):
    with ui.writing() as session:
        session.execute(text("UPDATE content SET title = '<img src=x>', text = '<script>matter3x2</script> ' || text"))
    page = client.get("/search?q=matter3x2+%3Cscript%3E&language=%22%3E%3Cb%3E").text
    assert "<script>matter" not in page and "<img src=x>" not in page and '"><b>' not in page


def test_an_index_that_is_empty_says_what_to_do(ui, client):
    with ui.writing() as session:
        session.execute(text("DELETE FROM search"))
    assert "sitecrawl search --rebuild" in client.get("/search?q=matter3x2").text
