"""`scrapy database upgrade|prune-bodies`: creates or upgrades tables; deletes stored bodies that no page uses."""

import argparse

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.config import Config
from sitecrawl.errors import SitecrawlError
from sitecrawl.exit_status import print_error
from sitecrawl.storage.body_files import check_folder
from sitecrawl.storage.body_pruning import prune
from sitecrawl.storage.db.engine import open_existing, upgrade_database


class Command(ScrapyCommand):
    """Upgrade the database to this version's schema, or delete stored bodies that no page uses."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "upgrade | prune-bodies [--all]"

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Create or upgrade the tables, or tidy the body store: database upgrade | prune-bodies"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        parser.add_argument(
            "--all", action="store_true", help="prune although most bodies of the store belong to no page"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the missing migrations, or prune; an error is reported in one line."""
        if args not in (["upgrade"], ["prune-bodies"]) or (opts.all and args == ["upgrade"]):
            raise UsageError(self.syntax())
        assert self.settings is not None
        try:
            config = Config.from_mapping(self.settings)
            print(_upgrade(config) if args == ["upgrade"] else _prune(config, even_most=opts.all))
        except SitecrawlError as error:
            self.exitcode = print_error(error)


def _upgrade(config: Config) -> str:
    changed = upgrade_database(config.database_url)
    return "The database was upgraded." if changed else "The database is up to date."


def _prune(config: Config, *, even_most: bool) -> str:
    check_folder(config.body_store)
    engine = open_existing(config.database_url, config.body_store)
    try:
        found = prune(engine, even_most=even_most)
    finally:
        engine.dispose()
    young = f"Without a page, but less than a day old: {found.young}; prune again tomorrow." if found.young else ""
    if found.orphans:
        return f"{found.orphans} of {found.files} bodies belonged to no page and are deleted. {young}".strip()
    if young:
        return f"Of {found.files} bodies none is deleted. {young}"
    return f"All {found.files} bodies belong to pages; nothing is deleted."
