"""`scrapy database upgrade`: creates or upgrades the tables of SITECRAWL_DATABASE_URL."""

import argparse
import sys

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.config import Config
from sitecrawl.errors import SitecrawlError
from sitecrawl.exit_status import exit_status
from sitecrawl.storage.db.engine import upgrade_database


class Command(ScrapyCommand):
    """Bring the database to this version's schema."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Arguments."""
        return "upgrade"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Create or upgrade the tables: database upgrade"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the missing migrations; errors are one line."""
        if args != ["upgrade"]:
            raise UsageError(self.syntax())
        assert self.settings is not None
        try:
            changed = upgrade_database(Config.from_mapping(self.settings).database_url)
        except SitecrawlError as error:
            sys.stderr.write(f"sitecrawl: {error}\n")
            self.exitcode = exit_status(error)
            return
        print("The database was upgraded." if changed else "The database is up to date.")
