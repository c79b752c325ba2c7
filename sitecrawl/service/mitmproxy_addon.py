"""An add-on for mitmproxy that cleans the pages that a browser requests.

    mitmdump -s "$(sitecrawl serve --addon)" --listen-host 127.0.0.1 --set sitecrawl_sites=sites.toml

mitmproxy is the proxy. By default it listens on all addresses, already before it loads an add-on; so this add-on ends
it unless it is configured to listen on a loopback address or to require a password. Needs the extra `proxy`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mitmproxy import ctx, exceptions, http
from mitmproxy.proxy import mode_specs

from sitecrawl.errors import ConfigError, FetchRefusedError, SitecrawlError
from sitecrawl.printable import visible
from sitecrawl.service.page_proxy import PageProxy, unsafe_listening

if TYPE_CHECKING:
    from mitmproxy.addonmanager import Loader
    from mitmproxy.proxy.server_hooks import ServerConnectionHookData


class CleanPages:
    """The hooks that mitmproxy calls."""

    def __init__(self) -> None:
        self._proxy: PageProxy | None = None

    def load(self, loader: "Loader") -> None:
        """Add the options."""
        loader.add_option("sitecrawl_sites", str, "", "TOML file with the method and options of each host.")
        loader.add_option("sitecrawl_settings", Sequence[str], [], "Settings of sitecrawl as NAME=VALUE.")

    def configure(self, updated: set[str]) -> None:
        """Read the options. Raises OptionsError, on which mitmproxy does not start."""
        for mode in ctx.options.mode:
            host = mode_specs.ProxyMode.parse(mode).listen_host(ctx.options.listen_host)
            reason = unsafe_listening(host, ctx.options.proxyauth)
            if reason is not None:
                raise exceptions.OptionsError(f"sitecrawl: {reason}")
        if self._proxy is not None and not updated & {"sitecrawl_sites", "sitecrawl_settings"}:
            return
        try:
            self._proxy = PageProxy(_settings(ctx.options.sitecrawl_settings), ctx.options.sitecrawl_sites or None)
        except SitecrawlError as error:
            raise exceptions.OptionsError(f"sitecrawl: {error}") from error

    async def request(self, flow: http.HTTPFlow) -> None:
        """Refuse a request for an address that may not be fetched."""
        await self._check(flow, flow.request.url)

    async def http_connect(self, flow: http.HTTPFlow) -> None:
        """Refuse a tunnel to an address to which no connection is allowed."""
        await self._check(flow, f"https://{flow.request.host}:{flow.request.port}/")

    async def server_connect(self, data: "ServerConnectionHookData") -> None:
        """Connect to the checked address itself, so that a name cannot change its address after the check."""
        if self._proxy is None or data.server.address is None:
            return
        host, port = data.server.address[:2]
        try:
            address = await self._proxy.address(host, port)
        except (SitecrawlError, OSError) as error:
            data.server.error = f"sitecrawl: {error}"
            return
        data.server.sni = data.server.sni or host
        data.server.address = (address, port)

    async def response(self, flow: http.HTTPFlow) -> None:
        """Clean a page. An unreadable page is replaced by one line with the reason."""
        answer, request = flow.response, flow.request
        if self._proxy is None or answer is None or answer.raw_content is None:
            return
        kind, destination = answer.headers.get("content-type", ""), request.headers.get("sec-fetch-dest", "")
        if not self._proxy.cleans(request.method, answer.status_code, kind, destination):
            return
        try:
            made = await self._proxy.cleaned(answer.content or b"", kind, request.url)
        except (SitecrawlError, ValueError) as error:  # ValueError: a damaged body
            flow.response = _line(422, str(error))
            return
        if made is not None:
            answer.headers.pop("content-encoding", None)
            answer.headers["content-type"] = "text/html; charset=utf-8"
            answer.headers["sitecrawl-method"] = made.method
            answer.content = made.text.encode("utf-8", "replace")

    async def _check(self, flow: http.HTTPFlow, url: str) -> None:
        if self._proxy is None or flow.response is not None:
            return
        try:
            await self._proxy.check(url)
        except FetchRefusedError as error:
            flow.response = _line(403, str(error))
        except OSError as error:
            flow.response = _line(502, str(error))


def _settings(given: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals:
            raise ConfigError(f"sitecrawl_settings: {one!r} cannot be used; give NAME=VALUE")
        found[name] = value
    return found


def _line(status: int, reason: str) -> http.Response:
    """Return a response of one line, which must not be cached."""
    headers = {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"}
    return http.Response.make(status, f"sitecrawl: {visible(' '.join(reason.split()))}\n", headers)


addons = [CleanPages()]
