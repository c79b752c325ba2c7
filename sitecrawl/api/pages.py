"""The main content and metadata of one page, as the API returns them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from json import dumps, loads
from types import NoneType
from typing import Any, Final

from parsel import Selector

from sitecrawl.api.arguments import check
from sitecrawl.api.sources import NO_URL, Html, parsed
from sitecrawl.clock import now
from sitecrawl.config import PREFIX, Config
from sitecrawl.crawl.content import content_record
from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.page import Page as ParsedPage
from sitecrawl.errors import ConfigError, ExtractorError
from sitecrawl.extractors.base import Extraction, Extractor, Need, SiteContext, get_extractor
from sitecrawl.extractors.combined.method import Combined
from sitecrawl.extractors.explanation import explain
from sitecrawl.items import PageItem
from sitecrawl.links.urls import url_id, url_key
from sitecrawl.metadata.shared_values import SiteValues
from sitecrawl.overrides.extraction import Mark
from sitecrawl.overrides.extraction import extract as overridden_extract
from sitecrawl.overrides.rules import Rule

Settings = Mapping[str, Any]
"""Settings of sitecrawl by name, such as `{"SITECRAWL_EXTRACTOR": "cnr"}` (docs/settings.md)."""
_MARKUP: Final = ("html", "markdown")


@dataclass(frozen=True, slots=True)
class Block:
    """A text block of a page, and why it was kept or dropped."""

    text: str
    kept: bool
    reason: str
    """The reason in words if an override or a rule decided; "" if `chance` did."""
    chance: float | None
    """Probability that it is main content; None if the method gives none."""
    shared: float | None
    """Share of the site's other pages with the same text in the same place; None without a template."""
    links: float
    """Share of its characters that are in links."""
    place: str
    """The path of surrounding elements."""


@dataclass(frozen=True, slots=True)
class _Source:
    """The source of a page, read again for markup and blocks."""

    page: ParsedPage
    extraction: Extraction
    extractor: Extractor
    context: SiteContext | None
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """The main content and metadata of one page.

    Names and values are those of the feed (docs/feed.md). `html`, `markdown` and `blocks` are computed on access. A
    page keeps its parsed tree; store `as_dict()` if many pages are kept in memory.
    """

    id: str | None
    """128-bit blake2b hex of the canonical URL; None without a URL."""
    url: str | None
    canonical_url: str | None
    kind: str
    """`content`, `listing` or `none`."""
    title: str | None
    text: str
    """The main content as plain text, one line per block; "" if there is none."""
    description: str | None
    author: str | None
    published: str | None
    """Date of publication in ISO 8601, with the precision of the page."""
    modified: str | None
    language: str | None
    image: str | None
    """Absolute URL of the page's representative image."""
    section: str | None
    """Breadcrumbs, outermost first, joined by ` > `, or the name of a section."""
    words: int
    digest: str
    """blake2b hex of the normalised main text."""
    simhash: str
    """64-bit simhash of the main text, 16 hex digits."""
    method: str
    confidence: float
    """Probability that the choice of main content is right, 0..1."""
    template_version: int | None
    """Version of the template that was used; None if there was none."""
    _source: _Source = field(repr=False, compare=False)

    @property
    def html(self) -> str:
        """The main content as clean HTML with absolute links; "" if there is none."""
        return self._source.page.html(self._source.extraction.nodes) if self.text else ""

    @property
    def markdown(self) -> str:
        """The main content as CommonMark; "" if there is none."""
        return markdown(self.html) if self.text else ""

    @property
    def selector(self) -> Selector:
        """The whole page as a Scrapy selector: `page.selector.css("h1::text").get()`.

        `html` and `blocks` read the same tree, so it must not be changed.
        """
        return Selector(root=self._source.page.root, type="html")

    @property
    def why(self) -> str:
        """The reason in words why the page is a listing or has the kind that an override states; else ""."""
        return self._source.extraction.why

    @property
    def evidence(self) -> Mapping[str, float]:
        """The numbers on which the choice is based; each method has its own names."""
        return dict(self._source.extraction.evidence)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All text blocks of the page in document order, with their verdicts."""
        made = self._source
        chances = made.extractor.chances(made.page, made.context) if isinstance(made.extractor, Combined) else None
        return tuple(
            Block(one.text, one.kept, one.reason, one.chance, one.shared, one.links, one.place)
            for one in explain(made.page, made.extraction, made.context, chances, made.marks)
        )

    def as_dict(self, *, html: bool = False, markdown: bool = False) -> dict[str, Any]:
        """Return the fields by name, as JSON types, and the requested markup."""
        row = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "_source"}
        wanted = {"html": html, "markdown": markdown}
        return row | {name: getattr(self, name) for name in _MARKUP if wanted[name]}


def page_json(page: Page) -> str:
    """Return the fields of a page as JSON, with the reason for its kind and the numbers on which it is based."""
    return dumps({**page.as_dict(), "why": page.why, "evidence": page.evidence}, ensure_ascii=False, indent=2)


def extract(html: Html, url: str | None = None, *, settings: Settings | None = None) -> Page:
    """Return the main content of a single page.

    Without a template the result is less certain; a `Site` from `learn` or `open` uses the site's template. `url` is
    used to resolve relative links and to recognise listings.

    Raises:
        InputError: `html` or `url` has the wrong type or is malformed.
        PageError: The page is empty, too large or not HTML.
        ConfigError, ExtractorError: A setting is invalid, or the method needs data of a site.
    """
    config = read_settings(settings)
    extractor = extractor_of(config)
    if extractor.needs:
        raise ExtractorError(
            f"the method {extractor.name!r} needs {needs_in_words(extractor)} of a site; use sitecrawl.learn or"
            " sitecrawl.open, or the method 'combined'"
        )
    return extracted(parsed(html, url, config.max_nodes), extractor, config)


def read_settings(settings: Settings | None) -> Config:
    """Return the checked settings of a caller.

    Raises ConfigError, also for a setting's name in lower case without its prefix, and InputError if `settings` is not
    a mapping.
    """
    check("settings", settings, Mapping, NoneType)
    given = settings or {}
    known = {one.name for one in fields(Config)}
    for name in given:
        if name in known:  # names in upper case, such as FEEDS, are Scrapy's
            raise ConfigError(f"{name}: unknown setting; {PREFIX}{name.upper()} is meant")
    return Config.from_mapping(given)


def needs_in_words(extractor: Extractor) -> str:
    """Return the data that a method needs, such as `blocks, template`."""
    return ", ".join(sorted(need.value for need in extractor.needs))


def extracted(
    page: ParsedPage,
    extractor: Extractor,
    config: Config,
    context: SiteContext | None = None,
    values: SiteValues | None = None,
    rule: Rule | None = None,
) -> Page:
    """Return the main content of a parsed page, using the given knowledge of its site. Raises PageError."""
    moment = now()
    item = PageItem(page, url_key(page.url), "", 200, 0, moment)
    found = overridden_extract(page, extractor, context, rule)
    if context is not None and context.volatile:
        item.counting = context.volatile.counting(page.flat, text_blocks(page.flat))
    template = context.template if context is not None else None
    record = content_record(item, found.extraction, template, values or SiteValues(), config, 0, 0, moment)
    known = page.url != NO_URL
    return Page(
        id=url_id(page.url) if known else None,
        url=page.url if known else None,
        canonical_url=record.canonical_url,
        kind=record.kind,
        title=record.title,
        text=record.text,
        description=record.description,
        author=record.author,
        published=record.published,
        modified=record.modified,
        language=record.language,
        image=record.image,
        section=record.section,
        words=record.words,
        digest=record.digest,
        simhash=f"{record.simhash:016x}",
        method=record.method,
        confidence=record.confidence,
        template_version=record.template_version,
        _source=_Source(page, found.extraction, extractor, context, found.marks),
    )


def extractor_of(config: Config) -> Extractor:
    """Return the configured method, the same object for equal settings. Raises ExtractorError."""
    return _extractor(config.extractor, dumps(dict(config.extractor_options or {}), sort_keys=True, default=str))


@lru_cache(8)
def _extractor(name: str, options: str) -> Extractor:
    return get_extractor(name, **loads(options))


def has(context: SiteContext, need: Need) -> bool:
    """Return whether the knowledge of a site includes the data that a method needs."""
    present = {
        Need.TEMPLATE: context.template is not None,
        Need.BLOCKS: context.blocks is not None,
        Need.NEIGHBOURS: bool(context.neighbours),
    }
    return present[need]


def check_needs(extractor: Extractor, context: SiteContext | None, url: str, remedy: str = "") -> None:
    """Raise ExtractorError if a method lacks data that it needs, since its empty result would be misleading.

    `remedy` is further advice, with which the message ends.
    """
    missing = sorted(need.value for need in extractor.needs if context is None or not has(context, need))
    if missing:
        method = extractor.name
        raise ExtractorError(
            f"{url}: the method {method!r} needs {', '.join(missing)} of the page's site, and none is stored; crawl the"
            f" site with -s SITECRAWL_EXTRACTOR={method} first{remedy}"
        )
