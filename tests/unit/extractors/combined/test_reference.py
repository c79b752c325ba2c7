"""In a layout of references, what the kept blocks enclose is kept as well."""

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.headings import KEPT_HEADLINES
from sitecrawl.extractors.combined.reference import enclosed
from sitecrawl.extractors.combined.region import Known
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.templates.decision import LayoutDecision, LayoutKind, Region
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

LETTERS = "abcdefghijkl"
OTHERS = len(LETTERS) - 1
FIRST, LAST = "Draws the coast as it was seen.", "Raises an error if there is no sea."
MEMBERS = "".join(f"<li><a href=/$-{one}>mole $ {one}</a></li>" for one in ("north", "east", "south"))


def page(inner, letter, around="main"):
    """Return a page, with a letter in the place of each `$`; the sentences end with a full stop."""
    body = f"<p>{FIRST} $.</p>{inner}<p>{LAST} $.</p>"
    return Page.from_html(
        f"<body><{around}>{body}</{around}></body>".replace("$", letter), f"https://a.example/{letter}"
    )


def cut(made, *, others=OTHERS, dropped=(), again=(), regions=(), share=0.1):
    """Return the texts that are kept of the first of some pages, beside its sentences.

    `dropped` are texts of whose paths the layout keeps the share `share`.
    """
    learned = SiteTemplate()
    for letter in LETTERS[: others + 1]:
        learned.learn(made(letter).flat)
    known = Known(site_statistics(snapshot(learned, 1)), 1)
    flat = made("a").flat
    blocks = text_blocks(flat)
    texts = [block_text(flat, blocks, i) for i in range(len(blocks))]
    paths = {text: flat.path[container] for text, container in zip(texts, blocks.container, strict=True)}
    verdicts = {paths[text]: (0.0, share) for text in dropped}
    decision = LayoutDecision(LayoutKind.REFERENCE, 0.9, 12, 40.0, regions, verdicts=verdicts)
    kept = [text.endswith(".") for text in texts]
    found = enclosed(flat, blocks, kept, [text in again for text in texts], known, decision)
    return [text for text, wanted in zip(texts, found, strict=True) if wanted and not text.endswith(".")]


def test_what_stands_between_kept_blocks_is_kept():
    assert cut(lambda letter: page("<h4>coast_$(depth)</h4><pre>coast_$(3)</pre>", letter)) == [
        "coast_a(depth)",
        "coast_a(3)",
    ]


def test_names_of_described_members_are_kept_though_all_pages_have_them():
    members = "".join(f"<div><i></i><div>{name}</div><p>A {name} of $.</p></div>" for name in ("limit", "order"))
    assert cut(lambda letter: page(members, letter)) == ["limit", "order"]
    assert cut(lambda letter: page(f"<div class=sharing>{members}</div>", letter)) == []


@pytest.mark.parametrize(
    "inner",
    [
        "<h4>Parameters</h4>",  # on all pages
        "<div class=breadcrumb>Chart $</div>",
        "<nav>Chart $</nav>",
        "<p><a href=/$>Next: Chart $</a>, <a href=/up>Up: Charts</a></p>",
        "<table><tr><td>1 2 3 $1</td></tr></table>".replace("$", ""),
    ],
)
def test_furniture_between_kept_blocks_is_left_out(inner):
    assert cut(lambda letter: page(inner, letter)) == []


def test_numbers_of_lines_are_left_out():
    numbers = {letter: str(number) for number, letter in enumerate(LETTERS, 100)}
    assert cut(lambda letter: page(f"<b>{numbers[letter]}</b>", letter)) == []
    assert cut(lambda letter: page(f"<div>{numbers[letter]} knots</div>", letter)) == ["100 knots"]


def test_rows_of_links_are_kept_and_a_single_line_of_links_is_not():
    assert cut(lambda letter: page(f"<ul>{MEMBERS}</ul>", letter)) == ["mole a north", "mole a east", "mole a south"]
    assert cut(lambda letter: page(f"<ul>{MEMBERS.partition('<li><a href=/$-south')[0]}</ul>", letter)) == []


def test_the_layout_keeps_its_furniture_out():
    def made(letter):
        return page("<div>Chart $</div><h4>coast_$(depth)</h4>", letter)

    assert cut(made) == ["Chart a", "coast_a(depth)"]
    assert cut(made, dropped=["Chart a"]) == ["coast_a(depth)"]
    assert cut(made, again=["coast_a(depth)"]) == ["Chart a"]


@pytest.mark.parametrize(("share", "expected"), [(KEPT_HEADLINES, ["Coast a"]), (KEPT_HEADLINES - 0.01, [])])
def test_the_only_headline_is_kept_if_enough_pages_of_the_layout_keep_theirs(share, expected):
    def made(letter):
        html = f"<body><main><h1>Coast {letter}</h1><p>{FIRST} {letter}.</p><p>{LAST} {letter}.</p></main></body>"
        return Page.from_html(html, f"https://a.example/{letter}")

    assert cut(made, dropped=["Coast a"], share=share) == expected
    assert cut(made) == ["Coast a"]  # the layout has no verdict


def test_members_that_other_pages_do_not_have_are_kept_though_the_layout_drops_their_path():
    names = ["mole a north", "mole a east", "mole a south"]
    assert cut(lambda letter: page(f"<ul>{MEMBERS}</ul>", letter), dropped=names) == names
    menu = MEMBERS.replace("$", "b")  # on all pages
    assert cut(lambda letter: page(f"<ul>{menu}</ul>", letter), dropped=["mole b north"]) == []
    two = MEMBERS.partition("<li><a href=/$-south")[0]
    assert cut(lambda letter: page(f"<ul>{two}</ul>", letter), dropped=names[:2]) == []


def test_few_pages_are_no_evidence():
    def made(letter):
        return page("<h4>coast_$(depth)</h4>", letter)

    assert cut(made, others=4) == ["coast_a(depth)"]
    assert cut(made, others=3) == []


def test_after_the_kept_blocks_only_what_hardly_another_page_shows_is_kept():
    def made(letter, text):
        html = f"<body><main><p>{FIRST} $.</p><p>{LAST} $.</p><h4>{text}</h4></main><footer>$</footer></body>"
        return Page.from_html(html.replace("$", letter), f"https://a.example/{letter}")

    assert cut(lambda letter: made(letter, "coast_$")) == ["coast_a"]
    assert cut(lambda letter: made(letter, "coast" if letter in "abcd" else "coast_$")) == []
    between = "<h4>coast</h4>"  # on four of twelve pages
    assert cut(lambda letter: page(between if letter in "abcd" else "<h4>coast_$</h4>", letter)) == ["coast"]


def test_a_page_without_containers_is_filled_between_the_kept_blocks_only():
    def made(letter):
        html = f"<body><div>Chart $</div><p>{FIRST} $.</p><h4>coast_$</h4><p>{LAST} $.</p><div>Sea $</div></body>"
        return Page.from_html(html.replace("$", letter), f"https://a.example/{letter}")

    assert cut(made) == ["coast_a"]


def test_a_comment_above_text_of_the_page_is_documentation():
    def made(letter):
        return page("<div class=comment><h5>Example $</h5></div>", letter)

    assert cut(made) == ["Example a"]


def test_comments_of_readers_stand_below_the_text():
    def made(letter):
        note = "<div class=comment><h5>Reader $</h5><p>It failed in $</p></div>"
        html = f"<body><main><p>{FIRST} $.</p><p>{LAST} $.</p>{note}</main></body>"
        return Page.from_html(html.replace("$", letter), f"https://a.example/{letter}")

    assert cut(made) == []


@pytest.mark.parametrize("name", ["panel", "member-summary", "signatures", "sig"])
def test_a_name_that_means_something_else_in_a_reference_is_no_furniture(name):
    assert cut(lambda letter: page(f"<div class={name}><h5>Example $</h5></div>", letter)) == ["Example a"]


@pytest.mark.parametrize(("share", "expected"), [(0.6, ["Class of coast a"]), (0.4, [])])
def test_a_page_with_one_kept_paragraph_is_filled_in_the_region_of_most_pages(share, expected):
    def made(letter):
        return Page.from_html(
            f"<body><main><h4>Class of coast {letter}</h4><div><p>{FIRST} {letter}.</p></div></main></body>",
            f"https://a.example/{letter}",
        )

    flat = made("a").flat
    region = Region(flat.path[flat.tag.index("main")], "main", share, share)
    assert cut(made, regions=(region,)) == expected


def test_nothing_is_added_where_nothing_is_kept():
    def made(letter):
        return Page.from_html(f"<body><main><h4>coast_{letter}</h4></main></body>", f"https://a.example/{letter}")

    assert cut(made) == []
