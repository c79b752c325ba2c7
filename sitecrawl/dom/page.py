"""A page: its URL, its lxml tree, and the columns and facts read from it, each computed once.

Over 300 lines: the facts of a page, which share one list of elements.
"""

import re
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import urljoin

from lxml import etree
from lxml.etree import _Element

from sitecrawl.dom.charset import decoded
from sitecrawl.dom.collection_pages import states_collection
from sitecrawl.dom.field_labels import field_labels
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.flattening import flatten
from sitecrawl.dom.formulas import read_formulas
from sitecrawl.dom.head import empty_head
from sitecrawl.dom.html import main_html
from sitecrawl.dom.jsonld import Described, things
from sitecrawl.dom.noframes import read_noframes
from sitecrawl.dom.noscript import read_noscript
from sitecrawl.dom.password_forms import password_forms
from sitecrawl.dom.products import describes_product
from sitecrawl.dom.readings import read_readings
from sitecrawl.dom.shadow_roots import read_shadow_roots
from sitecrawl.dom.size_limits import check_size
from sitecrawl.dom.stated_texts import StatedTexts, stated_texts
from sitecrawl.dom.streamed_parts import read_streamed_parts
from sitecrawl.dom.telling_elements import TELLING, TellingElements, telling_elements
from sitecrawl.dom.text import main_text, whole_words
from sitecrawl.dom.trailing import take_trailing
from sitecrawl.errors import EmptyPageError, PageTooLargeError

MAX_NODES: Final = 100_000
_TITLE_LENGTH: Final = 1000
_WEB: Final = ("http://", "https://")
MAX_LINKS: Final = 500
"""Maximum `link` elements kept."""
MAX_HELD: Final = 50_000
"""Maximum characters of stated texts that a page without a tree keeps; longer ones are read again from its source."""
_MAX_HREF: Final = 16_384
_MAX_BASE: Final = 2_083
"""Maximum characters of a `base` URL, with which every link of the page is joined."""
_FRAMES: Final = ("frame", "iframe")
_ABSOLUTE: Final = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]+)?(?:/[A-Za-z0-9_~.-]+)*/?(?:\?[A-Za-z0-9_~.=&-]+)?")
_ROOTED: Final = re.compile(r"(?:/(?!\.)[A-Za-z0-9_~.-]+)+/?(?:\?[A-Za-z0-9_~.=&-]+)?")
"""Matches paths whose absolute URL is just the origin of the base and the path."""
_ORIGIN: Final = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]+)?(?=/)")
_MARKS: Final = (b"\xef", b"\xff", b"\xfe", b"\x00")
"""First characters of byte order marks."""
_WHITE: Final = b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"
_ASCII: Final = 0x7F
_XML_LANG: Final = "{http://www.w3.org/XML/1998/namespace}lang"


class PageLink(NamedTuple):
    """A `link` element."""

    rels: frozenset[str]
    """Words of `rel` in lower case."""
    url: str
    """Absolute URL, otherwise as written; empty if it is not an http(s) URL."""
    type: str
    """Media type without parameters, in lower case."""
    hreflang: str
    """Language of the target, in lower case."""


def parse_html(html: str, source: bytes | None = None) -> _Element | None:
    """Return the tree that parsel builds from the same text, so stored and fresh pages have equal columns.

    `source` is the UTF-8 bytes of the text, if there are any: they save encoding it again.
    """
    body = _stripped(html, source) if source is not None else None
    if body is None:
        body = html.strip().encode("utf-8", "replace").replace(b"\x00", b"")
    root: _Element | None = etree.fromstring(body, parser=_parser()) if body else None
    return root


def _completed(root: _Element) -> _Element:
    """Return a tree with all content in the body, also what libxml2 left in the head, after `html` or in raw texts.

    Shadow roots are elements like others, and streamed parts are in their places.
    """
    empty_head(root)
    take_trailing(root)
    templates = list(root.iter("template"))
    read_shadow_roots(templates)
    read_streamed_parts(root, templates)
    read_formulas(root)
    read_readings(root)
    read_noscript(root)
    read_noframes(root, parse_html)
    return root


def _stripped(html: str, source: bytes) -> bytes | None:
    """Return the bytes that `parse_html` would encode a text to, from its source; None if they may differ."""
    if source.startswith(_MARKS) or "\ufffd" in html:
        return None
    body = source.strip(_WHITE)
    if not body or body[0] > _ASCII or body[-1] > _ASCII:  # it may be non-ASCII white space, which `strip` removes
        return None
    return body.replace(b"\x00", b"") if b"\x00" in body else body


@lru_cache(1)
def _parser() -> etree.HTMLParser:
    """Return the parser for all pages; lxml allows one thread at a time to use it."""
    return etree.HTMLParser(recover=True, encoding="utf8", huge_tree=True)


class Page:
    """A parsed page. Tree and columns are read-only. Two pages are equal if their URLs are."""

    def __init__(self, url: str, root: _Element, *, max_nodes: int = MAX_NODES) -> None:
        self.url = url
        self._root: _Element | None = _completed(root)
        self._source: Callable[[], str] | None = None
        self._max_nodes = max_nodes

    @classmethod
    def from_html(
        cls, body: bytes | str, url: str, encoding: str | None = None, *, max_nodes: int = MAX_NODES
    ) -> "Page":
        """Parse bytes (with the charset declared by HTTP, if any) or text.

        Raises EmptyPageError if there is nothing to parse, and PageTooLargeError above a limit.
        """
        if isinstance(body, bytes):
            body = decoded(body, encoding)
        check_size(url, body)
        root = parse_html(body)
        if root is None:
            raise EmptyPageError(url, "the page is empty")
        return cls(url, root, max_nodes=max_nodes)

    @classmethod
    def from_root(cls, root: _Element, url: str, *, max_nodes: int = MAX_NODES) -> "Page":
        """Return the page of a tree that is already parsed."""
        return cls(url, root, max_nodes=max_nodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Page) and self.url == other.url

    def __hash__(self) -> int:
        return hash(self.url)

    def __repr__(self) -> str:
        return f"Page({self.url!r})"

    @property
    def root(self) -> _Element:
        """The tree; after a release it is parsed again. Raises EmptyPageError if the source is empty now."""
        if self._root is None:
            root = parse_html(self._source()) if self._source is not None else None
            if root is None:
                raise EmptyPageError(self.url, "the page is empty")
            self._root = _completed(root)
        return self._root

    def release(self, source: Callable[[], str]) -> None:
        """Free the tree, which takes most of the memory of a page; `source` returns the text to parse again.

        The columns stay, and so do the facts that extraction uses. A second call replaces the source.
        """
        self._source = source
        if self._root is None:
            return
        _ = self.title, self.properties, self.canonical_url, self.password_forms, self.stated_texts
        _ = self.is_product, self.is_collection, self.field_labels
        if self.stated_texts.chars > MAX_HELD:
            self.__dict__.pop("stated_texts", None)
        self.flat.release()
        self.__dict__.pop("_facts", None)
        self.__dict__.pop("described", None)
        self.__dict__.pop("_telling", None)
        self._root = None

    @cached_property
    def flat(self) -> FlatDom:
        """The columns. Raises PageTooLargeError for more than `max_nodes` nodes."""
        flat = flatten(self.root)
        if len(flat) > self._max_nodes:
            raise PageTooLargeError(self.url, f"{len(flat)} nodes, SITECRAWL_MAX_NODES is {self._max_nodes}")
        return flat

    @cached_property
    def _telling(self) -> TellingElements:
        """The elements that describe the page."""
        return telling_elements(self.root)

    @cached_property
    def _facts(self) -> dict[str, list[_Element]]:
        """The elements that describe the page by tag, in document order."""
        found: dict[str, list[_Element]] = {tag: [] for tag in TELLING}
        for element in self._telling.named:
            found[str(element.tag)].append(element)
        return found

    def named(self, tag: str) -> list[_Element]:
        """Return the elements with a tag of `TELLING`, in document order. Raises KeyError for another tag."""
        return self._facts[tag]

    @cached_property
    def password_forms(self) -> tuple[int, ...]:
        """The rows of the forms with a password field, in document order."""
        return password_forms(self.flat, self.root, self._facts["input"])

    @cached_property
    def field_labels(self) -> tuple[int, ...]:
        """The rows of the labels of fields, in document order (`dom.field_labels`)."""
        return field_labels(self.flat, self.root)

    @cached_property
    def described(self) -> list[Described]:
        """The objects of the page's JSON-LD (`dom.jsonld`)."""
        return things(self._facts["script"])

    @cached_property
    def stated_texts(self) -> StatedTexts:
        """The texts in the page's structured data (`dom.stated_texts`)."""
        return stated_texts(self.microdata, self.described)

    @cached_property
    def is_product(self) -> bool:
        """Whether the structured data describes a product, and no article about it (`dom.products`)."""
        return describes_product(self.described, self.properties, self.microdata)

    @cached_property
    def is_collection(self) -> bool:
        """Whether the structured data states that the page is a collection of others (`dom.collection_pages`)."""
        return states_collection(self.described)

    @property
    def microdata(self) -> list[_Element]:
        """The elements with `itemprop`, in document order, at most MAX_ITEMS."""
        return self._telling.items

    @cached_property
    def title(self) -> str | None:
        """The first non-empty `title` outside pictures, with spaces normalised, cut to 1,000 characters; else None."""
        for element in self._facts["title"]:
            if next(element.iterancestors("svg"), None) is None:
                title = self._clean("".join(map(str, element.itertext())))
                if title:
                    return title
        return None

    @cached_property
    def language(self) -> str | None:
        """The declared language, lower case: `en`, `pt-br`."""
        declared = self.root.get("lang") or self.root.get("xml:lang") or self.root.get(_XML_LANG)
        declared = declared or self._meta("content-language", attribute="http-equiv")
        match = re.match(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*", (declared or "").strip())
        return match.group().replace("_", "-").lower() if match else None

    @cached_property
    def base_url(self) -> str:
        """The base of relative URLs: the first `base` element, or the page's own URL."""
        for element in self._facts["base"]:
            href = element.get("href")
            if href is not None:
                url = self._join(self.url, href) if len(href) <= _MAX_BASE else None
                return url if url and url.startswith(_WEB) else self.url
        return self.url

    @cached_property
    def links(self) -> tuple[PageLink, ...]:
        """The `link` elements with web addresses, in document order, at most MAX_LINKS."""
        found: list[PageLink] = []
        for element in self._facts["link"]:
            href = element.get("href")
            if not href or len(href) > _MAX_HREF:
                continue
            url = self._join(self.base_url, href)
            if url is None or not url.startswith(_WEB):
                url = ""
            found.append(
                PageLink(
                    rels=frozenset((element.get("rel") or "").lower().split()),
                    url=url,
                    type=(element.get("type") or "").partition(";")[0].strip().lower(),
                    hreflang=(element.get("hreflang") or "").strip().lower(),
                )
            )
            if len(found) == MAX_LINKS:
                break
        return tuple(found)

    @cached_property
    def canonical_url(self) -> str | None:
        """The absolute `link rel=canonical`; None if it is unusable, or if two of them differ."""
        named = {link.url for link in self.links if "canonical" in link.rels}
        return (named.pop() or None) if len(named) == 1 else None

    @cached_property
    def description(self) -> str | None:
        """The `description` meta element, or Open Graph's."""
        return self._meta("description") or self._meta("og:description", attribute="property")

    @cached_property
    def author(self) -> str | None:
        """The `author` meta element."""
        return self._meta("author")

    @cached_property
    def metas(self) -> tuple[tuple[str, str], ...]:
        """(name, content) of the `meta` elements, in document order; names in lower case."""
        found = [(element, name) for element in self._facts["meta"] if (name := element.get("name"))]
        return tuple((name.strip().lower(), element.get("content") or "") for element, name in found)

    @cached_property
    def properties(self) -> tuple[tuple[str, str], ...]:
        """(name, content) of the `meta` elements; the name is `property`, else `name`, `itemprop` or `http-equiv`."""
        found = [(element, content) for element in self._facts["meta"] if (content := element.get("content"))]
        return tuple((self._naming(element).strip().lower(), content) for element, content in found)

    @cached_property
    def refresh(self) -> str | None:
        """The `content` of the first `meta http-equiv=refresh` outside `noscript`."""
        for element in self._facts["meta"]:
            says = (element.get("http-equiv") or "").strip().lower() == "refresh"
            if says and next(element.iterancestors("noscript"), None) is None:
                return element.get("content") or ""
        return None

    @cached_property
    def frames(self) -> tuple[tuple[str, str], ...]:
        """(tag, src) of the `frame` and `iframe` elements with an address, in document order, at most MAX_LINKS."""
        found = [(str(element.tag), element) for element in self._telling.named]
        frames = ((tag, src) for tag, element in found if tag in _FRAMES and (src := element.get("src")))
        return tuple(islice(frames, MAX_LINKS))

    def text(self, nodes: Iterable[int]) -> str:
        """Return the readable text of the chosen subtrees, one line per block (`dom.text`)."""
        return main_text(self.flat, nodes)

    def html(self, nodes: Iterable[int]) -> str:
        """Return the chosen subtrees as a clean HTML fragment with absolute links (`dom.html`)."""
        return main_html(self.flat, self.root, nodes, self.base_url)

    def _meta(self, name: str, attribute: str = "name") -> str | None:
        for element in self._facts["meta"]:
            if (element.get(attribute) or "").strip().lower() == name:
                return self._clean(element.get("content") or "")
        return None

    @staticmethod
    def _join(base: str, href: str) -> str | None:
        href = href.strip()
        if _ABSOLUTE.fullmatch(href):
            return href
        if (origin := _ORIGIN.match(base)) is not None and _ROOTED.fullmatch(href):
            return origin[0] + href
        try:
            return urljoin(base, href)
        except ValueError:
            return None

    @staticmethod
    def _naming(meta: _Element) -> str:
        """Return the name of a `meta` element; "" if it has none."""
        return meta.get("property") or meta.get("name") or meta.get("itemprop") or meta.get("http-equiv") or ""

    @staticmethod
    def _clean(raw: str) -> str | None:
        return whole_words(" ".join(raw.split()))[:_TITLE_LENGTH].rstrip() or None
