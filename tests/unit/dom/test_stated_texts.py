"""The texts that structured data states."""

import json

import pytest

from sitecrawl.dom import page as page_module
from sitecrawl.dom.page import Page
from sitecrawl.dom.stated_texts import MAX_CHARS, MAX_VALUES, StatedTexts


def page(*things, body="<p>Text</p>"):
    scripts = "".join(f"<script type='application/ld+json'>{json.dumps(thing)}</script>" for thing in things)
    return Page.from_html(f"<html><head>{scripts}</head><body>{body}</body></html>", "https://a.example/x")


def question(name, answer):
    return {"@type": "Question", "name": name, "acceptedAnswer": {"@type": "Answer", "text": answer}}


@pytest.mark.parametrize(
    ("thing", "prose", "items"),
    [
        ({"@type": "NewsArticle", "articleBody": "One. Two.", "description": "A summary"}, ("One. Two.",), ()),
        ({"@type": "DiscussionForumPosting", "text": "A post", "comment": [{"text": "An answer"}]}, ("A post",), ()),
        (
            {"@type": "Recipe", "recipeIngredient": ["2 eggs", "Salt"], "recipeInstructions": "Mix all."},
            (),
            ("2 eggs", "Salt", "Mix all."),
        ),
        (
            {
                "@graph": [
                    {
                        "@type": "Recipe",
                        "recipeInstructions": [
                            {"@type": "HowToSection", "name": "Dough", "itemListElement": [{"text": "Mix."}]},
                            {"@type": "HowToStep", "name": "Bake", "text": "Bake it."},
                        ],
                    }
                ]
            },
            (),
            ("Dough", "Mix.", "Bake", "Bake it."),
        ),
        (
            {"@type": "FAQPage", "mainEntity": [question("Why?", "<p>So &amp; so</p>"), question("How?", "Thus")]},
            ("Why?", " So & so ", "How?", "Thus"),
            (),
        ),
        ({"@type": "QAPage", "mainEntity": question("The title", "Thus")}, ("Thus",), ()),
        ({"@type": "Product", "description": "A chair. " * 10}, ("A chair. " * 10,), ()),
        ({"@type": "Product", "description": "A chair"}, (), ()),
        ({"@type": "Article", "description": "A chair. " * 10}, (), ()),
        ({"@type": "Article", "articleBody": {"x": "y"}, "text": None}, (), ()),
    ],
)
def test_json_ld_states_texts_by_type_and_property(thing, prose, items):
    assert page(thing).stated_texts == StatedTexts(prose, items)


def test_microdata_states_ingredients_and_instructions():
    body = "<p itemprop=name>Cake</p><li itemprop='x recipeIngredient'>2 <b>eggs</b></li><p itemprop=recipeInstructions>Mix"
    assert page(body=body).stated_texts == StatedTexts((), ("2  eggs", "Mix"))


def test_a_page_without_structured_data_states_nothing():
    assert page().stated_texts == StatedTexts()


def test_each_text_is_returned_once():
    thing = {"@type": "Article", "articleBody": "Same"}
    assert page(thing, thing).stated_texts.prose == ("Same",)


def test_the_number_of_values_and_of_characters_is_limited():
    found = page({"@type": "Recipe", "recipeIngredient": [str(n) for n in range(MAX_VALUES + 50)]}).stated_texts
    assert len(found.items) == MAX_VALUES - 1  # the list itself is a value
    long = {"@type": "Article", "articleBody": "x" * (MAX_CHARS // 2)}
    assert page(long, long, {"@type": "Article", "articleBody": "y" * 500}).stated_texts.chars <= MAX_CHARS


def test_a_page_without_its_tree_holds_its_texts_unless_they_are_long(monkeypatch):
    one = page({"@type": "Article", "articleBody": "A body"})
    html = "<p>parsed again</p>"
    one.release(lambda: html)
    assert one.stated_texts.prose == ("A body",)
    monkeypatch.setattr(page_module, "MAX_HELD", 3)
    other = page({"@type": "Article", "articleBody": "A body"})
    other.release(lambda: html)
    assert other.stated_texts == StatedTexts()
