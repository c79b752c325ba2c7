"""`sitecrawl mcp`: serves the stored sites to assistants by the Model Context Protocol, on stdin and stdout."""

import argparse
import sys
from importlib.util import find_spec

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError, SitecrawlError
from sitecrawl.exit_status import DONE, exit_status


class Command(ScrapyCommand):
    """Serve the stored sites to assistants."""

    requires_crawler_process = False

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Serve what is stored to assistants (Model Context Protocol, on standard input and output)"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Serve until the client closes standard input; an error is reported in one line."""
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
        from sitecrawl.api.assistant_server import new_server  # noqa: PLC0415  (loads the extra)
        from sitecrawl.api.assistant_tools import AssistantTools  # noqa: PLC0415
        from sitecrawl.api.database import open_sites  # noqa: PLC0415

        Config.from_mapping(self.settings)
        with open_sites(settings=self.settings) as database:
            new_server(AssistantTools(database)).run("stdio")
