"""Blocks that show what structured data states are main content."""

import time

import pytest

from sitecrawl.dom.stated_texts import StatedTexts
from sitecrawl.extractors.combined import stated_blocks as stated_blocks_module
from sitecrawl.extractors.combined.block_classifier import judge
from sitecrawl.extractors.combined.stated_blocks import STATED, stated_blocks, with_stated

from .sites import Sample


def shown(html, prose=(), items=(), liked=()):
    """Return the texts of the blocks that show one of the stated texts; `liked` are texts that are kept anyway."""
    site = Sample([f"<main>{html}</main>"])
    found = stated_blocks(site.flat, site.blocks, StatedTexts(prose, items), [text in liked for text in site.texts])
    return [text for text, one in zip(site.texts, found, strict=True) if one]


def test_a_block_that_is_a_stated_text_or_a_part_of_one_shows_it():
    body = "The first paragraph of the body. The second paragraph, in other words: the end."
    html = "<p>The first paragraph of the body.</p><p>An advertisement of nobody at all</p><p>The second paragraph, in other"
    assert shown(html, [body]) == ["The first paragraph of the body.", "The second paragraph, in other"]


def test_a_short_part_of_a_stated_text_shows_nothing():
    assert shown("<p>The end</p><p>Whole text</p>", ["Whole text", "In other words: the end."]) == ["Whole text"]


def test_case_and_marks_do_not_count():
    assert shown("<p>“600 g FLOUR”</p>", items=["600.0 g flour"]) == ["“600 g FLOUR”"]


def test_a_part_of_a_chinese_text_needs_fewer_characters():
    assert shown("<p>第一段的文字在这里</p><p>第一段</p>", ["第一段的文字在这里。第二段。"]) == ["第一段的文字在这里"]


def test_blocks_that_together_are_an_item_show_it():
    html = "<table><tr><td>2<td>cups<td>flour<tr><td>1<td>egg</table><p>Share</p>"
    assert shown(html, items=["2 cups flour", "1 egg"]) == ["2", "cups", "flour", "1", "egg"]


def test_a_block_of_several_items_shows_them():
    html = (
        "<p>2 cups of flour<b>1 large egg</b>a pinch of salt</p><p>Flour, eggs and salt are all that it takes here</p>"
    )
    found = shown(html, items=["2 cups of flour", "1 large egg", "a pinch of salt"])
    assert found == ["2 cups of flour1 large egga pinch of salt"]


def test_a_table_of_contents_shows_no_questions():
    html = "<ul><li><a href=#a>Why is it so?</a></ul><h2>Why is it so?</h2>"
    site = Sample([f"<main>{html}</main>"])
    found = stated_blocks(site.flat, site.blocks, StatedTexts(("Why is it so?",), ()), [False] * 2)
    assert found == [False, True]


def test_an_item_may_be_a_link():
    assert shown("<ul><li><a href=/flour>2 cups of flour</a></ul>", items=["2 cups of flour"]) == ["2 cups of flour"]


def test_of_equal_texts_the_first_shows_it_or_the_one_that_is_liked():
    html = "<p>A stated paragraph of text.</p><div><p>A stated paragraph of text.</p></div>"
    site = Sample([f"<main>{html}</main>"])
    texts = StatedTexts(("A stated paragraph of text.",), ())
    assert stated_blocks(site.flat, site.blocks, texts, [False, False]) == [True, False]
    assert stated_blocks(site.flat, site.blocks, texts, [False, True]) == [False, True]


def test_short_blocks_between_two_items_are_kept_with_them():
    html = "<p>Flour, white</p><p>50 g</p><p>Brown sugar</p><p><a href=/buy>Buy</a></p><p>Sea salt</p>"
    found = shown(html, items=["Flour, white", "Brown sugar", "Sea salt"])
    assert found == ["Flour, white", "50 g", "Brown sugar", "Sea salt"]


def test_blocks_between_two_paragraphs_are_not():
    html = "<p>A stated paragraph of text.</p><p>Ad</p><p>Another paragraph of text.</p>"
    assert "Ad" not in shown(html, ["A stated paragraph of text.", "Another paragraph of text."])


@pytest.mark.parametrize(("others", "whole"), [(3, True), (4, False)])
def test_a_list_of_which_half_is_stated_is_kept_whole(others, whole):
    rows = "".join(f"<li>Other thing {n}, of {n} words</li>" for n in range(others))
    html = f"<ul>{rows}<li>2 cups of flour</li><li>1 large egg</li><li>a pinch of salt</li></ul>"
    assert len(shown(html, items=["2 cups of flour", "1 large egg", "a pinch of salt"])) == 3 + whole * others


def test_a_stated_block_is_liked_and_others_keep_their_probability():
    site = Sample(["<main><h1>Soup</h1><ul><li>2 carrots, chopped</li><li>Share</li></ul><p>Cook them.</p></main>"])
    judged = judge(site.flat, site.blocks, None, False)
    assert judged.chances[1] < STATED
    found = with_stated(site.flat, site.blocks, judged, StatedTexts((), ("2 carrots, chopped",)))
    assert found.chances[1] == STATED
    assert [*found.chances[:1], *found.chances[2:]] == [*judged.chances[:1], *judged.chances[2:]]
    assert found.limit <= judged.limit


@pytest.mark.parametrize("texts", [StatedTexts(), StatedTexts(("Nothing of this is shown anywhere.",), ())])
def test_texts_that_the_page_does_not_show_change_nothing(texts):
    site = Sample(["<main><h1>Soup</h1><p>Cook them.</p></main>"])
    judged = judge(site.flat, site.blocks, None, False)
    assert with_stated(site.flat, site.blocks, judged, texts) == judged


def test_many_items_and_blocks_take_little_time():
    site = Sample([f"<main>{'<p>an item of some words and more</p>' * 10_000}</main>"])
    items = tuple(f"an item of some words and mor {n}" for n in range(1_900))
    begin = time.process_time()
    stated_blocks(site.flat, site.blocks, StatedTexts((), items), [False] * len(site.blocks))
    assert time.process_time() - begin < 2


def test_many_parts_of_a_long_text_take_little_time(monkeypatch):
    site = Sample([f"<main>{'<p>a paragraph of some words and more</p>' * 10_000}</main>"])
    texts = StatedTexts(("a paragraph of some words and mor " * 9_000,), ())
    begin = time.process_time()
    found = stated_blocks(site.flat, site.blocks, texts, [False] * len(site.blocks))
    assert time.process_time() - begin < 2
    assert True not in found
    whole = StatedTexts(("a paragraph of some words and more. And another.",), ())
    assert stated_blocks(site.flat, site.blocks, whole, [False] * len(site.blocks))[:2] == [True, False]
    monkeypatch.setattr(stated_blocks_module, "MOST_READ", 10)
    assert True not in stated_blocks(site.flat, site.blocks, whole, [False] * len(site.blocks))
