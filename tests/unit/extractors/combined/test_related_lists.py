"""Lists of links below a heading of related pages are dropped together with the heading."""

import pytest

from sitecrawl.extractors.combined.related_lists import without_related_lists
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
LIST = "<ul><li><a href=/a>The other mole</a></li><li><a href=/b>Ships of stone</a></li></ul>"
LINKS = ["The other mole", "Ships of stone"]


def dropped(html, *, before=TEXT * 2, kept=None, kind=LayoutKind.ARTICLE):
    """Return the texts that are dropped of a page that keeps all, or those of which `kept` is true."""
    site = Sample([f"<main>{before}{html}</main>"])
    wanted = [kept is None or kept(text) for text in site.texts]
    found = without_related_lists(site.page, site.blocks, wanted, LayoutDecision(kind, 0.9, 20, 80.0))
    return [text for text, was, one in zip(site.texts, wanted, found, strict=True) if was and not one]


@pytest.mark.parametrize(
    "heading",
    [
        "Related Posts",
        "» Related articles:",
        "You may also like",
        "Ähnliche Beiträge",
        "Artículos relacionados",
        "Articles similaires",
        "Похожие записи",
        "相关文章",
        "関連記事",
        "관련 글",
    ],
)
def test_the_list_below_such_a_heading_is_dropped_with_it(heading):
    texts = dropped(f"<h3>{heading}</h3>{LIST}")
    assert texts[1:] == LINKS
    assert texts[0].strip("» :") == heading.strip("» :")


@pytest.mark.parametrize(
    "heading", ["Related work", "Related content", "Related links", "Similar", "More", "Related posts of this harbour"]
)
def test_other_headings_keep_theirs(heading):
    assert dropped(f"<h3>{heading}</h3>{LIST}") == []


def test_a_heading_of_related_pages_goes_if_nothing_below_it_is_kept():
    card = "<div><a href=/a>CARD The other mole</a><p>CARD It was built of stones.</div>"
    html = f"<h3>Related posts</h3>{card}<h3>Stones</h3>{TEXT}"
    assert dropped(html, kept=lambda text: "CARD" not in text) == ["Related posts"]
    further = html.replace("Related posts", "See also")
    assert dropped(further, kept=lambda text: "CARD" not in text) == ["See also"]
    assert dropped(html) == []
    other = html.replace("Related posts", "Latest news")
    assert dropped(other, before=TEXT * 3, kept=lambda text: "CARD" not in text) == []


@pytest.mark.parametrize(("before", "stays"), [(TEXT * 3, False), (TEXT, True)])
def test_the_latest_pages_are_dropped_below_a_text_and_kept_on_a_front_page(before, stays):
    texts = [] if stays else ["Latest news", *LINKS]
    assert dropped(f"<h3>Latest news</h3>{LIST}", before=before) == texts


def test_the_text_above_the_latest_pages_must_be_kept():
    found = dropped(f"<h3>Latest news</h3>{LIST}", before=TEXT * 4, kept=lambda text: "harbour" not in text)
    assert found == []


def test_the_heading_may_stand_in_an_element_of_its_own():
    assert dropped(f"<div><strong>Related Posts</strong></div><div></div>{LIST}") == ["Related Posts", *LINKS]


def test_a_heading_that_is_not_kept_is_read_too():
    assert dropped(f"<h3>Related Posts</h3>{LIST}", kept=lambda text: text != "Related Posts") == LINKS


def test_what_is_text_stays():
    assert dropped(f"<h3>Related Posts</h3>{TEXT}{LIST}") == []
    assert dropped("<h3>Related Posts</h3><p><a href=/a>The mole</a> is near, and has another beside it.</p>") == []
    assert dropped("<h3>Related Posts</h3>") == []
    assert dropped(f"<div><h3>Related Posts</h3><p></p></div>{LIST}") == ["Related Posts", *LINKS]
    assert dropped(f"<div>{TEXT}<h3>Related Posts</h3></div>{LIST}") == []


def test_words_without_an_element_of_their_own_are_no_heading():
    assert dropped(f"<div>Related Posts<p>A mole of stones.</p></div>{LIST}") == []
    assert dropped(f"<div>Related Posts{LIST}{TEXT}</div>") == []


def test_a_page_that_consists_of_such_a_list_keeps_it():
    assert dropped(f"<h3>Related Posts</h3>{LIST}", before="<p>Oh.</p>") == []


def test_a_reference_keeps_it():
    assert dropped(f"<h3>Related articles</h3>{LIST}", kind=LayoutKind.REFERENCE) == []
    assert dropped(f"<h3>You may also like</h3>{LIST}", kind=LayoutKind.REFERENCE)[0] == "You may also like"


def card(number, more="", head="h4"):
    """Return a card with a text outside its link."""
    return f"<div class=card><{head}><a href=/{number}>Mole {number}</a></{head}><p>A mole of stones.</p>{more}</div>"


@pytest.mark.parametrize("heading", ["Related", "Related content", "Verwandte Inhalte", "相关内容", "Related Posts"])
@pytest.mark.parametrize("kind", [LayoutKind.ARTICLE, LayoutKind.REFERENCE])
def test_cards_below_such_a_heading_are_dropped_with_it(heading, kind):
    texts = ["Mole 1", "A mole of stones.", "Mole 2", "A mole of stones."]
    cards = card(1) + card(2)
    assert dropped(f"<h3>\n\n          {heading}</h3><div>{cards}</div>", kind=kind) == [heading, *texts]
    assert dropped(f"<h3>{heading}</h3><div><div>{cards}</div></div>", kind=kind) == [heading, *texts]
    whole = "<a href=/{0} class=card><b>Mole {0}</b><time>2024</time><p>A mole of stones.</p></a>"
    assert len(dropped(f"<h3>{heading}</h3><div>{whole.format(1)}{whole.format(2)}</div>", kind=kind)) > 3


def test_cards_below_see_also_are_dropped_but_in_a_reference():
    html = f"<h3>See also</h3><div>{card(1)}{card(2)}</div>"
    assert dropped(html)[0] == "See also"
    assert dropped(html, kind=LayoutKind.REFERENCE) == []
    assert dropped(f"<h3>See also</h3>{LIST}") == []  # links without cards are sources


@pytest.mark.parametrize(
    "cards",
    [
        card(1),  # one is an aside
        card(1) + card(1),  # to one page
        card(1) + card(2).replace("class=card", "class=other"),
        card(1) + card(2) + TEXT,
        card(1, head="p") + card(2, head="p"),  # without a heading or a date
    ],
)
def test_other_elements_below_such_a_heading_stay(cards):
    assert dropped(f"<h3>Related content</h3><div>{cards}</div>") == []


@pytest.mark.parametrize(("kind", "stays"), [(LayoutKind.ARTICLE, False), (LayoutKind.REFERENCE, True)])
def test_cards_below_related_posts_need_no_heading_of_their_own(kind, stays):
    cards = "".join(f"<dl><dd><a href=/{number}>Mole {number}</a><dd>A mole of stones.</dl>" for number in (1, 2))
    texts = ["Related Posts", "Mole 1", "A mole of stones.", "Mole 2", "A mole of stones."]
    assert dropped(f"<h3>Related Posts</h3><div>{cards}</div>", kind=kind) == ([] if stays else texts)


@pytest.mark.parametrize("kind", [LayoutKind.ARTICLE, LayoutKind.REFERENCE])
def test_offers_like_the_own_one_are_no_content_of_a_reference_either(kind):
    cards = "".join(f"<li><a href=/{n}><b>4{n} euros</b> House {n}</a></li>" for n in (1, 2))
    assert dropped(f"<h3>Similar homes</h3><ul>{cards}</ul>", kind=kind) == [
        "Similar homes",
        "41 euros House 1",
        "42 euros House 2",
    ]
    entries = cards.replace("</a>", "</a> 80 m² in the street of the harbour")
    assert len(dropped(f"<h3>Similar homes</h3><ul>{entries}</ul>", kind=kind)) == 3


def test_cards_may_stand_beside_their_heading():
    texts = ["Related", "Mole 1", "A mole of stones.", "Mole 2", "A mole of stones."]
    html = f"<section><h3>Related</h3>{card(1)}<div></div>{card(2)}<p>Seen by 7 readers.</p></section>"
    assert dropped(html) == texts
    articles = (card(1) + card(2)).replace("<div class=card>", "<article>").replace("</div>", "</article>")
    assert dropped(f"<section><h3>Related</h3>{articles}</section>") == texts
    assert dropped(html.replace(" class=card", "")) == []
    prose = "".join(f"<p>The <a href=/{n}>mole {n}</a> of the harbour was built by hand.</p>" for n in (1, 2))
    assert dropped(f"<section><h3>Related Posts</h3>{prose}</section>") == []
    links = "<p><a href=/1>Mole 1</a></p>"
    assert dropped(f"<h3>Related Posts</h3>{links * 2}") == ["Related Posts", "Mole 1", "Mole 1"]
    assert dropped(f"<h3>Related Posts</h3>{links}{TEXT}") == ["Related Posts", "Mole 1"]


def test_nothing_is_dropped_where_nothing_is_kept():
    assert dropped(f"<h3>Related Posts</h3>{LIST}", kept=lambda text: False) == []


PRODUCT = '<script type="application/ld+json">{"@type": "Product", "name": "Mole"}</script>'


@pytest.mark.parametrize(
    "heading", ["Frequently bought together", "Complete the look", "Pairs well with", "Others like you also bought:"]
)
def test_further_products_beside_a_product_need_no_heading_of_their_own(heading):
    cards = "<button>Next</button>".join(
        f"<div class=card><p>Mole {n}<p>4{n} euros<a href=/{n}></a></div>" for n in (1, 2)
    )
    html = f"<div><p>{heading}</p><div>{cards}</div></div>"
    assert dropped(html) == []
    assert dropped(html, before=PRODUCT + TEXT * 2)[0] == heading
    assert dropped(f"<div><p>{heading}</p><div>{cards}{TEXT}</div></div>", before=PRODUCT + TEXT * 2) == []


def test_related_searches_are_dropped():
    assert dropped(f"<h3>Related searches</h3>{LIST}") == ["Related searches", *LINKS]
