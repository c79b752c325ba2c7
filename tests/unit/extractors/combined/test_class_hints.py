"""What class and id names say, in several languages, and what they do not say on a thread."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.class_hints import (
    COMMENT,
    NAME_MARKS,
    NEVER,
    OWN_MARKS,
    TAG_MARKS,
    is_thread,
    mark_depths,
)


def said(names):
    return {list(NAME_MARKS)[mark - len(TAG_MARKS)] for mark in OWN_MARKS["div", names] if mark >= len(TAG_MARKS)}


@pytest.mark.parametrize(
    ("names", "mark"),
    [
        ("kommentare", "comment"),
        ("comentarios", "comment"),
        ("commentaires", "comment"),
        ("yorumlar", "comment"),
        ("auteur", "author"),
        ("autor-box", "author"),
        ("verfasser", "author"),
        ("fusszeile", "footer"),
        ("brotkrumen", "navigation"),
        ("seitenleiste", "side"),
        ("aehnliche-artikel", "related"),
        ("articulos-relacionados", "related"),
        ("partager", "share"),
        ("compartir", "share"),
        ("datum", "meta"),
        ("rubrique", "meta"),
    ],
)
def test_names_of_other_languages_say_the_same(names, mark):
    assert mark in said(names)


@pytest.mark.parametrize("names", ["like-box", "likes", "post_likes", "fb-like-button", "btnLikes"])
def test_buttons_to_like_a_page_share_it(names):
    assert "share" in said(names)


@pytest.mark.parametrize("names", ["theorem-like", "solution_like", "exampleLike"])
def test_what_is_like_something_else_does_not(names):
    assert "share" not in said(names)


def test_a_reply_is_no_comment():
    assert "comment" not in said("bbp-reply-content")
    assert "comment" in said("comment-reply")


def page(body_class):
    html = f"<html><body class='{body_class}'><div class=Comment><p>Text</p></div></body></html>"
    return Page.from_html(html, "https://a.example/").flat


@pytest.mark.parametrize("body_class", ["topic bbpress", "Vanilla Discussion", "viewtopic", "node-type-forum"])
def test_comments_are_no_mark_on_a_page_that_says_it_is_a_thread(body_class):
    flat = page(body_class)
    assert is_thread(flat.tag, flat.names)
    assert all(depths[COMMENT] == NEVER for depths in mark_depths(flat))


@pytest.mark.parametrize("body_class", ["", "single post", "forumla", "home"])
def test_they_are_one_on_all_other_pages(body_class):
    flat = page(body_class)
    assert not is_thread(flat.tag, flat.names)
    assert any(depths[COMMENT] != NEVER for depths in mark_depths(flat))
