"""Runs the project's commands and Scrapy's own under the name `sitecrawl`, and reports errors in one line."""

import argparse
import cProfile
import errno
import os
import pkgutil
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import NoReturn

from scrapy.cmdline import ScrapyArgumentParser, execute
from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import UsageError
from scrapy.utils.project import get_project_settings

from sitecrawl import __version__, commands
from sitecrawl.closed_pipe import drop_output, drop_unread, reader_may_leave
from sitecrawl.errors import SitecrawlError
from sitecrawl.exit_status import DONE, FAILED, USAGE, print_error


def run(arguments: list[str]) -> int:
    """Run a command and return its exit status. A reader that closes the pipe early (`| head`) is not a failure."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the stream was closed before the process began
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115  (until the process ends)
    status = DONE
    try:
        with reader_may_leave():
            status = _run(arguments)
    except SystemExit as ended:  # raised by argparse, by Scrapy, and by commands that cannot go on
        status = ended.code if isinstance(ended.code, int) else DONE if ended.code is None else FAILED
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        drop_output()  # the rest of the output cannot be written either
        sys.stderr.write(f"sitecrawl: standard output cannot be written ({error.strerror})\n")
        status = FAILED
    drop_unread()
    return status


def names() -> list[str]:
    """Return the names of the project's commands."""
    return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))


def _run(arguments: list[str]) -> int:
    name = next((argument for argument in arguments if not argument.startswith("-")), None)
    if name is None:
        sys.stdout.write(f"sitecrawl {__version__}\n" if "--version" in arguments else _overview())
        return DONE
    if name in names():
        rest = arguments.copy()
        rest.remove(name)
        return _run_own(name, rest)
    if name.isidentifier() and find_spec(f"scrapy.commands.{name}"):
        execute(["scrapy", *arguments])  # raises SystemExit at the end
    sys.stderr.write(f"sitecrawl: unknown command {name!r}; known: {', '.join(names())}\n")
    return USAGE


def _overview() -> str:
    lines = [f"  {name:<10} {_command(name).short_desc()}" for name in names()]
    return "\n".join(
        ["usage: sitecrawl COMMAND [options] [arguments]\n", *lines, "\nsitecrawl COMMAND -h explains a command.\n"]
    )


def _command(name: str) -> ScrapyCommand:
    command: ScrapyCommand = import_module(f"sitecrawl.commands.{name}").Command()
    return command


def _run_own(name: str, arguments: list[str]) -> int:
    """Run a command of the project as `scrapy.cmdline.execute` does; return its exit status."""
    settings = get_project_settings()
    command = _command(name)
    parser = _Parser(
        prog=f"sitecrawl {name}",
        usage=f"sitecrawl {name} {command.syntax()}".rstrip(),
        formatter_class=ScrapyHelpFormatter,
        conflict_handler="resolve",
        description=command.long_desc(),
    )
    settings.setdict(command.default_settings, priority="command")
    command.settings = settings
    command.add_options(parser)
    opts, args = parser.parse_known_args(arguments)
    unknown = next((arg for arg in args if arg.startswith("--")), "--")
    if unknown != "--":
        parser.error(f"unknown option {unknown}")
    try:
        command.process_options(args, opts)
        if command.requires_crawler_process:
            command.crawler_process = AsyncCrawlerProcess(settings)
        commands.collect_as_usual()
        _run_profiled(command, args, opts) if opts.profile else command.run(args, opts)
    except UsageError as error:
        parser.error("" if str(error) == command.syntax() else str(error))
    except SitecrawlError as error:
        return print_error(error)
    return command.exitcode


def _run_profiled(command: ScrapyCommand, args: list[str], opts: argparse.Namespace) -> None:
    with cProfile.Profile() as profile:
        command.run(args, opts)
    profile.dump_stats(opts.profile)


class _Parser(ScrapyArgumentParser):
    """A parser that reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message, or the usage if it is empty; exit with status 2."""
        sys.stderr.write(f"sitecrawl: {message}; see: {self.prog} -h\n" if message else f"usage: {self.usage}\n")
        raise SystemExit(USAGE)
