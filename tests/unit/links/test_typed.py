import pytest

from sitecrawl.links.typed import readable_host, spellings


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("/news/12?a=b", ["/news/12?a=b"]),
        ("%E4%B8%AD", ["%E4%B8%AD"]),
        ("<b>", ["<b>", "%3Cb%3E"]),
        ("/中 文", ["/中 文", "/%E4%B8%AD%20%E6%96%87"]),
        ("?q=é", ["?q=é", "?q=%C3%A9"]),
        ("😀", ["😀", "%F0%9F%98%80", "xn--e28h"]),
        ("[x", ["[x", "%5Bx"]),
    ],
)
def test_a_part_of_a_url_is_spelled_as_it_is_stored(text, spelled):
    assert spellings(text) == spelled


def test_a_host_and_its_path_are_spelled_as_they_are_stored():
    assert spellings("日本語.jp/中")[-1] == "xn--wgv71a119e.jp/%E4%B8%AD"
    assert "https://xn--wgv71a119e.jp/%E4%B8%AD" in spellings("https://日本語.jp/中")


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("xn--wgv71a119e.jp", "日本語.jp"),
        ("www.xn--wgv71a119e.jp:8080", "www.日本語.jp:8080"),
        ("xn--0.example", "xn--0.example"),
        ("example.org", "example.org"),
    ],
)
def test_a_host_in_letters(host, shown):
    assert readable_host(host) == shown
