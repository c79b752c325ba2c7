"""The worked examples of "FastContentExtractor": Figures 1 to 3, the extraction rules, and a small site."""

import pytest

from sitecrawl.dom.atomic import TraversalPaths, atomic_blocks, cosine, features
from sitecrawl.dom.blocks import cover_texts
from sitecrawl.extractors.papers.fastce import content_blocks, extracted_blocks
from sitecrawl.templates.preparation import BlockTemplate, FeatureIndex, block_pages, prepare

from ..unit.dom.trees import page

FIGURE_2 = page(
    '<p> On Sept. 27, the US <span class="yshortcuts">House of\nRepresentatives</span> unanimously passed\n'
    "a resolution recognizing <span>The Christian\nScience Monitor</span> on its centennial.\n"
    "The measure was sponsored by <span>Rep. Lamar\nSmith</span> (R) of Texas who once served\n"
    "on the Monitor staff. It was cosponsored\nby 40 other <span>members of\nCongress</span>. </p>"
).flat
SPANS = ["House of Representatives", "The Christian Science Monitor", "Rep. Lamar Smith", "members of Congress"]
REST = (
    "On Sept. 27, the US unanimously passed a resolution recognizing on its centennial. The measure was sponsored by"
    " (R) of Texas who once served on the Monitor staff. It was cosponsored by 40 other ."
)
WHOLE = (
    "On Sept. 27, the US House of Representatives unanimously passed a resolution recognizing The Christian Science"
    " Monitor on its centennial. The measure was sponsored by Rep. Lamar Smith (R) of Texas who once served on the"
    " Monitor staff. It was cosponsored by 40 other members of Congress."
)


def _joined(flat, rows):
    return " ".join("".join(flat.text[i] for i in rows).split())


def _extracted(flat, *paths):
    template = BlockTemplate(frozenset(paths), FeatureIndex())
    return [_joined(flat, block.rows) for block in extracted_blocks(flat, template, TraversalPaths())]


def test_figure_3_in_its_order():
    blocks = atomic_blocks(FIGURE_2)
    order = blocks.innermost_first(FIGURE_2)
    texts = [" ".join(" ".join(FIGURE_2.text[i] for i in blocks.texts[b]).split()) for b in order]
    assert texts == [*SPANS, REST]
    paths = TraversalPaths()
    assert [paths.of(FIGURE_2, blocks.node[b]) for b in order] == [*["HTML.BODY.P.SPAN"] * 4, "HTML.BODY.P"]
    assert "the US House of Representatives" not in " ".join(texts)


def test_rules_on_figure_1():
    assert _extracted(FIGURE_2, "HTML.BODY.P", "HTML.BODY.P.SPAN") == [WHOLE]
    assert _extracted(FIGURE_2, "HTML.BODY.P") == [REST]
    assert _extracted(FIGURE_2, "HTML.BODY.P.SPAN") == SPANS


def test_rules_on_nested_blocks():
    """UL is kept because P below it is in the template; the inner DIV is cut out."""
    flat = page("<div>intro <ul>menu <p>deep</p></ul> <div>ad</div></div>").flat
    assert _extracted(flat, "HTML.BODY.DIV", "HTML.BODY.DIV.UL.P") == ["intro menu deep"]


def _vector(html):
    flat = page(html).flat
    blocks = atomic_blocks(flat)
    assert len(blocks) == 1
    return blocks.features(flat, 0)


def test_menus_with_one_other_word_are_similar():
    def menu(*words):
        return _vector("<div>" + "".join(f"<a href=/{word}>{word}</a> " for word in words) + "</div>")

    own = menu("home", "news", "about", "help")
    assert cosine(own, own) == pytest.approx(1)
    assert cosine(own, menu("home", "news", "about", "other")) == pytest.approx(0.95)
    article = _vector("<div>storm hits coast towns</div>")
    assert cosine(article, _vector("<div>storm hits city final</div>")) == pytest.approx(0.5)
    assert cosine(article, _vector("<div>nothing in common here</div>")) == 0


SITE = (
    "<div><a href=/>Home</a><a href=/news>News</a></div><div>Story number {0} about topic{0} and city{0}</div>"
    "<p>Copyright ACME</p>"
)
SAMPLE = [page(SITE.format(number)).flat for number in range(3)]


def test_blocks_of_a_small_site_are_counted():
    blocks = [atomic_blocks(flat) for flat in SAMPLE]
    counts = block_pages(SAMPLE, blocks)
    assert counts == [[3, 1, 3]] * 3
    # The inverse block frequency of ContentExtractor
    assert [1 / (count + 1) for count in counts[0]] == [0.25, 0.5, 0.25]


def test_a_small_site_is_learned_and_read():
    template = prepare(SAMPLE)
    assert template.content_paths == {"HTML.BODY.DIV"}
    menu = atomic_blocks(SAMPLE[0])
    assert len(template.noise) == 1
    assert template.noise.similar(features(SAMPLE[0], menu.texts[0], menu.links[0], 0)) == [0]
    flat = page(SITE.format(9)).flat
    extracted = extracted_blocks(flat, template, TraversalPaths())
    story = "Story number 9 about topic9 and city9"
    assert [_joined(flat, block.rows) for block in extracted] == ["HomeNews", story]
    kept = content_blocks(flat, template, extracted_blocks(flat, template, TraversalPaths()))
    assert [_joined(flat, block.rows) for block in kept] == [story]
    texts = [i in kept[0].rows and not flat.names[i] and flat.tag[i] == "#text" for i in range(len(flat))]
    assert cover_texts(flat, texts) == (kept[0].node,)


def test_theta_decides_what_is_content():
    assert prepare(SAMPLE, theta=4).content_paths == {"HTML.BODY.DIV", "HTML.BODY.P"}
    assert not prepare(SAMPLE, theta=1).content_paths
