"""Compares the package with the implementations in `reference` on recorded sites, and prints the agreement by method.

    python -m tests.papers.compare SITES --pages 100 --per-site 5

SITES is a folder of recorded sites, a page set or a golden folder. The pages are taken from sites at even distances by
name, at even distances in each; each is compared with the four that follow it. The exit status is 1 if one differs.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from sitecrawl.dom.page import Page
from sitecrawl.evaluation.gold import RECORDING, GoldSite, gold_sites

from .agreement import COMPARED, Case, Read

OTHERS = 4
"""Pages with which a page is compared: those of an n-SET."""


def spread(found: int, wanted: int) -> list[int]:
    """Return numbers below `found` at even distances, as many as are wanted or there are."""
    wanted = min(found, wanted)
    return [number * found // wanted for number in range(wanted)]


def cases(site: GoldSite, count: int) -> Iterator[Case]:
    """Yield some pages of a site, each with those that follow it."""
    for number in spread(len(site.pages), count):
        following = [*site.pages[number + 1 :], *site.pages[:number]][:OTHERS]
        page, *others = (Read(Page.from_html(gold.html, gold.url)) for gold in (site.pages[number], *following))
        yield Case(page, others)


def sites(gold: Path, count: int) -> list[GoldSite]:
    """Return some sites of a folder or a page set; of recorded sites only those are read."""
    recordings = sorted(gold.glob(f"*{RECORDING}"))
    if recordings:
        return [site for number in spread(len(recordings), count) for site in gold_sites(recordings[number])]
    found = list(gold_sites(gold))
    return [found[number] for number in spread(len(found), count)]


def main(arguments: Sequence[str]) -> int:
    """Compare, print a row for each method, and return 1 if there is a difference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path, metavar="SITES")
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--per-site", type=int, default=5)
    opts = parser.parse_args(arguments)
    chosen = sites(opts.gold, -(-opts.pages // opts.per_site))
    agreed: Counter[str] = Counter()
    different = defaultdict(list)
    done = 0
    for site in chosen:
        for case in cases(site, min(opts.per_site, opts.pages - done)):
            done += 1
            for name, compared in COMPARED.items():
                answers = compared(case)
                if answers.reference == answers.package:
                    agreed[name] += 1
                else:
                    different[name].append(case.page.url)
        print(f"{site.name}: {done} pages", file=sys.stderr, flush=True)
    print(f"{done} pages of {len(chosen)} sites")
    for name in COMPARED:
        print(f"{name:65} {agreed[name]:5} agree", *different[name][:5])
    return 1 if any(different.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
