"""Tests of the blocks that are kept because they are in the content region."""

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Kind, SiteContext, get_extractor
from sitecrawl.extractors.combined.block_classifier import judge
from sitecrawl.extractors.combined.region import Known, completed, near_limit, region_of
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.extractors.explanation import BELONGS, explain
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

PROSE = "This is an entry that a look keeps, for it has a stop."
LONG = f"An article has paragraphs, and each of them says more than one thing. {PROSE}"


def page(body, number=0):
    return Page.from_html(f"<html><body>{body}</body></html>", f"https://a.example/{number}")


def texts(one, chosen):
    blocks = text_blocks(one.flat)
    return [block_text(one.flat, blocks, b) for b, wanted in enumerate(chosen) if wanted]


def prose(one):
    """Keep the blocks that a certain pass would keep: those with a sentence."""
    return [chars > 30 for chars in text_blocks(one.flat).chars]


def no(one):
    return [False] * len(text_blocks(one.flat))


def complete(one, again=None, alone=None, site=None):
    """Return the texts that are kept if the passes keep the sentences."""
    blocks = text_blocks(one.flat)
    return texts(one, completed(one.flat, blocks, prose(one), again or no(one), lambda: alone or no(one), site))


def known(*pages):
    template = SiteTemplate()
    for one in pages:
        template.learn(one.flat)
    return Known(site_statistics(snapshot(template, 1)), 1)


def test_the_region_is_the_deepest_element_that_holds_nearly_all():
    one = page(f"<header>Site</header><main><div id=a><p>{PROSE}</p><p>{PROSE}</p></div><p>Short</p></main>")
    flat = one.flat
    assert flat.names[region_of(flat, text_blocks(flat), prose(one))] == "a"
    assert region_of(flat, text_blocks(flat), no(one)) == -1


def test_a_page_whose_text_is_in_two_places_has_their_common_element_as_region():
    one = page(f"<main><div><p>{PROSE}</p></div><div><p>{PROSE}</p></div></main>")
    assert one.flat.tag[region_of(one.flat, text_blocks(one.flat), prose(one))] == "main"


def test_short_blocks_between_the_prose_belong_to_it_and_those_outside_do_not():
    one = page(
        f"<div><p>new line outside</p></div><main><div>f(x)</div><p>{PROSE}</p><ul><li>member a</ul><p>{PROSE}</p></main>"
    )
    assert complete(one) == ["f(x)", PROSE, "member a", PROSE]


def test_a_page_alone_is_completed_with_blocks_near_the_limit():
    one = page(f"<main><div>f(x)</div><p>{PROSE}</p><ul><li>member a</ul><p>{PROSE}</p></main>")
    blocks = text_blocks(one.flat)
    near = near_limit([0.3, 0.9, 0.2, 0.9], 0.6)
    assert near == [True, True, False, True]
    kept = completed(one.flat, blocks, prose(one), no(one), lambda: no(one), near=near)
    assert texts(one, kept) == ["f(x)", PROSE, PROSE]
    others = known(one, *(page(f"<main><p>{number}</p></main>", number) for number in range(1, 6)))
    kept = completed(one.flat, blocks, prose(one), no(one), lambda: no(one), others, near=near)
    assert texts(one, kept) == ["f(x)", PROSE, "member a", PROSE]


@pytest.mark.parametrize(
    "furniture",
    [
        "nav",
        "aside",
        "form",
        "div class=share-bar",
        "div id=comments",
        "div class=author",
        "div class=gutter",
        "div class=lineNos",
    ],
)
def test_what_tags_and_names_call_furniture_is_left_out(furniture):
    one = page(
        f"<main><p>{PROSE}</p><{furniture}><p>Follow us</p></{furniture.split()[0]}><h3>Part</h3><p>{PROSE}</p></main>"
    )
    assert complete(one) == [PROSE, "Part", PROSE]


@pytest.mark.parametrize(
    "names",
    [
        "doctools_section",
        "transactions",
        "film-credits",
        "second-edition",
        "authorities",
        "football",
        "formats",
        "consider",
    ],
)
def test_a_name_of_furniture_inside_another_word_says_nothing(names):
    one = page(f"<main><p>{PROSE}</p><div class={names}><p>Follow us</p></div><p>{PROSE}</p></main>")
    assert complete(one) == [PROSE, "Follow us", PROSE]


@pytest.mark.parametrize("names", ["breadcrumbs", "subMenu", "seealso", "toolbar", "printfooter", "editsection"])
def test_a_name_of_furniture_may_be_joined_to_other_words(names):
    one = page(f"<main><p>{PROSE}</p><div class={names}><p>Follow us</p></div><p>{PROSE}</p></main>")
    assert complete(one) == [PROSE, PROSE]


def test_an_article_is_left_as_the_looks_cut_it():
    one = page(f"<main><p>{LONG}</p><p>By somebody</p><p>{LONG}</p><p>A caption</p></main>")
    assert complete(one) == [LONG, LONG]


def test_a_chinese_paragraph_of_few_characters_is_one():
    prose = "港口的历史很长，码头上的船只每天都在变化，人们在这里工作和生活。" * 2
    one = page(f"<main><p>{prose}</p><p>图片说明</p><p>{prose}。</p></main>")
    assert complete(one) == [prose, f"{prose}。"]


def test_few_known_pages_tell_nothing():
    pages = [page(f"<main><p>{PROSE} {i}</p><p>Own {i}</p><p>{i} {PROSE}</p></main>") for i in range(5)]
    assert "Own 2" not in complete(pages[2], alone=[True] * 3, site=known(*pages[:4]))
    assert "Own 2" in complete(pages[2], alone=[True] * 3, site=known(*pages))


def test_a_name_above_the_region_is_no_reason():
    one = page(f"<div class=sidebar-layout><main><p>{PROSE}</p><h3>Part</h3><p>{PROSE}</p></main></div>")
    assert "Part" in complete(one)


def test_comments_of_a_thread_are_its_text():
    html = (
        f"<div><div class=Comment><p>{PROSE}</p><p>+1</p></div><div class=Comment><p>{PROSE}</p><p>Yes</p></div></div>"
    )
    blog = page(html)
    thread = Page.from_html(f"<html><body class='Discussion'>{html}</body></html>", "https://a.example/1")
    answers = [complete(one) for one in (blog, thread)]
    assert answers == [[PROSE, PROSE], [PROSE, "+1", PROSE, "Yes"]]


def test_what_other_pages_show_in_the_same_place_is_added_by_nobody():
    pages = [
        page(f"<main><p>{PROSE} {i}</p><p>Own {i}</p><p>Each page</p><p>{i} {PROSE}</p></main>") for i in range(12)
    ]
    one, site = pages[5], known(*pages)
    own = [f"{PROSE} 5", "Own 5", f"5 {PROSE}"]
    assert complete(one, site=site) == own
    assert complete(one, alone=[True] * 4, site=site) == own


def test_the_passes_without_a_template_run_only_for_blocks_that_they_may_add():
    def runs(made):
        asked = []
        pages = [page(f"<main><p>{PROSE} {n}</p>{made(n)}<p>{PROSE} {n}{n}</p></main>", n) for n in range(10)]
        one, site = pages[2], known(*pages)
        blocks = text_blocks(one.flat)
        completed(one.flat, blocks, prose(one), no(one), lambda: asked.append(1) or no(one), site)
        return len(asked)

    assert runs(lambda n: "<div>Of two</div><div>Of three</div>" if n in (2, 3) else "") == 1
    assert runs(lambda n: "<div>Of all</div>") == 0
    assert runs(lambda n: f"<div>Own {n}</div>") == 0  # texts of this page alone are added without


def test_what_a_few_pages_share_needs_the_other_look():
    few = [f"<p>Of {'two' if i < 3 else i}</p>" for i in range(12)]
    pages = [page(f"<main><p>{PROSE} {i}</p>{few[i]}<p>{i} {PROSE}</p></main>") for i in range(12)]
    one, site = pages[0], known(*pages)
    own = [f"{PROSE} 0", f"0 {PROSE}"]
    assert complete(one, site=site) == own
    assert complete(one, alone=[False, True, False], site=site) == [own[0], "Of two", own[1]]


def test_the_shares_of_the_passes_are_those_of_the_template():
    sites = [
        page(f"<p>On all</p><p>On {number % 2}, <b>of {number}</b></p><ul><li>Only {number}</li></ul>")
        for number in range(5)
    ]
    told = known(*sites)
    for one in sites:
        blocks = text_blocks(one.flat)
        judged = judge(one.flat, blocks, told.site, True)
        shares = [told.share(one.flat, blocks, block) for block in range(len(blocks))]
        assert judged.shares == shares
        assert shares[0] == 1.0
        assert shares[-1] == 0.0
        again = told._replace(shares=judged.shares)
        assert [again.share(one.flat, blocks, block) for block in range(len(blocks))] == shares


def test_repetitions_stay_out():
    one = page(f"<main><p>{PROSE}</p><p>Again</p><p>{PROSE}</p></main>")
    assert complete(one, again=[False, True, False]) == [PROSE, PROSE]


def test_where_the_region_is_the_whole_page_nothing_before_or_after_the_text_is_added():
    one = page(f"<p>Site</p><p>{PROSE}</p><p>Part</p><p>{PROSE}</p><p>Next message</p>")
    assert complete(one) == [PROSE, "Part", PROSE]


def reference(number):
    members = "".join(f'<li><a href="#m{number}{i}">member_{number}_{i}</a></li>' for i in range(12))
    entries = "".join(
        f"<section class=tsd-panel><h3>method_{number}_{i}</h3><div class=tsd-signature>method_{number}_{i}(a: string): {i}</div>"
        f"<p>{PROSE} It is entry {i} of class {number}, which differs from all others.</p></section>"
        for i in range(5)
    )
    return (
        "<header class=site-header><a href=/>Library</a></header><nav class=menu><a href=/a>Modules</a><a href=/b>Classes</a></nav>"
        f"<main><h1>Class C{number}</h1><p>{PROSE} This is class {number}.</p><ul class=index-list>{members}</ul>{entries}</main>"
        "<footer>Generated by a tool</footer>"
    )


def test_signatures_and_members_of_a_reference_page_are_kept_and_explained():
    template = SiteTemplate()
    pages = [page(reference(i), i) for i in range(30)]
    for one in pages:
        template.learn(one.flat)
    site = SiteContext(template=snapshot(template, 1), learned=True)
    extractor = get_extractor("combined")
    found = extractor.extract(pages[7], site)
    text = pages[7].text(found.nodes)
    assert found.kind is Kind.CONTENT
    assert all(f"method_7_{i}(a: string)" in text for i in range(5))
    assert "Generated by" not in text
    assert "Modules" not in text
    verdicts = explain(pages[7], found, site, extractor.chances(pages[7], site))
    against = [one for one in verdicts if one.reason == BELONGS]
    assert all(one.kept and one.chance < found.evidence["limit"] for one in against)
