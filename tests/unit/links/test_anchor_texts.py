import pytest

from sitecrawl.links.anchor_texts import LONGEST, LinkText, link_texts
from sitecrawl.links.anchors import Anchor


def anchor(text, *, nofollow=False):
    return Anchor(1, "https://example.org/7", 7, text, nofollow)


@pytest.mark.parametrize("text", ["Lentil soup", "北京", "Go", "4th of July", "x" * LONGEST])
def test_what_a_link_says(text):
    assert link_texts([anchor(text)]) == (LinkText(7, text),)


@pytest.mark.parametrize("text", ["", "»", "2", "1 234", "https://example.org/7", "x" * (LONGEST + 1)])
def test_what_says_nothing(text):
    assert link_texts([anchor(text), anchor("Soup", nofollow=True)]) == ()
