"""Starts processes for scripts as the fleet starts its own."""

import asyncio
import sys

from sitecrawl.fleet.launcher import Spawning, lines


def run_script():
    """The main function of a forked process, with the arguments that Python would get."""
    exec(compile(sys.argv[2], "script", "exec"), {"__name__": "__main__"})


def run(starting, *scripts, parallel=2):
    """Run scripts, several at once; return their statuses in order, and their lines on stderr."""
    return asyncio.run(_run(starting, scripts, parallel))


async def _run(starting, scripts, parallel):
    starter, free = starting(), asyncio.Semaphore(parallel)

    async def one(script):
        async with free:
            child = await starter.start(["-c", script], piped=True)
            said = [line async for line in lines(child.stderr)]
            return await child.wait(), said

    try:
        ended = await asyncio.gather(*map(one, scripts))
    finally:
        await starter.close()
    return [status for status, _ in ended], [said for _, said in ended]


def spawning():
    return Spawning(sys.executable)
