"""Databases for the tests: SQLite files, and a real PostgreSQL server, both made by the migrations."""

import glob
import os
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import create_engine, text

from sitecrawl.storage.engine import open_database, upgrade_database

# Busy machines are slow, which is no failure. The suite tries the same examples in each run: a test fails because of a
# change, not by chance. `make fuzz` draws new ones.
settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fuzz", deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


def _private_server(folder: Path) -> tuple[str, list[str]]:
    """Start PostgreSQL on a free loopback port; return its URL and the command that stops it."""
    binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not binaries:
        pytest.fail(
            "no PostgreSQL server: apt-get install postgresql, or set SITECRAWL_TEST_POSTGRES to a server's URL"
        )
    bin_folder, data = Path(binaries[-1]), folder / "data"
    as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    data.mkdir()
    if as_user:
        shutil.chown(data, "postgres", "postgres")
        folder.chmod(0o755)
    run = {"check": True, "stdout": subprocess.DEVNULL, "cwd": "/"}
    subprocess.run([*as_user, str(bin_folder / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust"], **run)
    control = [*as_user, str(bin_folder / "pg_ctl"), "-D", str(data), "-w"]
    for attempt in range(5):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        try:
            subprocess.run([*control, "-o", options, "-l", str(data / "log"), "start"], **run)
            break
        except subprocess.CalledProcessError:  # another test process took the port in between
            if attempt == 4:
                raise
    return f"postgresql://postgres@127.0.0.1:{port}/postgres", [*control, "-m", "immediate", "stop"]


@pytest.fixture(scope="session")
def postgres_server():
    given = os.environ.get("SITECRAWL_TEST_POSTGRES")
    if given:
        yield given
        return
    # Not pytest's folder, which only its owner may enter: the server runs as another user.
    with tempfile.TemporaryDirectory(prefix="sitecrawl-postgres-", ignore_cleanup_errors=True) as folder:
        url, stop = _private_server(Path(folder))
        yield url
        subprocess.run(stop, check=True, stdout=subprocess.DEVNULL, cwd="/")


@pytest.fixture
def sqlite_url(tmp_path):
    return f"sqlite:///{tmp_path}/test.db"


@pytest.fixture
def postgres_url(postgres_server):
    name = f"sitecrawl_{uuid.uuid4().hex[:12]}"
    admin = create_engine(
        postgres_server.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT"
    )
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    url = f"{postgres_server.rsplit('/', 1)[0]}/{name}"
    upgrade_database(url)
    yield url
    deadline = time.monotonic() + 10
    with admin.connect() as connection:
        while True:
            try:
                connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
                break
            except Exception:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
    admin.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request):
    return request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")


@pytest.fixture
def engine(database_url):
    engine = open_database(database_url)
    yield engine
    engine.dispose()
