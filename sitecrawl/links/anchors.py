"""Extracts the links of a page to other pages of its site; frames and a `meta refresh` count as links.

Menus repeat on every page, so each distinct href is resolved and checked once for all pages of a directory, and the
result is cached. Scrapy's LinkExtractor repeats that work for every link of every page.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import urljoin, urlsplit

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.links.meta_refresh import unlinked
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.traps import TrapGuard, trap_problem
from sitecrawl.links.urls import (
    MAX_URL_LENGTH,
    UrlParts,
    canonical_of,
    identity_of,
    key_of,
    split_url,
    url_key,
)
from sitecrawl.links.variants import Variant, variant

MAX_ANCHORS: Final = 5000
"""Maximum anchors kept per page (Heritrix keeps 6,000). At most four times as many hrefs are examined."""

TEXT_LENGTH: Final = 200
"""Maximum characters kept of an anchor's text."""

NOT_HTML_KINDS: Final = {
    "images": ("apng avif bmp cur dng eps gif heic heif ico jfif jpe jpeg jpg png psd svg svgz tif tiff webp xcf"),
    "sound": "aac aif aiff flac m3u m3u8 m4a mid midi mka mp2 mp3 oga ogg opus ra ram wav wma",
    "video": "3gp asf avi flv m4v mkv mov mp4 mpeg mpg ogv rm swf vob webm wmv",
    "archives": "7z bz2 cab ear gz jar lz lz4 lzma rar sfx tar tbz tgz tlz txz war xz z zip zst",
    "packages and programs": "apk appimage bin crx deb dmg egg exe gem img iso msi pkg rpm whl xpi wasm",
    "office": (
        "csv doc docm docx dot dotx fodt key numbers odg odp ods odt pages pot potx pps ppsx ppt pptm pptx"
        " pub rtf sxc sxi sxw tsv vcf vsd vsdx xls xlsb xlsm xlsx xlt"
    ),
    "other documents": "ai azw azw3 bib chm djvu epub ics indd mobi pdf ps tex txt xps",
    "style, scripts, fonts": "css eot js map mjs otf ttf woff woff2",
    "feeds and data": (
        "atom bak db dtd geojson gpx jnlp json jsonld kml kmz mml rdf rss sql sqlite swp torrent"
        " webmanifest xml xsd xsl xslt yaml yml"
    ),
    "signatures": "asc md5 pem sha1 sha256 sha512 sig",
}
NOT_HTML: Final = frozenset(name for names in NOT_HTML_KINDS.values() for name in names.split())
"""File name extensions in lower case of files that are not HTML. A URL with any other extension, or none, counts as a
page."""

FEEDS: Final = frozenset(("atom", "feed", "feeds", "rss", "rss2"))
"""Last path segments of feed URLs: WordPress and most other systems."""

_FEW_ROWS: Final = 32
"""Maximum rows of a subtree whose texts are joined without a length check."""
_BLANK: Final = "".join(map(chr, range(0x21)))
"""C0 control characters and space: the URL Standard strips them from both ends of a URL."""
_RAW_LENGTH: Final = 8 * MAX_URL_LENGTH
_WEB: Final = ("http://", "https://")


class Anchor(NamedTuple):
    """A link of a page to another page of its site."""

    node: int
    """Row of the element in the page's FlatDom; 0 for a frame and for the target of a refresh."""
    url: str
    """The absolute URL as it is requested."""
    url_key: int
    text: str
    """Text of the element with single spaces, at most `TEXT_LENGTH` characters."""
    nofollow: bool


@dataclass(frozen=True, slots=True)
class AnchorCounts:
    """The number of hrefs of a page that were left out, by reason."""

    bad: int = 0
    """The URL is not a usable http or https URL: `mailto:`, `javascript:`, malformed."""
    offsite: int = 0
    not_html: int = 0
    """The file name extension is not that of an HTML page."""
    nofollow: int = 0
    trapped: int = 0
    duplicate: int = 0
    """The URL is the page itself, or an earlier anchor leads to it."""
    over: int = 0
    """The page has more than `MAX_ANCHORS` anchors."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """The links of one page."""

    found: list[Anchor]
    """In document order, one for each URL key."""
    skipped: AnchorCounts
    others: list[tuple[int, str]] = field(default_factory=list)
    """(URL key, URL) of links to another origin that the page also links to on its own origin."""


class _Link(NamedTuple):
    """A resolved href that leads to a page of the site."""

    url: str
    url_key: int
    variant: Variant | None


_Verdict: TypeAlias = _Link | str
"""A link, or the field of `AnchorCounts` for the reason why the href was left out."""
_Verdicts: TypeAlias = dict[str, _Verdict]
"""Cached verdicts by href as written."""


class AnchorReader:
    """Reads the anchors of the pages of one site and caches up to `memory` resolved hrefs (about 0.5 KB each)."""

    def __init__(
        self,
        scope: SiteScope,
        guard: TrapGuard | None = None,
        *,
        keep_nofollow: bool = False,
        memory: int = 20_000,
    ) -> None:
        self.scope = scope
        self.guard = guard or TrapGuard()
        self.keep_nofollow = keep_nofollow
        self._memory = memory
        self._remembered = 0
        self._known: dict[tuple[bool, str], _Verdicts] = {}
        """Cached verdicts by (whether the base is an origin, the part of the base URL that matters)."""

    def read(self, page: Page) -> Anchors:
        """Return the anchors of a page. A malformed href neither raises nor hides other anchors."""
        flat = page.flat
        bases = _Bases.of(page)
        rooted = self._known.get((True, bases.origin), {})
        below = self._known.get((False, bases.directory), {})
        own: _Verdicts = {}
        found: list[Anchor] = []
        foreign, others = set[int](), list[tuple[int, str]]()
        seen = {url_key(page.url)}
        raw = flat.anchors[: 4 * MAX_ANCHORS]
        extra = unlinked(page)
        if extra:
            raw = [*((0, href, "") for href in extra), *raw]
        skipped: list[str] = []
        for node, href, rel in raw:
            link = rooted.get(href) or below.get(href) or self._resolve(bases, href, own)
            if isinstance(link, str):
                skipped.append(link)
                continue
            url, key, its_variant = link
            nofollow = bool(rel) and "nofollow" in rel.lower().split()
            if key in seen:
                skipped.append("duplicate")
                if key in foreign and url.startswith(bases.origin):
                    others.append((key, url))
            elif nofollow and not self.keep_nofollow:
                skipped.append("nofollow")
            elif len(found) >= MAX_ANCHORS:
                skipped.append("over")
            elif its_variant is not None and self.guard.admit(its_variant):
                skipped.append("trapped")
                self.guard.hold(its_variant, key, url)
            else:
                seen.add(key)
                if not url.startswith(bases.origin):
                    foreign.add(key)
                # the constructor of a NamedTuple is a slow Python function, and this loop runs for every link
                text = anchor_text(flat, node) if node else ""
                found.append(tuple.__new__(Anchor, (node, url, key, text, nofollow)))
        counts = Counter(skipped)
        counts["over"] += max(0, len(flat.anchors) - 4 * MAX_ANCHORS)
        return Anchors(found, AnchorCounts(**counts), others)

    def _resolve(self, bases: "_Bases", href: str, own: "_Verdicts") -> _Verdict:
        """Resolve an href, cache the verdict and return it; verdicts that depend on the page's own URL go to `own`."""
        if len(href) > _RAW_LENGTH:
            return "bad"
        base, reference = bases.reference(href)
        known = own
        if base is not bases.full:
            if self._remembered >= self._memory:
                self._known.clear()
                self._remembered = 0
            known = self._known.setdefault((base is not bases.directory, base or bases.origin), {})
            self._remembered += 2
        found = known.get(reference)
        if found is None:
            found = known[reference] = self._resolve_once(base, reference)
        known[href] = found
        return found

    def _resolve_once(self, base: str, href: str) -> _Verdict:
        try:
            if href.startswith("//"):  # urljoin ignores a lone `//`
                absolute = f"{base.partition(':')[0]}:{href}"
            else:
                absolute = urljoin(base, href) if base else href
        except ValueError:
            return "bad"
        parts = split_url(absolute)
        if parts is None:
            return "bad"
        if not self.scope.contains_parts(parts):
            return "offsite"
        if not may_be_html(parts):
            return "not_html"
        if trap_problem(parts, self.guard.limits):
            return "trapped"
        canonical = canonical_of(parts)
        return _Link(parts.url, key_of(identity_of(parts, canonical)), variant(parts, canonical))


class _Bases(NamedTuple):
    """The base URLs of a page, shortened to what affects resolution, so that pages share cached verdicts."""

    full: str
    directory: str
    origin: str

    @classmethod
    def of(cls, page: Page) -> "_Bases":
        full = page.base_url if page.base_url.lower().startswith(_WEB) else page.url
        try:
            scheme, netloc, path, _, _ = urlsplit(full)
        except ValueError:
            return cls(full, full, full)
        origin = f"{scheme}://{netloc}/"
        return cls(full, f"{scheme}://{netloc}{path[: path.rfind('/') + 1] or '/'}", origin)

    def reference(self, href: str) -> tuple[str, str]:
        """Return (base, href without fragment); equal pairs resolve to the same URL."""
        href = href.strip(_BLANK).partition("#")[0]
        if href.startswith(("/", "\\")):
            return self.origin, href.replace("\\", "/") if "\\" in href else href
        if href.startswith(_WEB):
            return "", href
        if not href or href[0] == "?":
            return self.full, href
        return self.directory, href


def anchors(page: Page, scope: SiteScope) -> Anchors:
    """Return the anchors of one page. For many pages of a site an `AnchorReader` is faster."""
    return AnchorReader(scope).read(page)


def anchor_text(flat: FlatDom, node: int) -> str:
    """Return the text of a subtree with single spaces, at most `TEXT_LENGTH` characters."""
    stop = flat.end[node]
    if stop == node + 2 and flat.tag[node + 1] == TEXT:  # most anchors contain one text node
        return " ".join(flat.text[node + 1].split())[:TEXT_LENGTH]
    texts = flat.text
    if stop - node <= _FEW_ROWS:
        joined = " ".join(texts[node + 1 : stop])
        if len(joined) <= 4 * TEXT_LENGTH:
            return " ".join(joined.split())[:TEXT_LENGTH]
    words: list[str] = []
    length = 0
    for i in range(node + 1, stop):
        text = texts[i]
        if text:
            words += text.split()
            length += len(text)
            if length > 4 * TEXT_LENGTH:  # enough characters, even if most are white space
                break
    return " ".join(words)[:TEXT_LENGTH]


def may_be_html(parts: UrlParts) -> bool:
    """Return whether a path can be that of an HTML page, by the tables `NOT_HTML` and `FEEDS`.

    A colon marks a wiki page *about* a file (`/wiki/File:Map.png`), which is HTML.
    """
    name = parts.path.rstrip("/")
    name = name[name.rfind("/") + 1 :].lower()
    stem, dot, extension = name.rpartition(".")
    if dot:
        return not (stem and extension in NOT_HTML) or ":" in name or "%3a" in name
    return name not in FEEDS
