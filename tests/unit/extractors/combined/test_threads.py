"""Threads are cut record by record: the posts stay, names and dates beside them are dropped."""

from dataclasses import replace

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extraction, Kind, SiteContext
from sitecrawl.extractors.combined.method import Combined
from sitecrawl.extractors.combined.region import Known
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.extractors.combined.threads import posts
from sitecrawl.extractors.explanation import BESIDE, explain
from sitecrawl.templates.decision import LayoutKind, decide
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

NAMES = ("Anna", "Björn", "Chloé")
WORDS = ["river", "stone", "window", "garden", "letter", "winter", "engine", "market", "silver", "forest"]


def said(number, post):
    """Return a text that no other post has."""
    return (
        f"In case {number} {WORDS[(3 * number + post) % 10]} and {WORDS[(number + post) % 10]} were tried {post} times."
    )


def post(number, i, *, name="post"):
    """Return a post with its poster, beside the body."""
    return (
        f"<div class={name}><div class=who><a href=/u/{i % 3}>{NAMES[i % 3]}</a><p>Joined 201{i % 3}</p></div>"
        f"<div class=text><p>{said(number, i)}</p><p>So {said(number, i + 50)}</p>"
        f"<p class=signature>Yours, {NAMES[i % 3]}</p><p>Code: select all</p></div></div>"
    )


def thread(number, count, *, url="https://forum.example/t/{}", made=post):
    """Return a page of a forum."""
    first = made(number, 0, name="'post first'") if number % 2 else made(number, 0)
    body = first + "".join(made(number, i) for i in range(1, count))
    html = f"<body><div class=menu><a href=/>Home</a></div><div class=posts>{body}</div></body>"
    return Page.from_html(html, url.format(number))


def change(number, i, *, name="post"):
    """Return an entry of a tracker, whose paragraphs are beside its head."""
    return (
        f"<div class={name}><h3>Changed on {i} May</h3><p>{said(number, i)}</p><p>So {said(number, i + 50)}</p></div>"
    )


def template(pages):
    learned = SiteTemplate()
    for page in pages:
        learned.learn(page.flat)
    return snapshot(learned, 1)


def texts_of(page):
    """Return the texts of the blocks of a page."""
    blocks = text_blocks(page.flat)
    return [block_text(page.flat, blocks, block) for block in range(len(blocks))]


def cut(page, pages, kept=None):
    """Return the texts that are kept of a page."""
    flat, blocks = page.flat, text_blocks(page.flat)
    none = [False] * len(blocks)
    found = posts(flat, blocks, kept or none, none, Known(site_statistics(template(pages)), 1))
    return [block_text(flat, blocks, block) for block, wanted in enumerate(found) if wanted]


def test_the_body_of_each_post_is_kept_and_what_is_beside_it_is_dropped():
    pages = [thread(n, 2 + n % 3) for n in range(12)]
    for n in (4, 5):  # the first post of the second is under another name
        whole = [True] * len(text_blocks(pages[n].flat))
        expected = [text for i in range(2 + n % 3) for text in (said(n, i), f"So {said(n, i + 50)}")]
        assert cut(pages[n], pages) == expected
        assert [one for one in cut(pages[n], pages, whole) if not one.startswith("Code")] == ["Home", *expected]


def test_one_post_is_told_by_the_other_pages():
    pages = [thread(n, 3) for n in range(0, 24, 2)]
    assert cut(thread(50, 1), pages) == [said(50, 0), f"So {said(50, 50)}"]
    assert cut(thread(50, 1), [thread(n, 1) for n in range(0, 24, 2)]) == []


@pytest.mark.parametrize(("sentences", "kept"), [(16, True), (40, False)])
def test_the_answers_below_a_long_report_are_kept(sentences, kept):
    def report(number):
        words = " ".join(said(number, i + 200) for i in range(sentences))
        answers = "".join(post(number, i) for i in range(2))
        html = f"<body><div class=report><p>{words}</p></div><div class=posts>{answers}</div></body>"
        return Page.from_html(html, f"https://forum.example/ticket/{number}")

    pages = [report(2 * n) for n in range(12)]
    expected = [text for i in range(2) for text in (said(4, i), f"So {said(4, i + 50)}")]
    assert cut(pages[2], pages) == (expected if kept else [])


def test_without_a_body_only_the_heads_go():
    pages = [thread(n, 3, made=change) for n in range(0, 24, 2)]
    kept = [True] * len(text_blocks(pages[2].flat))
    expected = [text for i in range(3) for text in (said(4, i), f"So {said(4, i + 50)}")]
    assert cut(pages[2], pages, kept) == ["Home", *expected]
    assert cut(pages[2], pages) == expected


def test_records_that_share_nothing_but_their_heads_lose_these():
    def entry(number, i, *, name="post"):
        said_there = f"<p>{said(number, i)}</p>" if i % 2 else f"<ul><li>Owner set to {said(number, i)}</li></ul>"
        return f"<div class={name}><h3>Changed on {i} May</h3>{said_there}</div>"

    pages = [thread(2 * n, 4, made=entry) for n in range(12)]
    every = texts_of(pages[3])
    heads = [text for text in every if text.startswith("Changed on")]
    assert len(heads) == 4
    assert cut(pages[3], pages, [True] * len(every)) == [text for text in every if text not in heads]


def test_a_list_of_single_lines_has_no_records():
    def line(number, i, *, name="post"):
        return f"<div class={name}>Changed on {i} May, {said(number, i)}</div>"

    pages = [thread(2 * n, 4, made=line) for n in range(12)]
    assert cut(pages[3], pages) == []
    every = texts_of(pages[3])
    assert cut(pages[3], pages, [True] * len(every)) == every


def test_a_record_whose_body_is_empty_stays_as_it_is():
    def changed(number, i, *, name="post"):
        entry = post(number, i, name=name)
        if i == 1:
            return f"<div class={name}><ul><li>State {number}: closed</ul><div class=text></div></div>"
        return entry

    pages = [thread(n, 5, made=changed) for n in range(0, 24, 2)]
    kept = [True] * len(text_blocks(pages[2].flat))
    assert "State 4: closed" in cut(pages[2], pages, kept)
    assert "Joined 2010" not in cut(pages[2], pages, kept)
    assert "State 4: closed" not in cut(pages[2], pages)


def test_a_tracker_keeps_the_changed_fields_beside_a_comment_and_drops_the_heads():
    """Trac lists the changed fields, with or without a comment below; the heads contain the author and the date."""

    def changed(number, i, *, name="change"):
        fields = f"<ul class=changes><li>State {number}.{i}: closed by the harbour</li></ul>" if i % 2 else ""
        comment = f"<div class=comment><p>{said(number, i)}</p><p>So {said(number, i + 50)}</p></div>" if i != 1 else ""
        return f"<div class={name}><h3>Changed on {i} May</h3>{fields}{comment}</div>"

    pages = [thread(n, 6, made=changed) for n in range(0, 24, 2)]
    kept = [text.startswith(("Changed", "State")) for text in texts_of(pages[2])]
    found = cut(pages[2], pages, kept)
    assert [text for text in found if text.startswith("State")] == [
        f"State 4.{i}: closed by the harbour" for i in (1, 3, 5)
    ]
    assert said(4, 3) in found
    assert not any(text.startswith("Changed") for text in found)


def test_a_post_of_one_short_line_is_no_head():
    def short(number, i, *, name="post"):
        return (
            f"<div class={name}><div class=who><a href=/u/{i % 3}>{NAMES[i % 3]}</a></div>"
            f"<div class=text><p>{said(number, i)}</p></div></div>"
        )

    pages = [thread(n, 4, made=short) for n in range(0, 24, 2)]
    assert cut(pages[2], pages) == [said(4, i) for i in range(4)]


def test_the_head_and_the_foot_of_a_page_are_no_records():
    parts = "<div class=part><p>Our forum has many members from all over the world</p><p>Home of the keepers</p></div>"

    def page(n):
        talk = f"<div class=part><p>{said(n, 1)} {said(n, 2)}</p><p>{said(n, 3)}</p></div>"
        return Page.from_html(f"<body>{parts}{talk}{parts}</body>", f"https://forum.example/t/{n}")

    pages = [page(n) for n in range(12)]
    assert cut(pages[2], pages) == []


def test_a_page_without_records_stays_as_it_is():
    pages = [
        Page.from_html(f"<body><p>{said(n, 0)}</p><p>{said(n, 1)}</p>", f"https://a.example/{n}") for n in range(9)
    ]
    assert cut(pages[0], pages) == []
    assert cut(pages[0], pages, [True, False]) == [said(0, 0)]


def test_the_method_cuts_the_pages_of_a_layout_of_threads():
    pages = [thread(n, 2 + n % 3) for n in range(14)]
    method, known = Combined(), template(pages)
    made = decide([method.evidence(page, SiteContext(known, learned=True)) for page in pages])
    assert made.kind is LayoutKind.THREAD
    site = SiteContext(known, learned=True, decision=made)
    found = method.extract(pages[4], site)
    text = pages[4].text(found.nodes)
    assert found.kind is not Kind.NONE
    assert all(said(4, i) in text for i in range(3))
    assert "Joined" not in text
    open_site = replace(site, decision=replace(made, verdicts={}))
    everything = Extraction((), "combined", 1.0, Kind.NONE, {"limit": 0.0})
    reasons = {one.text: one.reason for one in explain(pages[4], everything, open_site, [1.0] * 50)}
    assert reasons["Joined 2010"] == BESIDE


def test_a_list_of_threads_is_not_emptied():
    """Its records have no body, so nothing would be left; the choice of the passes stays, and it is a listing."""

    def listed(number, i, *, name="post"):
        return f"<div class={name}><h3><a href=/t/{number}{i}>{said(number, i)}</a></h3><p>by {NAMES[i % 3]}, 201{i % 3}</p></div>"

    pages = [thread(n, 2 + n % 3) for n in range(14)]
    method, known = Combined(), template(pages)
    made = decide([method.evidence(page, SiteContext(known, learned=True)) for page in pages])
    overview = thread(99, 20, url="https://forum.example/c/{}", made=listed)
    found = method.extract(overview, SiteContext(known, decision=made))
    assert found.kind is Kind.LISTING
    assert said(99, 3) in overview.text(found.nodes)


@pytest.mark.parametrize(("several", "kept"), [(5, True), (4, False)])
def test_lists_of_threads_keep_the_titles(several, kept):
    """Links with different texts, one in each record, are no heads of posts."""

    def listed(number, i, *, name="post"):
        title = f"In case the {WORDS[(number + i) % 10]} was lost"
        return f"<div class={name}><h3><a href=/t/{number}{i}>{title}</a></h3><p>{NAMES[i % 3]}, {i} May</p></div>"

    pages = [thread(2 * n, several, made=listed) for n in range(12)]
    every = texts_of(pages[2])
    titles = [text for text in every if text.startswith("In case")]
    found = cut(pages[2], pages, [True] * len(every))
    assert [text for text in found if text in titles] == (titles if kept else [])


@pytest.mark.parametrize("row", ["<tr>{}</tr>", "<tr>{}<br><br>Yours, Anna</tr>"])
def test_the_text_of_a_row_may_stand_in_no_cell(row):
    html = f"<body><table>{row}</table></body>"
    pages = [Page.from_html(html.format(said(number, 0)), f"https://forum.example/t/{number}") for number in range(6)]
    every = texts_of(pages[4])
    assert cut(pages[4], pages, [True] * len(every)) == every
