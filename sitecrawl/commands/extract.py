"""`scrapy extract URL|FILE|-`: the main content of one page, with the site's stored template when there is one."""

import argparse
import json
import sys
from pathlib import Path
from urllib.request import Request, url2pathname, urlopen

from markdownify import markdownify
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.config import Config
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError, ExtractorError, NotHtmlError, SitecrawlError, UnknownSiteError
from sitecrawl.extractors.base import Extraction, Kind, SiteContext, get_extractor
from sitecrawl.settings import USER_AGENT
from sitecrawl.storage.engine import open_database, session_scope
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.templates import TemplateRepository
from sitecrawl.templates.snapshot import merge
from sitecrawl.templates.trie import SiteTemplate

TIMEOUT = 30
MAX_BYTES = 10 * 2**20
BINARY = (b"%PDF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b")
"""How files that are no pages begin."""


class Command(ScrapyCommand):
    """Extract the main content of one page."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Arguments."""
        return "URL|FILE|- [--url URL] [--method NAME] [--site HOST] [--format text|html|md|json]"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Main content of one page, from a URL, a file or standard input"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options."""
        super().add_options(parser)
        parser.add_argument("--url", default=None, help="URL of the page, to resolve its links")
        parser.add_argument("--method", default=None, metavar="NAME", help="extraction method (default: the setting)")
        parser.add_argument("--site", default=None, metavar="HOST", help="use the stored template of this site")
        parser.add_argument("--format", choices=("text", "html", "md", "json"), default="text")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the main content; errors are one line."""
        if len(args) != 1:
            raise UsageError(self.syntax())
        try:
            self._run(args[0], opts)
        except (SitecrawlError, OSError) as error:
            sys.stderr.write(f"sitecrawl: {error}\n")
            self.exitcode = 2 if isinstance(error, ConfigError | ExtractorError) else 1

    def _run(self, source: str, opts: argparse.Namespace) -> None:
        assert self.settings is not None
        config = Config.from_mapping(self.settings)
        extractor = get_extractor(opts.method or config.extractor, **(config.extractor_options or {}))
        body, url = _read(source)
        url = opts.url or url
        if len(body) > MAX_BYTES:
            raise NotHtmlError(url, f"over {MAX_BYTES // 2**20} MiB; sitecrawl does not read pages of that size")
        if body.startswith(BINARY):
            raise NotHtmlError(url, "not HTML; give an HTML page")
        page = Page.from_html(body, url, max_nodes=config.max_nodes)
        site = _site(config, opts.site) if opts.site else None
        print(_formatted(page, extractor.extract(page, site), opts.format))


def _read(source: str) -> tuple[bytes, str]:
    if source == "-":
        return sys.stdin.buffer.read(), "about:stdin"
    if source.startswith(("http://", "https://")):
        return _fetch(source), source
    path = Path(url2pathname(source.removeprefix("file://")))
    return path.read_bytes(), path.resolve().as_uri()


def _fetch(url: str) -> bytes:
    """Fetch one page that the operator named; a little more than the limit is read, so that its excess shows."""
    request = Request(url, headers={"User-Agent": USER_AGENT})  # noqa: S310  (http and https only, see the caller)
    with urlopen(request, timeout=TIMEOUT) as response:  # noqa: S310
        kind = response.headers.get_content_type()
        if kind not in ("text/html", "application/xhtml+xml"):
            raise NotHtmlError(url, f"not HTML ({kind})")
        body: bytes = response.read(MAX_BYTES + 1)
        return body


def _site(config: Config, host: str) -> SiteContext:
    engine = open_database(config.database_url)
    with session_scope(engine) as session:
        site = SiteRepository(session).get(host)
        stored = TemplateRepository(session).load(site.id) if site is not None else None
    if stored is None:
        raise UnknownSiteError(f"{host}: no template is stored; see: sitecrawl template list")
    template = SiteTemplate()
    merge(template, stored)
    return SiteContext(template=template)


def _formatted(page: Page, extraction: Extraction, form: str) -> str:
    nodes = extraction.nodes if extraction.kind is not Kind.NONE else ()
    if form == "text":
        return page.text(nodes)
    if form == "html":
        return page.html(nodes)
    if form == "md":
        return markdownify(page.html(nodes), heading_style="ATX").strip()
    row = {
        "url": page.url,
        "title": page.title,
        "language": page.language,
        "kind": str(extraction.kind),
        "method": extraction.method,
        "confidence": round(extraction.confidence, 4),
        "evidence": dict(extraction.evidence),
        "text": page.text(nodes),
    }
    return json.dumps(row, ensure_ascii=False, indent=2)
