"""Reads the pages and further sitemaps of one sitemap file, as a stream and within limits.

A body is decompressed and parsed in pieces; entries that were read before a truncation or a limit are kept. Entries of
other hosts are dropped (sitemaps.org: a sitemap may only list URLs of its own host).
"""

import datetime as dt
import re
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final
from urllib.parse import urljoin

from lxml import etree

from sitecrawl.errors import SitemapError
from sitecrawl.links.decompression import Pieces
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.sitemap_entries import (
    MAX_SITEMAPS,
    MAX_URLS,
    RAW_LENGTH,
    WEB_HOST,
    EnoughError,
    EntryReader,
    Sitemap,
)
from sitecrawl.links.traps import TrapLimits

MAX_BYTES: Final = 50 * 2**20
"""Maximum decompressed bytes read of one file (sitemaps.org)."""

STAMPED: Final = 0.9
"""Minimum share of dates in the last hour for which a sitemap is assumed to date every page with the time of the
request."""
STAMPED_SPAN: Final = dt.timedelta(hours=1)
STAMPED_LEAST: Final = 10
"""Minimum number of dates for that test."""

MAX_BAD_LINES: Final = 100
"""Number of first lines without a URL after which a text does not count as a sitemap."""
_LONGEST_ENTITY: Final = 10
_BARE_AMPERSAND: Final = re.compile(rb"&(?!(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});)")
_SITEMAP_LINE: Final = re.compile(r"^[^\S\n]*sitemap[^\S\n]*:[^\S\n]*(\S+)", re.IGNORECASE | re.MULTILINE)
_FEED_ROOTS: Final = frozenset(("rss", "feed", "rdf"))


def robots_sitemaps(text: str, base: str, limit: int = MAX_SITEMAPS) -> list[str]:
    """Return up to `limit` absolute URLs of the sitemaps in a robots.txt."""
    found: dict[str, None] = {}
    for match in _SITEMAP_LINE.finditer(text):
        try:
            found.setdefault(urljoin(base, match[1]))
        except ValueError:
            continue
        if len(found) == limit:
            break
    return list(found)


def read_sitemap(
    body: bytes, url: str, scope: SiteScope, now: dt.datetime, *, limits: TrapLimits | None = None
) -> Sitemap:
    """Return the contents of a sitemap: XML, or text with one URL a line; gzip is accepted for both.

    Reads at most `MAX_BYTES` decompressed bytes and `MAX_LOOKED_AT` URLs. Raises SitemapError for HTML, for other XML,
    for text without URLs, and for XML with a document type, which could declare entities.
    """
    reader = EntryReader(url, scope, now, limits or TrapLimits())
    pieces = Pieces(body, MAX_BYTES)
    first = next(pieces, b"")
    wide = first.startswith((b"\xff\xfe", b"\xfe\xff"))
    head = first if wide else first.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head:
        raise SitemapError(url, pieces.problem or "the sitemap is empty")
    opening = head[:200].decode("utf-16", "replace").lstrip() if wide else head[:1].decode("latin-1")
    if opening.startswith("<"):
        _read_xml(reader, head, pieces, wide=wide)
    else:
        _read_text(reader, head, pieces, wide=wide)
    sitemap = reader.sitemap
    sitemap.problem = sitemap.problem or pieces.problem
    _forget_stamps(sitemap, now)
    return sitemap


class _Target:
    """Target of the XML parser: reads entries without building a tree."""

    def __init__(self, reader: EntryReader) -> None:
        self.reader = reader
        self.path: list[str] = []
        self.texts: list[str] | None = None
        self.length = 0
        self.loc = self.lastmod = ""

    def doctype(self, name: str, _public: str | None, _system: str | None) -> None:
        """Raise SitemapError for a document type: sitemaps have none, while HTML and files with entities do."""
        reason = "HTML, not a sitemap" if name.lower() == "html" else "it declares a document type, which is refused"
        raise SitemapError(self.reader.url, reason)

    def start(self, tag: Any, attributes: Any) -> None:
        """Track the current element."""
        name = tag.rpartition("}")[2].lower()
        parent = self.path[-1] if self.path else None
        self.path.append(name)
        self.texts = None
        if parent is None:
            self._root(name)
        elif parent in ("url", "sitemap"):
            if name in ("loc", "lastmod"):
                self.texts, self.length = [], 0
            elif name == "link" and attributes.get("hreflang") and len(self.reader.alternates) < MAX_URLS:
                self.reader.alternates[attributes.get("href") or ""] = None

    def _root(self, name: str) -> None:
        kinds = {"urlset": "urlset", "sitemapindex": "index", **dict.fromkeys(_FEED_ROOTS, "feed")}
        if name not in kinds:
            reason = "HTML, not a sitemap" if name == "html" else f"<{name[:40]}> is not a sitemap"
            raise SitemapError(self.reader.url, reason)
        self.reader.sitemap.kind = kinds[name]
        if kinds[name] == "feed":
            raise EnoughError

    def data(self, data: Any) -> None:
        """Collect the text of `loc` and `lastmod`."""
        if self.texts is not None and self.length <= RAW_LENGTH:
            self.texts.append(data)
            self.length += len(data)

    def end(self, tag: Any) -> None:
        """Add the entry that ends here."""
        name = self.path.pop() if self.path else ""
        if self.texts is not None:
            text, self.texts = "".join(self.texts), None
            if name == "loc":
                self.loc = text.replace("&amp;", "&")  # escaped twice, or inside CDATA
            else:
                self.lastmod = text
        elif name in ("url", "sitemap"):
            self.flush()

    def flush(self) -> None:
        """Add the entry whose parts were collected."""
        loc, lastmod, self.loc, self.lastmod = self.loc, self.lastmod, "", ""
        if loc:
            self.reader.add(loc, lastmod)

    def close(self) -> None:
        """Discard the last entry: if the file is truncated, its URL may be incomplete."""


def _read_xml(reader: EntryReader, head: bytes, pieces: Pieces, *, wide: bool) -> None:
    target: Any = _Target(reader)  # the stubs require methods that lxml does not
    parser = etree.XMLParser(target=target, recover=True, resolve_entities=False, no_network=True)
    chunks = chain((head,), pieces)
    try:
        for chunk in chunks if wide else _repaired(chunks):
            parser.feed(chunk)
        parser.close()
        for url in reader.alternates:
            reader.add(url)
    except EnoughError:
        return
    except etree.XMLSyntaxError as error:
        reader.sitemap.problem = f"malformed XML: {error}"[:200]
    else:
        errors = parser.feed_error_log.filter_from_errors()
        if len(errors):
            reader.sitemap.problem = f"malformed XML: line {errors[0].line}: {errors[0].message}"[:200]
    if not reader.sitemap.kind:
        raise SitemapError(reader.url, reader.sitemap.problem or "no XML element")


def _repaired(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the chunks with bare ampersands escaped. Most hand-made sitemaps have them; the parser drops text there."""
    carry = b""
    for chunk in chunks:
        text = carry + chunk
        last = text.rfind(b"&", -_LONGEST_ENTITY)
        end = last if last >= 0 and b";" not in text[last:] else len(text)
        carry = text[end:]
        yield _BARE_AMPERSAND.sub(b"&amp;", text[:end])
    if carry:
        yield _BARE_AMPERSAND.sub(b"&amp;", carry)


def _read_text(reader: EntryReader, head: bytes, pieces: Pieces, *, wide: bool) -> None:
    """Read one URL per line. Raises SitemapError if the first MAX_BAD_LINES lines have none."""
    reader.sitemap.kind = "text"
    decoder = getincrementaldecoder("utf-16" if wide else "utf-8")("replace")
    line = ""
    try:
        for chunk in chain((head,), pieces, (b"",)):
            lines = (line + decoder.decode(chunk, final=not chunk)).splitlines()
            line = lines.pop()[: RAW_LENGTH + 1] if lines and chunk else ""
            for one in lines:
                if one.strip():
                    _add_line(reader, one)
    except EnoughError:
        return
    if not any((reader.sitemap.entries, reader.sitemap.skipped.offsite)):
        raise SitemapError(reader.url, "neither XML nor a list of URLs")


def _add_line(reader: EntryReader, line: str) -> None:
    skipped = reader.sitemap.skipped
    if WEB_HOST.match(line):
        reader.add(line)
        return
    skipped.bad += 1
    reader.looked_at += 1
    if skipped.bad == reader.looked_at == MAX_BAD_LINES:
        raise SitemapError(reader.url, "neither XML nor a list of URLs")


def _forget_stamps(sitemap: Sitemap, now: dt.datetime) -> None:
    """Drop dates that are the time of the request: with them, every page would be fetched each time."""
    if sitemap.kind == "index":
        return
    dated = [entry.lastmod for entry in sitemap.entries if entry.lastmod is not None]
    recent = sum(lastmod.last > now - STAMPED_SPAN for lastmod in dated)
    if len(dated) >= STAMPED_LEAST and recent >= STAMPED * len(dated):
        sitemap.skipped.stamped = len(dated)
        sitemap.entries = [entry._replace(lastmod=None) for entry in sitemap.entries]
