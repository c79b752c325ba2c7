"""Measures how each method's time grows with the size of the page: `python benchmarks/linear.py`.

Pages of five shapes grow: siblings, siblings that are all alike, blocks, depth, and the length of texts. Each method is
timed on each size, alone and with its knowledge of a site: a template, and two further pages of the same size and shape
that share half of their texts with the page. Limits on the size of a page are off. Times are processor seconds without
parsing, the minimum of a few runs. Learning from the sample counts, since each run begins anew.

The figure of a row is the growth between its smallest and its largest page: time ~ size ** growth; 1 is linear. It is
bold from 1.25, since linear work grows a little faster too when large pages exceed the processor's caches.
"""

import argparse
import gc
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random
from time import process_time

from sitecrawl.dom import size_limits
from sitecrawl.dom.flat import flatten
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import SiteContext, extractor_names, get_extractor
from sitecrawl.templates.learner import TemplateLearner

NOT_LINEAR = 1.25
SECONDS = 20.0
"""Maximum seconds of a run; after a longer one, larger pages are not tried."""
ENOUGH = 0.1
"""Seconds after which a measurement is not repeated."""
REPEATS = 5
SHORTEST = 1e-4
"""Minimum seconds of a measurement from which growth is computed."""
UNLIMITED = 10**9
SITE_PAGES = 3
VOCABULARY = 20_000
VARIANTS: dict[str, dict[str, object]] = {
    "fastce": {"preparation": "counted"},
    "sst": {"merged": False},
    "temex": {"equality": "siblings"},
    "webconex": {"equality": "labels"},
}
"""Options with which a method works differently, by method."""


def own(page: int, number: int) -> int:
    """Return the number of a text: odd numbers are shared by all pages, even ones are unique to the page."""
    return number if number % 2 else number + 10_000_000 * (page + 1)


def alike(number: int) -> str:
    """Return a sentence that differs from the others in one word."""
    return f"Ship {number} came in on the morning tide laden with timber"


def words(number: int) -> str:
    """Return twelve words, some frequent and some rare, as in a language."""
    choice = Random(number)
    return " ".join(f"w{int(VOCABULARY ** choice.random())}" for _ in range(12))


def siblings(size: int, page: int) -> str:
    """Return `size` paragraphs of twelve words."""
    return "".join(f"<p>{words(own(page, i))}</p>" for i in range(size))


def siblings_alike(size: int, page: int) -> str:
    """Return `size` paragraphs that differ in one word."""
    return "".join(f"<p>{alike(own(page, i))}</p>" for i in range(size))


def blocks(size: int, page: int) -> str:
    """Return records of seven elements each, `size` elements in all."""
    return "".join(
        f'<div class="item"><h2><a href="/{own(page, i)}">{words(own(page, i))}</a></h2>'
        f"<p>{words(own(page, -i))}, and <b>{words(i)}</b> by hand.</p>"
        f"<ul><li>Timber</li><li>{own(page, i)} tons</li></ul></div>"
        for i in range(size // 7)
    )


def depth(size: int, page: int) -> str:
    """Return `size` nested elements with a text each."""
    return "".join(f"<div>{words(own(page, i))}" for i in range(size))


def text(size: int, page: int) -> str:
    """Return 100 paragraphs of `size` times twelve words."""
    return "".join(f"<p>{' '.join(words(own(page, i + 100 * k)) for k in range(size))}</p>" for i in range(100))


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of pages that are made in several sizes."""

    name: str
    make: Callable[[int, int], str]
    """Returns the HTML of a page, given its size and its number."""
    sizes: tuple[int, ...]
    unit: str
    """The unit of a size."""


FLAT = (12_500, 25_000, 50_000, 100_000, 200_000)
SHAPES = (
    Shape("siblings", siblings, FLAT, "siblings, each with a text of 12 words"),
    Shape("blocks", blocks, FLAT[:3], "elements in records of a heading, a paragraph and a list"),
    Shape("depth", depth, (250, 500, 1000, 2000), "levels, a text on each (the parser itself stops at 2,048)"),
    Shape("text", text, (16, 32, 64, 128, 256), "times 1,200 words in 100 paragraphs"),
    Shape("alike", siblings_alike, (500, 1000, 2000, 4000, 8000), "siblings that differ in one word of eleven"),
)


def site(shape: Shape, size: int) -> tuple[Page, SiteContext]:
    """Return the first of `SITE_PAGES` pages, and its context once all are learned."""
    found = [
        Page.from_html(f"<body>{shape.make(size, k)}", f"https://example.org/{k}.html", max_nodes=UNLIMITED)
        for k in range(SITE_PAGES)
    ]
    learner = TemplateLearner(min_pages=1, learn_blocks=True)
    for page in found:
        learner.see(page)
    template, _ = learner.publish()
    context = SiteContext(template, learner.published_blocks, tuple(page.flat for page in found[1:]), learned=True)
    return found[0], context


def least(run: Callable[[], object]) -> float:
    """Return the minimum seconds of a few runs."""
    best, spent = math.inf, 0.0
    gc.collect()
    for _ in range(REPEATS):
        began = process_time()
        run()
        best = min(best, process_time() - began)
        spent += process_time() - began
        if spent >= ENOUGH:
            break
    return best


Runs = Iterator[tuple[str, Callable[[], object]]]


def runs(page: Page, context: SiteContext, methods: list[str]) -> Runs:
    """Yield (name, function) of each measurement."""
    yield "(columns of the page)", lambda: flatten(page.root)
    yield "(learning the page)", lambda: _learn(page)
    for name in methods:
        if not get_extractor(name).needs:
            yield f"`{name}`", partial(_extract, name, {}, page, None)
        yield f"`{name}`, site known", partial(_extract, name, {}, page, context)
        if name in VARIANTS:
            said = ", ".join(f"{key} {value}" for key, value in VARIANTS[name].items())
            yield f"`{name}`, {said}, site known", partial(_extract, name, VARIANTS[name], page, context)


def _extract(name: str, options: dict[str, object], page: Page, context: SiteContext | None) -> None:
    get_extractor(name, **options).extract(page, context)


def _learn(page: Page) -> None:
    learner = TemplateLearner(min_pages=1, learn_blocks=True)
    learner.see(page)
    learner.publish()


def measure(shape: Shape, sizes: tuple[int, ...], methods: list[str], log: Callable[[str], None]) -> dict[str, list]:
    """Return the seconds of each measurement by its name, one for each size; None where it was not tried."""
    found: dict[str, list] = {}
    for size in sizes:
        page, context = site(shape, size)
        for name, run in runs(page, context, methods):
            times = found.setdefault(name, [])
            if not times or (times[-1] is not None and times[-1] <= SECONDS):
                times.append(least(run))
                log(f"{shape.name} {size} {name}: {times[-1]}")
            else:
                times.append(None)
        del page, context
        gc.collect()
    return found


def growth(sizes: tuple[int, ...], times: list[float | None]) -> float | None:
    """Return the exponent between the first and the last measured size; None if only one was measured."""
    known = [(size, time) for size, time in zip(sizes, times, strict=True) if time and time > SHORTEST]
    if len(known) < 2:
        return None
    (first, short), (last, long) = known[0], known[-1]
    return math.log(long / short) / math.log(last / first)


def ratio(sizes: tuple[int, ...], times: list[float | None]) -> str:
    """Return how much longer the largest page took, and how much larger it is."""
    known = [(size, time) for size, time in zip(sizes, times, strict=True) if time and time > SHORTEST]
    if len(known) < 2:
        return ""
    return f"{known[-1][1] / known[0][1]:.3g} for {known[-1][0] / known[0][0]:.3g}"


def table(shape: Shape, sizes: tuple[int, ...], found: dict[str, list[float | None]]) -> list[str]:
    """Return the lines of a Markdown table: the seconds of each method by size."""
    lines = [
        f"Growing: {shape.unit}; seconds.",
        "",
        f"| {shape.name} | {' | '.join(f'{size:,}' for size in sizes)} | ratio | growth |",
        f"|---|{'---|' * (len(sizes) + 2)}",
    ]
    for name, times in found.items():
        exponent = growth(sizes, times)
        cells = ["" if time is None else f"{time:.3g}" for time in times]
        mark = "" if exponent is None else f"**{exponent:.2f}**" if exponent >= NOT_LINEAR else f"{exponent:.2f}"
        lines.append(f"| {name} | {' | '.join(cells)} | {ratio(sizes, times)} | {mark} |")
    return [*lines, ""]


def main() -> None:
    """Measure all shapes, and print a table of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="all", help="a,b or all")
    parser.add_argument("--shapes", default=",".join(shape.name for shape in SHAPES))
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the sizes")
    options = parser.parse_args()
    size_limits.check_size.__defaults__ = (UNLIMITED,)
    methods = extractor_names() if options.methods == "all" else options.methods.split(",")
    for shape in SHAPES:
        if shape.name in options.shapes.split(","):
            # each size once: a small scale rounds several of them to the minimum
            sizes = tuple(sorted({max(2, round(size * options.scale)) for size in shape.sizes}))
            found = measure(shape, sizes, methods, lambda line: print(line, file=sys.stderr))
            print("\n".join(table(shape, sizes, found)), flush=True)


if __name__ == "__main__":
    main()
