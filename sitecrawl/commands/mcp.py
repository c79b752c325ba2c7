"""`sitecrawl mcp`: the stored sites for assistants, by the Model Context Protocol over standard input and output."""

import argparse
import functools
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl import __version__
from sitecrawl.config import Config
from sitecrawl.errors import ConfigError, SitecrawlError
from sitecrawl.exit_status import DONE, exit_status

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from sitecrawl.api.assistant_tools import AssistantTools

P = ParamSpec("P")
T = TypeVar("T")


class Command(ScrapyCommand):
    """Serve the stored sites to assistants."""

    requires_crawler_process = False

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Serve what is stored to assistants (Model Context Protocol, on standard input and output)"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Serve until the client closes standard input; errors are one line."""
        if args:
            raise UsageError("mcp takes no arguments; name the database with -s SITECRAWL_DATABASE_URL=...")
        try:
            self._run()
        except KeyboardInterrupt:
            self.exitcode = DONE
        except SitecrawlError as error:
            sys.stderr.write(f"sitecrawl: {error}\n")
            self.exitcode = exit_status(error)

    def _run(self) -> None:
        assert self.settings is not None
        if find_spec("mcp") is None:
            raise ConfigError("mcp: not installed; run: pip install 'sitecrawl[mcp]'")
        from sitecrawl.api.assistant_tools import AssistantTools  # noqa: PLC0415
        from sitecrawl.api.database import open_sites  # noqa: PLC0415

        Config.from_mapping(self.settings)
        with open_sites(settings=self.settings) as database:
            new_server(AssistantTools(database)).run("stdio")


def new_server(tools: "AssistantTools") -> "MCPServer":
    """Return a server with the tools, which only read."""
    from mcp.server.mcpserver import MCPServer  # noqa: PLC0415  (an extra)
    from mcp.types import ToolAnnotations  # noqa: PLC0415

    from sitecrawl.api.assistant_tools import INSTRUCTIONS  # noqa: PLC0415

    server = MCPServer("sitecrawl", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    for tool in (tools.list_sites, tools.search, tools.read_page, tools.changes):
        server.add_tool(_explained(tool), annotations=reads)
    return server


def _explained(tool: Callable[P, T]) -> Callable[P, T]:
    """Return a tool whose errors are one line for the assistant."""
    from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415

    @functools.wraps(tool)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return tool(*args, **kwargs)
        except SitecrawlError as error:
            raise ToolError(str(error)) from error

    return called
