"""A page follows the decision of its layout if its own evidence is weak."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.layout_evidence import odds, page_evidence, place
from sitecrawl.extractors.combined.layout_rules import (
    CARDS,
    agreed,
    belongs_to,
    filled,
    gate,
    only_headline,
    usual_region,
    with_cards,
)
from sitecrawl.extractors.combined.region import ENTRIES, Gate, Known, region_of
from sitecrawl.templates.decision import LayoutDecision, LayoutKind, Region

HTML = (
    "<body><div class=menu><a href=/>Home</a></div><div class=main><h2>Title</h2><p>One paragraph of the text.</p>"
    "<p>Another paragraph of it.</p><div class=ad>Buy this</div></div></body>"
)
LIMIT = 0.5


def read(html=HTML):
    page = Page.from_html(html, "https://example.org/1")
    return page, page.flat, text_blocks(page.flat)


def decision(flat, blocks, verdicts, *, kind=LayoutKind.ARTICLE, mean=100.0):
    """Return a decision on the paths of these blocks."""
    said = {flat.path[blocks.container[block]]: verdict for block, verdict in verdicts.items()}
    return LayoutDecision(kind, 0.8, 20, mean, verdicts=said)


def test_an_undecided_block_follows_its_layout_and_a_clear_one_does_not():
    _, flat, blocks = read()
    menu, title, first, second, ad = range(5)
    chances = [0.6, 0.45, 0.9, 0.9, 0.55]
    kept = [chance >= LIMIT for chance in chances]
    made = decision(flat, blocks, {menu: (0.0, 0.0), title: (1.0, 1.0), first: (0.5, 0.5), ad: (0.05, 0.05)})
    found = agreed(flat, blocks, chances, LIMIT, kept, made)
    assert found.kept == [False, True, True, True, False]
    assert found.overruled == {menu, title, ad}
    assert found.departed == set()
    clear = agreed(flat, blocks, [0.95, 0.05, 0.9, 0.9, 0.9], LIMIT, [True, False, True, True, True], made)
    assert clear.kept == [True, False, True, True, True]
    assert clear.departed == {menu, title, ad}
    assert second not in clear.departed


@pytest.mark.parametrize(("words", "obeys"), [(40, True), (12, False), (0, False)])
def test_a_page_of_which_its_layout_would_leave_less_than_half_does_not_follow_it(words, obeys):
    """Its layout leaves the first block."""
    html = f"<body><p>{'word ' * words}.</p><div><p>{'text ' * 12}</p></div><ul><li>{'line ' * 12}</li></ul></body>"
    _, flat, blocks = read(html)
    chances = [0.6 if words else 0.1, 0.6, 0.6]
    kept = [chance >= LIMIT for chance in chances]
    found = agreed(flat, blocks, chances, LIMIT, kept, decision(flat, blocks, {1: (0.0, 0.0), 2: (0.0, 0.0)}))
    if obeys:
        assert found == ([True, False, False], {1, 2}, set())
    else:
        assert found == (kept, set(), {1, 2})


INSIDE, OUTSIDE = (
    HTML.replace("h2>", "h1>"),
    HTML.replace("h2>", "h1>")
    .replace("<h1>Title</h1>", "")
    .replace("<div class=main>", "<h1>Title</h1><div class=main>"),
)


@pytest.mark.parametrize(
    ("html", "liked", "chance", "expected"),
    [
        (INSIDE, 0.9, 0.01, True),
        (OUTSIDE, 0.9, 0.01, True),
        (INSIDE, 0.1, 0.99, False),
        (INSIDE, 0.2, 0.01, True),
        (INSIDE, 0.8, 0.99, True),
        (OUTSIDE, 0.2, 0.99, False),
        (OUTSIDE, 0.8, 0.99, False),
        (INSIDE, 1.0, 0.0, False),  # a repeat
    ],
)
def test_the_only_headline_is_the_same_on_all_pages_of_a_layout(html, liked, chance, expected):
    _, flat, blocks = read(html)
    chances = [0.01, chance, 0.9, 0.9, 0.01]
    kept = [one >= LIMIT for one in chances]
    made = decision(flat, blocks, {1: (liked, liked)})
    found = agreed(flat, blocks, chances, LIMIT, kept, made)
    assert found.kept == [False, expected, True, True, False]
    assert found.overruled == ({1} if expected is not kept[1] else set())
    assert only_headline(flat, blocks) == 1


@pytest.mark.parametrize(
    ("html", "kind", "chance", "expected"),
    [
        (INSIDE, LayoutKind.MIXED, 0.6, True),
        (INSIDE, LayoutKind.MIXED, 0.01, False),
        (INSIDE, LayoutKind.ARTICLE, 0.6, False),
        (OUTSIDE, LayoutKind.MIXED, 0.6, False),
    ],
)
def test_in_a_mixed_layout_a_page_may_keep_a_headline_that_others_drop(html, kind, chance, expected):
    _, flat, blocks = read(html)
    chances = [0.01, chance, 0.9, 0.9, 0.01]
    kept = [one >= LIMIT for one in chances]
    made = replace(decision(flat, blocks, {1: (0.1, 0.1)}), kind=kind)
    assert agreed(flat, blocks, chances, LIMIT, kept, made).kept == [False, expected, True, True, False]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div><h1>Title</h1><p>text</p></div>", True),
        ("<div><h1>Title</h1></div><p>text</p>", False),
        ("<div><h1>Title</h1><div>text</div></div>", False),
        ("<div><h1>Title</h1><p>menu</p><p>text</p></div>", False),
        ("<div><p>text</p><h1>Title</h1></div>", False),
    ],
)
def test_a_headline_belongs_to_the_paragraph_right_below_it(html, expected):
    _, flat, blocks = read(f"<body><main>{html}</main></body>")
    paragraph = flat.parent[flat.text.index("text")]
    assert belongs_to(flat, blocks, only_headline(flat, blocks), paragraph) is expected


def test_one_of_several_headlines_is_a_block_like_others():
    _, flat, blocks = read(HTML.replace("h2>", "h1>").replace("<div class=ad>", "<h1 class=ad>"))
    made = decision(flat, blocks, {1: (0.5, 0.5)})
    assert only_headline(flat, blocks) == -1
    assert agreed(flat, blocks, [0.01, 0.2, 0.9, 0.9, 0.01], LIMIT, [False] * 5, made).kept == [False] * 5


def test_a_repeated_text_stays_out():
    _, flat, blocks = read()
    made = decision(flat, blocks, {2: (1.0, 1.0)})
    assert (
        agreed(flat, blocks, [0.0, 0.9, 0.9, 0.0, 0.0], LIMIT, [False, True, True, False, False], made).kept[3] is False
    )
    again = [False, False, False, True, False]
    assert filled(flat, blocks, [False, True, True, False, False], again, made, entries=True)[3] is False


def test_a_path_that_is_content_everywhere_is_kept_inside_the_region_only():
    _, flat, blocks = read()
    kept, nothing = [False, True, True, True, False], [False] * 5
    made = decision(flat, blocks, {0: (0.2, 1.0), 4: (0.2, 1.0)})
    assert filled(flat, blocks, kept, nothing, made, entries=False) == [False, True, True, True, True]
    assert filled(flat, blocks, nothing, nothing, made, entries=False) == nothing
    some = decision(flat, blocks, {4: (0.2, 0.5)})
    assert filled(flat, blocks, kept, nothing, some, entries=False) == kept
    assert filled(flat, blocks, kept, nothing, some, entries=True) == [False, True, True, True, True]
    furniture = decision(flat, blocks, {4: (0.2, 0.1)})
    assert filled(flat, blocks, kept, nothing, furniture, entries=True) == kept


@pytest.mark.parametrize(
    ("share", "pages", "kind", "expected"),
    [
        (0.9, 10, LayoutKind.ARTICLE, False),
        (0.7, 10, LayoutKind.ARTICLE, True),
        (0.9, 4, LayoutKind.ARTICLE, True),  # three others say little
        (0.9, 10, LayoutKind.REFERENCE, True),  # members share their labels
        (1.0, 10, LayoutKind.REFERENCE, False),
    ],
)
def test_what_nearly_all_other_pages_say_is_not_filled_in(share, pages, kind, expected):
    _, flat, blocks = read()
    kept, nothing = [False, True, True, True, False], [False] * 5
    made = replace(decision(flat, blocks, {4: (0.2, 1.0)}), kind=kind)
    known = Known(SimpleNamespace(pages=pages, paths={}), 1, [0.0, 0.0, 0.0, 0.0, share])
    assert filled(flat, blocks, kept, nothing, made, entries=False, known=known)[4] is expected


USUAL_HTML = HTML.replace("<p>One", "<div class=text><p>One").replace("it.</p>", "it.</p></div>")


@pytest.mark.parametrize(
    ("share", "kept_share", "expected"),
    [(0.5, 0.5, True), (0.4, 0.5, False), (0.5, 0.4, False), (1.0, 1.0, True)],
)
def test_a_page_with_little_text_is_filled_in_the_region_of_most_pages(share, kept_share, expected):
    _, flat, blocks = read(USUAL_HTML)
    kept, nothing = [False, False, True, True, False], [False] * 5
    main = flat.parent[blocks.container[1]]
    made = replace(
        decision(flat, blocks, {0: (1.0, 1.0), 1: (kept_share, kept_share)}),
        regions=(Region(flat.path[main], "div.main", share, share),),
    )
    found = filled(flat, blocks, kept, nothing, made, entries=True)
    assert found == [False, expected, True, True, False]
    own = region_of(flat, blocks, kept)
    assert usual_region(flat, own, made) == (main if share >= 0.5 else own)


REFERENCE = LayoutKind.REFERENCE


@pytest.mark.parametrize(
    ("kind", "share", "within", "usual"),
    [
        (REFERENCE, 0.25, 0.8, True),
        (REFERENCE, 0.2, 0.8, False),
        (REFERENCE, 0.25, 0.7, False),
        (LayoutKind.ARTICLE, 0.4, 0.8, True),
        (LayoutKind.ARTICLE, 0.4, 0.7, False),
        (LayoutKind.ARTICLE, 0.35, 1.0, False),
    ],
)
def test_the_region_of_some_pages_around_that_of_nearly_all_is_that_of_the_layout(kind, share, within, usual):
    _, flat, blocks = read(USUAL_HTML)
    own = region_of(flat, blocks, [False, False, True, True, False])
    main = flat.parent[blocks.container[1]]
    regions = (Region(flat.path[main], "div.main", share, within),)
    made = replace(decision(flat, blocks, {}, kind=kind), regions=regions)
    assert usual_region(flat, own, made) == (main if usual else own)


def test_a_region_of_another_place_changes_nothing():
    _, flat, blocks = read(USUAL_HTML)
    own = region_of(flat, blocks, [False, False, True, True, False])
    menu = blocks.container[0]
    made = replace(decision(flat, blocks, {}), regions=(Region(flat.path[menu], "div.menu", 1.0, 1.0),))
    assert usual_region(flat, own, made) == own
    assert usual_region(flat, -1, made) == -1


SHORT_BLOCKS, LONG_BLOCKS = Gate(entries=True, short=True), Gate(entries=False, short=False)


@pytest.mark.parametrize(
    ("kind", "mean", "own", "expected"),
    [
        (LayoutKind.ARTICLE, 40.0, LONG_BLOCKS, SHORT_BLOCKS),
        (LayoutKind.ARTICLE, 200.0, SHORT_BLOCKS, LONG_BLOCKS),
        (LayoutKind.REFERENCE, 55.0, LONG_BLOCKS, SHORT_BLOCKS),
        (LayoutKind.REFERENCE, 75.0, SHORT_BLOCKS, Gate(entries=False, short=True)),
        (LayoutKind.THREAD, 40.0, SHORT_BLOCKS, LONG_BLOCKS),
    ],
)
def test_the_layout_decides_what_is_completed_and_threads_are_not(kind, mean, own, expected):
    _, flat, blocks = read()
    assert gate(decision(flat, blocks, {}, kind=kind, mean=mean), own) == expected


@pytest.mark.parametrize("own", [SHORT_BLOCKS, LONG_BLOCKS])
@pytest.mark.parametrize(("kind", "distance"), [(LayoutKind.ARTICLE, 10), (LayoutKind.REFERENCE, 5)])
def test_a_page_is_completed_alike_whether_its_layout_is_a_little_above_or_below_the_limit(kind, distance, own):
    _, flat, blocks = read()
    means = (ENTRIES - distance, ENTRIES + distance)
    gates = {gate(decision(flat, blocks, {}, kind=kind, mean=mean), own) for mean in means}
    assert gates == {Gate(own.entries, short=True)}


def test_what_a_page_tells_its_layout():
    page, _, blocks = read()
    chances = [0.1, 0.4, 0.9, 0.9, 0.1]
    liked = [chance >= LIMIT for chance in chances]
    kept = [False, True, True, True, False]
    told = page_evidence(page, blocks, chances, LIMIT, liked, kept, None, listing=False)
    assert told.place == "div.main"
    assert told.around == ()  # but `body`
    assert told.kind is LayoutKind.REFERENCE  # its blocks are short
    by_place = {one.place: one for one in told.paths}
    assert set(by_place) == {"div.menu", "div.main > h2", "div.main > p", "div.main > div.ad"}
    text = by_place["div.main > p"]
    assert (text.blocks, text.liked, text.kept, text.inside) == (2, 2, 2, True)
    assert (by_place["div.main > h2"].liked, by_place["div.main > h2"].kept) == (0, 1)
    assert not by_place["div.menu"].inside
    assert text.odds == odds(0.9) - odds(0.5)
    nothing = page_evidence(page, blocks, chances, LIMIT, [False] * 5, [False] * 5, None, listing=False)
    assert (nothing.region, nothing.paths) == (0, ())


def test_the_kind_of_a_page_is_told_by_what_it_says_of_itself():
    long = "A paragraph that is long enough for an article, and then some more of it, as articles have them. " * 2

    def kind(html, *, listing=False):
        page, _, blocks = read(html)
        kept = [True] * len(blocks)
        return page_evidence(page, blocks, [0.9] * len(blocks), LIMIT, kept, kept, None, listing=listing).kind

    body = f"<div class=main><p>{long}</p><p>{long}</p></div>"
    assert kind(f"<body>{body}") is LayoutKind.SERVICE
    assert kind(f"<body class=single>{body}") is LayoutKind.ARTICLE
    assert kind(f"<body><article><time>May 3</time>{body}</article>") is LayoutKind.ARTICLE
    assert kind(f"<body>{body}", listing=True) is LayoutKind.LISTING
    assert kind(f"<body class=viewtopic>{body}") is LayoutKind.THREAD
    assert kind(f"<head><meta property=og:type content=product></head><body>{body}") is LayoutKind.PRODUCT
    assert kind(f"<body><pre>{long}</pre>{body}") is LayoutKind.REFERENCE


def test_a_place_is_named_by_what_is_around():
    _, flat, blocks = read()
    assert place(flat, blocks.container[2]) == "div.main > p"
    assert place(flat, 0) == "body"


LIST = "<body><p>Menu</p><h1>Moles</h1><ul><li>One mole</li><li>Another mole</li></ul></body>"
MENU, HEADLINE, CARD, OTHER = range(4)


@pytest.mark.parametrize(
    ("kept", "share", "expected"),
    [
        ((HEADLINE,), CARDS, (HEADLINE, CARD, OTHER)),
        ((), CARDS, (CARD, OTHER)),
        ((HEADLINE,), CARDS - 0.01, (HEADLINE,)),
        ((HEADLINE, OTHER), CARDS, (HEADLINE, OTHER)),
        ((MENU,), CARDS, (MENU,)),
    ],
    ids=["headline-alone", "nothing", "cards-of-no-page", "a-card", "another-block"],
)
def test_a_listing_that_keeps_its_headline_at_most_has_the_cards_that_others_keep(kept, share, expected):
    _, flat, blocks = read(LIST)
    made = decision(flat, blocks, {MENU: (0.0, 0.0), CARD: (0.0, share)}, kind=LayoutKind.LISTING)
    found = with_cards(flat, blocks, [block in kept for block in range(4)], made)
    assert [block for block in range(4) if found[block]] == list(expected)
