"""Runs the cases in a network namespace of their own, as root or in a user namespace."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TIMEOUT = 1800


class NoNamespace(Exception):
    """This machine lets nobody make a network namespace."""


def prefix():
    """Return the command that runs another one in namespaces of its own. Raises NoNamespace."""
    tried = []
    for more in ([], ["--user", "--map-root-user"]):
        command = ["unshare", *more, "--net", "--mount", "--propagation", "private"]
        try:
            done = subprocess.run([*command, "ip", "link", "set", "lo", "up"], capture_output=True, text=True)
        except FileNotFoundError as error:
            tried.append(str(error))
            continue
        if done.returncode == 0:
            return command
        tried.append(done.stderr.strip())
    raise NoNamespace(
        "no network namespace can be made here, so nobody knows whether names that change are refused: run as root, or"
        f" where `unshare --user --map-root-user --net --mount` works, with iproute2 installed ({'; '.join(tried)})"
    )


def play(folder, crawls=0):
    """Play the cases; return {"plays": n, "crawls": n, "wrong": {case: [...]}}. Raises NoNamespace."""
    command = [*prefix(), sys.executable, "-m", "tests.rebinding", str(folder)]
    paths = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        [*command, "--crawls", str(crawls)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])
