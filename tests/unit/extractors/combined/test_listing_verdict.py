"""A page is a listing by its own metadata, else by the forest, which must be more certain the more text it has."""

from math import log1p

import pytest

from sitecrawl.dom.blocks import Blocks, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined import listing_verdict
from sitecrawl.extractors.combined.listing_verdict import (
    CUES,
    EMPTY_LISTING,
    ENTRY_LISTING,
    FRONT_LISTING,
    LINE,
    LINKS,
    LISTING,
    MENU_LISTING,
    NAMED_LISTING,
    OWN_TEXT,
    SURE_LISTING,
    TEXT,
    UNSURE_LISTING,
    USUAL,
    Listed,
    ListingEvidence,
    is_listing,
    why_listing,
)
from sitecrawl.extractors.combined.page_features import PAGE_NAMES
from sitecrawl.extractors.combined.region import ENOUGH, Known
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

PROSE = Blocks([0], [1], [0], [OWN_TEXT], [99], [0])
CARDS = Blocks([0], [1], [0], [OWN_TEXT], [99], [OWN_TEXT])
URL = "https://a.example/x"
MONTH = "https://a.example/archives/2008_10.html"
COLLECTION = '<script type="application/ld+json">{"@type": "CollectionPage"}</script>'
SINGLE = '<body class="single single-ship postid-7">'


def figures(**named):
    return [named.get(name, 0.0) for name in PAGE_NAMES]


NONE = figures()
ENTRIES = figures(entries=log1p(3), entry_share=0.5, entry_own=1.0)
FRONT = figures(url_root=1.0)
CUED = figures(cues_rest=CUES)


def menu(links=LINKS):
    return f"<nav>{''.join(f'<a href=/{number}>{number}</a>' for number in range(links))}</nav>"


def page_of(url=URL, before="", links=LINKS):
    return Page.from_html(f"{before}<p>x</p>{menu(links)}", url)


def listing(chance, blocks, kept=True, values=NONE, url=URL, before="", known=None):
    return is_listing(page_of(url, before), blocks, [kept], ListingEvidence(chance, values, [0.0], known))


def other_pages(count=1):
    """Return what a template knows that counts one other page, or several."""
    template = SiteTemplate()
    for _ in range(count):
        template.learn(page_of().flat)
    return Known(site_statistics(snapshot(template, count)), 0)


def test_a_page_with_much_text_of_its_own_needs_more_to_be_a_listing():
    unsure = (LISTING + NAMED_LISTING) / 2
    assert not listing(unsure, PROSE)
    assert not listing(ENTRY_LISTING, PROSE)
    assert listing(SURE_LISTING, PROSE)
    assert listing(unsure, CARDS)
    assert listing(unsure, PROSE, kept=False)
    assert not listing(LISTING / 2, CARDS)


@pytest.mark.parametrize("values", [NONE, FRONT])
@pytest.mark.parametrize("kept", [[True], [False]])
def test_a_page_that_leads_nowhere_is_no_listing(values, kept):
    read = ListingEvidence(1.0, values, [0.0], other_pages())
    assert why_listing(page_of(), CARDS, kept, read) is not None
    assert why_listing(page_of(links=LINKS - 1), CARDS, kept, read) is None
    here = "<a href='#1'>1</a><a href='#2'>2</a><a href='mailto:a@b'>write</a><a href=javascript:x()>do</a>"
    assert why_listing(page_of(before=here, links=LINKS - 1), CARDS, kept, read) is None
    assert why_listing(page_of(MONTH, links=0), CARDS, kept, read) is Listed.ARCHIVE


def why_short(html, url=URL, values=NONE, others=ENOUGH, share=1.0, chance=SURE_LISTING):
    """Return why a page with a menu of a hundred links is a listing, if its paragraphs are kept."""
    page = Page.from_html(f"<main>{html}</main>{menu(100)}", url)
    blocks = text_blocks(page.flat)
    kept = [page.flat.tag[row] == "p" for row in blocks.container]
    known = other_pages(others) if others else None
    shares = [share if page.flat.tag[row] in ("nav", "h2") else 0.0 for row in blocks.container]
    return why_listing(page, blocks, kept, ListingEvidence(chance, values, shares, known))


DEFINED = f"<p>keel</p><p>{'a' * TEXT}</p>"
LINKED = "<div>See <a href=/mole>the mole</a></div>"


def test_a_short_text_without_links_is_no_listing_for_the_menus_around_it():
    assert why_short(DEFINED) is None
    assert why_short(DEFINED, url="https://a.example/term/keel/") is None
    assert why_short("<p>keel</p>") is Listed.LOOKS
    assert why_short(DEFINED, share=USUAL / 2) is Listed.LOOKS


def test_a_page_that_leads_only_to_the_front_page_is_no_listing():
    line = f"<p>{'a' * LINE}</p>"
    assert why_short(line) is None
    assert why_short(f"<p>{'a' * (LINE - 1)}</p>") is Listed.LOOKS
    front = "<div><a href=/>Home</a><a href=https://b.example/7>B</a><a href=https://a.example/x#top>Top</a></div>"
    assert why_short(line + front) is None
    assert why_short(f"{line}<div><a href=/7>Seven</a></div>") is Listed.LOOKS
    assert why_short(f"{line}<div><a href=https://A.example/7>Seven</a></div>") is Listed.LOOKS
    assert why_short(line, others=ENOUGH - 1) is Listed.LOOKS


def test_much_text_that_leads_to_other_sites_and_files_is_no_listing():
    url = "https://a.example/publications.html"
    entry = f"<p>{'a' * OWN_TEXT} <a href={{}}>find</a></p>"
    assert why_short(entry.format("https://b.example/7"), url=url) is None
    assert why_short(entry.format("/files/mole.PDF"), url=url) is None
    assert why_short(entry.format("/mole.html"), url=url) is Listed.LOOKS
    assert why_short(entry.format("/mole"), url=url) is Listed.LOOKS
    assert why_short(entry.format("https://b.example/7"), url="https://a.example/archive/page/3") is Listed.LOOKS
    assert why_short(entry.format("https://b.example/7"), url=url, others=ENOUGH - 1) is Listed.LOOKS
    little = f"<p>{'a' * (OWN_TEXT - 1)} <a href=https://b.example/7>find</a></p>"
    assert why_short(little, url=url) is Listed.LOOKS
    gallery = f"<p>{'a' * LINE}</p><a href=/files/mole.png></a>"
    assert why_short(gallery, url=url) is Listed.LOOKS


def test_a_page_of_which_nothing_is_kept_is_no_listing_without_links():
    form = "<form><label>Name</label><input></form>"
    assert why_short(form) is None
    assert why_short(f"{form}<div><a href=/7>Seven</a></div>") is Listed.LOOKS
    assert why_short(form, url="https://a.example/archive/page/3") is Listed.LOOKS


def test_links_of_its_own_may_make_it_a_listing():
    assert why_short(DEFINED + LINKED) is None
    assert why_short(LINKED.join((DEFINED, DEFINED))) is Listed.LOOKS
    button = "<h2><a href=/demo>Book a demo</a></h2>".join((DEFINED, DEFINED))
    assert why_short(button) is None
    assert why_short(button, url="https://a.example/archive/") is Listed.LOOKS
    related = "".join(f"<div><a href=/{name}>{name}</a></div>" for name in "abcde")
    assert why_short(DEFINED + related) is Listed.LOOKS
    assert why_short(DEFINED + related.replace("<a href=/e>e</a>", "e")) is None
    images = "".join(f"<a href=/{name}><img></a>" for name in "abcde")
    assert why_short(DEFINED + images) is Listed.LOOKS


def test_cards_do_not_make_it_a_listing_either(monkeypatch):
    monkeypatch.setattr(listing_verdict, "made_of_cards", lambda *_: True)
    assert why_short(DEFINED, chance=UNSURE_LISTING) is None
    assert why_short(LINKED.join((DEFINED, DEFINED)), chance=UNSURE_LISTING) is Listed.CARDS


def test_archives_and_front_pages_may_be_short():
    assert why_short(DEFINED, url="https://a.example/2018/02/") is Listed.LOOKS
    assert why_short(DEFINED, url="https://a.example/moles?page=3") is Listed.LOOKS
    assert why_short(DEFINED, url=MONTH) is Listed.ARCHIVE
    assert why_short(DEFINED, values=FRONT) is Listed.FRONT
    assert why_short(DEFINED, others=ENOUGH - 1) is Listed.LOOKS
    assert why_short(DEFINED, others=0) is Listed.LOOKS


def test_a_page_that_states_a_list_twice_may_be_short():
    assert why_short(DEFINED, values=CUED) is Listed.LOOKS
    assert why_short(DEFINED, values=figures(cues_rest=CUES - 1)) is None


ELSEWHERE = "".join(f"<p><a href=https://{name}.example/>The moles of {name}</a></p>" for name in ("b", "c", "d"))
SOME = (LISTING + SURE_LISTING) / 2


def test_a_list_of_other_sites_is_no_listing_unless_the_forest_is_sure():
    assert why_short(ELSEWHERE, chance=SOME) is None
    assert why_short(ELSEWHERE, chance=SOME, others=0) is None
    assert why_short(ELSEWHERE, chance=SURE_LISTING) is Listed.LOOKS
    assert why_short(ELSEWHERE.replace("//d.", "//a."), chance=SOME) is Listed.LOOKS
    assert why_short(ELSEWHERE, chance=SOME, url="https://a.example/tag/sea/") is Listed.LOOKS
    assert why_short(ELSEWHERE, chance=SOME, values=FRONT) is Listed.FRONT
    assert why_short(ELSEWHERE, chance=SOME, values=FRONT, others=0) is Listed.LOOKS


def test_cards_and_menus_of_other_sites_are_no_listing_either(monkeypatch):
    menus = "".join(f"<p><a href=https://{name}.example/>{name}</a></p>" for name in "bcdefg")
    page = Page.from_html(menus, URL)
    blocks = text_blocks(page.flat)
    read = ListingEvidence(MENU_LISTING, NONE, [0.0] * len(blocks), None)
    assert why_listing(page, blocks, [True] * len(blocks), read) is None
    monkeypatch.setattr(listing_verdict, "made_of_cards", lambda *_: True)
    assert why_short(ELSEWHERE, chance=UNSURE_LISTING) is None
    assert why_short(ELSEWHERE.replace("//d.", "//a."), chance=UNSURE_LISTING) is Listed.CARDS


def test_an_archive_of_whole_articles_may_have_much_text():
    assert listing(ENTRY_LISTING, PROSE, values=ENTRIES)
    assert not listing(NAMED_LISTING, PROSE, values=ENTRIES)
    assert not listing(ENTRY_LISTING, PROSE, values=figures(entries=log1p(3), entry_share=0.5, entry_own=0.5))
    assert listing(NAMED_LISTING, PROSE, url="https://a.example/tag/sea/")
    assert not listing(LISTING, PROSE, url="https://a.example/tag/sea/")


def test_no_looks_make_a_page_with_a_long_text_a_listing():
    html = f"<p>{'The mole was built by hand. ' * 1_000}</p>{menu()}"
    page = Page.from_html(html, "https://a.example/news.html")
    blocks = text_blocks(page.flat)
    kept, none = [True] * len(blocks), [False] * len(blocks)
    assert is_listing(page, blocks, none, ListingEvidence(SURE_LISTING, NONE, [0.0], None))
    assert not is_listing(page, blocks, kept, ListingEvidence(SURE_LISTING, NONE, [0.0], None))
    stated = Page.from_html(COLLECTION + html, "https://a.example/news.html")
    assert is_listing(stated, text_blocks(stated.flat), [True], ListingEvidence(0.0, NONE, [0.0], None))


@pytest.mark.parametrize(
    ("url", "before"),
    [("https://a.example/ticket/6", ""), ("https://a.example/t/moles/57", ""), (URL, SINGLE), (MONTH, SINGLE)],
)
def test_a_thread_a_ticket_and_a_post_are_no_listings(url, before):
    assert not listing(1.0, CARDS, url=url, before=before)
    assert why_listing(page_of(url, before), CARDS, [False], ListingEvidence(1.0, NONE, [0.0], None)) is None


@pytest.mark.parametrize(
    "body", ['<body class="single">', '<body class="postid-7">', '<body class="singles postid-7x">']
)
def test_half_a_name_says_no_single_post(body):
    assert listing(1.0, CARDS, before=body)


@pytest.mark.parametrize(
    ("url", "before", "why"),
    [
        (MONTH, "", Listed.ARCHIVE),
        ("https://a.example/2008/10/", "", None),
        (URL, COLLECTION, Listed.COLLECTION),
        (URL, COLLECTION.replace("Collection", "Web"), None),
        ("https://a.example/ticket/6", COLLECTION, None),
    ],
)
def test_a_page_may_state_that_it_is_a_listing(url, before, why):
    assert listing(0.0, PROSE, url=url, before=before) is (why is not None)
    for kept in ([True], [False]):
        assert why_listing(page_of(url, before), PROSE, kept, ListingEvidence(0.0, NONE, [0.0], None)) is why


def test_a_list_of_articles_is_a_listing_whatever_the_forest_says():
    text = f"<p>{'The harbour has a new crane. ' * 40}</p>"
    posts = "".join(f'<article><h2><a href="/ship-{i}">Ship {i}</a></h2>{text}</article>' for i in range(3))

    def listed(url):
        page = Page.from_html(f"<main>{posts}</main>", url)
        blocks = text_blocks(page.flat)
        return why_listing(page, blocks, [True] * len(blocks), ListingEvidence(0.0, NONE, [0.0] * len(blocks), None))

    assert listed("https://a.example/posts/2") is Listed.ARTICLES
    assert listed("https://a.example/ticket/6") is None


def test_the_front_page_of_a_known_site_is_a_listing_sooner():
    known = other_pages()
    assert listing(FRONT_LISTING, PROSE, values=FRONT, known=known)
    assert not listing(FRONT_LISTING - 0.01, CARDS, values=FRONT, known=known)
    assert not listing(FRONT_LISTING, CARDS, values=FRONT)
    assert not listing(FRONT_LISTING, CARDS, known=known)
    assert why_listing(page_of(), PROSE, [True], ListingEvidence(FRONT_LISTING, FRONT, [0.0], known)) is Listed.FRONT


def test_a_page_without_kept_text_needs_an_address_or_a_surer_forest():
    def lists(chance, url=URL):
        return why_listing(page_of(url), PROSE, [False], ListingEvidence(chance, NONE, [0.0], None))

    assert lists(EMPTY_LISTING) is Listed.LOOKS
    assert lists(LISTING) is None
    assert lists(LISTING, "https://a.example/tag/sea/") is Listed.LOOKS


@pytest.mark.parametrize(
    ("path", "form", "expected"),
    [
        ("/user/login/?next=/sea", "<form><input type=password></form>", None),
        ("/user/login/?next=/sea", "", Listed.LOOKS),
        ("/user/", "<form><input type=password></form>", Listed.LOOKS),
        ("/lost-password", "<form><input name=mail></form>", None),
    ],
)
def test_a_page_to_log_in_is_no_listing(path, form, expected):
    page = page_of(f"https://a.example{path}", form)
    assert why_listing(page, PROSE, [False], ListingEvidence(SURE_LISTING, NONE, [0.0], None)) is expected


@pytest.mark.parametrize(("front", "sections", "expected"), [(True, 4, False), (True, 3, True), (False, 4, True)])
def test_a_front_page_with_a_text_in_sections_is_no_listing(front, sections, expected):
    text = f"<h2>A part</h2><p>{'The mole was built by hand. ' * 40}</p>"
    page = Page.from_html(f"{menu()}<main>{text * sections}</main>", "https://a.example/")
    blocks, values = text_blocks(page.flat), FRONT if front else NONE
    read = ListingEvidence(SURE_LISTING, values, [0.0] * len(blocks), other_pages())
    assert is_listing(page, blocks, [True] * len(blocks), read) is expected


MOLES = [f"<p><a href=/{number}>Mole {number}</a></p>" for number in range(LINKS)]


@pytest.mark.parametrize(
    ("body", "dropped", "expected"),
    [
        (["<p>Harbours</p>", *MOLES], 0, Listed.LINKS),
        (["<p>Harbours</p>", *MOLES], LINKS, None),  # no links are kept
        (["<p>Harbours</p>", *MOLES], LINKS + 1, None),  # nothing is
        (["<p>Harbours</p>", *MOLES, f"<p>{'Moles and stones ' * 5}</p>", *MOLES * 3], LINKS * 3 + 1, None),  # a text
        (["<p>The harbours and all their moles</p>", *MOLES], 0, None),  # more labels than links
        (["<p>Harbours</p>", *MOLES[1:], *MOLES[1:]], 0, None),
    ],
)
def test_a_page_of_links_and_labels_is_a_listing_sooner(body, dropped, expected):
    page = Page.from_html("".join(body), URL)
    blocks = text_blocks(page.flat)
    kept = [block < len(blocks) - dropped for block in range(len(blocks))]

    def why(chance):
        return why_listing(page, blocks, kept, ListingEvidence(chance, NONE, [0.0] * len(kept), None))

    assert why(MENU_LISTING) is expected
    assert why(MENU_LISTING - 0.01) is None
