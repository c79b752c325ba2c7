"""The order of tests on several workers: those that take long begin first, so that no worker ends long after the others.

pytest-xdist gives each worker a block of equally many tests, and a worker that has none left takes some from the end of
another's block. So the long ones stand at the beginning of all blocks.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
LONG = {
    "tests/browser/": 160,  # together: each worker that has one of them starts a browser
    "tests/integration/test_rebinding.py": 90,
    "tests/integration/test_recrawl.py": 100,
    "tests/integration/test_worker.py": 70,
    "tests/integration/test_schedule.py": 70,
    "tests/unit/crawl/test_sandbox.py": 70,
    "tests/unit/crawl/test_after_commit.py": 65,
    "tests/integration/test_crawl.py": 60,
    "tests/integration/test_defences.py": 50,
    "tests/integration/test_drift.py": 50,
    "tests/integration/test_hosts.py": 50,
    "tests/integration/test_index.py": 50,
    "tests/unit/evaluation/test_workers.py": 45,
    "tests/integration/test_scope.py": 40,
    "tests/integration/test_feed_kills.py": 35,
    "tests/integration/test_volatile.py": 35,
    "tests/migrations/test_migrations.py": 35,
    "tests/unit/extractors/test_hostile.py": 30,
    "tests/papers/test_agreement.py": 30,
    "tests/integration/test_startup.py": 26,
    "tests/integration/test_make.py": 25,
    "tests/integration/test_export.py": 25,
    "tests/unit/dom/test_html.py": 25,
    "tests/unit/test_patterns.py": 25,
    "tests/integration/test_floors.py": 23,
    "tests/unit/links/test_sitemaps.py": 20,
    "tests/unit/links/test_feeds.py": 20,
    "tests/unit/links/test_traps.py": 20,
    "tests/unit/ui/test_postgresql.py": 16,
    "tests/integration/": 200,  # the other files
}
"""Slow tests, with their approximate seconds beside three other workers; a wrong number costs only time."""


def long_one(path: str) -> str | None:
    """Return the entry of `LONG` that a file belongs to: the longest that its path begins with."""
    return max((one for one in LONG if path.startswith(one)), key=len, default=None)


def spread(tests: Sequence[T], path_of: Callable[[T], str], workers: int) -> list[T]:
    """Return the tests in another order: all files of `LONG` at the beginning of some worker's block, each file whole."""
    groups: dict[str, list[T]] = {}
    rest = []
    for test in tests:
        path = path_of(test)
        name = long_one(path)
        if name is None:
            rest.append(test)
        else:  # files of a folder may go to several workers, but for those that share a browser
            groups.setdefault(path if name == "tests/integration/" else name, []).append(test)
    others = sum(long_one(name) == "tests/integration/" for name in groups)
    seconds = {name: LONG.get(name, LONG["tests/integration/"] / max(others, 1)) for name in groups}
    sizes = block_sizes(len(tests), workers)
    blocks: list[list[T]] = [[] for _ in sizes]
    spent = [0.0] * len(sizes)
    for name in sorted(groups, key=lambda name: (-seconds[name], name)):
        fitting = [n for n, size in enumerate(sizes) if len(blocks[n]) + len(groups[name]) <= size]
        if not fitting:
            rest += groups[name]
            continue
        least = min(fitting, key=lambda n: (spent[n], n))
        blocks[least] += groups[name]
        spent[least] += seconds[name]
    ordered, taken = [], 0
    for block, size in zip(blocks, sizes, strict=True):
        more = size - len(block)
        ordered += block + rest[taken : taken + more]
        taken += more
    return ordered


def block_sizes(count: int, workers: int) -> list[int]:
    """Return how many tests each worker is given first (`WorkStealingScheduling.check_schedule` of pytest-xdist)."""
    sizes = []
    for left in range(workers, 0, -1):
        sizes.append(count // left)
        count -= sizes[-1]
    return sizes
