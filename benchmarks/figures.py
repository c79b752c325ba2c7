"""Computes every figure of docs/evaluation.md and docs/papers.md: `python benchmarks/figures.py SITES [NAME]`.

Prints each command and its output. SITES is a folder of recorded sites, a page set or a golden folder. Without a name
all figures are computed, which takes hours. `--list` prints the commands. Arguments after `--` are added to each:
`python benchmarks/figures.py SITES comparisons -- --jobs 4 --sites a,b`.
"""

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from sitecrawl.commandline import run
from sitecrawl.evaluation.peers import PREFIX, available_peers

EQUALITIES = (
    "tag+children+position",
    "tag+children",
    "labels+children",
    "tag+attributes+children",
    "labels+children+position",
    "tag+attributes+children+position",
    "tag+position",
    "siblings+texts",
    "siblings",
    "tag+attributes",
    "labels",
    "tag",
)
"""The equalities of nodes that are compared."""
SAMPLED = "webconex,temex,iwptd,rbm-td,rtdm-td,sst"
"""The six methods of Web-ConEx, Table 3."""


def options(method: str, name: str, values: Sequence[object]) -> str:
    """Return the arguments for a row of the table for each value of an option."""
    return " ".join(f"-o {method}.{name}={value}" for value in values)


_EQUALITY = f"--methods webconex --limit 6 --metrics word {options('webconex', 'equality', EQUALITIES)}"
_ONE_TO_ONE = (
    f"{options('webconex', 'one_to_one', (False, True))} --against 'webconex equality=labels one_to_one=False'"
)
_DENSITY = "--methods density,accb,everything --limit 6"
FIGURES: dict[str, str] = {
    "recorded": "--methods all --peers --learn 0,5,all --limit 6",
    "recorded-nodes": "--methods all --learn all --limit 6 --measure node",
    "page-sets": "--methods all --peers --learn 0,all --metrics word",
    "comparisons": "--methods combined,shingles,mdr,everything,peer:justext,peer:justext-site --limit 6",
    "records": "--methods mdr,combined,cnr,everything --limit 6",
    "equality": f"--fold 2/2 {_EQUALITY} {_ONE_TO_ONE}",
    "equality-chosen": f"--fold 1/2 {_EQUALITY} {_ONE_TO_ONE}",
    "equality-branch": f"--fold 2/2 {_EQUALITY} -o webconex.branch=False",
    "equality-temex": f"--fold 1/2 --methods temex --limit 6 --metrics word {options('temex', 'equality', EQUALITIES)}",
    "selection": "--fold 2/2 --methods webconex,temex --limit 6 --against 'webconex selection=n-set' "
    + options("webconex", "selection", ("n-set", "random"))
    + " "
    + options("temex", "selection", ("n-set", "random", "subdigraph")),
    "sizes": f"--fold 2/2 --methods webconex --limit 6 {options('webconex', 'size', range(2, 9))}"
    " --against 'webconex size=4'",
    "fastce": "--methods contentextractor,fastce --limit 6 --learn 5,all --measure block --evidence noise,blocks"
    " -o fastce.preparation=published -o fastce.preparation=counted --against contentextractor",
    "fastce-alone": "--methods fastce --limit 6 --learn 5 --measure block -o fastce.with_page=True"
    " -o fastce.with_page=False",
    "fastce-random": "--methods fastce --limit 6 --learn 5 --learn-order random --measure block"
    " -o fastce.with_page=True -o fastce.with_page=False",
    "fastce-five": "--methods fastce --limit 6 --measure block -o fastce.size=5 -o fastce.with_page=True"
    " -o fastce.with_page=False",
    "density": f"{_DENSITY} --measure lcs",
    "density-strings": f"{_DENSITY} --measure lcstring",
    "density-reach": f"--methods density,accb --limit 6 {options('density', 'reach', (4, 8, 16, 64))}",
    "cnr-nodes": "--methods cnr,cetr --limit 6 --measure node",
    "cnr-words": "--methods cnr --limit 6 -o cnr.universe=columns -o cnr.universe=paper",
    "cnr-levels": f"--methods cnr --limit 6 --measure node {options('cnr', 'levels', (-1, 0, 1))}",
    "sampled": f"--methods {SAMPLED} --limit 6 --against webconex",
    "sampled-nodes": f"--methods {SAMPLED} --limit 6 --measure node --against webconex",
    "crunch": "--methods crunch --limit 6",
}
"""Arguments of `sitecrawl evaluate SITES` by the name of the figure in the docs."""


def command(name: str, gold: str, more: Sequence[str] = ()) -> list[str]:
    """Return the command line of a figure, without libraries that are not installed here."""
    arguments = shlex.split(FIGURES[name])
    at = arguments.index("--methods") + 1
    known = {PREFIX + one for one in available_peers()}
    methods = arguments[at].split(",")
    arguments[at] = ",".join(one for one in methods if not one.startswith(PREFIX) or one in known)
    return ["evaluate", gold, *arguments, *more]


def main(arguments: Sequence[str]) -> int:
    """Compute the named figures; return 1 if a command failed."""
    given, _, more = shlex.join(arguments).partition(" -- ")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gold", metavar="SITES", nargs="?", default="SITES")
    parser.add_argument("names", metavar="NAME", nargs="*")
    parser.add_argument("--list", action="store_true", help="print the commands and run none")
    opts = parser.parse_args(shlex.split(given))
    unknown = [name for name in opts.names if name not in FIGURES]
    if unknown:
        parser.error(f"no figure {unknown[0]!r}; there are {', '.join(FIGURES)}")
    os.environ["SCRAPY_SETTINGS_MODULE"] = "sitecrawl.settings"
    failed = 0
    for name in opts.names or FIGURES:
        line = command(name, opts.gold, shlex.split(more))
        print(f"\n{name}: sitecrawl {shlex.join(line)}\n", flush=True)
        if not opts.list:
            failed |= run(line) != 0
    return failed


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    sys.exit(main(sys.argv[1:]))
