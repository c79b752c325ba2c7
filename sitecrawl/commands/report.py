"""`scrapy report HOST -O FILE.html`: a site on one page, for people without the user interface."""

import argparse
import sys

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.commands.ui import NEEDED
from sitecrawl.config import Config
from sitecrawl.errors import SitecrawlError
from sitecrawl.exit_status import print_error
from sitecrawl.shell.extras import need_extra
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.named_sites import named_site


class Command(ScrapyCommand):
    """Write a report of a site."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "HOST -O FILE.html"

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "A site on one self-contained page: report HOST -O FILE.html"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        parser.add_argument("-O", "--output", metavar="FILE", help="the file; it is replaced (default: the terminal)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the report; an error is reported in one line."""
        if len(args) != 1:
            raise UsageError(self.syntax())
        try:
            self._run(args[0], opts.output)
        except SitecrawlError as error:
            self.exitcode = print_error(error)

    def _run(self, name: str, output: str | None) -> None:
        assert self.settings is not None
        need_extra("ui", *NEEDED)
        from sitecrawl.ui.access import Access  # noqa: PLC0415  (an extra)
        from sitecrawl.ui.report import report, write_report  # noqa: PLC0415
        from sitecrawl.ui.server import new_ui  # noqa: PLC0415

        config = Config.from_mapping(self.settings)
        ui = new_ui(config, Access())
        try:
            with session_scope(ui.engine, write=False) as session:
                host = named_site(session, name, config.site_scope).host
            text = report(ui, host)
        finally:
            ui.engine.dispose()
        if output is None:
            sys.stdout.write(text)
        else:
            write_report(text, output)
