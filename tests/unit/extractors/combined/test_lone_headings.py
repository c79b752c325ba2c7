"""Headings of lists of links go with these."""

import pytest

from sitecrawl.extractors.combined.lone_headings import without_lone_headings, without_shared_headings

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
LIST = "<ul><li><a href=/1>gone: ships</a></li><li><a href=/2>gone: harbours</a></li></ul>"


def dropped(html):
    """Return the texts that are dropped of a page that keeps all without "gone"."""
    site = Sample([f"<main>{html}</main>"])
    kept = ["gone" not in text for text in site.texts]
    found = without_lone_headings(site.flat, site.blocks, kept)
    assert not any(now and not before for now, before in zip(found, kept, strict=True))
    return site.chosen([before and not now for now, before in zip(found, kept, strict=True)])


@pytest.mark.parametrize(
    "html",
    [
        f"{TEXT}<h3>See also</h3>{LIST}",
        f"{TEXT}<h2>See also</h2>{LIST}<h2>Moles</h2>{TEXT}",
        f"{TEXT}<h3>See also</h3>{LIST}<h2>Moles</h2>{TEXT}",
        f"<div>{TEXT}<div><div><h3>See also</h3></div></div>{LIST}</div>{TEXT}",
        f"<section><h3>See<br><br>also</h3>{LIST}</section>{TEXT}",
    ],
)
def test_a_heading_of_a_list_that_is_dropped_goes(html):
    assert " ".join(dropped(html)) == "See also"


@pytest.mark.parametrize(
    "html",
    [
        f"{TEXT}<h3>Moles</h3>{TEXT}{LIST}",
        f"{TEXT}<h2>Moles</h2>{LIST}<h3>Stones</h3>{TEXT}",
        f"{TEXT}<h2>Moles</h2><img src=/mole.png>",
        f"{TEXT}<h2>Moles</h2><p>gone: a text of its own</p>",
        f"{TEXT}<h2><a href=/1>Moles</a></h2>{LIST}",
        f"<h1>Moles</h1>{LIST}",
        f"<section>{TEXT}<h2>Moles</h2><img src=/mole.png></section>{LIST}",
        f"<h2>Moles</h2>{LIST}",
        f"{TEXT}<h2>Every mole of the harbour was built by hand, of stones that ships had brought</h2>{LIST}",
    ],
)
def test_other_headings_stay(html):
    assert dropped(html) == []


def test_a_heading_of_lists_that_are_dropped_with_their_headings_goes():
    assert dropped(f"{TEXT}<h2>Links</h2><h3>Ships</h3>{LIST}<h3>Moles</h3>{LIST}") == ["Links", "Ships", "Moles"]
    assert dropped(f"{TEXT}<h2>Links</h2><h3>Ships</h3>{LIST}<h3>Moles</h3><img src=/mole.png>") == ["Ships"]


def lost(html, pages=12):
    """Return the texts that are dropped of the first of some pages that keep all without "gone"."""
    site = Sample([f"<main>{html.format(number)}</main>" for number in range(pages)])
    kept = ["gone" not in text for text in site.texts]
    found = without_shared_headings(site.flat, site.blocks, kept, site.known)
    return site.chosen([before and not now for now, before in zip(found, kept, strict=True)])


def test_a_heading_of_the_site_goes_with_a_section_that_is_dropped():
    own = f"<h1>Mole {{0}}</h1>{TEXT}"
    news = "<h2>News</h2><ul><li><h3>gone: {0}</h3><p>gone: a text about {0}</p></li></ul>"
    assert lost(own + news) == ["News"]
    assert lost(f"{own}{news}<h2>Stones</h2>{TEXT}") == ["News"]
    assert lost(f"{own}<h2>Office</h2><h3>Whom to ask</h3><p>gone: {{0}}</p>") == ["Office", "Whom to ask"]
    assert lost(own + news, pages=4) == []  # three others are no evidence


@pytest.mark.parametrize(
    "section",
    [
        "<h2>News of {0}</h2><p>gone: {0}</p>",  # no other page has the heading
        "<h2>News</h2><p>gone: {0}</p><p>left: {0}</p>",
        "<h2>News</h2><p>gone: {0}</p><h3>Part</h3><p>left: {0}</p>",
        "<h2>News</h2><img src=/mole.png><h2>Next</h2><p>left: {0}</p>",
        "<h2><a href=/news>News</a></h2><p>gone: {0}</p>",
        "<h1>News</h1><p>gone: {0}</p>",
    ],
)
def test_other_headings_with_dropped_texts_stay(section):
    assert lost(f"{TEXT}{section}") == []
