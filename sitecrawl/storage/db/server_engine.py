"""Engines on a PostgreSQL server: time limits for silent networks and for transactions that a paused process keeps."""

from typing import Final

from sqlalchemy import create_engine, event
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.exc import ProgrammingError, SQLAlchemyError

from sitecrawl.errors import ConfigError
from sitecrawl.storage.db.address import SETTING
from sitecrawl.storage.db.execution_options import BUSY, READING
from sitecrawl.storage.db.failures import storage_error
from sitecrawl.storage.db.prepared import run_plain

IDLE_SECONDS: Final = 60
"""Seconds after which PostgreSQL ends an open transaction that gets no statement, unless it only reads [OWN].

A process that is paused, or whose machine is gone, would keep the rows of its sites locked. The time is half a lease:
the rows are unlocked before the leases end and other processes take the sites over.
"""
CONNECT_SECONDS: Final = 3
"""Seconds after which an attempt to connect to PostgreSQL fails [OWN]."""
ALIVE: Final = {"keepalives_idle": 15, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000}
"""Options of PostgreSQL's client library, in seconds and milliseconds: a silent server is lost after 30 s.

By default, a network that drops packets is noticed only after 15 minutes to two hours [OWN].
"""


def server_engine(address: URL) -> Engine:
    """Return an engine on a server that was reached. Raises ConfigError for unknown options, StorageError."""
    engine = create_engine(
        address,
        pool_pre_ping=True,
        hide_parameters=True,
        use_native_hstore=False,  # no column has this type, and the first connection would look it up on the server
        connect_args={
            "connect_timeout": CONNECT_SECONDS,
            **{name: value for name, value in ALIVE.items() if name not in address.query},
        },
    )
    try:
        with engine.connect():
            pass
    except ProgrammingError:  # an option that the client library does not know
        engine.dispose()
        raise ConfigError(f"{SETTING}: an option after the ? is not known to PostgreSQL; remove it") from None
    except SQLAlchemyError as error:
        engine.dispose()
        raise storage_error(address, error) from None

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if BUSY in options or not options.get(READING, False):  # a reader locks no rows, and may wait for a pager
            run_plain(connection, f"SET LOCAL idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'")

    return engine
