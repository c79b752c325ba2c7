"""A PostgreSQL server of the drill's own, which may be stopped, restarted and set read-only."""

import contextlib
import glob
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from sqlalchemy import create_engine, text

from sitecrawl.storage.db.engine import upgrade_database
from tests.drill.cases import NotPossible


class PostgreSQL:
    """A server on a free port of 127.0.0.1."""

    def __init__(self, folder):
        binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not binaries:
            raise NotPossible("no PostgreSQL server here: apt-get install postgresql")
        self.programs = Path(binaries[-1])
        # Not the case's folder, which only its owner may enter: the server runs as another user.
        self.folder = Path(tempfile.mkdtemp(prefix="sitecrawl-drill-"))
        self.data = self.folder / "data"
        root = os.geteuid() == 0
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if root else []
        self.data.mkdir()
        if root:
            shutil.chown(self.data, "postgres", "postgres")
            self.folder.chmod(0o755)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def _run(self, program, *arguments):
        command = [*self.user, str(self.programs / program), "-D", str(self.data), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")

    def start(self):
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories="
        self._run("pg_ctl", "-w", "-o", options, "-l", str(self.data / "log"), "start")

    def stop(self, mode):
        self._run("pg_ctl", "-w", "-m", mode, "stop")

    def url(self, name="postgres", user="postgres"):
        return f"postgresql://{user}@127.0.0.1:{self.port}/{name}"

    def database(self):
        """Make a database with the tables of sitecrawl; return its URL."""
        name = f"drill_{time.monotonic_ns()}"
        self.execute(f"CREATE DATABASE {name}")
        upgrade_database(self.url(name))
        return self.url(name)

    def execute(self, *statements, url=None):
        """Run statements as the superuser."""
        address = (url or self.url()).replace("postgresql://", "postgresql+psycopg://")
        engine = create_engine(address, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for statement in statements:
                connection.execute(text(statement))
        engine.dispose()

    def __enter__(self):
        self._run("initdb", "-U", "postgres", "-A", "trust")
        self.start()
        return self

    def __exit__(self, *args):
        with contextlib.suppress(subprocess.CalledProcessError):  # a case may have stopped it
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)
