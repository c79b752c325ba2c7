"""URLs of forums and trackers, and class names of the body, show that a page is a thread."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.thread_addresses import is_thread_page, is_thread_url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://forum.example.org/x", True),
        ("https://example.org/forum-archive/node/12.html", True),
        ("https://example.org/viewtopic.php?t=4", True),
        ("https://example.org/t/a-question/1234", True),
        ("https://example.org/t/topic/9600.html", True),
        ("https://example.org/questions/12068/a-question", True),
        ("https://example.org/threads/a-question.783768", True),
        ("https://example.org/index.php?topic=589.0", True),
        ("https://example.org/index.php?showtopic=589", True),
        ("https://example.org/ticket/12.html", True),
        ("https://example.org/topic/8/a-question/", True),
        ("https://example.org/d/5-a-question", True),
        ("https://example.org/browse/MOLE-17", True),
        ("https://example.org/forum.php?mod=viewthread&tid=4", True),
        ("https://example.org/thread-1754-1-1.html", True),
        ("https://example.org/bugreport.cgi?bug=77", True),
        ("https://example.org/mole/pull/12", True),
        ("https://example.org/mole/-/merge_requests/12", True),
        ("https://example.org/browse/shoes-12", False),
        ("https://example.org/t/moles/5", False),
        ("https://example.org/topic/8", False),
        ("https://example.org/thread-safety-2.html", False),
        ("https://example.org/book/threads.html", False),
        ("https://example.org/thread_safety.html", False),
        ("https://example.org/2023/a-forum-in-september/", False),
        ("https://example.org/topics/health", False),
        ("https://example.org/issues/2019/spring", False),
        ("https://example.org/forum", False),
    ],
)
def test_addresses_of_threads(url, expected):
    assert is_thread_page(url, Page.from_html("<body><p>x</p></body>", url).flat) is expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/t/moles/57/", True),
        ("https://a.example/ticket/6", True),
        ("https://a.example/viewtopic.php?t=4", True),
        ("https://a.example/threads/moles-of-stone.4712/page-2", True),
        ("https://a.example/thread/4712-moles/?page=2", True),
        ("https://a.example/threads/page/12", False),
        ("https://a.example/questions/page/12", False),
        ("https://forum.example/c/moles", False),
        ("https://a.example/forums/moles", False),
        ("https://a.example/t/moles/", False),
    ],
)
def test_addresses_of_one_thread(url, expected):
    assert is_thread_url(url) is expected


def test_names_of_the_body_say_so_as_well():
    assert is_thread_page(
        "https://a.example/1", Page.from_html("<body class=viewtopic><p>x", "https://a.example/1").flat
    )
