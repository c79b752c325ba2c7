"""Copies of the text are dropped; texts that are repeated on the same path are kept."""

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import SiteContext, get_extractor
from sitecrawl.extractors.combined.repeated_texts import kept_once
from sitecrawl.extractors.explanation import REPEATS, explain
from sitecrawl.templates.decision import LayoutDecision, LayoutKind
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate
from tests.integration.server import article

LIMIT = 0.5
LEAD = "The mole was built by hand in the cold winter of 1832, by forty men from the village."
LATER = "It was paved with stones from the quarry above the harbour some twenty years later."
ERROR = "Raises an error at low tide, and whenever the whole harbour is closed for the night."


def read(html):
    flat = Page.from_html(html, "https://example.org/").flat
    return flat, text_blocks(flat)


def left(html, unlikely=()):
    """Return the kept texts of a page of which all blocks but some are probable."""
    flat, blocks = read(html)
    texts = [block_text(flat, blocks, block) for block in range(len(blocks))]
    chances = [0.1 if number in unlikely else 0.9 for number in range(len(texts))]
    found = kept_once(flat, blocks, chances, LIMIT)
    return [text for text, chance in zip(texts, found, strict=True) if chance >= LIMIT]


def test_a_text_that_stands_again_on_another_path_is_kept_once():
    html = f"<div class=wide><p>{LEAD}<p>{LATER}</div><div class=narrow><p>{LATER}<p>{LEAD}</div><p>{ERROR}"
    assert left(html) == [LEAD, LATER, ERROR]
    assert left(html, unlikely=(0, 1)) == [LATER, LEAD, ERROR]  # what is dropped anyway is no first copy


def test_a_quotation_and_short_blocks_are_kept_twice():
    html = f"<p>{LEAD}<p>{LATER * 6}<blockquote>{LEAD}</blockquote><h2>Yes</h2><p>Yes"
    assert left(html) == [LEAD, LATER * 6, LEAD, "Yes", "Yes"]


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{LEAD}<p>{LATER}<p>{LEAD}<p>{LEAD}",
        f"<main>{LEAD}<br><br>{LATER}<br><br>{LEAD}<br><br>{LEAD}</main>",
        f"<dl><dt>open</dt><dd>{ERROR}</dd><dt>shut</dt><dd>{ERROR}</dd></dl>",
        f"<section><h3>open</h3><p>{ERROR}</section><section><h3>shut</h3><p>{ERROR}</section>",
    ],
)
def test_a_text_that_is_repeated_on_its_path_is_kept(html):
    flat, blocks = read(html)
    assert left(html) == [block_text(flat, blocks, block) for block in range(len(blocks))]


def test_a_box_that_repeats_another_block_for_block_is_a_copy():
    slide = f"<section><h3>open</h3><div><p>{LEAD}<p>{ERROR}</div></section>"
    assert left(f"<main>{slide}{slide}{slide}</main>") == ["open", LEAD, ERROR, "open", "open"]
    other = slide.replace("open", "shut")
    assert left(f"<main>{slide}{other}</main>") == ["open", LEAD, ERROR, "shut", LEAD, ERROR]


def test_a_row_of_a_table_is_no_copy_of_another_row():
    row = f"<tr><td>18.00<td>{LEAD}</tr>"
    assert left(f"<table>{row}{row}</table>") == ["18.00", LEAD, "18.00", LEAD]


def test_texts_are_equal_if_their_words_are():
    texts = ["one two" * 20, "one  two\n" * 20, "onetwo" * 20, "one two" * 20]
    html = "".join(f"<div class=n{'abcd'[n]}>{text}</div>" for n, text in enumerate(texts))
    assert left(html) == [" ".join(text.split()) for text in texts[:3]]


def test_probabilities_without_copies_are_returned_as_they_are():
    flat, blocks = read(f"<p>{LEAD}<p>{LATER}<p>{LEAD}")
    chances = [0.9, 0.8, 0.9]
    assert kept_once(flat, blocks, chances, LIMIT) is chances


def test_the_second_copy_of_an_article_is_left_out_and_explained():
    html = article(4)
    body = html[html.index("<article") : html.index("</article>") + 10]
    page = Page.from_html(html.replace(body, body + body), "https://example.org/4")
    method = get_extractor("combined")
    found = method.extract(page)
    assert page.text(found.nodes).count("paragraph 2 tells") == 1
    verdicts = [one for one in explain(page, found, None, method.chances(page)) if "paragraph 2 tells" in one.text]
    assert [(one.kept, one.reason) for one in verdicts] == [(True, ""), (False, REPEATS)]


@pytest.mark.parametrize(("kind", "times"), [(LayoutKind.REFERENCE, 2), (LayoutKind.ARTICLE, 1)])
def test_copies_count_in_a_reference(kind, times):
    html = article(4)
    body = html[html.index("<article") : html.index("</article>") + 10]
    page = Page.from_html(html.replace(body, f"<div>{body}</div><section>{body}</section>"), "https://example.org/4")
    decision = LayoutDecision(kind, 0.9, 12, 100.0, verdicts={page.flat.path[0]: (1.0, 1.0)})
    learned = SiteTemplate()
    learned.learn(page.flat)
    found = get_extractor("combined").extract(page, SiteContext(snapshot(learned, 1), decision=decision))
    assert page.text(found.nodes).count("paragraph 2 tells") == times
