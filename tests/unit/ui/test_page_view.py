import pytest
from sqlalchemy import text

from sitecrawl.dom.page import Page
from sitecrawl.links.urls import url_key
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.second_fetches import SecondFetchRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.templates.volatile import VolatileBlocks, VolatilePlace
from sitecrawl.ui.differences import MARKUP, DiffLine, changed_lines, differences, shortened


def key(number):
    return url_key(f"https://example.org/{number}")


def view(client, number, more=""):
    return client.get(f"/sites/example.org/page/{key(number)}{more}")


def run(ui, sql):
    with ui.writing() as session:
        session.execute(text(sql))


def test_the_view_of_a_page(client):
    page = view(client, 3).text
    assert "<iframe" in page and 'sandbox=""' in page
    for words in ("Paragraph 0 of story 3", "Main content", "template version 1", "Markdown", "next visit"):
        assert words in page
    assert "What is stored differs" not in page


def test_the_last_change_of_a_text(ui, client):
    assert "The last change of the text" not in view(client, 3).text
    run(ui, f"UPDATE content SET earlier_text = 'A line that went.' WHERE url_key = {key(3)}")
    page = view(client, 3).text
    assert "The last change of the text" in page
    assert "A line that went." in page


def test_the_frame_has_a_policy_of_its_own(client):
    answer = view(client, 3, "/frame")
    assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert "Paragraph 0 of story 3" in answer.text
    assert "Template: " in answer.text  # the menu


def test_an_override_is_seen_before_and_after(client, overrides):
    (overrides / "example.org.yaml").write_text("content: .side\n")
    page = view(client, 3).text
    assert "What is stored differs from what is extracted now" in page
    assert "content: .side" in page
    assert "content: .side" in view(client, 3, "/frame").text


def test_a_listing_says_why_it_is_one(client, overrides):
    assert "Why:" not in view(client, 3).text
    (overrides / "example.org.yaml").write_text("kind: listing\n")
    page = view(client, 3).text
    assert "A listing" in page
    assert "Why: an override says so." in page


@pytest.mark.parametrize("number", ["0", "123", "x", "9" * 30, "-1", "٣"])
def test_a_page_that_is_not_there(client, number):
    answer = client.get(f"/sites/example.org/page/{number}")
    assert answer.status_code == 404
    assert 'href="/sites/example.org"' in answer.text


def test_a_page_whose_body_is_damaged_or_gone(ui, client):
    run(ui, f"UPDATE body SET html = x'00ff' WHERE url_key = {key(3)}")
    run(ui, f"DELETE FROM body WHERE url_key = {key(4)}")
    damaged, gone = view(client, 3), view(client, 4)
    assert (damaged.status_code, "the stored body is damaged" in damaged.text) == (200, True)
    assert (gone.status_code, "its HTML is not stored" in gone.text) == (200, True)
    assert "Paragraph 0 of story 3" in damaged.text  # its stored text
    answer = view(client, 3, "/frame")
    assert (answer.status_code, "The stored page is damaged" in answer.text) == (422, True)


def test_an_override_that_cannot_be_read_is_named(client, overrides):
    (overrides / "example.org.yaml").write_text("contents: x\n")
    answer = view(client, 3)
    assert (answer.status_code, "contents: unknown key" in answer.text) == (400, True)


def test_a_template_that_is_published_meanwhile_is_read(ui, client):
    assert "template version 1" in view(client, 3).text
    run(ui, "UPDATE template SET version = 2")
    assert "template version 2" in view(client, 3).text


def test_a_volatile_block_is_shaded_as_such(ui, client):
    before = client.get(f"/sites/example.org/page/{key(3)}/frame").text
    assert "volatile" not in view(client, 3).text and "sc-v" not in before.partition("<body")[2]
    with ui.writing() as session:
        site = SiteRepository(session).get("example.org").id
        stored = BodyRepository(session).stored(site, key(3))
        flat = Page.from_html(stored.html, stored.url).flat
        row = next(row for row, names in enumerate(flat.names) if names == "side")
        place = VolatilePlace(flat.path[row], "div.side", 3, 4)
        SecondFetchRepository(session).revise(site, 1, VolatileBlocks(paths={flat.path[row]: place}))
    shown = client.get(f"/sites/example.org/page/{key(3)}/frame").text.partition("<body")[2]
    assert shown.count('sc-v"') == 2
    assert 'class="sc-v" data-why="Volatile: differs between two fetches on 3 of 4 pages; ' in shown
    assert 'shade volatile"></i>volatile 2<' in view(client, 3).text


def test_differences_of_two_texts():
    assert differences("a\nb", "a\nb") == []
    found = differences("a\nb\nc\nd\ne\nf\ng", "a\nx\nc\nd\ne\nf\nh")
    assert [(line.sign, line.text) for line in found] == [
        *((" ", "a"), ("-", "b"), ("+", "x"), (" ", "c"), ("…", "")),
        *((" ", "f"), ("-", "g"), ("+", "h")),
    ]
    assert changed_lines(found) == (2, 2)
    lines = differences("", "one\ntwo\nthree")
    assert shortened(lines, 9, 1_000) == (lines, 1_000 - 11 - 3 * MARKUP)
    assert shortened(lines, 2, 1_000)[0] == [*lines[:2], DiffLine("…", "1 more lines")]
    assert shortened(lines, 9, MARKUP) == ([lines[0], DiffLine("…", "2 more lines")], -3)
    assert shortened([], 9, 5) == ([], 5)
    assert differences("", "\n".join("ab"), most=1) == [DiffLine("+", "a"), DiffLine("…", "1 more lines")]


def test_the_words_that_differ_are_marked_in_lines_that_stand_for_each_other():
    old, new = differences("the ship has come in with tea", "the ship has come in with coal and tea")
    assert old.parts == ("the ship has come in with ", "", "tea")
    assert new.parts == ("the ship has come in with ", "coal and ", "tea")
    old, new = differences("one line of text", "another sort of words")
    assert old.parts == ("", "", "one line of text") and new.parts[1] == ""
    assert [line.parts[1] for line in differences("a 1\nb 2", "a 1 c")] == ["", "", ""]
