"""Explains why each block of a page was kept or dropped, as text and as HTML."""

import html
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT, label_name
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import ALONE, Extraction, Kind, SiteContext
from sitecrawl.extractors.combined.further_articles import further_articles
from sitecrawl.extractors.combined.layout_rules import only_headline
from sitecrawl.extractors.combined.statistics import SiteStatistics, site_statistics
from sitecrawl.templates.decision import DROPPED, KEPT, LayoutKind

SHARED: Final = 0.3
"""Minimum share of the site's other pages with a dropped block for which it is shown as template."""
REPEATS: Final = "repeats a text that is kept above, or is in a box of related pages"
"""Reason for a block that is dropped although its probability is high, if an earlier block has its text."""
OTHERS: Final = "other pages have it in the same place, or it is in a box of furniture"
"""The same if no earlier block has its text (`combined.shared_blocks`, `combined.named_boxes`)."""
OUTER: Final = "the headline is outside the content"
"""The same for the only headline in a layout (`extractors.combined.headings`)."""
BESIDE: Final = "beside a post of the thread, or repeats a text that is kept above"
"""The same on a page of a thread (`extractors.combined.threads`)."""
BELONGS: Final = "belongs to the content around it"
"""Reason for a block that is kept although its probability is low (`extractors.combined.region`)."""
LAYOUT_KEEPS: Final = "content on the pages of this layout"
LAYOUT_DROPS: Final = "furniture on the pages of this layout"
FURTHER: Final = "belongs to a further article, which has a page of its own"
"""Reason for a block that is not judged (`extractors.combined.further_articles`)."""
DEPARTS: Final = "not as on the other pages of this layout, and clearly so"
"""Reason for a certain block against the layout's verdict on its path (`extractors.combined.layout_rules`)."""
LONGEST: Final = 100
ANCESTORS: Final = 4


class BlockVerdict(NamedTuple):
    """One block, with the evidence for and against it."""

    kept: bool
    chance: float | None
    """Probability that it is main content; None if the method gives none."""
    shared: float | None
    """Share of the site's other pages with the same text in the same place; None without a template."""
    links: float
    """Share of its characters in links, 0..1."""
    place: str
    """Readable names of the elements around it."""
    text: str
    reason: str = ""
    """The override's verdict on it, or the reason why the result differs from its probability; "" if there is none."""
    volatile: bool = False
    """Whether it was dropped because its place is volatile."""

    @property
    def full_reason(self) -> str:
        """The reason, with a prefix if the block is volatile."""
        return f"volatile: {self.reason}" if self.volatile else self.reason


def explain(
    page: Page,
    extraction: Extraction,
    site: SiteContext | None,
    chances: list[float] | None = None,
    marks: Iterable[tuple[int, str]] = (),
) -> list[BlockVerdict]:
    """Return the verdict on each text block, in document order.

    `marks` are the override's verdicts on subtrees, (row, reason); of two that apply to a block the later one is shown.
    """
    if site is not None and ALONE in extraction.evidence:
        site = replace(site, decision=None)
    flat, blocks = page.flat, text_blocks(page.flat)
    kept = _kept_rows(flat, extraction)
    statistics = site_statistics(site.template) if site is not None and site.template is not None else None
    reasons = [""] * len(flat)
    own = 1 if site is not None and site.learned else 0
    further = further_articles(page, blocks, statistics) if chances is not None else []
    for node, reason in [*((node, FURTHER) for node in further), *marks]:
        reasons[node : flat.end[node]] = [reason] * (flat.end[node] - node)
    limit = extraction.evidence.get("limit")
    decision = site.decision if site is not None else None
    thread = decision is not None and decision.kind is LayoutKind.THREAD
    above = set[str]()
    places = site.volatile.reasons(flat, blocks) if site is not None and site.volatile else [None] * len(blocks)
    headline, found = only_headline(flat, blocks), []
    for b in range(len(blocks)):
        rows = [i for i in range(blocks.first[b], blocks.stop[b]) if flat.tag[i] == TEXT]
        likely = chances is not None and limit is not None and chances[b] >= limit
        unlikely = chances is not None and limit is not None and chances[b] < limit
        text = block_text(flat, blocks, b)
        left_out = BESIDE if thread else OTHERS if statistics is not None and text not in above else REPEATS
        if b == headline and decision is not None and text not in above:
            left_out = OUTER
        if kept[rows[0]]:
            above.add(text)
        own_reason, place = reasons[rows[0]], places[b] if not kept[rows[0]] else None
        found.append(
            BlockVerdict(
                kept=kept[rows[0]],
                chance=chances[b] if chances is not None else None,
                shared=_shared(flat, rows, statistics, own),
                links=blocks.link_chars[b] / blocks.chars[b],
                place=_place(flat, blocks.container[b]),
                text=text,
                volatile=place is not None and not own_reason,
                reason=own_reason
                or (place.line() if place is not None else "")
                or _reason(
                    kept[rows[0]],
                    likely,
                    unlikely,
                    _layout_verdict(site, flat.path[blocks.container[b]], left_out=b == headline and not kept[rows[0]]),
                    left_out,
                ),
            )
        )
    return found


def _kept_rows(flat: FlatDom, extraction: Extraction) -> list[bool]:
    """Return whether each row is main content."""
    kept = [False] * len(flat)
    if extraction.kind is not Kind.NONE:
        for node in extraction.nodes:
            kept[node : flat.end[node]] = [True] * (flat.end[node] - node)
    return kept


def _layout_verdict(site: SiteContext | None, path: int, *, left_out: bool) -> bool | None:
    """Return the layout's verdict on a path: True for content, False for furniture, None without a verdict.

    A headline that is `left_out` counts as dropped by the layout if there is no verdict.
    """
    decision = site.decision if site is not None else None
    verdict = decision.verdicts.get(path) if decision is not None and decision.binds else None
    if verdict is not None and left_out and verdict[0] < KEPT:
        return False
    if verdict is None or DROPPED < verdict[0] < KEPT:
        return None
    return verdict[0] >= KEPT


def _reason(kept: bool, likely: bool, unlikely: bool, verdict: bool | None, left_out: str) -> str:
    """Return why a block was kept or dropped against its probability or its layout; "" if it was not."""
    if kept:
        return (LAYOUT_KEEPS if verdict else BELONGS) if unlikely else (DEPARTS if likely and verdict is False else "")
    if likely:
        return LAYOUT_DROPS if verdict is False else left_out
    return DEPARTS if unlikely and verdict else ""


def _shared(flat: FlatDom, rows: list[int], statistics: SiteStatistics | None, own: int) -> float | None:
    if statistics is None or statistics.pages <= own:
        return None
    pages = [max(found.pages - own, 0) if (found := statistics.paths.get(flat.path[i])) else 0 for i in rows]
    return min(pages) / (statistics.pages - own)


def _place(flat: FlatDom, row: int) -> str:
    names: list[str] = []
    while row >= 0 and len(names) < ANCESTORS and flat.tag[row] not in ("html", "body"):
        names.append(label_name(flat.tag[row], flat.names[row].split(" ")[0] if flat.names[row] else ""))
        row = flat.parent[row]
    return " > ".join(reversed(names)) or flat.tag[max(row, 0)]


def explanation_text(verdicts: Iterable[BlockVerdict], summary: str, *, colours: bool = False) -> str:
    """Return one line per block: kept or not, probability, share of pages that repeat it, links, place and text."""
    lines = [summary, "       chance  shared  links  place and text"]
    for one in verdicts:
        chance = "     -" if one.chance is None else f"{one.chance:6.2f}"
        shared = "     -" if one.shared is None else f"{one.shared:6.0%}"
        place = f"{one.place} [{one.full_reason}]" if one.reason else one.place
        line = f"{'keep ' if one.kept else 'drop '}  {chance}  {shared} {one.links:6.0%}  {place}: {_cut(one.text)}"
        lines.append(f"\x1b[{1 if one.kept else 2}m{line}\x1b[0m" if colours else line)
    return "\n".join(lines)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>
:root {{ color-scheme: light dark; --keep: #d9f2dc; --template: #ddd; --drop: #f9ded8; --ink: #222; --paper: #fff }}
@media (prefers-color-scheme: dark) {{
  :root {{ --keep: #17401f; --template: #333; --drop: #4d241b; --ink: #e8e8e8; --paper: #161616 }} }}
body {{ font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem }}
p {{ margin: 2px 0; padding: .3rem .6rem; border-radius: 4px; overflow-wrap: anywhere }}
.keep {{ background: var(--keep) }} .template {{ background: var(--template) }} .drop {{ background: var(--drop) }}
.summary {{ white-space: pre-line }}
small {{ display: block; opacity: .75; font-size: .75rem }} .legend p {{ display: inline-block; margin-right: .5rem }}
</style></head><body><h1>{title}</h1><div class="legend"><p class="keep">kept: {keep}</p>
<p class="template">template, dropped: {template}</p><p class="drop">dropped: {drop}</p></div>
<p class="summary">{summary}</p>
{blocks}
</body></html>
"""


def explanation_html(verdicts: Iterable[BlockVerdict], title: str, summary: str) -> str:
    """Return a self-contained page that shows all blocks in order, shaded by their verdict."""
    parts, counts = [], {"keep": 0, "template": 0, "drop": 0}
    for one in verdicts:
        style = "keep" if one.kept else "template" if (one.shared or 0) >= SHARED else "drop"
        counts[style] += 1
        facts = [one.place, f"links {one.links:.0%}"]
        if one.reason:
            facts.insert(0, one.full_reason)
        if one.chance is not None:
            facts.append(f"chance {one.chance:.2f}")
        if one.shared is not None:
            facts.append(f"on {one.shared:.0%} of the other pages")
        note = html.escape(" · ".join(facts))
        parts.append(f'<p class="{style}">{html.escape(one.text)}<small>{note}</small></p>')
    return _PAGE.format(title=html.escape(title), summary=html.escape(summary), blocks="\n".join(parts), **counts)
