import builtins
import traceback

import pytest
from sqlalchemy.engine import make_url

from sitecrawl.errors import ConfigError, StorageError
from sitecrawl.storage.db.address import parse_address, place
from sitecrawl.storage.db.engine import open_database, upgrade_database

SECRET = "s3cr3t"


def everything_said(error):
    return "".join(traceback.format_exception(error)) + repr(error)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "is not a database URL"),
        ("sitecrawl.db", "is not a database URL"),
        (f"postgresql://user:{SECRET}@host:port/x", "is not a database URL"),
        (f"postgresql://user:{SECRET}@host:99999999/", "names no database"),
        (f"postgresql://user:{SECRET}@host", "names no database"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:///x.db?mode=ro", "nothing after it"),
        ("sqlite://folder/x.db", "nothing after it"),
        ("sqlite+aiosqlite:///x.db", r"sqlite\+aiosqlite:// is not supported"),
        (f"postgres://user:{SECRET}@host/x", "postgres:// is not supported"),
        (f"postgresql+psycopg2://user:{SECRET}@host/x", "is not supported"),
        (f"mysql://user:{SECRET}@host/x", "no database of kind 'mysql'"),
    ],
)
def test_an_address_that_cannot_be_used(url, said):
    with pytest.raises(ConfigError, match=said) as caught:
        parse_address(url)
    assert str(caught.value).startswith("SITECRAWL_DATABASE_URL")
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "driver"),
    [
        ("sqlite:///x.db", "sqlite+pysqlite"),
        ("postgresql://user@host/x", "postgresql+psycopg"),
        ("postgresql+psycopg://user@host/x", "postgresql+psycopg"),
    ],
)
def test_an_address_names_its_driver(url, driver):
    assert parse_address(url).drivername == driver


def test_a_missing_driver_is_named(monkeypatch):
    real = builtins.__import__

    def without_psycopg(name, *arguments, **options):
        if name == "psycopg":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without_psycopg)
    with pytest.raises(ConfigError, match=r"pip install 'sitecrawl\[postgresql\]'"):
        parse_address("postgresql://user@host/x")


def test_a_place_shows_neither_user_nor_password_nor_options():
    address = make_url(f"postgresql://user:{SECRET}@host:5433/shop?password={SECRET}")
    assert place(address) == "database shop on host:5433"


@pytest.mark.parametrize("opening", [open_database, upgrade_database])
def test_a_refused_password_is_not_shown(postgres_server, opening):
    address = make_url(postgres_server).set(username="nobody_at_all", password=SECRET)
    with pytest.raises(StorageError) as caught:
        opening(address.render_as_string(hide_password=False))
    assert "nobody_at_all" in str(caught.value)
    assert SECRET not in everything_said(caught.value)


def test_an_unreachable_server_is_not_waited_for_and_not_blamed_on_the_url():
    with pytest.raises(StorageError, match=r"database x on 127\.0\.0\.1:1: the server cannot be reached") as caught:
        open_database(f"postgresql://user:{SECRET}@127.0.0.1:1/x")
    assert not isinstance(caught.value, ConfigError)
    assert SECRET not in everything_said(caught.value)


def test_an_unknown_option_is_a_wrong_setting():
    with pytest.raises(ConfigError, match="option") as caught:
        open_database(f"postgresql://user:{SECRET}@127.0.0.1:1/x?nonsense=1")
    assert SECRET not in everything_said(caught.value)


def test_a_database_that_is_not_there(postgres_server):
    address = make_url(postgres_server).set(database="not_there_at_all")
    with pytest.raises(StorageError, match="not_there_at_all"):
        open_database(address.render_as_string(hide_password=False))
