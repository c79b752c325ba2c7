"""Texts for screen readers, and the links by which a section is edited, are no text."""

import pytest

from sitecrawl.dom.invisible import shown
from sitecrawl.dom.marked_texts import MOST, marked_texts
from sitecrawl.dom.page import Page

MARKED = [
    '<a href="/a">Text <span class="sr-only">word</span></a>',
    '<p class="visually-hidden">word</p>',
    '<p>Text<b class="external-link-icon-sr-only">word</b></p>',
    '<h2>Text <span class="mw-editsection">[<a href="/w?action=edit">word</a>]</span></h2>',
    '<h2><span class="editsection">[<a href="/w?action=edit">word</a>]</span> Text</h2>',
    '<div><h2>Text</h2><a href="#text"><span class="sr-only">Section titled word</span></a></div>',
    '<figure><figcaption><span class="sr-only">Terminal word</span></figcaption><pre>Text</pre></figure>',
    '<table><tr><td><a href="/a">Text<span class="screen-reader-text">word</span></a></td></tr></table>',
]
SHOWN = [
    '<p class="sr-only md:not-sr-only">word</p>',
    '<p class="not-visually-hidden">word</p>',
    '<h2 class="sr-only">word</h2>',
    '<table><tr class="sr-only"><td>word</td><td>Yes</td></tr></table>',
    '<table><tr><td><i class="sr-only">word</i><img src="/a.png"></td></tr></table>',
    f'<p class="sr-only">word{" and more" * (MOST // 4)}</p>',
]


def page(html):
    return Page.from_html(f"<html><body><main><p>One two.</p>{html}</main></body></html>", "https://a.example/")


@pytest.mark.parametrize("html", MARKED)
def test_what_class_names_hide_from_readers_is_no_text(html):
    one = page(html)
    assert len(marked_texts(one.flat)) == 1
    text = one.text(shown(one, (1,)))
    assert text.startswith("One two.")
    assert "word" not in text
    assert "[" not in text
    assert ("Text" in text) == ("Text" in html)


@pytest.mark.parametrize("html", SHOWN)
def test_what_readers_see_stays(html):
    one = page(html)
    assert marked_texts(one.flat) == []
    assert "word" in one.text(shown(one, (1,)))


def test_an_element_inside_another_is_found_with_it():
    one = page('<div class="sr-only"><p class="sr-only">word</p></div>')
    assert [one.flat.tag[row] for row in marked_texts(one.flat)] == ["div"]
