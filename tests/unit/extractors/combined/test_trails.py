"""The trail above a headline is dropped where no name tells it."""

import pytest

from sitecrawl.extractors.combined.trails import without_trails

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"


def dropped(html):
    """Return the texts that are dropped from a page of which all texts were kept."""
    return Sample([html]).dropped(without_trails)


@pytest.mark.parametrize(
    "line",
    [
        "<a href=/>Harbour</a> » <a href=/docs>Docs</a> » Moles",
        "<a href=/><b>Harbour</b></a> &gt; Moles",
        "<a href=/>Harbour</a> / <a href=/docs>Docs</a> /",
        "<a href=/>Harbour</a> :: Moles",
    ],
)
def test_a_line_of_links_with_marks_above_a_heading_is_dropped(line):
    assert len(dropped(f"<main><p>{line}</p><h1>Moles</h1>{TEXT}</main>")) == 1
    assert len(dropped(f"<main><p>12 May</p><p>{line}</p><h2>Moles</h2>{TEXT}</main>")) == 1
    assert dropped(f"<main><h1>Moles</h1><p>{line}</p>{TEXT}</main>") == []
    assert dropped(f"<main>{TEXT * 4}<p>{line}</p><h2>Moles</h2></main>") == []


@pytest.mark.parametrize(
    "line",
    [
        "Harbour » Docs » Moles",
        "Menu » <a href=/docs>Docs</a>",
        "<a href=/>Harbour</a> and moles",
        f"<a href=/>Harbour</a> » {'Stones of the mole ' * 4}",
        f"<a href=/>{'Harbour » ' * 40}</a>",
    ],
)
def test_other_lines_stay(line):
    assert dropped(f"<main><p>{line}</p><h1>Moles</h1>{TEXT}</main>") == []


def test_a_headline_with_marks_stays():
    assert dropped(f"<main><h1><a href=/>Harbour</a> » Moles</h1><h2>Moles</h2>{TEXT}</main>") == []
