"""Pages of cards, which other pages do not have."""

import pytest

from sitecrawl.dom.blocks import Blocks, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Kind, SiteContext
from sitecrawl.extractors.combined import listing_verdict
from sitecrawl.extractors.combined import method as combined
from sitecrawl.extractors.combined.cards import DOUBT, PLACES, is_other_site, leads_elsewhere, made_of_cards
from sitecrawl.extractors.combined.listing_verdict import UNSURE_LISTING, own_text
from sitecrawl.extractors.combined.method import Combined
from sitecrawl.extractors.combined.region import Known
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

MENU = "<div class=menu><a href=/>Home</a> <a href=/about>About us</a></div>"


def cards(number, count=6, *, name="card", href="/p/{}/{}"):
    return "".join(
        f"<div class={name}><a href='{href.format(number, i)}'>Product {number} {i}</a><p>For {i} and {number} pounds</p></div>"
        for i in range(count)
    )


def article(number, more=""):
    words = " ".join(f"word{number}x{i}" for i in range(40))
    return page(number, f"<h1>Report {number}</h1><p>{words}.</p>{more}")


def page(number, main):
    return Page.from_html(f"<body>{MENU}<div class=main>{main}</div></body>", f"https://shop.example/{number}")


def known_and_shares(one, pages):
    """Return `Known` of the last page of a site, its blocks and the share of pages that repeat each of them."""
    learned = SiteTemplate()
    for each in (*pages, one):
        learned.learn(each.flat)
    blocks = text_blocks(one.flat)
    share = [1.0 if one.flat.names[row] == "menu" else 0.0 for row in blocks.container]
    return Known(site_statistics(snapshot(learned, 1)), 1), blocks, share


def told(one, pages):
    """Return whether a page is made of cards, as the last page of a site."""
    known, blocks, share = known_and_shares(one, pages)
    return made_of_cards(one, blocks, share, known)


ARTICLES = [article(n) for n in range(9)]


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        (cards(99), True),
        ("<p>All our products.</p>" + cards(99), True),
        (cards(99, 4), True),
        (cards(99, 3), False),
        (cards(99, href="/cart"), False),  # all lead to one page
        (cards(99, href="#{}{}"), False),  # to none
        (cards(99, href="https://mirror{1}.example/{0}"), False),  # to other sites
        (cards(99, href="https://www.shop.example/{}/{}"), True),
        (cards(99, 4) + cards(98, 3, href="https://mirror{1}.example/{0}"), True),
        (cards(99, 4) + cards(98, 4, href="https://mirror{1}.example/{0}"), False),  # half of them to other sites
        (cards(99, 4) + f"<p>{'A long introduction to all our products. ' * 12}</p>", False),
        ("".join(f"<p>A paragraph about the products <a href=/{i}>{i}</a></p>" for i in range(6)), False),
    ],
)
def test_cards_are_similar_siblings_with_links_of_their_own(main, expected):
    assert told(page(99, main), ARTICLES) is expected


def test_a_box_that_most_pages_have_is_no_page_of_cards():
    related = [article(n, cards(n)) for n in range(9)]
    assert not told(page(99, "<p>Short.</p>" + cards(99)), related)
    assert told(page(99, "<p>Short.</p>" + cards(99, name="product")), related)


def test_few_pages_tell_nothing():
    assert not told(page(99, cards(99)), ARTICLES[:3])
    one = page(99, cards(99))
    assert not made_of_cards(one, text_blocks(one.flat), [0.0] * 20, None)


def leading(main, *, chance=0.0, prose=0, wanted=("Few",), others=ARTICLES):
    """Return whether a page leads elsewhere, if only blocks that begin with some words are kept."""
    one = page(99, main)
    learned = SiteTemplate()
    for each in (*others, one):
        learned.learn(each.flat)
    blocks = text_blocks(one.flat)
    kept = [one.text((row,)).startswith(wanted) for row in blocks.container]
    share = [1.0 if one.flat.names[row] == "menu" else 0.0 for row in blocks.container]
    known = Known(site_statistics(snapshot(learned, 1)), 1)
    return leads_elsewhere(one, blocks, kept, prose, chance, share, known)


def links(count, href="/part/{}"):
    return "".join(
        f"<li><a href='{href.format(i)}'>Part {i} of the catalogue, with its prices</a></li>" for i in range(count)
    )


@pytest.mark.parametrize(
    ("main", "prose", "expected"),
    [
        (f"<p>Few words.</p><ul>{links(PLACES)}</ul>", 0, True),
        (f"<p>Few words.</p><ul>{links(PLACES)}</ul>", 300, False),  # much prose is kept
        (f"<p>Few words.</p><ul>{links(PLACES - 1)}</ul>", 0, False),
        (f"<p>Few words.</p><ul>{links(PLACES, '#part{}')}</ul>", 0, False),  # to parts of this page
        (f"<p>Few words.</p><ul>{links(PLACES, '/part#{}')}</ul>", 0, False),  # to one page
        (f"<p>Few words.</p><ul>{links(PLACES, 'https://packages.example/{}')}</ul>", 0, False),  # to another site
        (f"<p>Few words.</p><ul>{links(PLACES, '//packages.example/{}')}</ul>", 0, False),
        (f"<p>Few words.</p><ul>{links(PLACES, 'https://WWW.shop.example/{}')}</ul>", 0, True),
        (f"<p>Few {'long words ' * 20}.</p><ul>{links(PLACES)}</ul>", 0, False),  # much is kept
        (f"<p>Few words.</p><p>{'Long words. ' * 800}</p><ul>{links(PLACES)}</ul>", 0, False),  # links are little of it
    ],
)
def test_a_page_of_which_hardly_more_than_links_is_left_leads_elsewhere(main, prose, expected):
    assert leading(main, prose=prose) is expected


def test_cards_with_little_prose_lead_elsewhere_if_the_page_may_be_a_listing():
    main = f"<p>Few words.</p>{cards(99, PLACES)}"
    kept = ("Few", "Product", "For")
    assert leading(main, chance=2 * DOUBT, wanted=kept)
    assert not leading(main, chance=DOUBT, wanted=kept)
    assert not leading(main, chance=2 * DOUBT, wanted=kept, prose=400)
    assert not leading(f"<p>Few words.</p>{cards(99, PLACES - 1)}", chance=2 * DOUBT, wanted=kept)
    for word, expected in (("船", True), ("a", False)):  # prose and what is kept are both counted in letters
        main = f"<p>Few {word * 250}</p>{cards(99, PLACES)}"
        assert leading(main, chance=2 * DOUBT, wanted=kept, prose=400) is expected


def test_links_that_most_pages_have_and_few_pages_tell_nothing():
    main = f"<p>Few words.</p><ul>{links(PLACES)}</ul>"
    assert not leading(main, others=[page(n, main) for n in range(9)])
    assert not leading(main, others=ARTICLES[:3])


@pytest.mark.parametrize("menu", ["<nav>{}</nav>", "<aside><ul>{}</ul></aside>"])
def test_the_menu_of_a_section_is_not_the_page(menu):
    others = [article(n, menu.format(links(4, f"/{n}/{{}}"))) for n in range(9)]
    own = menu.format(f"<div class=part>{links(PLACES)}</div>")  # deeper than the menus of other sections
    assert not leading(f"<p>Few words.</p>{own}", others=others)
    assert leading(f"<p>Few words.</p>{own}")  # no other page has a menu there
    assert leading(f"<p>Few words.</p><div>{links(PLACES)}</div>{menu.format('')}", others=others)


def test_a_place_with_links_of_its_own_on_most_pages_is_a_menu():
    others = [article(n, f"<ul>{links(4, f'/{n}/{{}}').replace('Part', f'Part {n}')}</ul>") for n in range(9)]
    assert not leading(f"<p>Few words.</p><ul>{links(PLACES)}</ul>", others=others)
    assert leading(f"<p>Few words.</p><ol>{links(PLACES)}</ol>", others=others)


def test_a_page_that_leads_elsewhere_is_a_listing(monkeypatch):
    known, one = site(ARTICLES), article(99)
    assert Combined().extract(one, known).kind is Kind.CONTENT
    monkeypatch.setattr(listing_verdict, "leads_elsewhere", lambda *given: given[-1].others >= 9)
    assert Combined().extract(one, known).kind is Kind.LISTING
    assert Combined().extract(one).kind is Kind.CONTENT  # no other page is known


def site(pages):
    learned = SiteTemplate()
    for each in pages:
        learned.learn(each.flat)
    return SiteContext(snapshot(learned, 1))


def test_an_unsure_page_of_cards_with_little_text_is_a_listing(monkeypatch):
    known, unsure = site(ARTICLES), Combined(listing=0.999)  # so that no page is a listing by its chance alone
    one = page(99, "<h1>Our products</h1><p>All the products of this year are here.</p>" + cards(99, 12))
    found = unsure.extract(one, known)
    assert UNSURE_LISTING <= found.evidence["listing"] < 0.999
    assert found.kind is Kind.LISTING
    assert unsure.extract(one).kind is Kind.CONTENT  # no other page is known
    monkeypatch.setattr(combined, "chance", lambda name, figures: UNSURE_LISTING)
    for paragraphs, kind in ((2, Kind.LISTING), (4, Kind.CONTENT)):
        prose = "".join(
            f"<p>The history of product {i} is told at length here, since product {i} is old, and since no teaser should "
            "have as much text as this paragraph.</p>"
            for i in range(paragraphs)
        )
        text = page(99, f"<h1>Our products</h1>{prose}{cards(99, 12)}")
        assert unsure.extract(text, known).kind is kind


def test_text_of_its_own_is_prose_outside_links():
    flat = Page.from_html("<p>one</p><p>two</p><p>three</p><p>four</p>", "https://shop.example/").flat
    rows = text_blocks(flat)
    blocks = Blocks(rows.first, rows.stop, rows.container, [120, 120, 99, 200], [20] * 4, [10, 100, 0, 0])
    assert own_text(flat, blocks, [True, True, True, True]) == 110 + 200
    assert own_text(flat, blocks, [True, True, True, False]) == 110
    assert own_text(flat, blocks, [False] * 4) == 0


def test_text_of_its_own_counts_letters_in_scripts_without_spaces():
    flat = Page.from_html(f"<p>{'船' * 40}</p><p>{'港' * 39}</p>", "https://shop.example/").flat
    blocks = text_blocks(flat)
    assert own_text(flat, blocks, [True, True]) == 100  # the second has 97.5 letters
    assert own_text(flat, blocks, [False, True]) == 0


@pytest.mark.parametrize(
    ("main", "chance", "expected", "lines"),
    [
        (cards(99), UNSURE_LISTING, Kind.LISTING, 2 * 6),  # cards
        (cards(99), 0.0, Kind.NONE, 0),
        (f"<p>Few words.</p><ul>{links(PLACES)}</ul>", 0.0, Kind.LISTING, PLACES),  # links to many pages
        (f"<p>Few words.</p><ul>{links(PLACES - 1)}</ul>", 0.0, Kind.NONE, 0),
    ],
)
def test_a_page_of_which_nothing_is_kept_is_a_listing_of_cards_or_links_too(monkeypatch, main, chance, expected, lines):
    one, learned = page(99, main), SiteTemplate()
    for each in (*ARTICLES, one):
        learned.learn(each.flat)
    monkeypatch.setattr(combined, "chance", lambda name, figures: chance)
    found = Combined(threshold=1.1).extract(one, SiteContext(snapshot(learned, 1), learned=True))
    assert (found.kind, len(one.text(found.nodes).splitlines())) == (expected, lines)


def test_a_host_in_capital_letters_is_the_same_site():
    assert not is_other_site("https://shop.example/1", "WWW.Shop.example")
    assert is_other_site("https://mirror.example/1", "Shop.example")
