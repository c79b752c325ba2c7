"""`scrapy extract URL|FILE|-`: the main content of one page, by the site's stored template if there is one."""

import argparse
import sys
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, url2pathname, urlopen

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl import twins
from sitecrawl.api.pages import check_needs, extracted, page_json
from sitecrawl.api.sources import MAX_BYTES
from sitecrawl.binary_files import is_binary
from sitecrawl.closed_pipe import reader_may_leave
from sitecrawl.config import Config
from sitecrawl.crawl.site_context import stored_site
from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError, NotHtmlError, PageError, SitecrawlError, SourceError
from sitecrawl.exit_status import print_error
from sitecrawl.extractors.base import Editing, Extraction, Extractor, Kind, SiteContext, get_extractor
from sitecrawl.extractors.combined.method import Combined
from sitecrawl.extractors.explanation import explain, explanation_html, explanation_text
from sitecrawl.extractors.options import read_options
from sitecrawl.overrides.extraction import Outcome, Overridden, extract
from sitecrawl.overrides.folders import Overrides
from sitecrawl.overrides.rules import Override, Rule
from sitecrawl.overrides.selected_text import selected_texts
from sitecrawl.overrides.selectors import Selector, compile_selector
from sitecrawl.plurals import counted
from sitecrawl.settings import USER_AGENT
from sitecrawl.storage.named_sites import site_hosts

TIMEOUT = 30


class Command(ScrapyCommand):
    """Extract the main content of one page."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return (
            "URL|FILE|- [--url URL] [--method NAME] [-o OPTION=VALUE] [--site HOST] [--override FILE]"
            " [--format text|html|md|json|page] [--explain] [--css SELECTOR]"
        )

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Main content of one page, from a URL, a file or standard input"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        parser.add_argument("--url", default=None, help="URL of the page, to resolve its links")
        parser.add_argument("--method", default=None, metavar="NAME", help="extraction method (default: the setting)")
        parser.add_argument(
            "-o",
            "--option",
            action="append",
            default=[],
            metavar="OPTION=VALUE",
            help="an option of the method (docs/extractors.md)",
        )
        parser.add_argument(
            "--site", default=None, metavar="HOST", help="site whose stored template is used (default: that of the URL)"
        )
        parser.add_argument(
            "--override", default=None, metavar="FILE", help="try this override (default: the site's in the setting)"
        )
        parser.add_argument(
            "--css", default=None, metavar="SELECTOR", help="print the text of what a CSS or XPath selector selects"
        )
        parser.add_argument("--explain", action="store_true", help="say why each block was kept or dropped")
        parser.add_argument("--format", choices=("text", "html", "md", "json", "page"), default="text")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the main content; an error is reported in one line."""
        if len(args) != 1:
            raise UsageError(self.syntax())
        try:
            with reader_may_leave():
                self._run(args[0], opts)
        except (SitecrawlError, OSError) as error:
            self.exitcode = print_error(error)

    def _run(self, source: str, opts: argparse.Namespace) -> None:
        assert self.settings is not None
        config = Config.from_mapping(self.settings)
        twins.choose(config.extension)
        selector = _selector(opts)
        files = Overrides(config.overrides)
        override = _override(opts.override) if opts.override else None
        name = opts.method or config.extractor
        options = (config.extractor_options or {}) if name == config.extractor else {}
        extractor = get_extractor(name, **{**options, **read_options(opts.option)})
        if opts.format == "page" and not isinstance(extractor, Editing):
            raise ConfigError(f"--format page: {name} chooses nodes, and does not edit pages; crunch does")
        body, url = read_source(source)
        url = opts.url or url
        if len(body) > MAX_BYTES:
            raise NotHtmlError(url, f"over {MAX_BYTES // 2**20} MiB; sitecrawl does not read pages of that size")
        if is_binary(body):
            raise NotHtmlError(url, "not HTML; give an HTML page")
        page = Page.from_html(body, url, max_nodes=config.max_nodes)
        if selector is not None:
            print(_selected(page, selector))
            return
        known = stored_site(config, page, extractor, opts.site)
        site = known.context if known is not None else None
        check_needs(extractor, site, url, ", or name it with --site HOST")
        here = url
        if opts.site:
            here = urlsplit(url)._replace(scheme="http", netloc=site_hosts(opts.site, config.site_scope)[0]).geturl()
        rule = override.rule(url) if override else files.rule(here)
        if opts.format == "page" and isinstance(extractor, Editing):
            print(extractor.filtered(page))
            return
        if opts.format == "json" and not opts.explain:
            made = extracted(page, extractor, config, site, known.values if known is not None else None, rule)
            print(page_json(made))
            return
        found = extract(page, extractor, site, rule)
        if opts.explain:
            print(_explained(page, found, rule, site, extractor, opts))
        else:
            print(_formatted(page, found.extraction, opts.format))


def _selector(opts: argparse.Namespace) -> Selector | None:
    """Return the selector of `--css`. Raises ConfigError if it is invalid, or is combined with extraction options."""
    if opts.css is None:
        return None
    if opts.explain or opts.format != "text":
        raise ConfigError("--css prints text: leave out --explain and --format")
    try:
        return compile_selector(opts.css, elements=False)
    except ValueError as error:
        raise ConfigError(f"--css: {error}") from error


def _selected(page: Page, selector: Selector) -> str:
    """Return the texts that a selector selects, one below the other. Raises PageError if there are none."""
    texts = selected_texts(page, selector)
    if not texts:
        raise PageError(page.url, f"--css {selector.text}: selects no text on this page")
    return "\n".join(texts)


def _override(name: str) -> Override:
    from sitecrawl.overrides.reading import read_override  # noqa: PLC0415  (loads YAML)

    return read_override(Path(name))


def read_source(source: str) -> tuple[bytes, str]:
    """Return the bytes of a URL, file or standard input (`-`), and its URL. Raises SourceError or NotHtmlError."""
    if source == "-":
        return sys.stdin.buffer.read(), "about:stdin"
    if source.startswith(("http://", "https://")):
        try:
            return _fetch(source), source
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None) or error  # a URLError has its text only in `reason`
            if isinstance(error, HTTPError):
                reason = f"HTTP {error.code}"
            raise SourceError(f"{source}: cannot be fetched ({reason})") from error
    path = Path(url2pathname(source.removeprefix("file://")))
    try:
        return path.read_bytes(), path.resolve().as_uri()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"{source}: cannot be read ({reason}); give a URL, a file or - (standard input)") from error


def _fetch(url: str) -> bytes:
    """Return the body of a page that the user named, read slightly past the size limit to detect oversized pages."""
    request = Request(url, headers={"User-Agent": USER_AGENT})  # noqa: S310  (http and https only, see the caller)
    with urlopen(request, timeout=TIMEOUT) as response:  # noqa: S310
        kind = response.headers.get_content_type()
        if kind not in ("text/html", "application/xhtml+xml"):
            raise NotHtmlError(url, f"not HTML ({kind})")
        body: bytes = response.read(MAX_BYTES + 1)
        return body


def _explained(
    page: Page,
    found: Overridden,
    rule: Rule | None,
    site: SiteContext | None,
    extractor: Extractor,
    opts: argparse.Namespace,
) -> str:
    """Return the verdict on each block as lines, or with `--format html` as a self-contained page."""
    extraction = found.extraction
    chances = extractor.chances(page, site) if isinstance(extractor, Combined) else None
    template = site.template if site is not None else None
    known = (
        f"template version {template.version}, {counted(template.pages_seen, 'page')}"
        if template is not None
        else "no template"
    )
    kind = f"{extraction.kind} ({extraction.why})" if extraction.why else extraction.kind
    summary = f"{extraction.method}: {kind}, confidence {extraction.confidence:.2f}, {known}"
    if "limit" in extraction.evidence:
        summary += f", kept from a chance of {extraction.evidence['limit']:.2f}"
    if site is not None and site.decision is not None:
        summary += "".join(f"\n  {line}" for line in site.decision.lines())
    if rule is not None:
        summary += f"; {_used(found, rule)}"
    verdicts = explain(page, extraction, site, chances, found.marks)
    if opts.format == "html":
        return explanation_html(verdicts, page.title or page.url, f"{page.url}: {summary}")
    return explanation_text(verdicts, summary, colours=sys.stdout.isatty())


def _used(found: Overridden, rule: Rule) -> str:
    """Return the effect of an override on a page in words, with the number of elements that each selector matched."""
    what = {
        Outcome.CHOSEN: "chose",
        Outcome.CORRECTED: "corrected the method",
        Outcome.FALLBACK: "selected no text here, the method chose instead",
    }
    layout = f", layout {rule.name}" if rule.name else ""
    uses = "".join(f"\n  {use.key}: {use.selector}: {use.nodes} selected" for use in found.uses)
    return f"override {rule.source}{layout}: {what[found.outcome] if found.outcome else ''}{uses}"


def _formatted(page: Page, extraction: Extraction, form: str) -> str:
    nodes = extraction.nodes if extraction.kind is not Kind.NONE else ()
    if form == "text":
        return page.text(nodes)
    if form == "html":
        return page.html(nodes)
    return markdown(page.html(nodes))
