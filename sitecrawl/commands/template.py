"""`scrapy template list | show HOST | export HOST | forget HOST`: the learned templates of each site."""

import argparse
import sys
from typing import Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl import twins
from sitecrawl.closed_pipe import reader_may_leave
from sitecrawl.config import Config
from sitecrawl.crawl.counted_blocks import with_blocks
from sitecrawl.crawl.layout_samples import layout_samples
from sitecrawl.errors import SitecrawlError, UnknownSiteError
from sitecrawl.exit_status import print_error
from sitecrawl.extractors.base import get_extractor
from sitecrawl.overrides.layout_selectors import layout_selectors
from sitecrawl.overrides.selector_formats import FORMATS, ExportedLayout
from sitecrawl.plurals import counted
from sitecrawl.shell.arguments import share, whole_number
from sitecrawl.storage.closed import ClosedRepository
from sitecrawl.storage.db.engine import open_existing, open_to_read, session_scope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.named_sites import NO_SITES, named_site
from sitecrawl.storage.sites import SiteRef, SiteRepository
from sitecrawl.storage.templates import LayoutHead, TemplateRepository
from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.changes import TemplateChanges
from sitecrawl.templates.snapshot import merge, merge_blocks
from sitecrawl.templates.trie import SiteTemplate
from sitecrawl.templates.views import ViewRow, path_rows, template_rows

DIM: Final = "\x1b[2m{}\x1b[0m"
BOLD: Final = "\x1b[1m{}\x1b[0m"
DUTIES: Final = ("list", "show", "export", "forget")
EXAMPLES: Final = 2
"""Number of URLs of a layout that an export names."""
VOLATILE: Final = 8
"""Maximum volatile places of a layout that are listed."""
SHARED: Final = 0.5
"""Minimum share of pages of a row that is shown in bold, as a part of the template."""


class Command(ScrapyCommand):
    """Show, export or forget learned templates."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return (
            "list | show HOST [--layout N] [--view etdm|sst|fastce] [--min-share S]"
            " | export HOST [--layout N] [--format css|ftr|web-poet] | forget HOST"
        )

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Show what was learned about a site: template list | show HOST | export HOST | forget HOST"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of `show`."""
        super().add_options(parser)
        parser.add_argument(
            "--view",
            choices=("etdm", "sst", "fastce"),
            default="etdm",
            help="occurrences (default), style importance, or traversal paths",
        )
        parser.add_argument("--format", choices=tuple(FORMATS), default="css", help="what export writes (default: css)")
        parser.add_argument(
            "--layout",
            type=whole_number(1, 10**6),
            default=None,
            metavar="N",
            help="which of the site's layouts (default: the most used)",
        )
        parser.add_argument(
            "--min-share", type=share, default=0.0, metavar="S", help="least share of the parent's pages"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the requested action; an error is reported in one line."""
        if not args or args[0] not in DUTIES or len(args) != (1 if args[0] == "list" else 2):
            raise UsageError(self.syntax())
        try:
            with reader_may_leave():
                self._run(args, opts)
        except SitecrawlError as error:
            self.exitcode = print_error(error)

    def _run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        config = Config.from_mapping(self.settings)
        forgets = args[0] == "forget"
        engine = (open_existing if forgets else open_to_read)(config.database_url, config.body_store)
        with session_scope(engine, write=forgets) as session:
            if args[0] == "list":
                sites = SiteRepository(session).all()
                if not sites:
                    sys.stderr.write(f"sitecrawl: {NO_SITES}\n")
                for one in sites:
                    learned = counted(one.pages_seen or 0, "page")
                    state = f"version {one.version}, learned from {learned}" if one.version else "no template"
                    print(f"{one.host:40} {one.contents:7} contents  {state}")
                return
            site = named_site(session, args[1], config.site_scope)
            templates = TemplateRepository(session)
            if args[0] == "export":
                print(_exported(session, site, Config.from_mapping(self.settings), opts))
                return
            if forgets:
                templates.forget(site.id)
                ClosedRepository(session).forget(site.id)
                print(f"{site.host}: template and closed traps forgotten; the next crawl learns them again")
                return
            heads, used = templates.layouts(site.id), LayoutRepository(session).used(site.id)
            stored = templates.load(site.id, opts.layout or _most_used(heads, used))
            if stored is None:
                raise UnknownSiteError(
                    f"{site.host}: no layout {opts.layout}; there are {', '.join(str(head.layout) for head in heads)}"
                    if opts.layout is not None and heads
                    else f"{site.host}: no template yet; crawl the site first"
                )
            template = SiteTemplate()
            merge(template, stored)
            if opts.view == "fastce":
                stored = with_blocks(session, site.id, stored, Config.from_mapping(self.settings))
        if len(heads) > 1:
            _print_layouts(site.host, heads, used)
        layout = f"layout {stored.layout}, " if len(heads) > 1 else ""
        print(
            f"{site.host}: {layout}version {template.version}, learned {counted(template.pages_seen, 'page')},"
            f" {counted(len(stored.nodes), 'row')}"
        )
        if stored.decision is not None:
            for line in stored.decision.lines():
                print(f"  {line}")
        for place in stored.volatile.rows()[:VOLATILE]:
            print(f"  {place.place}: volatile: {place.line()}")
        colours = sys.stdout.isatty()
        if opts.view == "fastce":
            _print_paths(stored, opts.min_share, colours=colours)
            return
        print("  pages" + (" weight" if opts.view == "sst" else "  share") + "  node")
        for row in template_rows(template, opts.min_share):
            print(_line(row, opts.view, colours=colours))


def _exported(session: Session, site: SiteRef, config: Config, opts: argparse.Namespace) -> str:
    """Return the selectors of a site's layouts. Raises UnknownSiteError if there are none."""
    twins.choose(config.extension)
    extractor = get_extractor(config.extractor, **(config.extractor_options or {}))
    found = []
    for one in layout_samples(session, site.id, config, extractor):
        if opts.layout not in (None, one.number):
            continue
        selectors = layout_selectors(one.chosen, one.listings)
        if selectors is not None:
            about = one.decision.lines() if one.decision is not None else ()
            examples = tuple(page.url for page, nodes in one.chosen if nodes)[:EXAMPLES]
            found.append(ExportedLayout(one.number, about, selectors, examples))
    if not found:
        if opts.layout is not None:
            raise UnknownSiteError(
                f"{site.host}: no layout {opts.layout} with a template and stored pages; see: template show {site.host}"
            )
        raise UnknownSiteError(
            f"{site.host}: no layout has a template and stored pages; crawl the site with SITECRAWL_STORE_BODIES"
        )
    return FORMATS[opts.format](site.host, found).rstrip()


def _most_used(heads: list[LayoutHead], used: dict[int, int]) -> int:
    """Return the layout with the most pages; of equals the newest one."""
    live = [head.layout for head in heads if head.retired_at is None]
    return max(live, key=lambda layout: (used.get(layout, 0), layout), default=0)


def _print_layouts(host: str, heads: list[LayoutHead], used: dict[int, int]) -> None:
    """List the layouts of a site that has or had several."""
    for head in heads:
        if head.retired_at is not None:
            state = f"dropped on {head.retired_at:%Y-%m-%d}, when no page had it any more"
        else:
            state = f"learned {counted(head.pages_seen, 'page')}, on {counted(used.get(head.layout, 0), 'page')} now"
        print(f"{host}: layout {head.layout}, version {head.version}, {state}")


def _print_paths(stored: TemplateChanges, min_share: float, *, colours: bool) -> None:
    blocks = BlockStore()
    merge_blocks(blocks, stored)
    if not blocks.paths:
        print("no traversal paths: crawl the site with SITECRAWL_STORE_BODIES, or with SITECRAWL_TEMPLATE_BLOCKS")
        return
    print("content  noise  share  traversal path")
    for row in path_rows(blocks, min_share):
        line = f"{row.content_pages:7} {row.noise_pages:6} {row.share:6.0%}  {row.path}"
        print(line if not colours else (BOLD if row.share >= SHARED else DIM).format(line))


def _line(row: ViewRow, view: str, *, colours: bool) -> str:
    figure = f"{row.importance:6.2f}" if view == "sst" else f"{row.share:6.0%}"
    line = f"{row.pages:6} {figure}  {'  ' * row.depth}{row.label}"
    if not colours:
        return line
    return (BOLD if row.share >= SHARED else DIM).format(line)
