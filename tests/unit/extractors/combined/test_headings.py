"""Headings go with the text below them, and a headline outside of the content is left out."""

import pytest

from sitecrawl.extractors.combined.headings import (
    KEPT_HEADLINES,
    beside_headings,
    with_card_titles,
    with_headings,
    with_headline_of_layout,
)
from sitecrawl.templates.decision import LayoutDecision, LayoutKind, Region

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"


def added(html, dropped):
    """Return the texts that are kept too if those that contain `dropped` are not."""
    site = Sample([html])
    kept = [dropped not in text for text in site.texts]
    found = with_headings(site.flat, site.blocks, kept)
    return site.chosen([now and not before for now, before in zip(found, kept, strict=True)])


def test_a_heading_right_above_kept_text_is_kept():
    assert added(f"<main>{TEXT}<h3>HEAD Parameters</h3>{TEXT}</main>", "HEAD") == ["HEAD Parameters"]
    both = f"<main>{TEXT}<h2>HEAD Functions</h2><h4>HEAD Parameters</h4>{TEXT}</main>"
    assert added(both, "HEAD") == ["HEAD Functions", "HEAD Parameters"]


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ("<h2 id=comments>HEAD Comments</h2>", False),
        ("<h2 id=head-comments>HEAD Comments</h2>", True),
        ("<section id=head-side-menu-2><h2>HEAD Side menu</h2>{}</section>", True),
        ("<div class=comments><h2 id=head-comments>HEAD Comments</h2>{}</div>", False),
        ("<h2 id=head-menu class=menu>HEAD Menu</h2>", False),
        ("<h2 class=no_toc>HEAD Moles</h2>", True),
        ("<h2 class=x-toc-include>HEAD Moles</h2>", True),
        ("<h2 class=toc-title>HEAD Moles</h2>", False),
    ],
)
def test_an_id_made_of_the_words_of_a_heading_does_not_mean_furniture(section, expected):
    whole = section.format(TEXT) if "{}" in section else section + TEXT
    assert bool(added(f"<main>{TEXT}{whole}{TEXT}</main>", "HEAD")) is expected


def test_the_term_of_a_kept_description_is_kept():
    terms = f"<dl class=field-list><dt>HEAD Returns</dt><dt>HEAD Type</dt><dd>{TEXT}</dd><dt>HEAD Raises</dt></dl>"
    assert added(f"<main>{TEXT}{terms}{TEXT}</main>", "HEAD") == ["HEAD Returns", "HEAD Type"]
    assert added(f"<dl><dt>HEAD Mole</dt><dd><ul><li>{TEXT}</li></ul></dd></dl>", "HEAD") == ["HEAD Mole"]


@pytest.mark.parametrize(
    "title",
    [
        "<div class=x-alert__header><span class=icon></span><span>HEAD Note</span></div>",
        "<div class='callout-title'>HEAD Note</div>",
        "<p class='big card-header'>HEAD Note</p>",
    ],
)
def test_the_title_of_a_kept_box_is_kept(title):
    assert added(f"<main>{TEXT}<div class=box>{title}<div>{TEXT}</div></div></main>", "HEAD") == ["HEAD Note"]


@pytest.mark.parametrize(
    "box",
    [
        f"<div class=callout-title>HEAD Note</div>{TEXT}",  # the text is in no box with it
        f"<div><p>HEAD lost</p><div class=callout-title>HEAD Note</div>{TEXT}</div>",  # it does not begin the box
        f"<div><div class=callout-title><a href=/a>HEAD Note</a></div>{TEXT}</div>",
        f"<div><div class=callout-title>HEAD {'Note ' * 40}</div>{TEXT}</div>",
        f"<div><div class=entry-meta>HEAD Note</div>{TEXT}</div>",
        f"<div><div class=callout-title>HEAD <p>HEAD Note</p></div>{TEXT}</div>",
    ],
)
def test_other_beginnings_of_boxes_stay_dropped(box):
    assert added(f"<main>{TEXT}{box}</main>", "HEAD") == []


@pytest.mark.parametrize(
    "html",
    [
        f"<main>{TEXT}<p>HEAD Parameters</p>{TEXT}</main>",
        f"<main>{TEXT}<h3>HEAD See also</h3><p>HEAD other</p>{TEXT}</main>",  # its own text is dropped
        f"<main>{TEXT}<div class=share><h3>HEAD Share</h3></div>{TEXT}</main>",
        f"<div><h3>HEAD Menu</h3></div><main>{TEXT}{TEXT}</main>",  # outside
        f"<main>{TEXT}{TEXT}<h3>HEAD Comments</h3></main>",
    ],
)
def test_other_blocks_stay_dropped(html):
    assert added(html, "HEAD") == []


def test_a_page_that_keeps_nothing_keeps_no_heading():
    assert added("<main><h3>HEAD a</h3><p>HEAD b</p></main>", "HEAD") == []


def headline_stays(html):
    """Return whether the first text of a page is kept, if all are."""
    site = Sample([html])
    decision = LayoutDecision(LayoutKind.ARTICLE, 0.9, 20, 80.0)
    kept = [True] * len(site.texts)
    found = with_headline_of_layout(site.flat, site.blocks, kept, decision)
    assert found[1:] == kept[1:]
    return found[0]


def test_a_headline_outside_of_the_content_is_dropped():
    assert headline_stays(f"<main><h1>Moles</h1>{TEXT}{TEXT}</main>")
    assert not headline_stays(f"<h1>Moles</h1><main>{TEXT}{TEXT}</main>")
    assert headline_stays(f"<h2>Moles</h2><main>{TEXT}{TEXT}</main>")
    assert headline_stays(f"<h1>Moles</h1><h1>More</h1><main>{TEXT}{TEXT}</main>")
    assert headline_stays("<h1>Moles</h1>")  # nothing else
    assert headline_stays(f"<main><h1>Moles</h1>{TEXT}</main>")  # the region is the only paragraph


def test_the_usual_region_of_the_layout_counts():
    """A page with one paragraph has a smaller region than the others."""
    html = f"<div class=page><div>A</div><h1>Moles</h1><div>{TEXT}</div>B</div>"
    site = Sample([html])
    kept = [text == "Moles" or len(text) > 20 for text in site.texts]
    page = site.path("B")
    for share, stays in ((0.8, True), (0.3, False)):
        decision = LayoutDecision(LayoutKind.ARTICLE, 0.9, 20, 80.0, regions=(Region(page, "div.page", share, share),))
        found = with_headline_of_layout(site.flat, site.blocks, kept, decision)
        assert ("Moles" in site.chosen(found)) is stays


@pytest.mark.parametrize(
    ("kind", "share", "html", "kept"),
    [
        (LayoutKind.ARTICLE, KEPT_HEADLINES, f"<main><h1>Moles</h1>{TEXT}{TEXT}</main>", True),
        (LayoutKind.ARTICLE, KEPT_HEADLINES - 0.01, f"<main><div><h1>Moles</h1></div>{TEXT}{TEXT}</main>", False),
        (LayoutKind.ARTICLE, None, f"<main><h1>Moles</h1>{TEXT}{TEXT}</main>", False),
        (LayoutKind.THREAD, 1.0, f"<main><h1>Moles</h1>{TEXT}{TEXT}</main>", False),
        (LayoutKind.ARTICLE, 1.0, f"<h1>Moles</h1><main>{TEXT}{TEXT}</main>", False),
        (LayoutKind.ARTICLE, 1.0, f"<main><h1>Moles</h1><h1>More</h1>{TEXT}{TEXT}</main>", False),
    ],
)
def test_a_headline_that_other_pages_of_the_layout_keep_is_kept_inside_the_content(kind, share, html, kept):
    site = Sample([html])
    verdicts = {} if share is None else {site.path("Moles"): (0.0, share)}
    decision = LayoutDecision(kind, 0.9, 20, 80.0, verdicts=verdicts)
    before = [text == TEXT[3:-4] for text in site.texts]
    found = with_headline_of_layout(site.flat, site.blocks, before, decision)
    assert site.chosen(found) == ["Moles"] * kept + [TEXT[3:-4]] * 2


@pytest.mark.parametrize(
    ("kind", "share", "below", "kept"),
    [
        (LayoutKind.ARTICLE, 0.01, TEXT, True),
        (LayoutKind.ARTICLE, 0.0, TEXT, False),  # no page keeps its headline
        (LayoutKind.THREAD, 0.01, TEXT, False),
        (LayoutKind.ARTICLE, 0.01, f"<h2>Harbours of stone and of earth</h2>{TEXT}", False),
        (LayoutKind.ARTICLE, 0.01, f"<div>{TEXT}</div>", False),
    ],
)
def test_a_headline_right_above_a_kept_paragraph_is_kept_if_any_page_keeps_it(kind, share, below, kept):
    site = Sample([f"<h1>Moles</h1>{below}{TEXT}"])
    decision = LayoutDecision(kind, 0.9, 20, 80.0, verdicts={site.path("Moles"): (0.0, share)})
    found = with_headline_of_layout(site.flat, site.blocks, [False, *[True] * (len(site.texts) - 1)], decision)
    assert found[0] is kept


def test_a_headline_stays_outside_of_the_content_right_above_a_kept_paragraph():
    assert headline_stays(f"<h1>Moles</h1><p>Built by hand.</p><main>{TEXT * 4}</main>")


def test_a_headline_stays_in_the_smallest_element_around_all_texts():
    """The region has nine tenths of the text, and not always the lines above it."""
    assert headline_stays(f"<div><div><h1>Moles</h1></div><p>Built by hand.</p><main>{TEXT * 4}</main></div>")
    assert not headline_stays(f"<div><h1>Moles</h1></div><div><p>Built by hand.</p><main>{TEXT * 4}</main></div>")


@pytest.mark.parametrize(
    ("kind", "share", "kept"),
    [(LayoutKind.REFERENCE, 0.01, True), (LayoutKind.REFERENCE, 0.0, False), (LayoutKind.ARTICLE, 1.0, False)],
)
def test_the_headline_of_a_reference_is_kept_in_a_box_right_beside_the_content(kind, share, kept):
    html = f"<div><header><h1>mole_build</h1></header><section>{TEXT}{TEXT}</section></div>"
    site = Sample([html])
    decision = LayoutDecision(kind, 0.9, 20, 40.0, verdicts={site.path("mole_build"): (share, share)})
    assert with_headline_of_layout(site.flat, site.blocks, [False, True, True], decision) == [kept, True, True]


def test_the_title_above_the_content_of_a_wiki_is_no_headline_of_a_reference():
    site = Sample([f"<div><h1>Moles</h1><section>{TEXT}{TEXT}</section></div>"])
    decision = LayoutDecision(LayoutKind.REFERENCE, 0.9, 20, 40.0, verdicts={site.path("Moles"): (0.1, 0.1)})
    assert with_headline_of_layout(site.flat, site.blocks, [False, True, True], decision) == [False, True, True]


def test_a_page_that_keeps_nothing_keeps_no_headline():
    site = Sample([f"<main><h1>Moles</h1>{TEXT}</main>"])
    decision = LayoutDecision(LayoutKind.ARTICLE, 0.9, 20, 80.0, verdicts={site.path("Moles"): (1.0, 1.0)})
    assert with_headline_of_layout(site.flat, site.blocks, [False, False], decision) == [False, False]


def beside(html, chance):
    """Return the texts that stay of a page whose headings have a probability of 0.8, and whose text has `chance`."""
    site = Sample([html])
    chances = [0.8 if "HEAD" in text else chance for text in site.texts]
    return site.chosen(beside_headings(site.flat, site.blocks, [one >= 0.57 for one in chances], chances))


def test_headings_alone_are_no_content():
    page = f"<h1>HEAD Moles</h1>{TEXT}"
    assert len(beside(page, 0.4)) == 2
    assert beside(page, 0.01) == ["HEAD Moles"]
    assert beside(f"<p>HEAD Moles</p>{TEXT}", 0.4) == ["HEAD Moles"]  # text is kept already
    contents = "<h3>HEAD What the mole was built of</h3>" * 10
    assert len(beside(f"{contents}{TEXT}", 0.4)) == 10


@pytest.mark.parametrize(
    ("card", "titles"),
    [
        ("<h2><a href=/1>HEAD The mole</a></h2><p>4 July<p>TEXT It is long.", ["HEAD The mole"]),
        ("<header><h3><a href=/1>HEAD The mole</a></h3></header><p>TEXT It is long.", ["HEAD The mole"]),
        ("<h2><a href=/1>HEAD The mole</a></h2><p>It is long.", []),
        ("<p>TEXT It is long.<h2>HEAD The mole</h2>", []),
        ("<div>HEAD The mole</div><p>TEXT It is long.", []),
        (f"<h2>HEAD The mole</h2>{'<p>Stones.' * 24}<p>TEXT It is long.", ["HEAD The mole"]),
        ("<h1><a href=/1>HEAD The mole</a></h1><p>TEXT It is long.", []),
        (
            "<h1><a href=/1>HEAD The mole</a></h1><p>TEXT It is long.</article><article><h1>Piers</h1>",
            ["HEAD The mole"],
        ),
        ("<h1>HEAD The mole</h1><p>TEXT It is long.</article><article><h1>Piers</h1>", []),
        ("<h5 class=author-name>Ann Mole</h5><p>TEXT It is long.", []),
        ("<header><h2>HEAD The mole</h2><ul><li>Stone</ul></header><p>TEXT It is long.", ["HEAD The mole"]),
        ("<ul><li>Stone</ul><h2>HEAD The mole</h2><p>TEXT It is long.", ["HEAD The mole"]),
        ("<h2>HEAD The mole</h2><h3>HEAD Its stone</h3><p>TEXT It is long.", ["HEAD The mole", "HEAD Its stone"]),
        ("<div><h2>HEAD The mole</h2></div><div><h2>The pier</h2><p>TEXT It is long.</div>", ["The pier"]),
    ],
)
def test_a_card_of_a_listing_keeps_its_title(card, titles):
    site = Sample([f"<main><p>Moles</p><article>{card}</article><article>Ships</article></main>"])
    kept = ["TEXT" in text for text in site.texts]
    found = with_card_titles(site.flat, site.blocks, kept, None)
    assert site.chosen([now and not before for now, before in zip(found, kept, strict=True)]) == titles


def test_a_title_that_other_pages_show_stays_dropped():
    cards = "<article><h2>HEAD Moles of the coast</h2><p>TEXT It is long.</article><article>Ships</article>"
    site = Sample([f"<main>{cards}</main>"] * 5)
    kept = ["TEXT" in text for text in site.texts]
    assert with_card_titles(site.flat, site.blocks, kept, site.known) is kept
