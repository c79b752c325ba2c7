"""The production method on pages written for it, with and without what the site taught."""

from dataclasses import replace

import pytest

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Kind, SiteContext, get_extractor
from sitecrawl.extractors.combined import listing_verdict, method, region
from sitecrawl.extractors.combined.block_classifier import SECOND_NAMES
from sitecrawl.extractors.combined.block_features import BlockEvidence
from sitecrawl.extractors.combined.forest import load_model
from sitecrawl.extractors.combined.last_rules import settled
from sitecrawl.extractors.combined.method import Combined
from sitecrawl.extractors.combined.page_features import PAGE_NAMES
from sitecrawl.extractors.combined.stated_blocks import STATED
from sitecrawl.extractors.explanation import BELONGS, OTHERS, explain
from sitecrawl.templates.decision import LayoutDecision, LayoutKind
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate
from tests.integration.server import article, frame

COLLECTION = '<script type="application/ld+json">{"@type": "CollectionPage"}</script>'


def page(html, number=0):
    return Page.from_html(html, f"https://example.org/{number}")


def template(count=12):
    learned = SiteTemplate()
    for i in range(count):
        learned.learn(page(article(i), i).flat)
    return snapshot(learned, 1)


def test_the_frame_is_left_out_and_the_article_is_whole():
    site = SiteContext(template=template())
    one = page(article(50))
    found = get_extractor("combined").extract(one, site)
    text = one.text(found.nodes)
    assert found.kind is Kind.CONTENT
    assert all(f"paragraph {i} tells" in text for i in range(6))
    assert "All rights reserved" not in text
    assert "Contact" not in text
    assert found.confidence > 0.5


def test_the_same_page_and_template_give_the_same_answer():
    site, extractor = SiteContext(template=template()), get_extractor("combined")
    answers = [extractor.extract(page(article(n)), site) for n in (3, 4, 3)]
    assert answers[0] == answers[2]
    assert get_extractor("combined").extract(page(article(3)), site) == answers[0]


def test_it_works_without_a_template_and_on_next_to_nothing():
    extractor = get_extractor("combined")
    one = page(article(9))
    assert "paragraph 2 tells" in one.text(extractor.extract(one).nodes)
    assert extractor.extract(page("<div></div>")).kind is Kind.NONE
    assert extractor.extract(page("<p>x</p>")).confidence <= 1


def test_a_page_of_which_nothing_is_kept_is_a_listing_if_it_looks_like_one(monkeypatch):
    monkeypatch.setattr(listing_verdict, "LINKS", 0)  # the made pages have few
    archive = frame("Archive", "<h1>April 2020</h1><ul><li><time>2020-04-01</time> <a href='/p/7'>A mole</a></li></ul>")
    nothing, site = Combined(threshold=1.1), SiteContext(template=template())

    def kind(html, url):
        found = nothing.extract(Page.from_html(html, url), site)
        assert found.nodes == ()
        return found.kind

    assert kind(archive, "https://example.org/archives/2020/04/") is Kind.LISTING
    assert kind(archive, "https://example.org/moles") is Kind.LISTING  # it is surely one
    assert kind(article(3), "https://example.org/report-of-the-harbour") is Kind.NONE
    assert kind(article(3), "https://example.org/tag/moles/") is Kind.LISTING  # its address says so


def test_the_columns_are_those_the_model_was_trained_on():
    one = page(article(1))
    evidence = BlockEvidence(one.flat, text_blocks(one.flat), None, False)
    evidence.build()
    model = load_model()
    assert model["page"].names == model["site"].names == evidence.names
    assert {name: model[name].names for name in SECOND_NAMES} == SECOND_NAMES
    assert model["listing"].names == model["good"].names == list(PAGE_NAMES)


def test_a_list_of_teasers_is_a_listing_and_an_article_is_not():
    teasers = "".join(
        f'<div class="teaser"><h2><a href="/reports/{i}.html">Report {i} of the harbour</a></h2>'
        f'<p>Of the harbour and its ships, number {i}, as told that day. <a href="/reports/{i}.html">Read more</a></p></div>'
        for i in range(20)
    )
    extractor = get_extractor("combined")
    assert extractor.extract(page(frame("All reports", teasers))).kind is not Kind.CONTENT
    assert extractor.extract(page(article(9))).kind is Kind.CONTENT


def test_archives_and_collections_are_listings_though_nothing_of_them_is_kept():
    extractor = Combined(threshold=1.0)

    def kind(path, head=""):
        return extractor.extract(Page.from_html(head + article(3), f"https://a.example{path}")).kind

    assert kind("/archives/2008_10.html") is Kind.LISTING
    assert kind("/archives/2008/10/a-day.html") is Kind.NONE
    assert kind("/ships", COLLECTION) is Kind.LISTING
    assert kind("/ticket/6", COLLECTION) is Kind.NONE


def test_a_page_that_states_it_is_a_collection_is_a_listing():
    extractor = get_extractor("combined")
    assert extractor.extract(Page.from_html(article(9), "https://a.example/ships")).kind is Kind.CONTENT
    assert extractor.extract(Page.from_html(COLLECTION + article(9), "https://a.example/ships")).kind is Kind.LISTING


def test_listings_have_nothing_to_say_of_a_page_that_is_none(monkeypatch):
    monkeypatch.setattr(listing_verdict, "LINKS", 0)  # the made pages have few
    monkeypatch.setattr(listing_verdict, "LINE", 10_000)  # and none of their own
    learned = SiteContext(template(), learned=True)
    one = page(article(3), 3)
    blocks, chances = text_blocks(one.flat), Combined().chances(one, learned)
    footer = len(blocks) - 1
    path, doubtful = one.flat.path[blocks.container[footer]], 1.5 * chances[footer]
    extractor = Combined(threshold=doubtful)

    def cut(kind, extractor=extractor):
        made = LayoutDecision(kind, 0.9, 12, 100.0, verdicts={path: (1.0, 1.0)})
        return extractor.extract(one, replace(learned, decision=made))

    alone = extractor.extract(one, learned)
    assert one.text(cut(LayoutKind.LISTING).nodes) == one.text(alone.nodes)
    assert one.text(cut(LayoutKind.THREAD).nodes) != one.text(alone.nodes)
    # a page that is a listing too follows
    lenient = Combined(threshold=doubtful, listing=0.0)
    assert one.text(cut(LayoutKind.LISTING, lenient).nodes) == one.text(cut(LayoutKind.THREAD).nodes)
    made = LayoutDecision(LayoutKind.LISTING, 0.9, 12, 100.0, verdicts={path: (1.0, 1.0)})
    told = explain(one, cut(LayoutKind.LISTING), replace(learned, decision=made), chances)
    assert {verdict.reason for verdict in told if verdict.kept} <= {"", BELONGS}


def test_the_last_rules_are_applied_once_to_an_article_in_a_layout_of_listings(monkeypatch):
    applied = []
    monkeypatch.setattr(method, "settled", lambda *given: applied.append(given[-1]) or settled(*given))
    made = LayoutDecision(LayoutKind.LISTING, 0.9, 12, 100.0)
    found = Combined().extract(page(article(3), 3), SiteContext(template(), learned=True, decision=made))
    assert (found.kind, applied) == (Kind.CONTENT, [None])


@pytest.mark.parametrize(("kind", "dropped"), [(LayoutKind.ARTICLE, True), (LayoutKind.REFERENCE, False)])
def test_a_sentence_that_the_site_puts_into_each_article_is_dropped(kind, dropped):
    appeal = "If you liked this report of the harbour, please tell your friends of it today."

    def report(number):
        return page(article(number).replace("<p>Report", f"<p>{appeal}</p><p>Report", 1), number)

    learned = SiteTemplate()
    for number in range(12):
        learned.learn(report(number).flat)
    one, known = report(3), SiteContext(snapshot(learned, 1), learned=True)
    path = next(one.flat.parent[row] for row, text in enumerate(one.flat.text) if text == appeal)
    made = LayoutDecision(kind, 0.9, 12, 100.0, verdicts={one.flat.path[path]: (1.0, 1.0)})
    found = one.text(Combined().extract(one, replace(known, decision=made)).nodes)
    assert "Report 3 paragraph 5" in found
    assert (appeal not in found) is dropped


def test_a_heading_of_the_site_goes_with_its_section():
    ask = "<h2>What else is new</h2><div class='footer share'><p>Ask the harbour master at the gate.</p></div>"

    def report(number):
        return page(article(number).replace("</article>", f"{ask}</article>", 1), number)

    learned = SiteTemplate()
    for number in range(12):
        learned.learn(report(number).flat)
    one, known = report(3), SiteContext(snapshot(learned, 1), learned=True)
    lenient = Combined(threshold=0.1)
    assert "What else is new" not in one.text(lenient.extract(one, known).nodes)
    assert "paragraph 5" in one.text(lenient.extract(one, known).nodes)


def test_a_layout_keeps_what_is_folded_and_drops_what_other_pages_have():
    sponsor = "<div class=note><p>This report was made by the makers of ropes and nets, who have sold them since 1820.</p></div>"

    def report(number):
        own = f"<details class=collapsed><summary>Sources</summary><p>Keeper {number} of the house at the end.</p></details>"
        return page(article(number).replace("<p>Report", f"{own}{sponsor}<p>Report", 1), number)

    learned = SiteTemplate()
    for number in range(12):
        learned.learn(report(number).flat)
    known = snapshot(learned, 1)
    one, learned_site = report(3), SiteContext(known, learned=True)
    blocks = text_blocks(one.flat)
    decided = replace(learned_site, decision=LayoutDecision(LayoutKind.ARTICLE, 0.9, 12, 100.0))
    assert "paragraph 5 tells" in one.text(Combined().extract(one, decided).nodes)
    assert "Sources\nKeeper 3" in one.text(Combined().extract(one, decided).nodes)
    assert "Sources" not in one.text(Combined().extract(one, learned_site).nodes)
    everything = Combined(threshold=0.0)
    assert "makers of ropes" in one.text(everything.extract(one, learned_site).nodes)
    found = everything.extract(one, decided)
    assert "makers of ropes" not in one.text(found.nodes)
    reasons = {one.text: one.reason for one in explain(one, found, decided, [1.0] * len(blocks))}
    assert [reason for text, reason in reasons.items() if "makers of ropes" in text] == [OTHERS]


def test_what_structured_data_states_is_kept_and_makes_no_listing():
    data = '{"@type": "Recipe", "recipeIngredient": ["2 large eggs", "300 g wheat flour", "a pinch of salt"]}'
    rows = "".join(
        f"<div><a href=/food/{n}>{n}</a></div>" for n in ("2 large eggs", "300 g wheat flour", "a pinch of salt")
    )
    prose = "".join(
        f"<p>Knead the dough, let it rest for {n} hours, roll it out thinly on a board, and cut it into strips.</p>"
        for n in (1, 2)
    )
    html = f"<nav><a href=/>Home</a></nav><h1>Pasta</h1><div class=tags>{rows}</div>{prose}"
    without, stated = (
        get_extractor("combined").extract(page(f"{head}<body>{html}"))
        for head in ("", f"<script type='application/ld+json'>{data}</script>")
    )
    one = page(html)
    assert "wheat flour" not in one.text(without.nodes)
    found = page(f"<script type='application/ld+json'>{data}</script><body>{html}")
    text = found.text(stated.nodes)
    assert stated.kind is Kind.CONTENT
    assert all(item in text for item in ("2 large eggs", "300 g wheat flour", "a pinch of salt", "Knead"))
    assert "Home" not in text
    assert Combined().chances(found)[2] == STATED


@pytest.mark.parametrize(("near", "first"), [(0.0, "The harbour"), (1.0, "Moles are built of stone.")])
def test_a_page_alone_is_completed_with_blocks_near_the_limit(near, first, monkeypatch):
    monkeypatch.setattr(region, "NEAR", near)
    entries = [
        *(
            "Moles are built of stone.",
            "The pier has nine lamps.",
            "Ships come in at night.",
            "A pilot waits on board.",
        ),
        *("The harbour is quite deep.", "Ropes hold the old boats.", "Storms come in autumn.", "Cranes lift the coal."),
    ]
    link = "<div><a href=/login>Log in</a></div>"
    items = "".join(f"<p>{one}</p>{link * (number in (2, 5))}" for number, one in enumerate(entries * 2))
    one = page(
        f"<html><head><title>The harbour</title></head><body><article><h1>The harbour</h1>{items}</article></body>"
    )
    assert one.text(get_extractor("combined").extract(one).nodes).splitlines()[0] == first
