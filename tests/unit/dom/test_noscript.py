"""Text in `noscript` is read if the page has almost no other text, and left out otherwise."""

from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Kind, get_extractor

POSTS = "".join(
    f"<div class=topic-body><p>Post {i} answers what was asked before, at some length, and it ends here.</p></div>"
    for i in range(6)
)


def page(body):
    return Page.from_html(
        f"<html><head><title>A thread</title></head><body>{body}</body></html>", "https://a.example/t/1"
    )


def test_a_thread_that_stands_in_noscript_only_is_read():
    one = page(f"<script>start()</script><noscript><h1>A thread</h1>{POSTS}</noscript><div id=app>Loading</div>")
    found = get_extractor("combined").extract(one)
    assert found.kind is Kind.CONTENT
    assert all(f"Post {i} answers" in one.text(found.nodes) for i in range(6))


def test_noscript_beside_a_text_stays_unread():
    prose = "".join(
        f"<p>Paragraph {i} of the article is long enough to be prose, and it has a stop.</p>" for i in range(6)
    )
    one = page(f"<article><h1>An article</h1>{prose}</article><noscript>{POSTS}</noscript>")
    assert "answers" not in "".join(one.flat.text)
    assert "Paragraph 5" in "".join(one.flat.text)


def test_a_short_request_to_turn_scripts_on_is_no_text():
    one = page("<noscript>Please turn on JavaScript.</noscript><div id=app></div>")
    assert "JavaScript" not in "".join(one.flat.text)


def test_text_after_noscript_counts_as_shown():
    one = page(f"<noscript>{POSTS}</noscript>{'Shown to everybody. ' * 40}")
    assert "answers" not in "".join(one.flat.text)
