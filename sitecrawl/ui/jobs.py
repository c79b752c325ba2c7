"""Jobs that the UI runs in separate processes, so that views stay fast, with their progress."""

import datetime as dt
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Final

from sitecrawl.clock import now
from sitecrawl.config import PREFIX, Config
from sitecrawl.errors import SiteLeasedError

PROCESS: Final = (sys.executable, "-m", "sitecrawl.ui.reextracting")
KEPT: Final = 200
"""Maximum number of ended jobs that are remembered."""


@dataclass(slots=True)
class Job:
    """A job that extracts the stored pages of a site again."""

    host: str
    pages: int = 0
    of: int = 0
    changed: int = 0
    failed: int = 0
    error: str = ""
    ended: bool = False
    ended_at: dt.datetime | None = None
    digest: str = ""
    """Fingerprint of the corrections that it applies."""
    again: bool = False
    """Whether it runs once more when it ends, since a correction was made meanwhile."""
    follower: threading.Thread | None = field(default=None, repr=False)
    """The thread that reads the output of the process."""

    def take(self, message: Mapping[str, object]) -> None:
        """Update the figures from one message of the process."""
        for name in ("pages", "of", "changed", "failed"):
            value = message.get(name)
            if isinstance(value, int):
                setattr(self, name, value)
        error = message.get("error")
        if isinstance(error, str):
            self.error = error


class Jobs:
    """The jobs of one run of the UI, at most one per site."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def of(self, host: str) -> Job | None:
        """Return the last job of a site; None if there is none."""
        return self._jobs.get(host)

    def extract_again(
        self, config: Config, host: str, *, corrected: bool = False, digest: Callable[[], str] = str
    ) -> Job:
        """Start a job that extracts the stored pages of a site again, and return it.

        `digest` returns the fingerprint of the site's corrections. If a job of the site is already running, the site is
        extracted once more afterwards if it was `corrected`; otherwise SiteLeasedError is raised.
        """
        with self._lock:
            running = self._jobs.get(host)
            if running is not None and not running.ended:
                if not corrected:
                    raise SiteLeasedError(f"{host}: its pages are being extracted again; wait until that has ended")
                running.again = True
                return running
            job = Job(host)
            given = {"host": host, "settings": as_settings(config)}
            job.follower = threading.Thread(target=self._follow, args=(job, given, digest), daemon=True)
            self._jobs.pop(host, None)
            self._jobs[host] = job
            for old in [name for name, one in self._jobs.items() if one.ended][:-KEPT]:
                del self._jobs[old]
        job.follower.start()
        return job

    def wait(self, host: str) -> Job | None:
        """Wait until the job of a site has ended; return it, or None if there is none."""
        job = self.of(host)
        if job is not None and job.follower is not None:
            job.follower.join()
        return job

    def _follow(self, job: Job, given: Mapping[str, object], digest: Callable[[], str]) -> None:
        """Run a job, repeatedly if corrections are made meanwhile, until it ends."""
        while True:
            job.digest = digest()
            _run(job, given)
            with self._lock:
                if not job.again:
                    job.ended_at, job.ended = now(), True
                    return
                job.again, job.error = False, ""
                job.pages = job.of = job.changed = job.failed = 0


def as_settings(config: Config) -> dict[str, object]:
    """Return a configuration as settings by name, in JSON types."""
    values = {one.name: getattr(config, one.name) for one in fields(config)}
    return {
        PREFIX + name.upper(): list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value is not None
    }


def _run(job: Job, given: Mapping[str, object]) -> None:
    """Start the process of a job, and process its messages until it ends."""
    try:
        process = subprocess.Popen(PROCESS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603  (own)
        assert process.stdin is not None and process.stdout is not None
        with process.stdin as to:
            json.dump(given, to)
        for line in process.stdout:
            job.take(json.loads(line))
        if process.wait() and not job.error:
            job.error = f"the process ended with status {process.returncode}; the terminal says more"
    except Exception as error:  # noqa: BLE001 - whatever it is, the job has ended, and its page says why
        job.error = f"the process cannot be followed: {error}"
