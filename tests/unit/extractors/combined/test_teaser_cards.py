"""Cards of other pages beside the text are dropped where other pages have their texts, and cards of its own are kept."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Kind, SiteContext
from sitecrawl.extractors.combined import listing_verdict, teaser_cards
from sitecrawl.extractors.combined.entries import targets
from sitecrawl.extractors.combined.method import Combined
from sitecrawl.extractors.combined.region import ENOUGH
from sitecrawl.extractors.combined.teaser_cards import BESIDE, LONGEST, MOST, without_teasers
from sitecrawl.templates.decision import SEEN, LayoutDecision, LayoutKind
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate
from tests.unit.extractors.combined.sites import Sample

OWN = (
    "<p>Ship {i} of the line came in at dawn, number {i} of this year, with {i}0 sacks of salt and a crew of {i}.</p>"
    * 2
)
PAGES = 12


def card(i, text="It tells of ship {i} and its crew, of the salt and of the storm", before=""):
    return f"<div>{before}<h3><a href=/{i}>The story of ship {i}</a></h3><p>{text.format(i=i)} ...</p></div>"


def pages(make=card, number=3, own=OWN):
    """Return the pages of a site, each with an own text and cards of the next ones below it."""
    found = []
    for i in range(PAGES):
        cards = "".join(make((i + k) % PAGES) for k in range(1, number + 1))
        found.append(f"<main><article>{own.format(i=i)}</article><div>{cards}</div></main>")
    return found


def dropped(html, kept=None):
    """Return the texts that are dropped from the first page, on which all texts or those in `kept` were kept before."""
    sample = Sample(html)
    before = [kept is None or kept(text) for text in sample.texts]
    after = without_teasers(sample.flat, sample.blocks, before, sample.known, None)
    return [text for text, was, now in zip(sample.texts, before, after, strict=True) if was and not now]


def test_cards_with_texts_of_other_pages_are_dropped():
    found = dropped(pages())
    assert found[::2] == [f"The story of ship {i}" for i in (1, 2, 3)]
    assert len(found) == 6


@pytest.mark.parametrize("before", ["<p>12 March</p>", "<p>12 March</p><p>Harbour</p>"])
def test_a_date_or_a_subject_may_stand_above_the_title(before):
    assert len(dropped(pages(lambda i: card(i, before=before)))) >= 6
    assert dropped(pages(lambda i: card(i, before="<p>a</p><p>b</p><p>c</p>"))) == []


def test_cards_that_only_this_page_has_are_its_text():
    site = pages(number=0)
    site[0] = site[0].replace("<div></div>", f"<div>{card(7)}{card(8)}{card(9)}</div>")
    assert dropped(site) == []


def test_without_links_of_their_own_they_are_no_cards():
    assert dropped(pages(lambda i: card(i).replace(f"href=/{i}", "href=#x"))) == []
    assert dropped(pages(lambda i: card(i).replace(f"href=/{i}", "href=/all"))) == []
    assert dropped(pages(lambda i: f"<div><h3>Ship {i}</h3><p>It tells of ship {i} and the storm.</p></div>")) == []


def test_long_elements_are_no_cards():
    text = "ship {i} " * (LONGEST // 4)
    assert dropped(pages(lambda i: card(i, text))) == []


def test_one_card_is_none():
    assert dropped(pages(number=1)) == []
    assert len(dropped(pages(number=2))) == 4


def test_a_page_without_text_of_its_own_keeps_its_cards():
    assert dropped(pages(own="")) == []
    short = f"<p>{'{i}' * 2}{'a' * (BESIDE - 3)}</p>"
    assert dropped(pages(own=short)) == []
    assert len(dropped(pages(own=f"<p>{'{i}' * 2}{'a' * BESIDE}</p>"))) == 6


def test_a_few_pages_are_no_evidence():
    assert dropped(pages()[:4]) == []
    sample = Sample(pages())
    kept = [True] * len(sample.texts)
    assert without_teasers(sample.flat, sample.blocks, kept, None, None) is kept


def test_only_kept_cards_count():
    assert dropped(pages(), lambda text: "story" not in text) == []
    assert dropped(pages(), lambda _: False) == []


def test_only_the_largest_groups_are_examined(monkeypatch):
    groups = "".join(f"<div>{card(2 * i)}{card(2 * i + 1)}</div>" for i in range(3 * MOST))
    large = f"<div>{card(901)}{card(902)}{card(903)}</div>"
    sample = Sample([f"<main>{OWN.format(i=i)}{groups}{large}</main>" for i in range(ENOUGH + 1)])
    read = []

    def counted(flat, rows):
        read.append(len(rows))
        return targets(flat, rows)

    monkeypatch.setattr(teaser_cards, "targets", counted)
    without_teasers(sample.flat, sample.blocks, [True] * len(sample.texts), sample.known, None)
    assert 2 <= len(read) <= MOST
    assert 3 in read


def learned():
    """Return the first page, and a template of all pages."""
    template, read = SiteTemplate(), []
    for i, html in enumerate(pages()):
        read.append(Page.from_html(f"<html><body>{html}</body></html>", f"https://a.example/{i}"))
        template.learn(read[-1].flat)
    return read[0], snapshot(template, 1)


@pytest.mark.parametrize(
    ("kind", "whole"),
    [
        (None, False),
        (LayoutKind.ARTICLE, False),
        (LayoutKind.SERVICE, False),
        (LayoutKind.REFERENCE, True),
        (LayoutKind.THREAD, True),
    ],
)
def test_a_reference_keeps_them_and_a_thread_does(kind, whole):
    sample = Sample(pages())
    kept = [True] * len(sample.texts)
    for seen in (PAGES, SEEN - 1):
        decision = LayoutDecision(kind, 1.0, seen, 80.0) if kind is not None else None
        found = without_teasers(sample.flat, sample.blocks, kept, sample.known, decision)
        assert (found == kept) is (whole and seen == PAGES)  # a layout of few pages binds none


def test_a_listing_keeps_them_too(monkeypatch):
    monkeypatch.setattr(listing_verdict, "LINKS", 0)  # the made pages have few
    page, template = learned()
    site = SiteContext(template, learned=True)
    listing, content = (Combined(threshold=0.0, listing=value).extract(page, site) for value in (0.0, 1.1))
    assert (listing.kind, content.kind) == (Kind.LISTING, Kind.CONTENT)
    assert "It tells of ship 1 " in page.text(listing.nodes)
    assert "It tells of ship 1 " not in page.text(content.nodes)
    assert "came in at dawn" in page.text(content.nodes)
