"""Runs JavaScript libraries that extract main content, by `benchmarks/peers/answer.js` in Node.

Node processes one page at a time, over pipes, until its input is closed. npm installs the modules beside the script in
a checkout; a wheel contains neither. No part of a crawl needs them.
"""

import json
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from shutil import which
from typing import Final

from sitecrawl.errors import ExtractorError

FOLDER: Final = Path(__file__).parents[2] / "benchmarks" / "peers"
"""The folder of the script and its `node_modules`."""


def node_missing(package: str) -> str:
    """Return the missing requirement of a JavaScript library with its remedy; "" if nothing is missing."""
    if which("node") is None:
        return "Node is not installed (version 20 or newer)"
    if node_version(package) and node_version("linkedom"):
        return ""
    if not (FOLDER / "package.json").is_file():
        return f"{package} is run from a checkout of the project only"
    return f"{package} is not installed (npm ci --prefix {FOLDER})"


def node_version(package: str) -> str:
    """Return the installed version of a Node module; empty if it is not installed."""
    try:
        found: str = json.loads((FOLDER / "node_modules" / package / "package.json").read_text("utf-8"))["version"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return found


class NodeProcess:
    """A process that returns a JSON line for each JSON line; it is started at the first request."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None

    def html(self, peer: str, html: str, url: str) -> str:
        """Return the HTML of the main content of a page as a peer extracts it.

        Raises ExtractorError if the library raises an exception, and if the process ends or returns no JSON. After an
        interruption the process is ended, since its answer may be half read; the next page starts another one.
        """
        question = json.dumps({"peer": peer, "html": html, "url": url})  # ASCII, so that Node sees the same line ends
        try:
            process = self._running()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(question.encode("ascii") + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
        except (OSError, ValueError) as error:
            self.end()
            raise ExtractorError(f"the process of the peer {peer!r} did not answer: {error}") from error
        except BaseException:
            self.end()
            raise
        if not isinstance(answer, dict) or not isinstance(answer.get("html"), str):
            reason = answer.get("error") if isinstance(answer, dict) else answer
            raise ExtractorError(f"the peer {peer!r} failed: {reason}")
        return str(answer["html"])

    def end(self) -> None:
        """End the process, if it is running."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # flushing unwritten input may fail
                    assert pipe is not None
                    pipe.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603  (our own script)
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        return self._process


@cache
def node_process() -> NodeProcess:
    """Return the Node process that all JavaScript peers of this process share. It ends when this process ends."""
    return NodeProcess([which("node") or "node", str(FOLDER / "answer.js")])
