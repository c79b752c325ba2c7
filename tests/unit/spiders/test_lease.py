import asyncio

import pytest

from sitecrawl.errors import DatabaseLostError, StorageError
from sitecrawl.spiders.lease import keep_lease


def keep(*outcomes, seconds=120.0):
    """Keep a lease whose renewals have these outcomes; return (its message, its end)."""
    moment, left = [0.0], list(outcomes)

    async def sleep(wanted):
        moment[0] += wanted

    async def renew():
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    kept = asyncio.run(keep_lease(renew, seconds, "a.example", sleep=sleep, clock=lambda: moment[0]))
    assert not left
    return kept, moment[0]


def test_it_is_renewed_before_it_runs_out_until_another_process_has_it():
    assert keep(True, True, False) == (False, 120.0)


def test_a_lost_database_ends_the_crawl_elsewhere():
    assert keep(True, DatabaseLostError("gone")) == (True, 80.0)


def test_a_renewal_that_fails_is_tried_again():
    failure = StorageError("a deadlock")
    assert keep(failure, failure, True, failure, failure, False) == (False, 240.0)


@pytest.mark.parametrize("before", [0, 2])
def test_a_lease_that_ran_out_while_renewals_failed_is_lost(before, caplog):
    failure = StorageError("a deadlock")
    assert keep(*[True] * before, failure, failure, failure) == (False, 40.0 * before + 120.0)
    assert "the lease could not be renewed (a deadlock)" in caplog.text
