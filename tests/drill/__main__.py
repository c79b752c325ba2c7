"""Runs the cases and prints the table: `make drill`, `make drill ONLY=OP-12`, `make drill SOAK=1`."""

import argparse
import random
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

import tests.drill.databases
import tests.drill.feeds
import tests.drill.interface
import tests.drill.kills
import tests.drill.machines
import tests.drill.many
import tests.drill.network
import tests.drill.recrawls
import tests.drill.stops
import tests.drill.surroundings
import tests.drill.workers  # noqa: F401
from tests.drill.cases import CASES, ELSEWHERE, Failure, NotPossible, Room

PASSED, FAILED, SKIPPED = "passed", "FAILED", "not possible here"


def main(arguments=None):
    """Play; return 1 when a case failed."""
    parser = argparse.ArgumentParser(prog="make drill", description=__doc__)
    parser.add_argument("--only", default="", help="cases to play: names or their beginnings, comma-separated")
    parser.add_argument("--soak", action="store_true", help="play the long ones too")
    parser.add_argument("--seed", type=int, default=20260, help="of the random moments")
    parser.add_argument("--keep", type=Path, help="a folder that keeps logs and databases")
    parser.add_argument("--recorded", type=Path, help="a folder of recorded sites, which OP-54-recorded crawls")
    given = parser.parse_args(arguments)
    wanted = [name for name in given.only.split(",") if name]
    chosen = [case for _, case in sorted(CASES.items()) if _chosen(case, wanted, given.soak)]
    if not chosen:
        sys.stderr.write(f"drill: there is no case {given.only}; there are {', '.join(CASES)}\n")
        return 2
    base = given.keep or Path(tempfile.mkdtemp(prefix="sitecrawl-drill-"))
    lines = []
    for case in chosen:
        print(f"{case.name}: {case.done} ...", flush=True)
        folder = base / case.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        began = time.monotonic()
        outcome, figures = play(case, Room(folder, random.Random(f"{given.seed} {case.name}"), given.recorded))
        seconds = time.monotonic() - began
        print(f"    {outcome}: {figures} ({seconds:.1f} s)", flush=True)
        lines.append((case.name, case.done, case.expected, outcome, figures, f"{seconds:.1f}"))
    if given.keep is None:
        shutil.rmtree(base, ignore_errors=True)
    print(table(lines, [] if wanted else sorted(ELSEWHERE.items())))
    return int(any(line[3] == FAILED for line in lines))


def play(case, room):
    """Return (outcome, figures) of a case."""
    try:
        return PASSED, case.play(room)
    except NotPossible as reason:
        return SKIPPED, str(reason)
    except Failure as failure:
        return FAILED, str(failure)
    except Exception as error:  # a fault of the case is a failed case
        traceback.print_exc()
        return FAILED, f"{type(error).__name__}: {error}"


def _chosen(case, wanted, soak):
    if wanted:
        return any(case.name == name or case.name.startswith(f"{name}-") for name in wanted)
    return soak or not case.long


def table(lines, elsewhere):
    """Return the table, as Markdown."""
    head = ("case", "what is done", "expected", "outcome", "figures", "seconds")
    rows = [*lines, *((name, why, "", "does not apply", "", "") for name, why in elsewhere)]
    cells = [[str(cell).replace("|", "/").replace("\n", " ") for cell in row] for row in [head, ["---"] * 6, *rows]]
    played = [line[3] for line in lines]
    sums = f"{played.count(PASSED)} passed, {played.count(FAILED)} failed, {played.count(SKIPPED)} not possible here"
    return "\n" + "\n".join(f"| {' | '.join(row)} |" for row in cells) + f"\n\n{sums}"


if __name__ == "__main__":
    sys.exit(main())
