"""Runs work in several processes, which share large inputs by fork, and prints the processor time that it took."""

import gc
import multiprocessing
import resource
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

JOBS: Final = 2
"""Number of processes that read, learn words, and extract."""
Result = TypeVar("Result")

_shared: list[Any] = []
"""The inputs of the running work."""
_functions: list[Callable[[Any], Any]] = []
"""The function of the running work."""


def in_processes(
    function: Callable[[Any], Result], inputs: Sequence[Any], chunk: int = 1
) -> Iterator[tuple[int, Result]]:
    """Yield (number of the input, result of the function) for each input, as soon as its result is known."""
    _shared[:], _functions[:] = inputs, [function]
    gc.freeze()
    with multiprocessing.get_context("fork").Pool(JOBS) as pool:
        yield from pool.imap_unordered(_run, range(len(inputs)), chunksize=chunk)
    gc.unfreeze()


def _run(number: int) -> tuple[int, Any]:
    return number, _functions[0](_shared[number])


def print_step(step: str) -> None:
    """Print a finished step, with the processor time and memory of all processes so far."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    minutes = sum(one.ru_utime + one.ru_stime for one in used) / 60
    print(f"{step}: {minutes:.1f} min of the processor, {used[0].ru_maxrss / 2**20:.1f} GiB", flush=True)
