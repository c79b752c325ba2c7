"""Wakes the idle processes of a fleet (`worker --queue`) by jobs of procrastinate on PostgreSQL.

Leases alone decide which process crawls a site; the queue only wakes processes. A clock calls `dispatch` every few
seconds, which defers one job for each site that is due and free. The process that receives a job takes the most overdue
site, with the same statement as without a queue, and the job is finished. So a lost, repeated, stuck or late job only
changes the time of this check, which processes make every `LOOK` seconds anyway.

Two features of procrastinate are left unused. Its `lock` keeps a site from ever being fetched again, if a worker dies
while a second job waits (procrastinate#1446, #1518, #1543, #1599). Its retries are not needed: jobs of dead workers
are deleted, and the next dispatch defers what is due. `queueing_lock` keeps the jobs of one site from piling up.
"""

import asyncio
import importlib.metadata
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.errors import ConfigError, StorageError
from sitecrawl.storage.db.address import SETTING, parse_address, place, sqlite_path

if TYPE_CHECKING:
    import psycopg
    from procrastinate import App

logger = logging.getLogger(__name__)

QUEUE: Final = "sitecrawl"
WAKE: Final = "sitecrawl:wake"
DISPATCH: Final = "sitecrawl:dispatch"
TICK: Final = "* * * * * */5"
"""When sites are dispatched: every 5 seconds. procrastinate takes seconds as the sixth field."""
LOOK: Final = 60.0
"""Seconds between two checks of an idle process that receives no wake-up."""
BATCH: Final = 500
"""Maximum number of sites of one dispatch."""
HEARTBEAT: Final = 20.0
STALLED: Final = 90.0
"""Seconds after the last heartbeat of a process until its jobs are deleted."""
GRACE: Final = 1.0
"""Seconds in which a wake-up must finish when its process ends."""
FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 30.0
"""Minimum and maximum seconds until the next attempt to connect to the queue; the pause doubles each time."""
MAKING: Final = 7_405_118_620_331
"""Key of the advisory lock that keeps two workers from creating the tables at once."""


def queue_schema() -> str:
    """Return the PostgreSQL schema of the queue's tables, one for each version of procrastinate.

    Jobs contain no data worth keeping, so tables are never migrated.
    """
    return f"sitecrawl_queue_{importlib.metadata.version('procrastinate').replace('.', '_')}"


def make_queue(url: str) -> None:
    """Create the tables of the queue if they are missing.

    Raises ConfigError without PostgreSQL or procrastinate, and StorageError if the tables cannot be created.
    """
    conninfo, name = _conninfo(url), place(parse_address(url))
    import psycopg  # noqa: PLC0415  (an optional dependency)
    from procrastinate.schema import SchemaManager  # noqa: PLC0415  (an optional dependency)

    schema = queue_schema()
    try:
        with psycopg.connect(conninfo) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [MAKING])
            found = connection.execute("SELECT to_regclass(%s)", [f"{schema}.procrastinate_jobs"]).fetchone()
            if found is None or found[0] is None:
                connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"'.encode())
                connection.execute(f'SET LOCAL search_path TO "{schema}"'.encode())
                connection.execute(SchemaManager.get_schema())
    except psycopg.errors.InsufficientPrivilege as error:
        raise StorageError(
            f"{name}: the tables of the queue cannot be created ({str(error).strip()}); start sitecrawl worker --queue"
            " once as a user who may, or GRANT CREATE ON DATABASE to this one"
        ) from error
    except psycopg.Error as error:
        raise StorageError(f"{name}: the tables of the queue cannot be created ({str(error).strip()})") from error


def _conninfo(url: str) -> str:
    """Return a database URL in the form that libpq reads. Raises ConfigError without PostgreSQL or procrastinate."""
    address = parse_address(url)
    if sqlite_path(address) is not None:
        raise ConfigError(f"worker --queue needs PostgreSQL, and {SETTING} names a SQLite file; leave --queue out")
    try:
        import procrastinate  # noqa: F401, PLC0415  (an optional dependency)
    except ImportError:
        raise ConfigError("procrastinate: not installed; run: pip install 'sitecrawl[queue]'") from None
    return address.set(drivername="postgresql").render_as_string(hide_password=False)


class WakeUps:
    """The wake-ups of one process."""

    def __init__(
        self,
        url: str,
        due: Callable[[int], Awaitable[Sequence[int]]],
        wake: Callable[[], Awaitable[None]],
        connected: Callable[[bool], None],
        *,
        clock: bool,
    ) -> None:
        """`due` returns at most a given number of sites that are due and free; `wake` checks for such a site.

        `connected` is called when PostgreSQL begins to notify this process of jobs, and when it no longer does. The
        process must then check for a due site, since a job may have arrived just before. With `clock`, this process
        dispatches.
        Raises ConfigError without PostgreSQL or procrastinate.
        """
        self._due, self._wake, self._connected = due, wake, connected
        self.app = _app(_conninfo(url), self.dispatch, wake, lambda: connected(True), clock=clock)

    async def run(self) -> None:
        """Wait for wake-ups until cancelled. A lost connection to the queue is opened again."""
        pause = FIRST_PAUSE
        while True:
            begun = asyncio.get_running_loop().time()
            why = await self._session()
            if asyncio.get_running_loop().time() - begun > LONGEST_PAUSE:
                pause = FIRST_PAUSE
            logger.warning("no wake-ups: %s; trying again in %.0f s, and looking for due sites meanwhile", why, pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _session(self) -> str:
        """Process wake-ups until the connection to the queue is lost; return the reason."""
        import psycopg  # noqa: PLC0415  (an optional dependency)
        from procrastinate.exceptions import ProcrastinateException  # noqa: PLC0415  (an optional dependency)

        try:
            async with self.app.open_async():
                await self.app.run_worker_async(
                    queues=[QUEUE],
                    concurrency=1,  # a process without a free place keeps its one wake-up until it has one
                    install_signal_handlers=False,
                    listen_notify=True,
                    delete_jobs="always",
                    fetch_job_polling_interval=LOOK,
                    abort_job_polling_interval=LOOK,
                    update_heartbeat_interval=HEARTBEAT,
                    stalled_worker_timeout=STALLED,
                    shutdown_graceful_timeout=GRACE,
                )
        except (ProcrastinateException, psycopg.Error) as error:
            return str(error).strip() or type(error).__name__
        finally:
            self._connected(False)
        return "the connection is lost"

    async def dispatch(self) -> int:
        """Defer a wake-up for each site that is due and has none yet; delete the jobs of dead processes.

        Returns the number of wake-ups. The app must be open.
        """
        from procrastinate.exceptions import AlreadyEnqueued, ConnectorException  # noqa: PLC0415  (an optional dependency)
        from procrastinate.jobs import Status  # noqa: PLC0415  (an optional dependency)

        manager = self.app.job_manager
        await manager.prune_stalled_workers(STALLED)
        for job in await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=STALLED):
            with suppress(ConnectorException):  # another process has deleted it
                await manager.finish_job(job, status=Status.FAILED, delete_job=True)
        waiting = {
            job.queueing_lock for job in await manager.list_jobs_async(queue=QUEUE, task=WAKE, status=Status.TODO.value)
        }
        deferred = 0
        for site in await self._due(BATCH):
            if _lock(site) in waiting:
                continue
            with suppress(AlreadyEnqueued):  # another process deferred it meanwhile
                await self.app.configure_task(WAKE, queue=QUEUE, queueing_lock=_lock(site)).defer_async(site_id=site)
                deferred += 1
        return deferred


def _lock(site: int) -> str:
    return f"site:{site}"


def _app(
    conninfo: str,
    dispatch: Callable[[], Awaitable[int]],
    wake: Callable[[], Awaitable[None]],
    listening: Callable[[], None],
    *,
    clock: bool,
) -> "App":
    """Return a procrastinate app whose connections use only the tables of the queue.

    `listening` is called whenever a connection has begun to listen to the queue.
    """
    from procrastinate import App, PsycopgConnector  # noqa: PLC0415  (an optional dependency)

    schema = queue_schema()

    async def configure(connection: "psycopg.AsyncConnection[object]") -> None:
        await connection.execute(f'SET search_path TO "{schema}"'.encode())
        await connection.commit()

    class Listening(PsycopgConnector):
        """A connector that reports when LISTEN takes effect; procrastinate has no public interface for that."""

        async def _loop_notify(self, *args: Any, **kwargs: Any) -> None:
            listening()
            await super()._loop_notify(*args, **kwargs)

    app = App(connector=Listening(conninfo=conninfo, configure=configure, min_size=1, max_size=2, timeout=10))

    async def wake_up(site_id: int) -> None:
        await wake()

    async def dispatch_due(timestamp: int) -> None:
        try:
            await dispatch()
        except StorageError as error:  # the next tick tries again
            logger.warning("due sites could not be dispatched: %s", error)

    app.task(name=WAKE, queue=QUEUE)(wake_up)
    task = app.task(name=DISPATCH, queue=QUEUE, queueing_lock=DISPATCH, priority=1)(dispatch_due)
    if clock:
        app.periodic(cron=TICK)(task)
    for name in ("procrastinate", "psycopg.pool"):  # `run` reports a lost database in one line
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return app
