"""A paragraph with the class name of a comment is the author's if the text continues below it."""

import pytest

from sitecrawl.extractors.combined.author_comments import with_author_comments

from .sites import Sample

PROSE = "<p>The mole of harbour {0} was built by hand.</p>"
COMMENT = "<p class=comment>Boil the eggs of harbour {0} first</p>"
READER = "<div class=comments><p class=comment>I was in harbour {0}, too</p></div>"


def cut(html, pages=12):
    """Return the texts that are kept of the first of some pages, beside its sentences."""
    site = Sample([html.format(number) for number in range(pages)])
    found = with_author_comments(site.flat, site.blocks, [text.endswith(".") for text in site.texts], site.known)
    return [text for text in site.chosen(found) if not text.endswith(".")]


def test_a_comment_above_a_paragraph_is_the_authors():
    assert cut(f"<main>{PROSE}{COMMENT}{PROSE}</main>") == ["Boil the eggs of harbour 0 first"]
    assert cut(f"<main>{PROSE}{COMMENT}{PROSE}</main>", pages=4) == []  # three others are no evidence


@pytest.mark.parametrize(
    "html",
    [
        f"<main>{PROSE}{PROSE}{COMMENT}</main>",
        f"<main>{PROSE}{READER}{PROSE}</main>",
        f"<main>{PROSE}{COMMENT.replace('{0}', 'it')}{PROSE}</main>",  # on all pages
        f"<main>{PROSE}{COMMENT.replace('comment', 'remark')}{PROSE}</main>",
        f"<main>{PROSE}{COMMENT.replace('<p', '<div').replace('/p', '/div')}{PROSE}</main>",
    ],
)
def test_others_are_left_to_the_passes(html):
    assert cut(html) == []
