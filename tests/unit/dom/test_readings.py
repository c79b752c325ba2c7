"""Readings of words stand behind the words."""

import pytest

from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.page import Page


def page(word):
    return Page.from_html(f"<body><p>これは{word}です。</p></body>", "https://a.example/b")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>", "漢字(かんじ)"),
        ("<ruby>東京<rt>とうきょう</rt></ruby>", "東京(とうきょう)"),
        ("<ruby>\n<rb>明日</rb>\n<rp>《</rp><rt>あす</rt><rp>》</rp>\n</ruby>", "明日(あす)"),
        ("<ruby>北<rt>běi</rt>京<rt>jīng</rt></ruby>", "北京(běijīng)"),
        ("<ruby>東京</ruby>", "東京"),
        ("<ruby>東京<rt></rt></ruby>", "東京"),
        ("<ruby><a href=/t>東京</a><rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>", "東京(とうきょう)"),
    ],
)
def test_a_reading_follows_its_word(word, expected):
    one = page(word)
    assert one.text((0,)) == f"これは{expected}です。"
    if "/t" not in word:
        assert markdown(one.html((0,))).strip() == f"これは{expected}です。"
