"""Tests of the categories of class and id names, in several languages, and of those that do not count on a thread."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


WORDS = (
    "like column right left col barra lateral sr only screen reader pied de page views row article entry post node blog "
    "field content body text table of contents list extend mutable skip index orm Session params é 2 x"
)
JOINTS = st.sampled_from(["-", "_", ".", ":", "--", "__", ""])


@given(st.lists(st.tuples(st.sampled_from(WORDS.split()), JOINTS), min_size=1, max_size=6))
def test_the_words_of_a_name_say_what_the_whole_name_says(parts):
    name = "".join(word + joint for word, joint in parts).replace("2", "0")
    whole = re.sub(r"([a-z])([A-Z])", r"\1-\2", name).replace("_", "-").lower()
    assert said(name) == {mark for mark, pattern in NAME_MARKS.items() if re.search(pattern, whole)}


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
