"""The error that ended the task of a crawl, and the exit status of the command that started it."""

import asyncio

from sitecrawl.errors import SitecrawlError
from sitecrawl.exit_status import print_error


def errors_of(task: "asyncio.Task[None]") -> list[BaseException]:
    """Return a list that gets the error of a task when the task fails; a cancelled task has none."""
    errors: list[BaseException] = []

    def ended(task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            errors.append(error)

    task.add_done_callback(ended)
    return errors


def failed_status(error: BaseException) -> int:
    """Print the error of a crawl; return the exit status. Raises the error itself if it is not sitecrawl's."""
    status = print_error(error)
    if not isinstance(error, SitecrawlError):
        raise error
    return status
