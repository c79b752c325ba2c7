"""Forms with a password field are dropped, and pages that are there for one have nothing else."""

import pytest

from sitecrawl.extractors.combined.login_forms import LARGEST, MOST, REST, without_login_forms

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
