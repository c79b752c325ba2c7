"""Text and links in declarative shadow roots, which are templates that browsers show."""

import time

import pytest

from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Kind, get_extractor

SECONDS = 2.0
"""Far above what a page takes that moves as many nodes as it may."""
TEXT = "".join(f"<p>Paragraph {i} of the article is long enough to be prose, and it has a stop.</p>" for i in range(6))


def page(body):
    return Page.from_html(f"<html><head><title>Snow</title></head><body>{body}</body></html>", "https://a.example/b")


@pytest.mark.parametrize("root", ["shadowrootmode=open", 'shadowrootmode="closed"', "shadowroot=OPEN"])
def test_the_text_and_the_links_of_a_shadow_root_are_read(root):
    one = page(f"<my-article><template {root}><h1>Snow</h1>{TEXT}<a href=/more>More</a></template></my-article>")
    found = get_extractor("combined").extract(one)
    assert found.kind is Kind.CONTENT
    assert "Paragraph 5 of the article" in one.text(found.nodes)
    assert "<p>Paragraph 0 of the article" in one.html(found.nodes)
    assert "# Snow" in markdown(one.html(found.nodes))
    assert [href for _, href, _ in one.flat.anchors] == ["/more"]


def test_shadow_roots_inside_shadow_roots_are_read():
    inner = "<b-c><template shadowrootmode=open><p>Deep</p></template></b-c>"
    one = page(f"<a-b><template shadowrootmode=open><p>High</p>{inner}</template><p>Light</p></a-b>")
    assert one.text((0,)) == "High\nDeep\nLight"


def test_a_shadow_root_that_begins_the_body_without_tags_is_read():
    one = Page.from_html(
        "<title>Snow</title><a-b><template shadowrootmode=open><p>Snow</p></template></a-b>", "http://a.b"
    )
    assert one.text((0,)) == "Snow"


def test_the_content_of_an_element_is_shown_in_the_slots_of_its_shadow_root():
    title = (
        "<x-title>\n<template shadowrootmode=open><h2><slot></slot></h2></template>Snow <b>falls</b> today</x-title>"
    )
    link = "<x-link><template shadowrootmode=open><a href=/rain><slot>More</slot></a></template>Rain</x-link>"
    one = page(f"{title}{link}<p>End</p>")
    assert markdown(one.html((0,))).split("\n\n") == [
        "## Snow **falls** today",
        "[Rain](https://a.example/rain)",
        "End",
    ]


def test_a_slot_is_filled_by_its_name_and_shows_its_own_text_without_content():
    root = "<h2><slot name=head>Untitled</slot></h2><div><slot></slot></div><p><slot name=foot>No foot</slot></p>"
    one = page(f"<x-card><template shadowrootmode=open>{root}</template><p>Text</p><i slot=head>Head</i>!</x-card>")
    assert one.text((0,)) == "Head\nText\n!\nNo foot"
    bare = page(f"<x-card><template shadowrootmode=open>{root}</template><i slot=other>Stays</i></x-card>")
    assert bare.text((0,)) == "Untitled\nNo foot\nStays"


def test_a_slot_may_be_in_the_slot_of_an_inner_shadow_root():
    inner = "<x-b><template shadowrootmode=open><h2><slot></slot></h2></template><slot></slot></x-b>"
    one = page(f"<x-a><template shadowrootmode=open><div>{inner}</div></template>Snow</x-a><p>End</p>")
    assert markdown(one.html((0,))) == "## Snow\n\nEnd"


def test_many_roots_inside_each_other_take_little_time():
    deep = "<x-a><template shadowrootmode=open><slot></slot></template>" * 200
    started = time.process_time()
    one = page(f"{deep}{'<i>x</i>' * 20_000}")
    assert time.process_time() - started < SECONDS
    assert len(one.text((0,))) >= 20_000


@pytest.mark.parametrize("mark", ["", "shadowrootmode", "shadowrootmode=other", "id=open"])
def test_other_templates_are_never_shown(mark):
    one = page(f"<p>Shown</p><template {mark}><p>Not shown</p><a href=/c>c</a></template>")
    assert one.text((0,)) == "Shown"
    assert not one.flat.anchors


def test_a_shadow_root_inside_another_template_is_not_shown():
    assert page("<template><a-b><template shadowrootmode=open>No</template></a-b></template>").text((0,)) == ""


def test_the_first_shadow_root_of_an_element_is_read_and_its_other_templates_are_not():
    one = page("<a-b><template shadowrootmode=open>High <slot></slot></template><template shadowrootmode=open>No"
               "</template>Light</a-b>")  # fmt: skip
    assert one.text((0,)) == "High Light"


def test_many_templates_and_children_of_one_element_take_linear_time():
    began = time.process_time()
    one = page(f"<div>{'<template shadowrootmode=open><slot></slot></template>' * 8000}{'<i>x</i>' * 8000}</div>")
    assert len(one.flat) > 8000
    assert time.process_time() - began < SECONDS
