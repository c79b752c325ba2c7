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


LIBRARY = {
    "cp1251": "\u0412\u0447\u0435\u0440\u0430 \u0432\u0435\u0447\u0435\u0440\u043e\u043c \u0432 \u043d\u0430\u0448\u0435\u043c \u0433\u043e\u0440\u043e\u0434\u0435 \u043e\u0442\u043a\u0440\u044b\u043b\u0430\u0441\u044c \u043d\u043e\u0432\u0430\u044f \u0431\u0438\u0431\u043b\u0438\u043e\u0442\u0435\u043a\u0430, \u0438 \u0436\u0438\u0442\u0435\u043b\u0438 \u0431\u0440\u0430\u043b\u0438 \u043a\u043d\u0438\u0433\u0438 \u0434\u043e\u043c\u043e\u0439. ",
    "shift_jis": "\u6628\u65e5\u3001\u79c1\u305f\u3061\u306e\u753a\u306b\u65b0\u3057\u3044\u56f3\u66f8\u9928\u304c\u958b\u9928\u3057\u307e\u3057\u305f\u3002\u591a\u304f\u306e\u5bb6\u65cf\u304c\u672c\u3092\u501f\u308a\u3066\u5e30\u308a\u307e\u3057\u305f\u3002",
    "gbk": "\u6628\u5929\u6211\u4eec\u7684\u57ce\u5e02\u65b0\u5f00\u4e86\u4e00\u5bb6\u56fe\u4e66\u9986\u3002\u8bb8\u591a\u5bb6\u5ead\u524d\u6765\u53c2\u89c2\u5e76\u501f\u4e66\u56de\u5bb6\u3002",
    "euc_kr": "\uc5b4\uc81c \uc6b0\ub9ac \ub3c4\uc2dc\uc5d0 \uc0c8\ub85c\uc6b4 \ub3c4\uc11c\uad00\uc774 \ubb38\uc744 \uc5f4\uc5c8\uc2b5\ub2c8\ub2e4. \ub9ce\uc740 \uac00\uc871\ub4e4\uc774 \ucc45\uc744 \ube4c\ub824 \uac14\uc2b5\ub2c8\ub2e4. ",
}


@pytest.mark.parametrize("codec", LIBRARY)
@pytest.mark.parametrize("header", [None, "utf-8"])
@pytest.mark.parametrize("meta", ["", "utf-8"])
@pytest.mark.parametrize("times", [2, 200])
def test_the_bytes_of_a_text_reveal_its_charset(codec, header, meta, times):
    text = LIBRARY[codec] * times  # the longer one is read in part: where it is cut does not matter
    assert f"<p>{text}</p>" in decoded(page(text, codec, meta), header)


def test_a_page_in_utf_8_may_have_a_part_in_another_charset():
    text, part = LIBRARY["cp1251"] * 2, LIBRARY["cp1251"].encode("cp1251")
    assert f"<p>{text}</p>" in decoded(page(text, "utf-8") + part, "utf-8")


def test_pages_are_parsed_in_the_charset_of_their_bytes():
    assert Page.from_html(page(WESTERN, "utf-8"), "https://example.org/", "iso-8859-1").text((0,)).endswith(WESTERN)


@pytest.mark.parametrize("named", ["hex", "idna", "undefined", "unicode_escape", "utf-16", "utf-16le", "utf-7"])
@pytest.mark.parametrize("codec", ["utf-8", "iso-8859-1"])
@pytest.mark.parametrize("header", [None, "utf-8"])
def test_a_name_that_is_no_charset_of_the_page_does_not_count(named, codec, header):
    assert f"<p>{WESTERN}</p>" in decoded(page(WESTERN, codec, named), header)


def test_a_page_in_utf_16_may_say_so():
    assert f"<p>{RUSSIAN}</p>" in decoded(page(RUSSIAN, "utf-16", "utf-16"), None)
