"""A heading is kept if only its table of contents is between it and kept text."""

import pytest

from sitecrawl.extractors.combined.contents_headings import with_contents_headings

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
PARTS = "<ul>" + "".join(f"<li><a href=#part{number}>LIST {number}</a></li>" for number in range(4)) + "</ul>"
PAGES = PARTS.replace("#", "/")


def added(html):
    """Return the texts that are kept too if headings and lists of contents are dropped."""
    site = Sample([html])
    kept = [not text.startswith(("HEAD", "LIST", "Contents", "Inhalt")) for text in site.texts]
    found = with_contents_headings(site.page, site.blocks, kept)
    return site.chosen([now and not before for now, before in zip(found, kept, strict=True)])


@pytest.mark.parametrize(
    "html",
    [
        f"<h1>HEAD Moles</h1><div>{PARTS}</div>{TEXT}",
        f"<h2>HEAD Moles</h2><h3>Contents</h3><div>{PARTS}</div>{TEXT}",
        f"<div><h2>HEAD Moles</h2></div><p>Inhaltsverzeichnis</p>{PAGES}<h2>Stones</h2>{TEXT}",
        f"<h2>HEAD Moles</h2>{PARTS}<h3>Stones</h3>{TEXT}",
    ],
)
def test_a_heading_above_a_table_of_contents_is_kept(html):
    assert added(f"<main>{html}{TEXT}</main>") == ["HEAD Moles"]


@pytest.mark.parametrize(
    "html",
    [
        f"<h2>HEAD On this page</h2>{PARTS}{TEXT}",  # the heading of the list
        f"<h2>HEAD Parts</h2>{PARTS}<h2>Stones</h2>{TEXT}",
        f"<h1>HEAD Moles</h1>{PAGES}{TEXT}",  # a menu
        f"<h1>HEAD Moles</h1><ul><li><a href=#a>LIST</a></ul>{TEXT}",
        f"<h1>HEAD Moles</h1>{PARTS.replace('</a>', '</a>: how the mole was built')}{TEXT}",
        f"<h1>HEAD Moles</h1><p>HEAD dropped</p>{PARTS}{TEXT}",
        f"<h1>HEAD Moles</h1>{PARTS}<p>HEAD dropped</p>{TEXT}",
        f"<h1><a href=/>HEAD Moles</a></h1>{PARTS}{TEXT}",
        f"<div class=sidebar><h1>HEAD Moles</h1></div>{PARTS}{TEXT}",
    ],
)
def test_other_headings_stay_dropped(html):
    assert added(f"<main>{html}{TEXT}</main>") == []


def test_a_heading_outside_of_the_text_stays_dropped():
    assert added(f"<div><h1>HEAD Moles</h1>{PARTS}</div><main>{TEXT * 3}</main>") == []
