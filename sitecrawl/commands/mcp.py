"""`sitecrawl mcp`: serves the stored sites to assistants by the Model Context Protocol, on stdin and stdout."""

import argparse

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.config import Config
from sitecrawl.errors import SitecrawlError
from sitecrawl.exit_status import DONE, print_error
from sitecrawl.shell.extras import need_extra


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
            self.exitcode = print_error(error)

    def _run(self) -> None:
        assert self.settings is not None
        need_extra("mcp", "mcp")
        from sitecrawl.api.assistant_server import new_server  # noqa: PLC0415  (loads the extra)
        from sitecrawl.api.assistant_tools import AssistantTools  # noqa: PLC0415
        from sitecrawl.api.database import open_sites  # noqa: PLC0415

        Config.from_mapping(self.settings)
        with open_sites(settings=self.settings) as database:
            new_server(AssistantTools(database)).run("stdio")
