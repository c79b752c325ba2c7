"""The learned sites of a database: found by URL, few at a time in memory, and no failure ends a crawl."""

import logging
import sqlite3

import pytest

from sitecrawl.errors import ConfigError, StorageError
from sitecrawl.item_fields.known_sites import KnownSites
from tests.unit.item_fields.sites import store

HOSTS = ("a.example", "b.example", "c.example")


@pytest.fixture
def known(tmp_path):
    """The path of a database, and its three sites, of which two may be in memory."""
    return tmp_path / "sites.db", KnownSites({"SITECRAWL_DATABASE_URL": store(tmp_path / "sites.db", *HOSTS)}, most=2)


def test_the_sites_used_last_stay_in_memory(known):
    _, sites = known
    a, b = sites.find("https://a.example/1"), sites.find("https://www.b.example/1")
    assert (a.host, b.host) == HOSTS[:2]
    assert sites.find("http://a.example/2") is a
    assert sites.find("https://c.example/1").host == "c.example"
    assert len(sites) == 2
    assert sites.find("https://a.example/3") is a
    assert sites.find("https://b.example/2") is not b


def test_a_host_without_a_template_and_a_url_that_is_none_are_no_site(known):
    path, sites = known
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM template WHERE site_id = 2")
    database.close()
    assert sites.find("https://b.example/1") is None
    assert sites.find("https://nowhere.example/1") is None
    assert sites.find("nonsense") is None
    assert sites.find("https://a.example/1") is not None


def test_a_template_of_another_version_is_one_line_once(known, caplog):
    path, sites = known
    with sqlite3.connect(path) as database:
        database.execute("UPDATE template SET label_rule = 1 WHERE site_id = 1")
    database.close()
    assert [sites.find("https://a.example/1"), sites.find("https://a.example/2")] == [None, None]
    (record,) = caplog.records
    assert record.getMessage().endswith("its pages are extracted without a template")
    assert sites.find("https://b.example/1") is not None


def test_a_database_that_fails_is_asked_no_more(known, caplog):
    path, sites = known
    a = sites.find("https://a.example/1")
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE template_node")
    database.close()
    assert sites.find("https://b.example/1") is None
    assert sites.find("https://c.example/1") is None
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "without a template from now on" in record.getMessage()
    assert sites.find("https://a.example/1") is a


@pytest.mark.parametrize(("address", "error"), [("nonsense", ConfigError), ("sqlite:///{}/broken.db", StorageError)])
def test_a_database_that_cannot_be_used_is_refused_at_the_start(tmp_path, address, error):
    (tmp_path / "broken.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(error):
        KnownSites({"SITECRAWL_DATABASE_URL": address.format(tmp_path)})
