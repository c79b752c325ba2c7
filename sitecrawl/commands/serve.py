"""`scrapy serve [--port N]`: a web service that answers with cleaned pages."""

import argparse
from pathlib import Path
from typing import Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl import service
from sitecrawl.errors import SitecrawlError
from sitecrawl.exit_status import print_error
from sitecrawl.shell.extras import need_extra
from sitecrawl.shell.served_address import add_address_options, read_password, served_url

PORT: Final = 8080
NEEDED: Final = ("starlette", "jinja2", "uvicorn", "httpcore")
"""Modules of the extra `serve`."""


class Command(ScrapyCommand):
    """Serve cleaned pages."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "[--port N] [--sites FILE] [--host ADDRESS --password-file FILE [--name NAME]] | --addon"

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Answer with cleaned pages: serve [--port N], then GET /clean?url=URL"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        add_address_options(parser, "--host", PORT, "clients")
        parser.add_argument("--sites", metavar="FILE", help="TOML file with the method and options of each host")
        parser.add_argument("--addon", action="store_true", help="print the file of the add-on for mitmproxy")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Serve until stopped; an error is reported in one line."""
        if args:
            raise UsageError(self.syntax())
        if opts.addon:
            print(Path(service.__file__).with_name("mitmproxy_addon.py"))
            return
        try:
            self._run(opts)
        except SitecrawlError as error:
            self.exitcode = print_error(error)

    def _run(self, opts: argparse.Namespace) -> None:
        assert self.settings is not None
        need_extra("serve", *NEEDED)
        from sitecrawl.service.server import new_service, serve  # noqa: PLC0415  (an extra)
        from sitecrawl.ui.access import new_access  # noqa: PLC0415
        from sitecrawl.ui.server import listening  # noqa: PLC0415

        access = new_access(opts.host, opts.port, read_password(opts.password_file), opts.name)
        served = new_service(self.settings, access, opts.sites)
        listener = listening(opts.host, opts.port)
        serve(served, listener, lambda: print(served_url(opts.host, opts.port), flush=True))
