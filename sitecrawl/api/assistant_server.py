"""Serves the tools for assistants by the Model Context Protocol; this module imports the extra `mcp`."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import ValidationError

from sitecrawl import __version__
from sitecrawl.api.assistant_tools import INSTRUCTIONS, AssistantTools
from sitecrawl.errors import SitecrawlError
from sitecrawl.printable import visible

P = ParamSpec("P")
T = TypeVar("T")


class StrictTool(Tool):
    """A tool that refuses invalid arguments in one line; the library ignores unknown ones and quotes invalid ones."""

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Run a tool and return its result. Raises ToolError."""
        names = self.parameters["properties"]
        takes = f"{self.name} takes {', '.join(names) or 'no arguments'}"
        unknown = sorted(set(arguments) - set(names))
        if unknown:
            raise ToolError(f"{visible(unknown[0])[:50]!r}: no argument; {takes}")
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                first = error.__cause__.errors()[0]
                raise ToolError(f"{first['loc'][0]}: {first['msg']}; {takes}") from error
            raise


def new_server(tools: AssistantTools) -> MCPServer:
    """Return a server with the tools, which only read."""
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    served: list[Tool] = [
        StrictTool.from_function(_explained(tool), annotations=reads)
        for tool in (tools.list_sites, tools.search, tools.read_page, tools.changes)
    ]
    for tool in served:
        tool.parameters["additionalProperties"] = False
    return MCPServer("sitecrawl", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING", tools=served)


def _explained(tool: Callable[P, T]) -> Callable[P, T]:
    """Return a tool that reports its errors to the assistant in one line."""

    @functools.wraps(tool)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return tool(*args, **kwargs)
        except SitecrawlError as error:
            raise ToolError(str(error)) from error

    return called
