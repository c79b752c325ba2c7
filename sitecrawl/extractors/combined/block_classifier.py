"""The two passes of `combined` over the blocks of a page, and its threshold.

The compiled twin is used only if it gives the same probabilities as the reference for the pages in `CHECKED`.
"""

from collections.abc import Callable, Sequence
from math import exp
from typing import Final, NamedTuple

from lxml import html

from sitecrawl.dom.blocks import Blocks, text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.flat import flatten as reference_flatten
from sitecrawl.extractors.combined.block_features import BlockEvidence
from sitecrawl.extractors.combined.choice import kept_from
from sitecrawl.extractors.combined.context_features import NAMES, blended, log_odds, surroundings
from sitecrawl.extractors.combined.expected_region import REGION_NAMES, expected_region
from sitecrawl.extractors.combined.forest import Columns, Forest, load_model, probabilities, walked
from sitecrawl.extractors.combined.statistics import SiteStatistics, site_statistics
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate
from sitecrawl.twins import twin

COMPILED: Final = "sitecrawl.extractors.combined._block_classifier"
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


ALONE: Final = 0.3
"""Weight of the log odds without a template for doubtful blocks. On 46 unseen sites, word F1 with 5, 30 and all pages
known is .9655, .9740 and .9812 without this, and .9682, .9756 and .9816 with it (docs/combined-history.md)."""
FEW: Final = 20
"""Number of other known pages from which doubtful blocks are not judged without the template. In folds the second
verdict gains .0013 on 58 sites of page sets with 5 pages or more, and on 114 sites .0001 with 5 pages known, .0000 with
30 and -.0002 with all (docs/combined-history.md)."""
LITTLE: Final = 500
"""Characters of kept text below which doubtful blocks are judged without the template all the same: of a short list
hardly anything would be kept. Own choice."""
DOUBT: Final = (0.12, 0.88)
"""Range of doubtful probabilities: outside it, hardly any verdict would change. If all blocks count as doubtful, the
figures are .9683, .9756 and .9815, but twice as many pages are judged twice."""
WITHOUT_REGION: Final = 0.3
"""Weight of the second pass that does not read where the content is expected, on a page alone: where the expected
region is wrong, as on a short page beside a long menu, it finds the content (docs/combined-history.md)."""
SECOND_NAMES: Final = {"page_context": NAMES + REGION_NAMES, "site_context": NAMES, "doubt_context": NAMES}
"""Names of the columns of the second passes."""


class Judged(NamedTuple):
    """The result of both passes over a page."""

    chances: list[float]
    """Probability of each block that it is main content."""
    text_share: list[float]
    """Share of the other pages that repeat the text of each block; -1 if unknown."""
    others: int
    """Number of known pages beside this one."""
    limit: float
    """Minimum probability of kept blocks."""
    shares: Sequence[float] = ()
    """Share of the other pages with the rarest text of each block in the same place; 0 if unknown."""


def judge_problem(
    compiled: Callable[[FlatDom, Blocks, SiteStatistics | None, bool], Judged],
) -> str | None:
    """Return why a compiled `judge` cannot be used; None if it can. The comparison walks the trees of the reference."""
    for flat, blocks, site, learned in _cases():
        evidence = BlockEvidence(flat, blocks, site, learned)
        evidence.build()
        if _judged(evidence, walked) != compiled(flat, blocks, site, learned):
            return "it disagrees with the reference; please report this"
    return None


@twin(COMPILED, judge_problem)
def judge(flat: FlatDom, blocks: Blocks, site: SiteStatistics | None, learned: bool) -> Judged:
    """Return the probabilities of all blocks; `learned` tells whether `site` counts this page."""
    evidence = BlockEvidence(flat, blocks, site, learned)
    evidence.build()
    return _judged(evidence, probabilities)


@twin(COMPILED, lambda _: judge.problem)
def judge_blind(flat: FlatDom, blocks: Blocks) -> Judged:
    """Return the probabilities of all blocks of a page that has a template, without the template."""
    evidence = BlockEvidence(flat, blocks, None, False)
    evidence.build()
    return _judged(evidence, probabilities, "doubt_context")


@twin(COMPILED, lambda _: judge.problem)
def chance(forest: str, figures: list[float]) -> float:
    """Return the probability by a forest of the model for one row of features, 0..1."""
    return probabilities(load_model()[forest], [[figure] for figure in figures])[0]


def with_doubts(flat: FlatDom, blocks: Blocks, judged: Judged) -> tuple[Judged, Judged | None]:
    """Return the probabilities of a page's blocks, and the result of the passes without a template if they were run.

    For a block that is only on this page, the template has no evidence except that it is new, and few known pages say
    little about its path. So if the probability of such a block is doubtful, the passes without a template count as
    well. Their result is None if no block is doubtful, or if `FEW` other pages are known and `LITTLE` text is kept.
    """
    if not judged.others or (judged.others >= FEW and _kept_chars(blocks, judged) >= LITTLE):
        return judged, None
    low, high = DOUBT
    doubtful = [
        share <= 0 and low < chance < high for share, chance in zip(judged.text_share, judged.chances, strict=True)
    ]
    if True not in doubtful:
        return judged, None
    alone = judge_blind(flat, blocks)
    chances = list(judged.chances)
    for block, doubt in enumerate(doubtful):
        if doubt:
            both = (1 - ALONE) * log_odds(chances[block]) + ALONE * log_odds(alone.chances[block])
            chances[block] = 1 / (1 + exp(-both))
    return judged._replace(chances=chances, limit=kept_from(blocks.chars, chances)), alone


def _kept_chars(blocks: Blocks, judged: Judged) -> int:
    return sum(chars for chars, chance in zip(blocks.chars, judged.chances, strict=True) if chance >= judged.limit)


def _judged(evidence: BlockEvidence, evaluate: Callable[[Forest, Columns], list[float]], second: str = "") -> Judged:
    """Return the result of both passes; `second` is the forest of the second pass, if it is not the usual one."""
    flat, blocks, name = evidence.flat, evidence.blocks, "site" if evidence.others else "page"
    model, again = load_model(), second or f"{name}_context"
    first = evaluate(model[name], evidence.columns)
    columns = surroundings(flat, blocks, first)
    if len(model[again].names) > len(columns):
        columns += expected_region(flat, blocks, first)
    found = evaluate(model[again], columns)
    if evidence.others:
        chances = blended(first, found)
    else:
        chances = found if second else blended(found, evaluate(model["doubt_context"], columns), WITHOUT_REGION)
    return Judged(chances, evidence.text_share, evidence.others, kept_from(blocks.chars, chances), evidence.shares)


def kept_alone(flat: FlatDom, blocks: Blocks, judged: Judged | None = None) -> list[bool]:
    """Return which blocks the passes without a template keep; `judged` is their result, if already computed."""
    judged = judged or judge_blind(flat, blocks)
    return [one >= judged.limit for one in judged.chances]


def _cases() -> list[tuple[FlatDom, Blocks, SiteStatistics | None, bool]]:
    """Return small pages, each without and with a template of all of them."""
    pages = [
        reference_flatten(html.document_fromstring(f"<body class=x>{''.join(CHECKED[: n + 1])}"))
        for n in range(len(CHECKED))
    ]
    template = SiteTemplate()
    for page in pages:
        template.learn(page)
    known = site_statistics(snapshot(template, 1))
    return [(page, text_blocks(page), site, True) for page in pages for site in (None, known)]
