"""The error that ended the task of a crawl."""

import asyncio

import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.exit_status import USAGE
from sitecrawl.shell.crawl_task import errors_of, failed_status


def ended(work):
    """Return the errors of a task that runs `work`; no callback may fail."""
    failures = []

    async def run():
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: failures.append(context))
        task = asyncio.ensure_future(work())
        errors = errors_of(task)
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.sleep(0)  # the callbacks of the task run in the next round of the loop
        return errors

    errors = asyncio.run(run())
    assert failures == []
    return errors


async def fails():
    raise ConfigError("no such setting")


async def is_cancelled():
    raise asyncio.CancelledError


async def ends():
    pass


def test_only_a_task_that_failed_has_an_error():
    assert [str(one) for one in ended(fails)] == ["no such setting"]
    assert ended(is_cancelled) == []
    assert ended(ends) == []


def test_an_error_of_sitecrawl_is_one_line(capsys):
    assert failed_status(ConfigError("no such setting")) == USAGE
    assert capsys.readouterr().err == "sitecrawl: no such setting\n"


def test_another_error_is_raised_with_its_traceback(capsys):
    with pytest.raises(ZeroDivisionError):
        failed_status(ZeroDivisionError("division by zero"))
    assert capsys.readouterr().err == "sitecrawl: division by zero\n"
