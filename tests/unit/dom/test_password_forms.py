"""The forms with a password field, found in the tree and known by their rows."""

import pytest

from sitecrawl.dom.page import Page

FORM = "<form id={}><input name=u><input type={}></form>"


def forms(html):
    """Return the names of the forms with a password field."""
    page = Page.from_html(f"<html><body>{html}</body></html>", "https://example.org/")
    return [page.flat.names[row] for row in page.password_forms]


@pytest.mark.parametrize("kind", ["password", "PASSWORD", "' password '"])
def test_a_form_with_a_password_field(kind):
    assert forms(f"{FORM.format('a', 'text')}{FORM.format('b', kind)}<p>words</p>{FORM.format('c', kind)}") == [
        "b",
        "c",
    ]


def test_a_form_with_two_fields_counts_once():
    assert forms("<form id=a><input type=password><input type=password></form>") == ["a"]


def test_a_field_outside_of_forms_and_a_form_without_one():
    assert forms(f"<input type=password>{FORM.format('a', 'search')}") == []


def test_fields_in_elements_without_rows_do_not_shift_the_others():
    silent = "<template><form id=t><input type=password></form></template>"
    assert forms(f"<p>words</p>{silent}{FORM.format('a', 'text')}{FORM.format('b', 'password')}") == ["b"]


def test_a_page_knows_its_forms_without_its_tree():
    html, asked = f"<html><body>{FORM.format('a', 'password')}<p>words</p></body></html>", []
    page = Page.from_html(html, "https://example.org/")
    page.release(lambda: asked.append(1) or html)
    assert [page.flat.names[row] for row in page.password_forms] == ["a"]
    assert not asked
