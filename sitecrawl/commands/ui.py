"""`scrapy ui [--port N]`: the user interface in a browser."""

import argparse
from typing import Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from sitecrawl.config import Config
from sitecrawl.errors import SitecrawlError
from sitecrawl.exit_status import print_error
from sitecrawl.shell.crawl_settings import check_crawl_settings
from sitecrawl.shell.extras import need_extra
from sitecrawl.shell.served_address import add_address_options, read_password, served_url

PORT: Final = 8765
NEEDED: Final = ("starlette", "jinja2", "uvicorn")
"""Modules of the extra `ui`."""


class Command(ScrapyCommand):
    """Serve the user interface."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "[--port N] [--address ADDRESS --password-file FILE [--name NAME]]"

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "See and correct what was crawled, in a browser: ui [--port N]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        add_address_options(parser, "--address", PORT, "browsers")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Serve until stopped; an error is reported in one line."""
        if args:
            raise UsageError(self.syntax())
        try:
            self._run(opts)
        except SitecrawlError as error:
            self.exitcode = print_error(error)

    def _run(self, opts: argparse.Namespace) -> None:
        assert self.settings is not None
        need_extra("ui", *NEEDED)
        from sitecrawl.ui.access import new_access  # noqa: PLC0415  (an extra)
        from sitecrawl.ui.server import listening, new_ui, serve  # noqa: PLC0415

        config = Config.from_mapping(self.settings)
        check_crawl_settings(config)  # the crawls that are started here would refuse them
        access = new_access(opts.address, opts.port, read_password(opts.password_file), opts.name)
        ui = new_ui(config, access, typed_settings(self.settings))
        secret = "" if access.password is not None else f"?token={access.token}"
        listener = listening(opts.address, opts.port)
        serve(ui, listener, lambda: print(f"{served_url(opts.address, opts.port)}{secret}", flush=True))


def typed_settings(settings: BaseSettings) -> dict[str, str]:
    """Return the settings given on the command line, to be passed to the processes that this one starts."""
    typed = SETTINGS_PRIORITIES["cmdline"]
    return {name: str(settings[name]) for name in settings if settings.getpriority(name) == typed}
