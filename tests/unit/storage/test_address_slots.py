import datetime as dt

import pytest

from sitecrawl.storage.address_slots import AddressSlots
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.due_filter import DueFilter
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.sites import SiteRepository

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(seconds=61)
HERE, THERE = "a:1:0.1:x", "b:2:0.2:y"
"""Two processes on other machines."""


@pytest.fixture
def sites(engine):
    """Two sites that are due, of one address as soon as one of them is crawled."""
    with session_scope(engine) as session:
        repository = SiteRepository(session)
        found = [repository.get_or_add(f"{name}.example", f"http://{name}.example/", NOW) for name in "ab"]
        for site in found:
            repository.hand_back(site.id, "nobody", NOW)
        return [site.id for site in found]


def take(engine, site, holder, moment=NOW, address="192.0.2.1"):
    with session_scope(engine) as session:
        return AddressSlots(session).take(site, address, holder, moment, 60)


def due(engine, holder, moment=NOW):
    """The site that a process would get."""
    with session_scope(engine) as session:
        found = SiteRepository(session).lease_due(
            "owner", moment, 60, due=moment, pause=7200, wanted=DueFilter(holder=holder)
        )
        if found is not None:
            SiteRepository(session).hand_back(found.id, "owner", NOW)
        return found.id if found else None


def test_an_address_has_one_process_at_a_time(engine, sites):
    assert take(engine, sites[0], HERE)
    assert take(engine, sites[1], HERE), "more sites of it are no matter"
    assert not take(engine, sites[1], THERE)
    assert take(engine, sites[1], THERE, address="192.0.2.2")


def test_an_address_is_free_once_it_is_given_up(engine, sites):
    take(engine, sites[0], HERE)
    with session_scope(engine) as session:
        AddressSlots(session).release("192.0.2.1", THERE)
    assert not take(engine, sites[1], THERE), "only its holder gives it up"
    with session_scope(engine) as session:
        AddressSlots(session).release("192.0.2.1", HERE)
    assert take(engine, sites[1], THERE)


def test_an_address_is_free_once_its_holder_has_not_renewed_it(engine, sites):
    take(engine, sites[0], HERE)
    assert not take(engine, sites[1], THERE, NOW + dt.timedelta(seconds=59))
    with session_scope(engine) as session:
        AddressSlots(session).renew(["192.0.2.1"], HERE, NOW + dt.timedelta(seconds=30), 60)
    assert not take(engine, sites[1], THERE, LATER)
    assert take(engine, sites[1], THERE, NOW + dt.timedelta(seconds=91))


def test_an_address_of_a_process_of_this_machine_that_has_ended_is_free_at_once(engine, sites):
    alive = new_owner()
    host, _, machine, token = alive.split(":")
    ended = f"{host}:4194304:{machine}:{token}"  # no process has that number
    assert take(engine, sites[0], alive)
    assert not take(engine, sites[1], HERE)
    assert take(engine, sites[0], ended, address="192.0.2.2")
    assert take(engine, sites[1], HERE, address="192.0.2.2")


def test_sites_of_an_address_of_another_process_are_left_alone(engine, sites):
    for site in sites:
        take(engine, site, HERE)
    assert due(engine, THERE) is None
    assert due(engine, HERE) in sites
    assert due(engine, None) in sites, "recrawl knows nothing of addresses"
    assert due(engine, THERE, LATER) in sites


def test_a_site_without_an_address_is_taken_by_anybody(engine, sites):
    take(engine, sites[0], HERE)
    assert due(engine, THERE) == sites[1]


def test_of_named_sites_those_whose_address_another_process_has_are_left_out(engine, sites):
    take(engine, sites[0], HERE)

    def named(holder):
        with session_scope(engine) as session:
            hosts = ["a.example", "c.example"]
            found = SiteRepository(session).lease_due(
                "owner", NOW, 60, due=NOW, pause=7200, wanted=DueFilter(holder=holder, hosts=hosts)
            )
            return found.host if found else None

    assert (named(THERE), named(HERE)) == (None, "a.example")
