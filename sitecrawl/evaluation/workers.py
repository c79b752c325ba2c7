"""Worker processes, each of which evaluates one site at a time.

If a method does not return from a page, because it runs C code or catches the time limit's exception, its process is
killed. Another process continues after that page, so that each page is computed once and the other results stay the
same.
"""

import pickle
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, Final

from sitecrawl.errors import EvaluationError
from sitecrawl.evaluation.gold import GoldSite
from sitecrawl.evaluation.limits import PageTimeoutError
from sitecrawl.evaluation.results import PageScore
from sitecrawl.evaluation.runner import Plan, Restart, site_scores

GRACE: Final = 5.0
"""Seconds after a page's time limit until its process is killed."""
LOOK: Final = 0.25
"""Seconds between checks of the clock."""
BURIAL: Final = 30.0
"""Maximum seconds to wait for a process to exit after its connection closed, which is slow on a busy machine."""
TRIES: Final = 2
"""Number of processes that may end outside any page before a site is left out."""


@dataclass(slots=True)
class Task:
    """A site to evaluate, with its progress."""

    number: int
    site: GoldSite
    scores: list[PageScore] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    restart: Restart = field(default_factory=Restart)
    ended: int = 0
    """Number of processes that ended outside any page."""
    suspect: int = -1
    """Number of the score at which a process died; it is tried once more, since the cause may lie elsewhere."""

    @property
    def lost(self) -> bool:
        """Whether the site was left out."""
        return self.ended >= TRIES


@dataclass(frozen=True, slots=True)
class _Ready:
    """The message of a process that it is ready for its first site."""


@dataclass(frozen=True, slots=True)
class _Finished:
    problems: list[str]


@dataclass(frozen=True, slots=True)
class _Raised:
    error: Exception


class _Worker:
    """The parent's end of one process."""

    def __init__(self, plan: Plan) -> None:
        context = get_context("forkserver")  # imports everything once, and never forks a process with threads
        context.set_forkserver_preload([__name__])
        self.connection, theirs = context.Pipe()
        self.began: Any = context.RawValue("d", 0.0)
        self.process = context.Process(target=_serve, args=(theirs, self.began, plan))
        self.process.start()
        theirs.close()
        self.ready = False
        self.task: Task | None = None

    def end(self) -> list[object]:
        """Kill the process; return its unread messages."""
        self.process.kill()
        self.process.join()
        messages = []
        with suppress(EOFError, OSError):  # the last message may be incomplete
            while self.connection.poll():
                messages.append(self.connection.recv())
        self.connection.close()
        return messages

    def start(self) -> None:
        """Send the site, if there is one, to the process if it is ready."""
        if self.ready and self.task is not None:
            with suppress(OSError):  # if the process has ended, that is noticed when its messages are read
                self.connection.send((self.task.site, self.task.restart))


class Crew:
    """A group of up to `jobs` processes, started on demand."""

    def __init__(self, plan: Plan, jobs: int, *, grace: float = GRACE) -> None:
        self._plan = plan
        self._jobs = jobs
        self._longest = plan.seconds + grace
        self._workers: list[_Worker] = []

    @property
    def busy(self) -> int:
        """Number of processes that have a site."""
        return sum(worker.task is not None for worker in self._workers)

    @property
    def full(self) -> bool:
        """Whether all processes have a site."""
        return self.busy >= self._jobs

    def give(self, task: Task) -> None:
        """Assign a site; the crew must not be full."""
        for worker in self._workers:
            if worker.task is None:
                break
        else:
            worker = _Worker(self._plan)
            self._workers.append(worker)
        worker.task = task
        worker.start()

    def finished(self) -> list[Task]:
        """Wait until at least one site is finished; return the tasks of the finished sites.

        Raises the exception of a site's evaluation, and EvaluationError if processes cannot be started.
        """
        done: list[Task] = []
        while not done and self.busy:
            working = [worker for worker in self._workers if worker.task is not None]
            heard = wait([end for worker in working for end in (worker.connection, worker.process.sentinel)], LOOK)
            for worker in working:
                began = worker.began.value
                if worker.connection in heard or worker.process.sentinel in heard:
                    done += self._listen(worker)
                elif began and monotonic() - began > self._longest:
                    done += self._end(worker, began)
        return done

    def close(self) -> None:
        """Kill all processes."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def _listen(self, worker: _Worker) -> list[Task]:
        gone, waited = not worker.process.is_alive(), worker.ready
        try:
            while worker.connection.poll():
                task = _take(worker, worker.connection.recv())
                if task is not None:
                    return [task]
        except (EOFError, OSError):
            gone = True
        if gone:
            return self._end(worker)
        if worker.ready and not waited:
            worker.start()
        return []

    def _end(self, worker: _Worker, began: float = 0.0) -> list[Task]:
        """Kill a process or clean up after one that died, continue in another; return tasks that finished meanwhile.

        With `began`, the page that began then took too long. If it has finished meanwhile, no page is blamed.
        """
        if not began:
            worker.process.join(BURIAL)  # the connection may close before the process ends
        messages = worker.end()
        self._workers.remove(worker)
        task = worker.task
        for message in messages:
            if _take(worker, message) is not None or worker.task is None:
                return [task] if task is not None else []
        if task is None:
            return []
        if not worker.ready:
            raise EvaluationError(f"a process for the evaluation cannot be started: it {_how(worker)}")
        now = worker.began.value
        if began:
            error = f"{PageTimeoutError.__name__}: over {self._plan.seconds:g} s, its process was ended"
            error = error if now == began else ""
        elif now and task.suspect == len(task.scores):
            error = f"{EvaluationError.__name__}: its process {_how(worker)}, twice"
        elif now:
            error, task.suspect = "", len(task.scores)
        else:
            error, task.ended = "", task.ended + 1
        if task.lost:
            where = f"{task.site.collection}, {task.site.name}"
            task.problems = [f"{where}: left out, its process {_how(worker)}, for the second time."]
            task.scores = []
            return [task]
        task.restart = Restart(len(task.scores), error, monotonic() - now if error else 0.0)
        self.give(task)
        return []


def _take(worker: _Worker, message: object) -> Task | None:
    """Handle a message of a process; return the task if its site is finished."""
    task = worker.task
    if isinstance(message, _Raised):
        raise message.error
    if isinstance(message, _Ready):
        worker.ready = True
    elif task is not None and isinstance(message, PageScore):
        task.scores.append(message)
    elif task is not None and isinstance(message, _Finished):
        task.problems = message.problems
        worker.task = None
        return task
    return None


def _how(worker: _Worker) -> str:
    status = worker.process.exitcode or 0
    return f"ended with status {status}" if status >= 0 else f"was ended by signal {-status}"


# --- in the worker process ---


def _serve(connection: "Connection[Any, Any]", began: Any, plan: Plan) -> None:
    """Evaluate the received sites until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted too, and ends its processes
    running = partial(setattr, began, "value")
    try:
        connection.send(_Ready())
        while True:
            site, restart = connection.recv()
            connection.send(_evaluated(site, plan, restart, running, connection.send))
    except (EOFError, OSError):  # the parent is gone
        return


def _evaluated(
    site: GoldSite,
    plan: Plan,
    restart: Restart,
    running: Callable[[float], None],
    send: Callable[[PageScore], None],
) -> _Finished | _Raised:
    problems: list[str] = []
    try:
        for score in site_scores(site, plan, problems, restart, running):
            send(score)
    except Exception as error:  # noqa: BLE001  (raised again in the parent)
        error.add_note(traceback.format_exc())
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301
        except Exception:  # noqa: BLE001  (pickling may raise anything)
            error = RuntimeError("".join(traceback.format_exception(error)))
        return _Raised(error)
    return _Finished(problems)
