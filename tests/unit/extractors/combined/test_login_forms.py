"""Forms with a password field are dropped; login pages then have no content."""

import pytest

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.login_forms import LARGEST, MOST, NAMED_REST, REST, without_login_forms

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
FIELDS = "<p>Name: <input name=u></p><p>Password: <input type=password></p>"
FORM = f"<form>{FIELDS}</form>"


def kept(html, *, before=None):
    """Return the texts that are kept of a page that keeps all, or all but those that contain a word."""
    site = Sample([html])
    chosen = [before is None or before not in text for text in site.texts]
    return site.chosen(without_login_forms(site.page, site.blocks, chosen))


def test_the_form_is_dropped_and_the_text_stays():
    assert len(kept(f"<main>{TEXT * 5}{FORM}</main>")) == 5


def test_nothing_is_left_of_a_page_to_log_in():
    links = "".join(f"<a href=/{i}>I have forgotten my password, and my name</a>" for i in range(20))
    assert kept(f"<main><h1>Log in</h1>{FORM}<p>{links}</p></main>") == []


def test_a_short_page_of_which_the_form_was_not_kept_stays():
    assert kept(f"<main>{TEXT}</main>{FORM}", before=":") == [TEXT[3:-4]]


@pytest.mark.parametrize(("size", "left"), [(REST, 0), (REST + 1, 1)])
def test_a_page_with_text_beside_the_form_keeps_it(size, left):
    form = f"<form><p>{'m' * 200}</p>{FIELDS}</form>"
    assert len(kept(f"<main><p>{'m' * size}</p>{form}</main>")) == left


@pytest.mark.parametrize(("share", "left"), [(MOST, 0), (MOST - 0.01, 1)])
def test_a_page_that_has_the_form_by_the_way_keeps_its_text(share, left):
    form = f"<form>{'m' * round(100 * share)}<input type=password></form>"
    assert len(kept(f"<main><p>{'m' * round(100 - 100 * share)}</p>{form}</main>")) == left


@pytest.mark.parametrize(("size", "left"), [(LARGEST, 1), (LARGEST + 1, 2)])
def test_a_form_around_the_whole_page_is_none(size, left):
    site = f"<form><p>{'m' * size}</p><input type=password></form>"
    assert len(kept(f"<main><p>{'m' * 9 * LARGEST}</p>{site}</main>")) == left


def test_a_form_without_a_password_is_text():
    assert len(kept(f"<main>{TEXT}<form><p>Name: <input name=u></p></form></main>")) == 2


LONG = f"<p>{'m' * NAMED_REST}</p>"
MAIL = "<form><p>Mail: <input name=mail></p></form>"


def at(address, body):
    """Return how many texts are kept of a page at an address that keeps all."""
    page = Page.from_html(f"<html><body><main>{body}</main></body></html>", f"https://a.example/{address}")
    blocks = text_blocks(page.flat)
    return sum(without_login_forms(page, blocks, [True] * len(blocks)))


@pytest.mark.parametrize(
    "address",
    [
        "login",
        "user/Sign-In/",
        "wp-login.php?redirect=/x",
        "register.html",
        "create_account",
        "connexion",
        "index.php?action=register",
        "forum/ucp.php?x=1&mode=login",
    ],
)
def test_a_page_to_log_in_has_nothing_else_by_its_address(address):
    assert at(address, f"{LONG}{FORM}") == 0
    assert at(address, f"{LONG}<p>m</p>{FORM}") == 2
    assert at(address, LONG) == 1  # a manual may have a page about it


@pytest.mark.parametrize(
    "address", ["user/password", "forgot_password", "lost-pwd.php", "wp-login.php?action=lostpassword"]
)
def test_a_page_for_a_new_password_needs_no_field_for_one(address):
    assert at(address, f"{TEXT}{MAIL}") == 0
    assert at(address, f"<p>{'m' * (REST + 1)}</p>{MAIL}") == 2
    assert at(address, TEXT) == 1


def test_a_form_above_the_text_is_that_of_all_pages():
    assert at("login", f"{FORM}{LONG}") == 1
    assert at("manual/reset-password.html", f"<form><input name=q></form>{TEXT}") == 1
    assert at("manual/password", f"{TEXT}{MAIL}") == 2  # the page of a directive


@pytest.mark.parametrize("address", ["the-login-shell", "registration", "login/help", "blog?mode=login-shell", ""])
def test_other_addresses_say_nothing(address):
    assert at(address, f"{LONG}{FORM}") == 1
