"""ASGI middleware that refuses requests or passes them on, and adds headers to every answer."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sitecrawl.ui.access import Access


class RequestFilter(ABC):
    """Middleware of the UI and of the service. A subclass decides which requests go further."""

    headers: ClassVar[Mapping[str, str]]
    """Headers of every answer that does not set them itself."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    @abstractmethod
    def refusal(self, request: HTTPConnection) -> Response | None:
        """Return the answer to a request that goes no further; None lets it through."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass the request on; the headers are added on the way back. WebSockets are closed."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def add_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self.refusal(HTTPConnection(scope)) or self.app
        await answer(scope, receive, add_headers)
