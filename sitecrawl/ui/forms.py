"""Reads the forms of the UI, which contain a token that other websites do not know."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from sitecrawl.errors import InputError
from sitecrawl.ui.state import ui_of

MOST: Final = 64 * 1024
"""Maximum bytes of a form."""
FIELD: Final = "form_token"

Form = Mapping[str, str]
"""The fields of a form by name; of several with the same name the last one."""


class ForeignFormError(InputError):
    """A form was sent from elsewhere than a page of this UI."""


class StaleFormError(InputError):
    """A form was sent from a page that is out of date."""


def posting(answer: Callable[[Request, Form], Response]) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that reads a form, checks its token, and answers in a thread.

    The endpoint raises InputError for a form that is too long, and ForeignFormError.
    """

    async def endpoint(request: Request) -> Response:
        form = await read_form(request)
        if not ui_of(request).access.takes_form(form.get(FIELD)):
            raise ForeignFormError("the form was not sent from a page of this server, or the server was started again")
        return await run_in_threadpool(answer, request, form)

    return endpoint


async def read_form(request: Request) -> Form:
    """Return the fields of a form. Raises InputError if the body is too long or not a form."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST:
            raise InputError(f"the form is over {MOST // 1024} KiB; shorten it")
    try:
        return dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, strict_parsing=bool(body)))
    except ValueError as error:
        raise InputError("the form cannot be read; go back and try again") from error
