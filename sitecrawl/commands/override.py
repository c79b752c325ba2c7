"""`scrapy override check | import`: checks override files, and imports site patterns of Full-Text RSS."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.closed_pipe import reader_may_leave
from sitecrawl.config import Config
from sitecrawl.errors import ConfigError, SitecrawlError
from sitecrawl.exit_status import DONE, FAILED, PARTIAL, USAGE, print_error
from sitecrawl.overrides.folders import host_of, override_files, without_site
from sitecrawl.overrides.rules import Override
from sitecrawl.plurals import counted
from sitecrawl.storage.db.address import parse_address, sqlite_path
from sitecrawl.storage.db.engine import open_to_read, session_scope
from sitecrawl.storage.sites import SiteRepository

if TYPE_CHECKING:
    from sitecrawl.overrides.site_patterns import SitePatterns

GLOBAL: Final = "global.txt"
"""A file of the other format that applies to every site."""


class Command(ScrapyCommand):
    """Check override files, or create them from site patterns."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "check [FILE|FOLDER ...] | import FILE.txt|FOLDER [--into FOLDER] [--replace]"

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Corrections for single sites: override check | import FILE.txt|FOLDER --into FOLDER"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of `import`."""
        super().add_options(parser)
        parser.add_argument("--into", default=None, metavar="FOLDER", help="import: where the files are written")
        parser.add_argument("--replace", action="store_true", help="import: replace files that are there")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the requested action; each error is reported in one line."""
        if not args or args[0] not in ("check", "import") or (args[0] == "import" and len(args) != 2):
            raise UsageError(self.syntax())
        try:
            with reader_may_leave():
                self.exitcode = self._check(args[1:]) if args[0] == "check" else _import(Path(args[1]), opts)
        except (SitecrawlError, OSError) as error:
            self.exitcode = print_error(error)

    def _check(self, names: list[str]) -> int:
        from sitecrawl.overrides.reading import read_override  # noqa: PLC0415  (loads YAML)

        assert self.settings is not None
        folders = [Path(name) for name in names or Config.from_mapping(self.settings).overrides]
        if not folders:
            raise ConfigError("SITECRAWL_OVERRIDES is not set; name a file or a folder: override check FOLDER")
        files = [file for path in folders for file in (override_files(path) if path.is_dir() else [path])]
        wrong, hosts = 0, {}
        for file in files:
            try:
                hosts[file] = host_of(file)
                print(f"{file}: {hosts[file]}: {_summary(read_override(file))}")
            except ConfigError as error:
                wrong += 1
                print_error(error)
        lost = without_site(hosts.values(), _sites(Config.from_mapping(self.settings)) or hosts.values())
        for file in (file for file, host in hosts.items() if host in lost):
            near = lost[hosts[file]]
            alike = f"; if {near} is meant, rename the file" if near else ""
            sys.stderr.write(f"sitecrawl: {file}: the database has no site {hosts[file]}{alike}\n")
        print(f"{counted(len(files), 'file')}, {wrong} cannot be used")
        return USAGE if wrong else DONE


def _sites(config: Config) -> list[str]:
    """Return the hosts of the sites in the database; none if there is no SQLite file. Raises StorageError."""
    path = sqlite_path(parse_address(config.database_url))
    if path is not None and not path.exists():
        return []
    engine = open_to_read(config.database_url)
    try:
        with session_scope(engine, write=False) as session:
            return [site.host for site in SiteRepository(session).refs()]
    finally:
        engine.dispose()


def _summary(override: Override) -> str:
    rule = override.rest
    parts = [
        f"{len(part)} {key}"
        for key, part in (("content", rule.content), ("include", rule.include), ("exclude", rule.exclude))
        if part
    ]
    parts += [f"{len(rule.title)} title"] if rule.title else []
    parts += [f"{key} {value}" for key, value in (("kind", rule.kind), ("comments", rule.comments)) if value]
    parts += [f"layout {layout.name}" for layout in override.layouts]
    return ", ".join(parts)


def _import(source: Path, opts: argparse.Namespace) -> int:
    """Convert a file (to standard output, unless a folder is given) or a folder; return the exit status."""
    if source.is_dir():
        if opts.into is None:
            raise ConfigError("a folder of site patterns becomes a folder of overrides; say which: --into FOLDER")
        files = sorted(path for path in source.iterdir() if path.suffix == ".txt")
    else:
        files = [source]
        if not source.is_file():
            raise ConfigError(f"{source}: there is no such file or folder; give site patterns of Full-Text RSS")
    into = Path(opts.into) if opts.into is not None else None
    if into is not None:
        try:
            into.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"{into}: the folder cannot be created ({error.strerror}); name another") from error
    passed_over = sum(not _import_one(file, into, replace=opts.replace) for file in files)
    sys.stderr.write(f"{len(files) - passed_over} of {counted(len(files), 'file')} imported\n")
    return DONE if not passed_over else FAILED if passed_over == len(files) else PARTIAL


def _import_one(file: Path, into: Path | None, *, replace: bool) -> bool:
    """Convert one file and print the result; return False if nothing was written."""
    from sitecrawl.overrides.site_patterns import read_site_patterns  # noqa: PLC0415  (a crawl has no use for it)

    patterns = read_site_patterns(file.read_text("utf-8", errors="replace"))
    problem, target = _problem(file, patterns, into, replace=replace)
    if problem:
        sys.stderr.write(f"{file.name}: skipped: {problem}\n")
        return False
    if target is None:
        print(patterns.yaml(file.name), end="")
    else:
        target.write_text(patterns.yaml(file.name), "utf-8")
    missing = patterns.unmapped_names()
    sys.stderr.write(
        f"{file.name}: {counted(patterns.mapped, 'line')} mapped" + (f"; not mapped: {missing}\n" if missing else "\n")
    )
    return True


def _problem(file: Path, patterns: "SitePatterns", into: Path | None, *, replace: bool) -> tuple[str, Path | None]:
    """Return why a file is skipped ("" if it is not), and the path of its override."""
    if file.name == GLOBAL:
        return "it applies to every site, and an override is for one site", None
    if not patterns.mapped:
        names = patterns.unmapped_names()
        return f"nothing in it can be mapped{f' ({names})' if names else ''}", None
    if into is None:
        return "", None
    target = into / f"{file.stem.removeprefix('.')}.yaml"
    try:
        host_of(target)
    except ConfigError:
        return "it is not named after a host", None
    if file.name.startswith(".") and file.with_name(file.name[1:]).exists():
        return f"{file.name[1:]} is for the same domain; join them by hand", None
    if target.exists() and not replace:
        return f"{target} exists; --replace replaces it", None
    return "", target
