"""`scrapy evaluate GOLD...`: compares methods and other libraries on pages whose main content is known."""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.closed_pipe import reader_may_leave
from sitecrawl.commands.extract import read_source
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError, EvaluationError, SitecrawlError
from sitecrawl.exit_status import FAILED, print_error
from sitecrawl.extractors.base import Kind, extractor_class, extractor_names, get_extractor
from sitecrawl.shell.arguments import whole_number

if TYPE_CHECKING:
    from sitecrawl.evaluation.runner import SiteResult

DEFAULT: Final = "combined"
MANY: Final = 1_000_000_000
"""Maximum pages of a site that are learned first."""


class Command(ScrapyCommand):
    """Evaluate methods on gold pages."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return (
            "GOLD... [--methods a,b|all] [-o METHOD.OPTION=VALUE] [--learn K,...] [--learn-order crawl|random]"
            " [--sites A,B*] [--fold I/N] [--peers]"
            " [--measure M] [--against ROW] [--json F] [--html F] | --record URL FOLDER/NAME"
        )

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Set methods (and installed peers) side by side on pages whose main content is known"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        from sitecrawl.evaluation.metrics import MEASURES  # noqa: PLC0415

        super().add_options(parser)
        add = parser.add_argument
        add("--methods", default=DEFAULT, metavar="A,B", help="methods, or all (default: combined)")
        add(
            "-o",
            "--option",
            action="append",
            default=[],
            metavar="METHOD.OPTION=VALUE",
            help="an option of a method; given again with another value, a row for each",
        )
        add("--sites", default=None, metavar="A,B*", help="only sites with these names")
        add("--fold", default=None, metavar="I/N", help="only every N-th site by name, from the I-th")
        add("--measure", choices=tuple(MEASURES), default="word", help="shown with P, R and interval (default: word)")
        add("--evidence", default="", metavar="A,B", help="numbers behind the choices, averaged beside the figures")
        add("--against", default=None, metavar="ROW", help="paired differences of all rows to this one")
        add("--learn", default="all", metavar="K,...", help="pages of a site that are learned before: 0, 5, all, ...")
        add(
            "--learn-order",
            choices=("crawl", "random"),
            default="crawl",
            help="which are learned first (default: crawl)",
        )
        add("--peers", action="store_true", help="other libraries too, those that are installed")
        add("--metrics", choices=("word", "all"), default="all", help="word P, R, F1 only, or all (default)")
        add(
            "--limit",
            type=whole_number(0, 10**9),
            default=0,
            metavar="N",
            help="content pages of a site that are scored",
        )
        add(
            "--jobs",
            type=whole_number(1, 1000),
            default=os.cpu_count() or 1,
            metavar="N",
            help="processes (default: one a CPU)",
        )
        add("--json", default=None, metavar="FILE", help="write all figures as JSON")
        add("--html", default=None, metavar="FILE", help="write a report with charts, one file that needs no network")
        add("--floors", default=None, metavar="FILE", help="TOML of figures that must be held; status 1 if not")
        add("--resume", default=None, metavar="FILE", help="keep finished sites there and continue from them")
        add("--no-timing", action="store_true", help="leave out what differs between two runs")
        add("--record", default=None, metavar="URL", help="save a page as a golden case to be corrected by hand")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Evaluate and print the table; an error is reported in one line."""
        if not args or (opts.record and len(args) != 1):
            raise UsageError(self.syntax())
        try:
            if opts.record:
                _record(opts.record, Path(args[0]))
                return
            fallen = _evaluate([Path(arg) for arg in args], opts)
        except KeyboardInterrupt:
            more = "; the same command resumes there" if opts.resume else "; --resume FILE would keep what is done"
            sys.stderr.write(f"\nsitecrawl: stopped{more}\n")
            sys.stderr.flush()
            os._exit(130)  # workers are in the middle of a page; there is nothing to wait for
        except (SitecrawlError, OSError) as error:
            self.exitcode = print_error(error)
            return
        if fallen:
            sys.stderr.write("".join(f"sitecrawl: {sentence}\n" for sentence in fallen))
            self.exitcode = FAILED


def _evaluate(paths: list[Path], opts: argparse.Namespace) -> list[str]:
    """Evaluate, print and write the requested outputs; return a sentence for each floor that was missed."""
    # Scrapy loads all command modules to run one command, and a crawl does not need these
    from sitecrawl.evaluation.batch import run  # noqa: PLC0415
    from sitecrawl.evaluation.floors import check, read_floors  # noqa: PLC0415
    from sitecrawl.evaluation.gold import gold_sites  # noqa: PLC0415
    from sitecrawl.evaluation.peers import PREFIX, available_peers, missing_peers  # noqa: PLC0415
    from sitecrawl.evaluation.plain import json_report, text_table  # noqa: PLC0415
    from sitecrawl.evaluation.report import html_report  # noqa: PLC0415
    from sitecrawl.evaluation.rows import chosen_sites  # noqa: PLC0415
    from sitecrawl.evaluation.runner import Plan  # noqa: PLC0415
    from sitecrawl.evaluation.summary import summarise  # noqa: PLC0415

    floors = read_floors(Path(opts.floors)) if opts.floors else {}
    peers = [PREFIX + name for name in available_peers()] if opts.peers else []
    for name in filter(None, (opts.json, opts.html)):  # an evaluation may take hours
        if not Path(name).parent.is_dir():
            raise ConfigError(f"{name}: its folder does not exist; make it first")
    learned = _learned(opts.learn)
    rows = _rows(opts)
    chosen = tuple(dict.fromkeys((*rows, *peers)))
    plan = Plan(
        chosen, learned, opts.metrics == "all", opts.limit, evidence=_names(opts.evidence), learn_order=opts.learn_order
    )
    against = _against(opts, plan.methods)
    sites = chosen_sites([site for path in paths for site in gold_sites(path)], opts.sites, opts.fold)
    if not any(site.pages for site in sites):
        left_out = [problem for site in sites for problem in site.problems]
        names = ", ".join(map(str, paths))
        raise EvaluationError("\n".join([f"{names}: no page with its gold text", *left_out]))
    progress = _Progress(len(sites))
    record = Path(opts.resume) if opts.resume else None
    results = run(sites, plan, jobs=min(opts.jobs, len(sites)), record=record, report=progress.site_done)
    progress.end()
    problems = [problem for result in results for problem in result.problems] + (missing_peers() if opts.peers else [])
    scores = (score for result in results for score in result.scores)
    report = summarise(scores, problems, learned=learned, against=against, measure=opts.measure)
    with reader_may_leave():
        print(text_table(report, timing=not opts.no_timing, measure=opts.measure), end="")
    if opts.json:
        Path(opts.json).write_text(json_report(report, timing=not opts.no_timing), encoding="utf-8")
    if opts.html:
        Path(opts.html).write_text(html_report(report), encoding="utf-8")
    return check(report, floors) if floors else []


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _rows(opts: argparse.Namespace) -> list[str]:
    """Return the rows of methods. Each method is built once, so that an invalid option is an error before the run."""
    from sitecrawl.evaluation.peers import PREFIX  # noqa: PLC0415
    from sitecrawl.evaluation.rows import extractor_of, row_names  # noqa: PLC0415

    rows = row_names(_methods(opts.methods), opts.option)
    for row in rows:
        if not row.startswith(PREFIX):
            extractor_of(row)
    return rows


def _against(opts: argparse.Namespace, rows: Sequence[str]) -> str | None:
    """Return the row to compare with. Raises ConfigError if there is no such row."""
    if opts.against is None:
        return None
    method, *options = shlex.split(opts.against) or [""]
    name = shlex.join([method, *sorted(options)])
    if name in rows:
        return name
    raise ConfigError(f"--against {opts.against!r} is not one of the rows: {', '.join(rows)}")


def _methods(names: str) -> list[str]:
    """Return the methods and peers listed as `a,b`, or for `all`. Raises UnknownExtractorError, ExtractorError."""
    from sitecrawl.evaluation.comparisons import COMPARISONS  # noqa: PLC0415
    from sitecrawl.evaluation.peers import PREFIX, check_peer  # noqa: PLC0415

    chosen = extractor_names() if names == "all" else list(_names(names))
    for name in chosen:
        if name.startswith(PREFIX):
            check_peer(name)
        elif name not in COMPARISONS:
            extractor_class(name)
    return list(dict.fromkeys(chosen))


def _learned(text: str) -> tuple[int, ...]:
    from sitecrawl.evaluation.runner import ALL_PAGES  # noqa: PLC0415

    try:
        counts = [ALL_PAGES if part.strip() == "all" else whole_number(0, MANY)(part) for part in text.split(",")]
    except argparse.ArgumentTypeError:
        counts = []
    if not counts:
        raise ConfigError(f"--learn {text!r} cannot be used; give numbers of pages, or all: --learn 0,5,all")
    return tuple(dict.fromkeys(counts))


class _Progress:
    """Progress on one line of a terminal; silent elsewhere."""

    def __init__(self, sites: int) -> None:
        self.sites = sites
        self.started = monotonic()
        self.shown = sys.stderr.isatty()

    def site_done(self, done: int, result: "SiteResult") -> None:
        if self.shown:
            left = (monotonic() - self.started) / done * (self.sites - done)
            bar = "#" * (30 * done // self.sites)
            name = result.scores[0].site if result.scores else ""
            sys.stderr.write(f"\r\x1b[2K[{bar:30}] {done} of {self.sites} sites, {left:.0f} s left  {name:.30}")
            sys.stderr.flush()

    def end(self) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[2K")


def _record(url: str, target: Path) -> None:
    """Save a page, a proposal of its main content, and its facts. Nothing is overwritten."""
    files = [target.with_suffix(suffix) for suffix in (".html", ".txt", ".toml")]
    site = target.parent / "site.toml"
    for path in files:
        if path.exists():
            raise EvaluationError(f"{path} exists; give another name, or remove it first")
    body, address = read_source(url)
    page = Page.from_html(body, address)
    found = get_extractor(DEFAULT).extract(page)
    text = page.text(found.nodes) if found.kind is not Kind.NONE else ""
    target.parent.mkdir(parents=True, exist_ok=True)
    files[0].write_bytes(body)
    files[1].write_text(text + "\n" if text else "", encoding="utf-8")
    files[2].write_text(f"url = {json.dumps(address)}\nkind = {json.dumps(str(found.kind))}\n", encoding="utf-8")
    if not site.exists():
        site.write_text(f'name = {json.dumps(target.parent.name)}\nkind = ""\n', encoding="utf-8")
    print(
        f"{files[0]}: {len(body)} bytes\n{files[1]}: what {DEFAULT} takes for main content; correct it by hand, as gold"
    )
