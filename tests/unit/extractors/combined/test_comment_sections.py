"""The section below a heading that announces comments is dropped, and no section of the text is."""

import time

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import get_extractor
from sitecrawl.extractors.combined.comment_sections import PROSE, without_comment_sections

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought from the far north.</p>" * 4
ANSWERS = "<div><p>I have been there once, and it rained.</p></div><div><p>So have I.</p></div>"
SECONDS = 2.0
"""Far above what a page of the largest size takes."""


def dropped(html, kept=None):
    """Return the texts that are dropped from a page on which all texts, or those in `kept`, were kept before."""
    page = Page.from_html(f"<html><body>{html}</body></html>", "https://a.example/mole")
    blocks = text_blocks(page.flat)
    texts = [block_text(page.flat, blocks, i) for i in range(len(blocks))]
    before = [kept is None or kept(text) for text in texts]
    after = without_comment_sections(page.flat, blocks, before)
    return [text for text, was, now in zip(texts, before, after, strict=True) if was and not now]


@pytest.mark.parametrize(
    "html",
    [
        f"<article>{TEXT}</article><div class=x1><h2>2 comments</h2>{ANSWERS}</div>",
        f"<article>{TEXT}</article><div class=x1><div><div><h3>2 comments</h3></div></div>{ANSWERS}</div>",
        f"<article>{TEXT}<h2>2 comments</h2>{ANSWERS}</article>",
        f"<article>{TEXT}<section><h2>Comments</h2>{ANSWERS}<form><textarea></textarea></form></section></article>",
        f"<article>{TEXT}<section><h2>Comments</h2>{ANSWERS}<time></time></section></article>",
        f"<article>{TEXT}<section><h2>Comments</h2>{ANSWERS}<a href='/mole?replytocom=3'></a></section></article>",
        f"<article>{TEXT}<section><h2>Comments</h2>{ANSWERS}<a href='#comment-3'></a></section></article>",
    ],
)
def test_the_section_goes_with_its_heading(html):
    found = dropped(html)
    assert found[0].endswith("omments")
    assert found[1:3] == ["I have been there once, and it rained.", "So have I."]
    assert len(found) == 3


def test_a_heading_that_is_not_kept_counts_too():
    html = f"<article>{TEXT}</article><div><h2>2 comments</h2>{ANSWERS}</div>"
    assert len(dropped(html, lambda text: "comments" not in text)) == 2


def test_what_follows_the_section_stays():
    html = f"<main><article>{TEXT}</article><div><div><h2>2 comments</h2>{ANSWERS}</div></div></main><p>After it.</p>"
    assert dropped(html)[-1] == "So have I."
    flat = f"<main><div>{TEXT}<h2>2 comments</h2>{ANSWERS}</div><p>After it.</p></main>"
    assert dropped(flat)[-1] == "So have I."


def test_a_word_alone_may_be_a_section_of_a_manual():
    section = "<section><h2>Comments</h2><p>A comment begins with a hash, and ends with the line.</p></section>"
    assert dropped(f"<main>{TEXT}{section}<section><h2>Strings</h2><p>A string has quotes.</p></section></main>") == []
    assert dropped(f"<main>{TEXT}{section}</main>") == []


def test_text_must_stand_above_it():
    short = f"<p>{'a' * (PROSE - 1)}</p>"
    comments = f"<div><h2>2 comments</h2>{ANSWERS}</div>"
    assert dropped(short + comments) == []
    assert dropped(f"<p>{'a' * PROSE}</p>{comments}") != []
    assert dropped(f"<p><a href=/x>{'a' * 2 * PROSE}</a></p>{comments}") == []
    assert dropped(TEXT + comments, lambda text: "mole" not in text) == []


BOTH = ["I have been there once, and it rained.", "So have I."]


@pytest.mark.parametrize(
    "line",
    [
        "<div class=t>2 comments</div>",
        "<div>Comments (2)</div>",
        "<p><strong>2 Comments</strong></p>",
        "<span>2 responses</span>",
        '<div class="ttl">التعليقات (2)</div>',
    ],
)
def test_a_line_that_is_no_heading_counts_if_comments_or_a_field_follow(line):
    assert dropped(f"<article>{TEXT}</article><div class=x1>{line}{ANSWERS}</div>")[1:] == BOTH
    assert dropped(f"<article>{TEXT}{line}{ANSWERS}</article>")[1:] == BOTH
    one = "<p>I have been there once.</p>"
    assert dropped(f"<article>{TEXT}</article><div class=x1>{line}{one}<form><textarea></textarea></form></div>")
    assert dropped(f"<article>{TEXT}</article><div class=x1>{line}{one}{one}</div>") == []


@pytest.mark.parametrize(
    "line",
    [
        "Comments",
        "<a href=/mole/all>2 comments</a>",
        "2 comments by Ann and Tom, of two",
        "Leave a comment occasionally, and say what you would like to read.",
    ],
)
def test_a_line_that_may_say_something_else_does_not_count(line):
    assert dropped(f"<article>{TEXT}</article><div class=x1><div class=t>{line}</div>{ANSWERS}</div>") == []


def test_the_number_of_comments_above_the_text_is_no_end_of_it():
    summary = f"<p>{'a' * PROSE}</p>"
    assert dropped(f"<article>{summary}<div>2 comments</div>{f'<div>{TEXT}</div>' * 2}</article>") == []


def test_a_tab_above_the_text_is_no_end_of_it():
    tabs = "<ul><li>Article</li><li>Comments: 0</li></ul>"
    form = "<form><textarea></textarea></form>"
    html = f"<article>{TEXT}<div class=x1>{tabs}<div>{TEXT}</div>{form}</div></article>"
    assert dropped(html, kept=lambda text: text != "Article") == []


def test_lists_of_articles_count_the_comments_of_each():
    html = "".join(f"<div>{TEXT}</div><div class=t>{number} comments</div>" for number in range(2, 5))
    assert dropped(f"<main>{html}</main>") == []


def test_nothing_kept_stays_nothing():
    assert dropped(TEXT, lambda _: False) == []


def test_answers_of_a_thread_are_content():
    answers = "".join(
        f"<div><p>{text} It was a long way, and there was much to be seen.</p></div>" for text in "abcdefgh"
    )
    html = f"<main><article>{TEXT}</article><div><h2>8 comments</h2>{answers}</div></main>"
    method, body = (
        get_extractor("combined"),
        "<html><head><title>The mole</title></head><body class='{}'>{}</body></html>",
    )
    ordinary = Page.from_html(body.format("x", html), "https://a.example/mole")
    thread = Page.from_html(body.format("thread", html), "https://a.example/mole")
    assert "a long way" not in ordinary.text(method.extract(ordinary).nodes)
    assert "a long way" in thread.text(method.extract(thread).nodes)


def test_many_headings_take_linear_time():
    page = Page.from_html(
        f"<html><body>{TEXT}{'<div>' * 500}{'<h2>Comments</h2><p>x</p>' * 20_000}</body></html>", "https://a.example/"
    )
    blocks = text_blocks(page.flat)
    started = time.process_time()
    without_comment_sections(page.flat, blocks, [True] * len(blocks))
    assert time.process_time() - started < SECONDS
