"""Tests of charsets that the bytes of a page contradict."""

import pytest

from sitecrawl.dom.charset import decode, decoded
from sitecrawl.dom.page import Page

WESTERN, RUSSIAN, CHINESE = (
    "D\u00e9j\u00e0 vu, une fa\u00e7ade",
    "\u041c\u043e\u043b \u0438 \u0433\u0430\u0432\u0430\u043d\u044c",
    "\u6e2f\u53e3\u65b0\u95fb",
)


def page(text, codec, meta=""):
    head = f"<meta charset='{meta}'>" if meta else ""
    return f"<html><head>{head}<title>x</title></head><body><p>{text}</p></body></html>".encode(codec)


@pytest.mark.parametrize(
    ("text", "codec", "header", "meta"),
    [
        (WESTERN, "utf-8", "iso-8859-1", "utf-8"),  # a server's AddDefaultCharset
        (WESTERN, "utf-8", "iso-8859-1", ""),
        ("Caf\u00e9", "utf-8", "windows-1252", ""),  # one character is enough
        (WESTERN, "utf-8", None, "iso-8859-1"),  # a page that was converted, and its meta was not
        (RUSSIAN, "utf-8", "windows-1251", ""),
        (CHINESE, "utf-8", "gbk", ""),
        (WESTERN, "iso-8859-1", "utf-8", ""),
        (WESTERN, "iso-8859-1", "utf-8", "utf-8"),
        (RUSSIAN, "cp1251", "utf-8", "windows-1251"),
    ],
)
def test_bytes_that_contradict_the_declared_charset_are_believed(text, codec, header, meta):
    assert f"<p>{text}</p>" in decoded(page(text, codec, meta), header)


@pytest.mark.parametrize(
    ("text", "codec", "header", "meta"),
    [
        (WESTERN, "iso-8859-1", "iso-8859-1", "utf-8"),  # the header goes before the page
        (RUSSIAN, "cp1251", "windows-1251", ""),
        (RUSSIAN, "koi8-r", "koi8-r", "utf-8"),
        (CHINESE, "gbk", "gbk", ""),
        ("\u53f0\u53f0", "gbk", "gbk", ""),  # these bytes are UTF-8 as well, but few
        (WESTERN, "utf-16", "utf-16", ""),
        (WESTERN, "utf-8", "utf-8", "iso-8859-1"),
        ("only ASCII", "ascii", "windows-1251", "utf-8"),
    ],
)
def test_a_charset_that_can_be_right_counts(text, codec, header, meta):
    assert f"<p>{text}</p>" in decoded(page(text, codec, meta), header)


def test_a_damaged_page_in_utf_8_stays_in_utf_8():
    assert "<p>caf\u00e9 \ufffd</p>" in decoded(b"<p>caf\xc3\xa9 \xe9</p>", "utf-8")


def test_a_script_without_a_named_charset_is_not_read_as_western():
    assert decode(page(RUSSIAN, "cp1251"), "utf-8")[0] == "utf-8"
    assert decode(page(RUSSIAN, "cp1251", "big5"), "utf-8")[0] == "utf-8"  # the bytes are no Big5 either
    assert decode(page(RUSSIAN, "cp1251", "no-such"), "utf-8")[0] == "utf-8"


def test_pages_are_parsed_in_the_charset_of_their_bytes():
    assert Page.from_html(page(WESTERN, "utf-8"), "https://example.org/", "iso-8859-1").text((0,)).endswith(WESTERN)


@pytest.mark.parametrize("named", ["hex", "idna", "undefined", "unicode_escape", "utf-16", "utf-16le", "utf-7"])
@pytest.mark.parametrize("codec", ["utf-8", "iso-8859-1"])
@pytest.mark.parametrize("header", [None, "utf-8"])
def test_a_name_that_is_no_charset_of_the_page_does_not_count(named, codec, header):
    assert f"<p>{WESTERN}</p>" in decoded(page(WESTERN, codec, named), header)


def test_a_page_in_utf_16_may_say_so():
    assert f"<p>{RUSSIAN}</p>" in decoded(page(RUSSIAN, "utf-16", "utf-16"), None)
