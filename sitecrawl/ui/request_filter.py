"""ASGI middleware that refuses requests or passes them on, and adds headers to every response."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sitecrawl.ui.access import Access


class RequestFilter(ABC):
    """Middleware of the UI and of the service. A subclass decides which requests are accepted."""

    headers: ClassVar[Mapping[str, str]]
    """Headers that are added to every response that does not set them itself."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    @abstractmethod
    def refusal(self, request: HTTPConnection) -> Response | None:
        """Return the response to a refused request; None if the request is accepted."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request or pass it on; the headers are added to the response. WebSockets are closed."""
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
