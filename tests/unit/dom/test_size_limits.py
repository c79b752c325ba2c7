"""Tags and attributes are counted before a page is parsed."""

import time

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.dom.size_limits import MAX_ATTRIBUTES, MAX_TAGS, check_size
from sitecrawl.errors import PageTooLargeError

from .trees import page

URL = "https://example.org/a/page.html"


def _refused(html):
    begun = time.process_time()
    with pytest.raises(PageTooLargeError):
        Page.from_html(html, URL)
    return time.process_time() - begun


@pytest.mark.parametrize("value", ["1", '"1"', '"<"', '"a>b"', "'>'"])
def test_attribute_bombs_are_refused_at_once(value):
    html = "<p " + " ".join(f"a{i}={value}" for i in range(200_000)) + ">x"
    assert len(html) > 1_600_000
    assert _refused(html) < 5


def test_attributes_without_values_and_spaces_are_counted():
    assert _refused("<p " + "/".join(f"attribute{i}" for i in range(20_000)) + ">x") < 5
    assert _refused("<p " + "".join(f"a{i}='{i}'" for i in range(20_000)) + ">x") < 5


def test_a_quote_inside_a_bare_value_opens_nothing():
    attributes = " ".join(f"attribute{i}" for i in range(20_000))
    assert _refused(f'<p a=b="><p {attributes}>x"') < 5


def test_twenty_megabytes_of_tags_are_refused_at_once():
    assert _refused("<p>x" * 5_000_000) < 5
    check_size(URL, "<p>" * (2 * MAX_TAGS))
    with pytest.raises(PageTooLargeError, match="tags"):
        check_size(URL, "<p>" * (2 * MAX_TAGS + 1))


def test_large_values_are_no_attributes():
    image = "<img src='data:image/png;base64," + ("A" * 75 + "\n") * 66_000 + "'>"
    assert len(image) > 5_000_000
    assert page(f"<p>before{image}after").text([0]) == "before after".replace(" ", "")
    words = '<p data-state="' + "many words, a = 1; " * 20_000 + '">x</p>'
    assert page(words).text([0]) == "x"
    assert page("<p>" + "x < y " * 20_000 + "</p>").flat.words[0] == 60_000
    many = "<p " + " ".join(f"a{i}=1" for i in range(MAX_ATTRIBUTES - 1)) + ">" + "x" * 65_536
    assert page(many).flat.chars[0] == 65_536


def test_a_comparison_in_a_script_is_no_tag():
    script = "for (var i = 0; i<names.length; i++) { " + "sum += names [ i ]; " * 9_000 + "}"
    assert page(f"<p>before<script type=module>{script}</script>after").text([0]) == "before after".replace(" ", "")
    check_size(URL, f"<SCRIPT>{script}</Script ><script>{script}</script>")
    many = "<p " + " ".join(f"a{i}=1" for i in range(20_000)) + ">"
    named = f"<script {many[3:]}>{script}</script>"
    for html in (
        named,
        f"<script>{script}",
        f"<script>1</script>{many}<script>1</script>",
        f"<scripts>{many}</script>",
    ):
        with pytest.raises(PageTooLargeError, match="attributes"):
            check_size(URL, html)
