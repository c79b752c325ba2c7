"""The features of the blocks of a page, as columns: one value per block for each name in `FEATURES`.

Everything is counted in characters, so that scripts without spaces between words need no special case. Features of the
site come from `SiteStatistics` only; without a template their value is `UNKNOWN`.

Over 300 lines: the columns are one table, and the model depends on their order.
"""

from itertools import accumulate
from math import inf, log1p
from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS, TEXT
from sitecrawl.extractors.combined.class_hints import MARKS, NEVER, mark_depths
from sitecrawl.extractors.combined.statistics import SiteStatistics
from sitecrawl.extractors.combined.word_evidence import WordWeights, load_words, name_words, text_words

UNKNOWN: Final = -1.0
FAR: Final = 40.0
"""Value of a distance to something that does not exist; real distances are limited to less."""

PROSE_CHARS: Final = 60
"""Minimum characters of a block that counts as prose; it also has few links, and a sentence mark."""
PROSE_LINKS: Final = 0.35
PUNCTUATION: Final = frozenset(".,;:!?。，、；：！？؟،।…")
STOPS: Final = frozenset('.!?:。！？：؟।…"”»')
SHARES: Final = (0.8, 0.5, 0.2)
"""Shares of the characters of the page (or site) from which an ancestor is large."""
REACH: Final = (-3, -2, -1, 1, 2, 3)
"""Offsets of the neighbouring blocks whose values are features."""

_TAG_ORDER: Final = [
    "p",
    "pre",
    "blockquote",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "dd",
    "dt",
    "li",
    "td",
    "th",
    "figcaption",
    "caption",
    "center",
    "section",
    "article",
    "main",
    "div",
    "summary",
    "details",
    "address",
    "body",
    "span",
    "label",
    "button",
    "option",
    "legend",
    "form",
    "footer",
    "nav",
]
MARK_NAMES: Final = [f"{name}_{mark}" for name in ("mark", "inner") for mark in range(MARKS)]
TAG_NUMBER: Final = {tag: float(number) for number, tag in enumerate(_TAG_ORDER)}


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


class BlockEvidence:
    """Builds the columns of one page; each method adds some of them, in a fixed order."""

    def __init__(
        self,
        flat: FlatDom,
        blocks: Blocks,
        site: SiteStatistics | None,
        learned: bool,
        weights: WordWeights | None = None,
    ) -> None:
        self.flat = flat
        self.weights = weights or load_words()
        self.blocks = blocks
        self.site = site
        self.own = 1 if site is not None and learned else 0
        self.others = max(site.pages - self.own, 0) if site is not None else 0
        self.names: list[str] = []
        self.columns: list[list[float]] = []
        self.texts = [
            "".join(flat.text[i] for i in range(first, stop) if flat.tag[i] == TEXT).strip()
            for first, stop in zip(blocks.first, blocks.stop, strict=True)
        ]

    def add(self, name: str, values: list[float]) -> list[float]:
        """Add a column and return it."""
        self.names.append(name)
        self.columns.append(values)
        return values

    def build(self) -> None:
        """Add all columns."""
        self.own_text()
        self.place()
        self.repeats()
        self.regions()
        self.paths()
        self.marks()
        self.around()
        self.words()

    # ------------------------------------------------------------------ the block itself
    def own_text(self) -> None:
        """Add the features of the block itself: length, links, marks, tag."""
        flat, blocks = self.flat, self.blocks
        chars, links = blocks.chars, blocks.link_chars
        self.log_chars = self.add("log_chars", [log1p(c) for c in chars])
        self.link_share = self.add("link_share", [x / c for x, c in zip(links, chars, strict=True)])
        self.add("word_chars", [c / max(w, 1) for c, w in zip(chars, blocks.words, strict=True)])
        marks = [sum(map(text.count, PUNCTUATION)) for text in self.texts]
        self.add("punctuation", [m / c for m, c in zip(marks, chars, strict=True)])
        self.add(
            "digits",
            [sum(map(str.isdigit, t[:200])) / min(c, 200) for t, c in zip(self.texts, chars, strict=True)],
        )
        self.add("stop", [float(t[-1:] in STOPS) for t in self.texts])
        self.add("upper", [float(t[:1].isupper()) for t in self.texts])
        self.add("tag", [TAG_NUMBER.get(flat.tag[c], 99.0) for c in blocks.container])
        anchors = [0] * (len(flat) + 1)
        fragments = [0] * (len(flat) + 1)
        for node, href, _ in flat.anchors:
            anchors[node + 1] = 1
            fragments[node + 1] = 1 if href.startswith("#") else 0
        anchors, fragments = list(accumulate(anchors)), list(accumulate(fragments))
        # the row of an anchor element is directly before that of its first text
        span = [(max(first - 1, 0), stop) for first, stop in zip(blocks.first, blocks.stop, strict=True)]
        self.add("anchors", [float(anchors[b] - anchors[a]) for a, b in span])
        self.add("fragments", [_share(fragments[b] - fragments[a], anchors[b] - anchors[a]) for a, b in span])
        self.prose = [
            c if c >= PROSE_CHARS and share < PROSE_LINKS and m else 0
            for c, share, m in zip(chars, self.link_share, marks, strict=True)
        ]

    def place(self) -> None:
        """Add the features of the block's place on the page."""
        flat, blocks = self.flat, self.blocks
        n = len(blocks)
        total = sum(blocks.chars)
        before = [0, *accumulate(blocks.chars)]
        self.add("position", [i / n for i in range(n)])
        self.add("chars_before", [before[i] / total for i in range(n)])
        self.add("log_blocks", [log1p(n)] * n)
        self.add("log_page_chars", [log1p(total)] * n)
        self.add("page_link_share", [sum(blocks.link_chars) / total] * n)
        self.add("page_prose_share", [sum(self.prose) / total] * n)
        self.add("depth", [float(flat.depth[c]) for c in blocks.container])

    # ------------------------------------------------------------------ what other pages repeat
    def repeats(self) -> None:
        """Add the numbers of other pages that have the block's texts."""
        flat, blocks, site = self.flat, self.blocks, self.site
        n = len(blocks)
        rows = len(flat)
        plain = [0] * rows
        fresh = [0] * rows
        own, others = self.own, self.others
        path_share = [UNKNOWN] * n
        text_share = [UNKNOWN] * n
        path_count = [0.0] * n
        self.shares = [0.0] * n
        for b in range(n):
            here = anywhere = 0.0
            most, least = 0, inf
            for i in range(blocks.first[b], blocks.stop[b]):
                if flat.tag[i] != TEXT:
                    continue
                c = flat.chars[i]
                p = plain[i] = c - flat.link_chars[i]
                pages = 0
                if others and site is not None:
                    found = site.paths.get(flat.path[i])
                    if found is not None:
                        pages = found.pages - own
                    on_site = max(site.texts.get(flat.label[i], 0) - own, pages)
                    here += c * pages
                    anywhere += c * on_site
                    most, least = max(most, pages), min(least, pages)
                if pages <= 0:
                    fresh[i] = p
            if others:
                path_share[b] = here / (blocks.chars[b] * others)
                text_share[b] = anywhere / (blocks.chars[b] * others)
                path_count[b] = log1p(most)
                self.shares[b] = max(least, 0) / others
        self.add("path_text_share", path_share)
        self.text_share = self.add("text_share", text_share)
        self.add("path_text_pages", path_count)
        self.add("log_pages", [log1p(self.others)] * n)
        prose = [0] * rows
        for b in range(n):
            prose[blocks.first[b]] += self.prose[b]
        parent = flat.parent
        for i in range(rows - 1, 0, -1):
            p = parent[i]
            fresh[p] += fresh[i]
            plain[p] += plain[i]
            prose[p] += prose[i]
        self.fresh, self.plain_sum, self.prose_sum = fresh, plain, prose

    # ------------------------------------------------------------------ distribution of the characters of page and site
    def regions(self) -> None:
        """Add distances to the deepest ancestors with most of the fresh text, the prose, and the site's fresh text."""
        flat, blocks, site = self.flat, self.blocks, self.site
        rows = len(flat)
        parent, depth, tag = flat.parent, flat.depth, flat.tag
        wanted = [False] * rows
        for container in blocks.container:
            c = container
            while c >= 0 and not wanted[c]:
                wanted[c] = True
                c = parent[c]
        page_total = max(self.fresh[0], 1)
        prose_total = max(self.prose_sum[0], 1)
        site_total = site.fresh if site is not None else 1
        known = site is not None
        paths = site.paths if site is not None else {}
        deepest: list[tuple[int, ...]] = [()] * rows
        empty = (NEVER,) * (3 * len(SHARES))
        self.site_fresh = site_fresh = [0.0] * rows
        for i in range(rows):
            if not wanted[i]:
                continue
            above = deepest[parent[i]] if i else empty
            found = paths.get(flat.path[i]) if known else None
            share = site_fresh[i] = found.fresh / site_total if found is not None else 0.0
            changed = None
            for k, limit in enumerate(SHARES):
                for offset, value in (
                    (0, self.fresh[i] / page_total),
                    (3, self.prose_sum[i] / prose_total),
                    (6, share),
                ):
                    if value >= limit:
                        changed = changed or list(above)
                        changed[offset + k] = depth[i]
            deepest[i] = tuple(changed) if changed is not None else above
        self.deepest = deepest
        for group, name in enumerate(("fresh", "prose", "site")):
            for k, limit in enumerate(SHARES):
                column = 3 * group + k
                values = [
                    float(depth[c] - deepest[c][column]) if deepest[c][column] >= 0 else FAR for c in blocks.container
                ]
                self.add(f"below_{name}_{int(100 * limit)}", values)
        self.add("tag_parent", [TAG_NUMBER.get(tag[max(parent[c], 0)], 99.0) for c in blocks.container])

    def paths(self) -> None:
        """Add sums over the container and its ancestors, on the page and on the site."""
        flat, blocks, site = self.flat, self.blocks, self.site
        parent = flat.parent
        n = len(blocks)
        page_total = max(self.fresh[0], 1)
        prose_total = max(self.prose_sum[0], 1)
        count: dict[int, int] = {}
        for c in blocks.container:
            count[flat.path[c]] = count.get(flat.path[c], 0) + 1
        self.add("same_path", [log1p(count[flat.path[c]]) for c in blocks.container])
        self.add("same_path_share", [count[flat.path[c]] / n for c in blocks.container])
        rows = blocks.container
        paths = site.paths if site is not None and self.others else None
        for level in range(4):
            if level:
                rows = [max(parent[c], 0) for c in rows]
                self.add(f"chars_{level}", [log1p(flat.chars[c]) for c in rows])
                self.add(f"link_share_{level}", [flat.link_chars[c] / flat.chars[c] for c in rows])
                self.add(f"fresh_{level}", [_share(self.fresh[c], self.plain_sum[c]) for c in rows])
                self.add(f"prose_{level}", [self.prose_sum[c] / flat.chars[c] for c in rows])
                self.add(f"children_{level}", [log1p(flat.end[c] - c) for c in rows])
            self.add(f"page_share_{level}", [self.fresh[c] / page_total for c in rows])
            self.add(f"prose_share_{level}", [self.prose_sum[c] / prose_total for c in rows])
            self.add(f"site_share_{level}", [self.site_fresh[c] if paths is not None else UNKNOWN for c in rows])
            if level == 3:
                break
            cells = [paths.get(flat.path[c]) if paths is not None else None for c in rows]
            others = max(self.others, 1)
            self.add(
                f"path_share_{level}",
                [(s.pages - self.own) / others if s else (UNKNOWN if paths is None else 0.0) for s in cells],
            )
            self.add(f"path_variety_{level}", [min(s.variants / s.nodes, 9.0) if s else UNKNOWN for s in cells])
            self.add(f"path_chars_{level}", [log1p(s.chars / s.nodes) if s else UNKNOWN for s in cells])
            self.add(f"path_links_{level}", [1 - _share(s.plain, s.chars) if s else UNKNOWN for s in cells])
            self.add(f"path_fresh_{level}", [_share(s.fresh, s.plain) if s else UNKNOWN for s in cells])
            self.add(f"path_nodes_{level}", [log1p(s.nodes / s.pages) if s else UNKNOWN for s in cells])

    # ------------------------------------------------------------------ names and tags above
    def marks(self) -> None:
        """Add the distances to the nearest ancestor in each category of names and tags."""
        flat, blocks = self.flat, self.blocks
        depths = mark_depths(flat)
        depth = flat.depth
        deepest = self.deepest
        seen: dict[tuple[int, int, int], tuple[float, ...]] = {}
        rows = []
        for c in blocks.container:  # blocks with the same ancestors share one tuple of depths, so the row is cached
            here, half, above = depth[c], deepest[c][1], depths[c]
            key = (here, half, id(above))
            row = seen.get(key)
            if row is None:
                near = [float(here - m) if m >= 0 else FAR for m in above]
                inner = [float(m > half) if m >= 0 else UNKNOWN for m in above]
                row = seen[key] = (*near, *inner)
            rows.append(row)
        for name, column in zip(MARK_NAMES, zip(*rows, strict=True), strict=True):
            self.add(name, list(column))

    # ------------------------------------------------------------------ before and after
    def around(self) -> None:
        """Add features of the neighbouring blocks."""
        flat, blocks = self.flat, self.blocks
        n = len(blocks)
        heading = [float(flat.tag[c] in HEADINGS) for c in blocks.container]
        kind = [p > 0 for p in self.prose]
        for step in REACH:
            for name, column in (
                ("log_chars", self.log_chars),
                ("link_share", self.link_share),
                ("text_share", self.text_share),
            ):
                self.add(f"{name}{step:+d}", shifted(column, step))
        for step in (-1, 1):
            self.add(f"heading{step:+d}", shifted(heading, step))
        plain = [c * (1 - s) for c, s in zip(blocks.chars, self.link_share, strict=True)]
        sums = [0.0, *accumulate(plain)]
        alls = [0.0, *accumulate(map(float, blocks.chars))]
        for width in (3, 8):
            self.add(
                f"window_plain_{width}",
                [log1p(sums[min(i + width + 1, n)] - sums[max(i - width, 0)]) for i in range(n)],
            )
            self.add(
                f"window_links_{width}",
                [
                    1
                    - _share(
                        sums[min(i + width + 1, n)] - sums[max(i - width, 0)],
                        alls[min(i + width + 1, n)] - alls[max(i - width, 0)],
                    )
                    for i in range(n)
                ],
            )
        self.add("since_prose", since(kind))
        self.add("until_prose", since(kind[::-1])[::-1])
        repeated, level, distance = [], [], []
        last = -1
        for i in range(n):
            repeated.append(self.text_share[last] if last >= 0 else UNKNOWN)
            level.append(TAG_NUMBER[flat.tag[blocks.container[last]]] if last >= 0 else UNKNOWN)
            distance.append(min(float(i - last), FAR) if last >= 0 else FAR)
            if heading[i]:
                last = i
        self.add("heading_repeated", repeated)
        self.add("heading_level", level)
        self.add("heading_distance", distance)
        first = next((i for i in range(n) if flat.tag[blocks.container[i]] == "h1"), -1)
        self.add("after_h1", [max(min(float(i - first), FAR), -FAR) if first >= 0 else -99.0 for i in range(n)])

    # ------------------------------------------------------------------ words and names
    def words(self) -> None:
        """Add the weights of the block's first words, and of the names of its ancestors."""
        self.add("text_words", text_words(self.texts, self.blocks, self.weights))
        self.add("name_words", name_words(self.flat, self.blocks, self.weights))


def shifted(column: list[float], step: int) -> list[float]:
    """Return the values of the blocks `step` further on, `UNKNOWN` past the ends."""
    n = len(column)
    if step > 0:
        return (column[step:] + [UNKNOWN] * step)[-n:] if n > step else [UNKNOWN] * n
    return ([UNKNOWN] * -step + column[:step])[:n] if n > -step else [UNKNOWN] * n


def since(flags: list[bool]) -> list[float]:
    """Return the number of blocks since the last flag, 0 for the block itself."""
    values, last = [], FAR
    for flag in flags:
        last = 0.0 if flag else min(last + 1, FAR)
        values.append(last)
    return values
