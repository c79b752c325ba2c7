"""Serves the UI until it is stopped."""

import logging
import signal
import socket
from collections.abc import Callable, Mapping

import uvicorn
from starlette.applications import Starlette

from sitecrawl import twins
from sitecrawl.config import Config
from sitecrawl.errors import ConfigError
from sitecrawl.storage.db.engine import open_database
from sitecrawl.ui.access import Access
from sitecrawl.ui.app import application
from sitecrawl.ui.responses import Pages
from sitecrawl.ui.state import Ui


def new_ui(config: Config, access: Access, settings: Mapping[str, str] | None = None) -> Ui:
    """Return the state of a UI, with the database open. Raises ConfigError, StorageError."""
    twins.choose(config.extension)
    return Ui(
        config, open_database(config.database_url, config.body_store), access, Pages(access), dict(settings or {})
    )


def listening(address: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 means any free port. Raises ConfigError if the address cannot be used."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.create_server((address, port), family=family)
    except OSError as error:
        raise ConfigError(f"{address}:{port} cannot be used ({error.strerror}); take another port: --port N") from error


def serve(ui: Ui, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve the UI until a signal stops the server; `ready` is called when browsers can connect."""
    try:
        run_until_stopped(application(ui), listener, ready)
    finally:
        ui.engine.dispose()


def run_until_stopped(
    application: Starlette, listener: socket.socket, ready: Callable[[], None], connections: int | None = None
) -> None:
    """Serve an application until SIGINT or SIGTERM; above `connections` concurrent connections the status is 503."""
    settings = uvicorn.Config(
        application,
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        limit_concurrency=connections,
    )
    ready()
    # uvicorn raises the signal that stopped it again, for the handlers that were installed before
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    uvicorn.Server(settings).run(sockets=[listener])
