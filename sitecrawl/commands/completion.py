"""`sitecrawl completion bash|zsh|fish|tcsh`: prints a script that completes commands and options in a shell."""

import argparse
import pkgutil
import sys
from importlib import import_module

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.utils.project import get_project_settings

from sitecrawl.commands import __path__
from sitecrawl.errors import ConfigError
from sitecrawl.exit_status import print_error
from sitecrawl.shell.extras import need_extra


class Command(ScrapyCommand):
    """Print a script for a shell."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "bash|zsh|fish|tcsh"

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return 'Complete commands and options in a shell: eval "$(sitecrawl completion bash)"'

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the script; an error is reported in one line."""
        if len(args) != 1:
            raise UsageError(self.syntax())
        try:
            sys.stdout.write(script(args[0]))
        except ConfigError as error:
            self.exitcode = print_error(error)


def script(shell: str) -> str:
    """Return the script for a shell. Raises ConfigError for an unknown one, and if shtab is not installed."""
    need_extra("completion", "shtab")
    import shtab  # noqa: PLC0415  (an extra)

    if shell not in shtab.SUPPORTED_SHELLS:
        raise ConfigError(f"there is no completion for {shell!r:.40}; known: {', '.join(shtab.SUPPORTED_SHELLS)}")
    written: str = shtab.complete(_parser(), shell=shell)
    return f"{written.rstrip()}\n"


def _parser() -> argparse.ArgumentParser:
    """Return a parser of all commands with their options."""
    settings = get_project_settings()
    parser = argparse.ArgumentParser(prog="sitecrawl")
    parser.add_argument("--version", action="store_true", help="print the version")
    commands = parser.add_subparsers()
    for name in sorted(module.name for module in pkgutil.iter_modules(__path__)):
        command: ScrapyCommand = import_module(f"{__package__}.{name}").Command()
        command.settings = settings
        one = commands.add_parser(name, help=command.short_desc().replace("%", "%%"), conflict_handler="resolve")
        command.add_options(one)
    return parser
