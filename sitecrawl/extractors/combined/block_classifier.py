"""The two passes of `combined` over the blocks of a page, and its threshold: by the compiled twin or in Python.

The twin is used only if it gives the reference's columns and probabilities for the pages in `CHECKED`, and never if
`dom.speedups` is off (`SITECRAWL_EXTENSION`).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lxml import html

from sitecrawl.dom import speedups
from sitecrawl.dom.blocks import Blocks, block_text, text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.flat import flatten as reference_flatten
from sitecrawl.extractors.combined.block_features import BlockEvidence
from sitecrawl.extractors.combined.choice import kept_from, without_repeats
from sitecrawl.extractors.combined.context_features import blended, surroundings
from sitecrawl.extractors.combined.forest import load_model, probabilities, walked
from sitecrawl.extractors.combined.statistics import SiteStatistics, site_statistics
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

if TYPE_CHECKING:
    from sitecrawl.extractors.combined._block_classifier import Look
    from sitecrawl.extractors.combined._trees import Trees

CHECKED: Final = (
    "<header class='site-head logo'><h1>A site</h1></header><nav class=menu><ul><li><a href=/>Home</a><li class=item-2>"
    "<a href=#two>Two</a></ul></nav>",
    "<main><article id=post-12 class=entry-content><h2>A headline, in words</h2><p>The first paragraph is long enough"
    " to be prose; it has 2 sentences. <a href=/x rel=nofollow>One link</a>, and\xa0so on.</p><p hidden>Not shown<br>"
    "<br>at all</p><pre> code  here\n</pre><blockquote>“Said.”</blockquote></article></main>",
    "<div class=comments><div class=reply>Élan und Größe!</div><div class=reply>第一段。第二段？</div></div>"
    "<table><tr><td>1<td>22<td>３</table><aside class=relatedPosts><a href=/y>More</a></aside><footer>© 2024</footer>",
)
"""Parts of small pages with the hard cases: names, links, marks, digits and sentence marks of other scripts."""


class Judged(NamedTuple):
    """The result of both passes over a page."""

    chances: list[float]
    """Probability of each block that it is main content."""
    text_share: list[float]
    """On how many other pages the text of each block is repeated; -1 if unknown."""
    others: int
    """Number of known pages beside this one."""
    limit: float
    """Probability from which blocks are kept."""


def judge(flat: FlatDom, blocks: Blocks, site: SiteStatistics | None, learned: bool) -> Judged:
    """Return the probabilities of all blocks; `learned` tells whether `site` counts this page."""
    if _twin is not None and speedups.allowed():
        return _by_twin(_twin, flat, blocks, site, learned)
    return by_reference(flat, blocks, site, learned)


def chance(forest: str, figures: list[float]) -> float:
    """Return the value of a forest of the model for one row of features, 0..1."""
    if _twin is not None and speedups.allowed():
        return _twin.probability(_twin.trees[forest], figures)
    return probabilities(load_model()[forest], [[figure] for figure in figures])[0]


def kept_once(flat: FlatDom, blocks: Blocks, chances: list[float], limit: float) -> list[float]:
    """Return the probabilities, with 0 for kept blocks that repeat an earlier one (`choice.without_repeats`)."""
    if _twin is not None and speedups.allowed():
        return _twin.without_repeats(flat, blocks, chances, limit)
    return without_repeats(blocks.chars, chances, limit, lambda block: block_text(flat, blocks, block))


def kept_alone(flat: FlatDom, blocks: Blocks) -> list[bool]:
    """Return which blocks the passes without a template keep."""
    judged = judge(flat, blocks, None, learned=False)
    return [one >= judged.limit for one in judged.chances]


def by_reference(flat: FlatDom, blocks: Blocks, site: SiteStatistics | None, learned: bool) -> Judged:
    """Like `judge`, in Python."""
    evidence = BlockEvidence(flat, blocks, site, learned)
    evidence.build()
    model, name = load_model(), "site" if evidence.others else "page"
    first = probabilities(model[name], evidence.columns)
    second = probabilities(model[f"{name}_context"], surroundings(flat, blocks, first))
    chances = blended(first, second) if evidence.others else second
    return Judged(chances, evidence.text_share, evidence.others, kept_from(blocks.chars, chances))


class _Twin(NamedTuple):
    """The compiled passes and threshold, and the forests in their form, by purpose."""

    look: "type[Look]"
    trees: "dict[str, Trees]"
    probability: "Callable[[Trees, list[float]], float]"
    kept_from: Callable[[list[int], list[float]], float]
    without_repeats: Callable[[FlatDom, Blocks, list[float], float], list[float]]


def _by_twin(made: _Twin, flat: FlatDom, blocks: Blocks, site: SiteStatistics | None, learned: bool) -> Judged:
    look = made.look(flat, blocks, site, learned)
    look.build()
    name = "site" if look.others else "page"
    chances = look.chances(made.trees[name], made.trees[f"{name}_context"])
    return Judged(chances, look.text_share, look.others, made.kept_from(blocks.chars, chances))


def _load() -> tuple[_Twin | None, str | None]:
    """Return the twin, or None and the reason why it cannot be used."""
    try:
        from sitecrawl.extractors.combined import _block_classifier, _choice, _trees  # noqa: PLC0415

        trees = {name: _trees.Trees(forest) for name, forest in load_model().items()}
        made = _Twin(_block_classifier.Look, trees, _trees.probability, _choice.kept_from, _choice.without_repeats)
        if not all(_agrees(made, *case) for case in _cases(reference_flatten)):
            return None, "it disagrees with the reference; please report this"
    except Exception as error:  # noqa: BLE001 - whatever it is, the reference does the same work
        return None, f"it cannot be loaded: {error}"
    return made, None


def _agrees(made: _Twin, flat: FlatDom, blocks: Blocks, site: SiteStatistics | None, learned: bool) -> bool:
    """Tell whether the twin agrees with the reference on a page; forests are walked, not compiled."""
    evidence = BlockEvidence(flat, blocks, site, learned)
    evidence.build()
    model, name = load_model(), "site" if evidence.others else "page"
    first = walked(model[name], evidence.columns)
    second = walked(model[f"{name}_context"], surroundings(flat, blocks, first))
    chances = blended(first, second) if evidence.others else second
    expected = Judged(chances, evidence.text_share, evidence.others, kept_from(blocks.chars, chances))
    return expected == _by_twin(made, flat, blocks, site, learned)


def _cases(flatten: Callable[[Any], FlatDom]) -> list[tuple[FlatDom, Blocks, SiteStatistics | None, bool]]:
    """Return small pages, each without and with a template of all of them."""
    pages = [
        flatten(html.document_fromstring(f"<body class=x>{''.join(CHECKED[: n + 1])}")) for n in range(len(CHECKED))
    ]
    template = SiteTemplate()
    for page in pages:
        template.learn(page)
    known = site_statistics(snapshot(template, 1))
    return [(page, text_blocks(page), site, True) for page in pages for site in (None, known)]


_twin, PROBLEM = _load()
"""Why there is no twin; None if there is one."""
