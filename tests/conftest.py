"""Databases for the tests: SQLite files, and a real PostgreSQL server, both created by the migrations."""

import fcntl
import gc
import glob
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import contextmanager
from pathlib import Path

import pytest
import scrapy.core.downloader.handlers.http11  # noqa: F401 - its deprecated classes look through all modules that are loaded
from hypothesis import HealthCheck, settings
from sqlalchemy import create_engine, text

from sitecrawl.storage.db.engine import open_database, session_scope, upgrade_database
from tests.browser import axe, chromium
from tests.compiled import share_compiled
from tests.emptied import emptied
from tests.empty_file import make_empty
from tests.integration import poet
from tests.order import spread

# Busy machines are slow, which is no failure. The suite tries the same examples in each run: a test fails because of a
# change, not by chance. `make fuzz` draws new ones.
settings.register_profile(
    "suite", deadline=None, derandomize=True, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fuzz", deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")
share_compiled()


# Hardly anything that is made before the tests are collected is garbage; `pytest_runtestloop` enables this again.
gc.disable()

# Where Python is told to keep no bytecode, as in many containers, each of the hundreds of processes of a run compiles all
# modules anew, and pytest rewrites the asserts of all tests for each worker.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

BROWSER = Path(__file__).with_name("browser")
POET = Path(__file__).parent / "integration" / "test_scrapy_poet.py"
SHARED = "SITECRAWL_TEST_SHARED"
"""In the environment: a folder that all processes of a test run know."""
TEMPLATE = "sitecrawl_template"
OPTIONS = "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=300"
HASTE = "fsync=off", "synchronous_commit=off", "full_page_writes=off", "jit=off"
"""A test's database need not outlive the machine."""


def pytest_ignore_collect(collection_path):
    """Leave out tests whose requirements are missing; `pytest_terminal_summary` reports them."""
    if poet.MISSING and collection_path == POET:
        return True
    if axe.MISSING and collection_path == BROWSER / "test_accessibility.py":
        return True
    return True if chromium.MISSING and BROWSER in (collection_path, *collection_path.parents) else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1 and config.getoption("dist", "no") in ("no", "worksteal"):  # a worker is told "no"
        items[:] = spread(items, lambda item: item.nodeid.partition("::")[0], workers)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop():
    """Modules and tests live as long as the process: no collection of garbage needs to visit them again."""
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter):
    if chromium.MISSING:
        terminalreporter.section("THE BROWSER TESTS WERE LEFT OUT", red=True)
        terminalreporter.line(chromium.MISSING)
    elif axe.MISSING:
        terminalreporter.section("THE TEST OF ACCESSIBILITY WAS LEFT OUT", red=True)
        terminalreporter.line(axe.MISSING)
    if poet.MISSING:
        terminalreporter.section("THE TEST WITH SCRAPY-POET WAS LEFT OUT", red=True)
        terminalreporter.line(poet.MISSING)


def pytest_configure(config):
    if SHARED not in os.environ:  # the process that others are started from, or the only one
        os.environ[SHARED] = tempfile.mkdtemp(prefix="sitecrawl-tests-")
        config.add_cleanup(_end_shared)


def _end_shared():
    folder = Path(os.environ.pop(SHARED))
    if (folder / "url").exists():
        stop_server(folder)
    shutil.rmtree(folder, ignore_errors=True)


def stop_server(folder):
    """Stop the PostgreSQL server of a folder."""
    stop = [*_control(folder), "-m", "immediate", "stop"]
    subprocess.run(stop, check=True, stdout=subprocess.DEVNULL, cwd="/", timeout=300)


def _binaries():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not found:
        pytest.fail(
            "no PostgreSQL server: apt-get install postgresql, or set SITECRAWL_TEST_POSTGRES to a server's URL"
        )
    return Path(found[-1])


def _as_user():
    """PostgreSQL refuses to run as root."""
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []


def _control(folder):
    return [*_as_user(), str(_binaries() / "pg_ctl"), "-D", str(folder / "data"), "-w"]


def start_server(folder: Path) -> str:
    """Start PostgreSQL on a free loopback port; return its URL."""
    data = folder / "data"
    data.mkdir()
    if _as_user():
        shutil.chown(data, "postgres", "postgres")
        folder.chmod(0o755)
    run = {"check": True, "stdout": subprocess.DEVNULL, "cwd": "/", "timeout": 400}
    make = [*_as_user(), str(_binaries() / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "--no-sync"]
    subprocess.run(make, **run)
    for attempt in range(5):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        options = " ".join([f"-p {port}", *(f"-c {option}" for option in (*OPTIONS, *HASTE))])
        try:
            subprocess.run([*_control(folder), "-t", "300", "-o", options, "-l", str(data / "log"), "start"], **run)
            break
        except subprocess.CalledProcessError:  # another process took the port in between
            if attempt == 4:
                raise
    return f"postgresql://postgres@127.0.0.1:{port}/postgres"


@contextmanager
def _administrator(server):
    admin = create_engine(server.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT")
    try:
        with admin.connect() as connection:
            yield connection
    finally:
        admin.dispose()


def _database(server, name):
    return f"{server.rsplit('/', 1)[0]}/{name}"


@pytest.fixture(scope="session")
def postgres_server():
    """The URL of the server that all processes of a run share; the first that asks for it starts it."""
    folder = Path(os.environ[SHARED])
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = folder / "known"
        if not known.exists():
            url = os.environ.get("SITECRAWL_TEST_POSTGRES")
            if not url:
                url = start_server(folder)
                (folder / "url").write_text(url)
            with _administrator(url) as connection:
                connection.execute(text(f"DROP DATABASE IF EXISTS {TEMPLATE}"))
                connection.execute(text(f"CREATE DATABASE {TEMPLATE}"))
            upgrade_database(_database(url, TEMPLATE))
            known.write_text(url)
    return known.read_text()


@pytest.fixture
def sqlite_url(tmp_path):
    return f"sqlite:///{tmp_path}/test.db"


@pytest.fixture(scope="session")
def postgres_databases(postgres_server):
    """The databases that are ready for a test of this process; one that was emptied serves again."""
    ready = []
    yield ready
    for name in ready:
        _drop(postgres_server, name)


@pytest.fixture
def postgres_url(postgres_server, postgres_databases):
    """A database for this test alone: empty, with the tables of the migrations, which are run once."""
    if not postgres_databases:
        name = f"sitecrawl_{uuid.uuid4().hex[:12]}"
        with _administrator(postgres_server) as connection:
            connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}"))
        postgres_databases.append(name)
    name = postgres_databases.pop()
    yield _database(postgres_server, name)
    if emptied(_database(postgres_server, name), _database(postgres_server, TEMPLATE)):
        postgres_databases.append(name)
    else:
        _drop(postgres_server, name)


@pytest.fixture(scope="module")
def postgres_url_of_module(postgres_server):
    """A database that the tests of one module share; it has the tables of the migrations."""
    name = f"sitecrawl_{uuid.uuid4().hex[:12]}"
    with _administrator(postgres_server) as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}"))
    yield _database(postgres_server, name)
    _drop(postgres_server, name)


def _drop(server, name):
    deadline = time.monotonic() + 60
    with _administrator(server) as connection:
        while True:
            try:
                connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
                break
            except Exception:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request):
    return request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")


def _opened(url):
    make_empty(url)
    return open_database(url)


@pytest.fixture
def sqlite_session(sqlite_url):
    """A session of an empty SQLite database."""
    engine = _opened(sqlite_url)
    with session_scope(engine) as session:
        yield session
    engine.dispose()


@pytest.fixture
def engine(database_url):
    engine = _opened(database_url)
    yield engine
    engine.dispose()
