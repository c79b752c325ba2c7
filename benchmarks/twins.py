"""Measures the share of a crawl's CPU time that each compiled twin saves. Twins that save less than 5 % are removed.

    python benchmarks/twins.py [--rounds 2] URL...

Each URL is a website that is served on this machine. A first crawl gives the CPU seconds. In a second crawl every other
call of each function runs its Python reference; a third crawl exchanges the calls. So both versions get the same
arguments in the same process, and other work of the machine makes little difference. The start of the crawl does not
count. Prints the table of docs/performance.md.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

MODULES = (
    "sitecrawl.crawl.digest",
    "sitecrawl.dom.flattening",
    "sitecrawl.extractors.combined.block_classifier",
    "sitecrawl.templates.trie",
)
"""Modules with functions that have a twin; they import the other such modules."""
REPORT = "twins.json"
NANO = 1e-9


def alternating(
    compiled: Callable[..., Any], reference: Callable[..., Any], odd: int, spent: list[float]
) -> Callable[..., Any]:
    """Return a function that runs both versions alternately; `spent` gets the seconds of (compiled, reference)."""
    calls = 0

    def run(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        which = (calls + odd) % 2
        started = time.thread_time_ns()
        try:
            return (compiled, reference)[which](*args, **kwargs)
        finally:
            spent[which] += (time.thread_time_ns() - started) * NANO

    return run


def crawl(odd: int | None, arguments: list[str]) -> int:
    """Run a command of sitecrawl in this process, with alternating calls if `odd` is a number; write `REPORT`."""
    os.environ["SCRAPY_SETTINGS_MODULE"] = "sitecrawl.settings"
    from sitecrawl import commandline, twins  # noqa: PLC0415  (it reads the settings)

    for name in MODULES:
        import_module(name)
    spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for twin in twins.registered().values():
        if twin.compiled is None:
            raise SystemExit(f"{twin.name} has no twin: {twin.problem}")
        if odd is not None:
            twin.runs = alternating(twin.compiled, twin.reference, odd, spent[twin.module])
    twins.choose = lambda extension="auto": True  # else it would choose the twins again
    before = resource.getrusage(resource.RUSAGE_SELF)
    status = commandline.run(arguments)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(one.ru_utime + one.ru_stime for one in used) - before.ru_utime - before.ru_stime
    Path(REPORT).write_text(json.dumps({"cpu": cpu, "spent": spent}))
    return status


def measured(url: str, odd: int | None) -> dict:
    """Return the report of a crawl in a separate process."""
    with tempfile.TemporaryDirectory(prefix="sitecrawl-twins-") as folder:
        command = [sys.executable, str(Path(__file__).resolve()), "--child", "plain" if odd is None else str(odd)]
        command += ["crawl", "site", "-a", f"url={url}", "-O", "rows.jsonl", "-s", "LOG_LEVEL=ERROR"]
        done = subprocess.run(
            [*command, "-s", "SITECRAWL_PROGRESS=off"], cwd=folder, capture_output=True, text=True, check=False
        )
        if not (report := Path(folder, REPORT)).exists():
            raise SystemExit(f"the crawl of {url} failed:\n{done.stderr[-3000:]}")
        return json.loads(report.read_text())


def shares(url: str, rounds: int) -> dict[str, float]:
    """Return the share of a crawl's CPU time that each compiled module saves."""
    cpu, spent = [], defaultdict(lambda: [0.0, 0.0])
    for _ in range(rounds):
        cpu.append(measured(url, None)["cpu"])
        for odd in (0, 1):
            for module, seconds in measured(url, odd)["spent"].items():
                spent[module] = [one + more / rounds for one, more in zip(spent[module], seconds, strict=True)]
    least = min(cpu)
    return {module: (slow - fast) / (least + slow - fast) for module, (fast, slow) in spent.items()}


def lines(module: str) -> int:
    """Return the number of lines of a compiled module and of the modules that it is compiled with."""
    folder, _, name = module.rpartition(".")
    sources = [Path(__file__).parents[1] / folder.replace(".", "/") / f"{name}.pyx"]
    used = re.findall(r"^from sitecrawl\.[\w.]+\.(\w+) cimport", sources[0].read_text("utf-8"), re.MULTILINE)
    sources += [path for one in used if (path := sources[0].with_name(f"{one}.pyx")).exists()]
    return sum(len(path.read_text("utf-8").splitlines()) for path in sources)


def main() -> int:
    """Measure all twins, and print the table."""
    if sys.argv[1:2] == ["--child"]:
        return crawl(None if sys.argv[2] == "plain" else int(sys.argv[2]), sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urls", nargs="+", metavar="URL")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    found = [shares(url, options.rounds) for url in options.urls]
    print("| twin | lines |", " | ".join(options.urls), "| mean |\n|" + "---|" * (len(found) + 3))
    for module in found[0]:
        saved = [one[module] for one in found]
        cells = [module, str(lines(module)), *(f"{100 * one:.1f} %" for one in (*saved, sum(saved) / len(saved)))]
        print(f"| {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
