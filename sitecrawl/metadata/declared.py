"""Reads the metadata that the markup of a page declares: candidates for each field, the most trustworthy first.

Over 300 lines: the sources of markup (elements, JSON-LD, Open Graph, microdata) share one ranking.
"""

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from itertools import islice
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from lxml.etree import _Element

from sitecrawl.dom import jsonld
from sitecrawl.dom.page import Page
from sitecrawl.dom.text import printable, whole_words
from sitecrawl.metadata.book_names import leads_home, whole_names
from sitecrawl.metadata.byline_ends import without_end
from sitecrawl.metadata.dates import date_in_url, iso_date
from sitecrawl.metadata.headlines import MOST, headlines, lower_headlines, only_headline
from sitecrawl.metadata.title_pieces import affixes, first_piece, folded, separators

MAX_VALUES: Final = 4
"""Maximum candidates kept per field."""
MAX_NEAR: Final = 64
"""Maximum nodes examined around an element."""
_LENGTH: Final = 1000
_AUTHOR_LENGTH: Final = 100

_TITLES: Final = ("og:title", "twitter:title", "citation_title", "dc.title", "dcterms.title", "title")
_DESCRIPTIONS: Final = (
    "description", "og:description", "twitter:description", "dc.description", "dcterms.description",
)  # fmt: skip
_AUTHORS: Final = (
    "author", "article:author", "citation_author", "dc.creator", "dcterms.creator", "parsely-author",
    "sailthru.author", "byl",
)  # fmt: skip
_PUBLISHED: Final = (
    "article:published_time", "og:article:published_time", "article:published", "og:published_time", "datepublished",
    "citation_publication_date", "citation_date", "parsely-pub-date", "sailthru.date", "dc.date.issued",
    "dcterms.issued", "dcterms.created", "dc.date.created", "pubdate", "publishdate", "publish-date", "publish_date",
    "publication_date", "date.released", "published_at", "dcterms.date", "dc.date", "date", "created",
    "cxenseparse:recs:publishtime",
)  # fmt: skip
_MODIFIED: Final = (
    "article:modified_time", "og:article:modified_time", "og:updated_time", "datemodified", "dcterms.modified",
    "dc.date.modified", "article:updated", "last-modified", "lastmod", "last_modified", "revised",
)  # fmt: skip
_IMAGES: Final = ("og:image", "og:image:secure_url", "og:image:url", "twitter:image", "twitter:image:src")
_SECTIONS: Final = ("article:section", "og:article:section", "parsely-section", "articlesection", "dc.subject.section")
_ITEM_NAMES: Final = frozenset(("datepublished", "datecreated", "datemodified", "author", "headline", "articlesection"))
_FOREIGN: Final = re.compile(r"comment|review|rating|answer|person|organization|listitem|product|offer|event", re.I)
_BY: Final = re.compile(
    r"^/*(?:(?:written|posted|published|authored|words|story|text|article|recipe|analysis)\s+)?by[\s:]+|^(?:article|texte)\s+(?:de|par)\s+|^(?:authors?|auteurs?|autor(?:e|es|en|in)?|verfasser(?:in)?|von|par|por|автор|текст)"
    r"(?:\(\w{1,4}\)|\s\w+)?\s*:\s*|^author\s+(?=[^\W\d_]+\s)|^[\[【（(]?\s*(?:作者|(?:本报)?记者)(?:\s*[:：]\s*|\s+)|^كتبت?\s?:\s*|^بقلم(?:\s?:\s*|\s+)|^(?:von|par|por|da|door|av|przez)\s+(?=[^»]+\s»)",
    re.IGNORECASE,
)
"""Matches the introduction before a name in a byline; forums write "por Ana » Jue"."""
_NO_NAME: Final = ("://", "www.", "@", "{", "<")
"""Signs of addresses, templates and markup, which are in no name."""
_TITLE: Final = re.compile(
    r"(?:[js]r|i{1,3}|iv|esq|ph\.? ?d|[a-z]{1,2}\.?d|m\.?[abs]|mph|mba|rn|cpa|cfp)\.?", re.IGNORECASE
)
"""Matches what may follow a name after a comma: "Ann Lee, PhD"."""
_PREPOSITIONS: Final = frozenset(("por", "von", "par", "da", "di", "door", "av", "przez", "от", "від"))
"""Words before a role in a byline; before a name they may be part of the name."""
_NOBODY: Final = frozenset((
    "admin", "administrator", "webmaster", "author", "editor", "root", "user", "guest", "anonymous", "unknown",
    "default", "staff", "none", "null", "undefined", "editors", "team", "website", "blog", "home", "wordpress",
    "joomla", "redacción", "redaktion", "rédaction", "redazione", "redakcja", "redação", "редакция", "редакція",
    "未知", "佚名", "匿名", "autor", "autora", "auteur", "autore", "forfatter", "författare", "автор", "作者",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Declared:
    """Distinct candidates for each field of one page, from the best source first."""

    title: str | None
    """The `title` element."""
    names: tuple[str, ...] = ()
    """Other titles: JSON-LD, Open Graph and the like, then the `h1` elements."""
    headings: tuple[str, ...] = ()
    lower: str | None = None
    """The only headline of the highest level of a page without `h1`."""
    below: tuple[str, ...] = ()
    """The first lower headlines, `h2` and `h3`, of a page whose title has several pieces."""
    inner: tuple[str, ...] = ()
    """The first lower headlines of a page whose title contains no headline."""
    wholes: tuple[str, ...] = ()
    """Other headlines at the end of the title, after another headline: usually names of the book or site."""
    home_headlines: tuple[str, ...] = ()
    """Headlines that are a link to the front page as a whole: names of the site."""
    site_names: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()
    bylines: tuple[str, ...] = ()
    """Authors of the page's main subject in JSON-LD; they may be those of the whole site."""
    authors: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    """Dates of publication, in ISO 8601 like all dates here."""
    modified: tuple[str, ...] = ()
    item_authors: tuple[str, ...] = ()
    """Authors in microdata; on a list page they belong to its entries, and so do the following dates."""
    item_published: tuple[str, ...] = ()
    item_modified: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    """As absolute URLs."""
    trails: tuple[str, ...] = ()
    """Breadcrumbs, outermost first, joined by ` > `, without the home page and the page itself."""
    sections: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


class _Found:
    """Collects the candidates."""

    def __init__(self) -> None:
        self.values: dict[str, list[str]] = {}

    def add(self, field: str, raw: Iterable[str | None]) -> None:
        kept = self.values.setdefault(field, [])
        for one in raw:
            if one and one not in kept and len(kept) < MAX_VALUES:
                kept.append(one)

    def get(self, field: str) -> tuple[str, ...]:
        return tuple(self.values.get(field, ()))


def read_declared(page: Page, now: dt.datetime) -> Declared:
    """Return the values that a page declares in its parsed tree. Never raises, and takes bounded time."""
    found = _Found()
    _json(page, found, now)
    _metas(page, found, now)
    _items(page, found, now)
    found.add("published", [date_in_url(page.url, now)])
    found.add("images", [link.url for link in page.links if "image_src" in link.rels])
    if page.language:
        found.add("languages", [page.language])
    title = page.title
    _headlines(page, title, found)
    headings = found.get("headings")
    confirmed = title is None or any(folded(one) in folded(title) for one in headings)
    several = title is not None and bool(separators(title))
    lower = () if confirmed and not several else tuple(filter(None, map(clean, lower_headlines(page.root))))
    below = lower if several else ()
    wholes = whole_names(title, headings, below)
    return Declared(
        title=title,
        names=_own_names(found, title),
        headings=tuple(one for one in headings if one not in wholes),
        lower=None if headings else clean(only_headline(page.root)),
        below=below,
        inner=() if confirmed else lower[:MAX_VALUES],
        wholes=wholes,
        home_headlines=found.get("home_headlines"),
        site_names=(*found.get("site_names"), *found.get("home_headlines")),
        descriptions=found.get("descriptions"),
        bylines=found.get("bylines"),
        authors=found.get("authors"),
        published=found.get("published"),
        modified=found.get("modified"),
        item_authors=found.get("item_authors"),
        item_published=found.get("item_published"),
        item_modified=found.get("item_modified"),
        images=found.get("images"),
        trails=found.get("trails"),
        sections=found.get("sections"),
        languages=found.get("languages"),
    )


def _headlines(page: Page, title: str | None, found: _Found) -> None:
    """Add the headlines, and apart from them those that lead to the front page.

    A headline that another one repeats without such a link names the page: some books link the title of each chapter to
    their cover.
    """
    elements = page.named("h1")[:MOST]
    starts = affixes(title)[0] if title else ()
    names = (
        frozenset(map(folded, filter(None, (title, *starts, *found.get("names"))))) if any(map(len, elements)) else ()
    )
    texts = list(map(clean, headlines(elements, names)))
    home = [
        text is not None and text != title and leads_home(element, text, page)
        for element, text in zip(elements, texts, strict=True)
    ]
    own = {folded(text) for text, leads in zip(texts, home, strict=True) if text and not leads}
    for text, leads in zip(texts, home, strict=True):
        of_site = leads and text is not None and folded(text) not in own
        found.add("home_headlines" if of_site else "headings", [text])


def _own_names(found: _Found, title: str | None) -> tuple[str, ...]:
    """Return the names of a page without its descriptions, which some sites declare as `twitter:title` too.

    A description with the title or a headline in it stays: some pages have no other text than their name.
    """
    names, descriptions = found.get("names"), set(map(folded, found.get("descriptions")))
    if descriptions.isdisjoint(map(folded, names)):
        return names
    known = [folded(one) for one in (title, *found.get("headings")) if one]
    if title:
        known.append(folded(first_piece(title)))
    return tuple(
        one
        for one in names
        if folded(one) not in descriptions
        or any(f" {own} " in f" {folded(one)} " or f" {folded(one)} " in f" {own} " for own in known)
    )


def clean(raw: str, length: int = _LENGTH) -> str | None:
    """Return a value without entities and redundant white space, cut to a length; None if it is empty."""
    text = raw[: 4 * length]
    if "&" in text:  # many programs escape twice
        text = unescape(text)
    return whole_words(" ".join(text.split()))[:length].rstrip() or None


def clean_author(raw: str) -> str | None:
    """Return the name in a byline without its introduction; None if it is a URL or a role and not a name."""
    text = clean(raw, 2 * _AUTHOR_LENGTH)
    text = without_end(_BY.sub("", text)).removesuffix(" .").strip(" ,;|·•●-–—/&【】¶") if text else ""
    first, _, rest = text.lower().partition(" ")
    if {text.lower(), rest if first in _PREPOSITIONS else ""} & _NOBODY:
        return None
    if not text or len(text) > _AUTHOR_LENGTH or len(text.split()) > 12:
        return None
    if any(sign in text for sign in _NO_NAME) or not any(c.isalpha() for c in text):
        return None
    return text


def joined_authors(names: Iterable[str]) -> str | None:
    """Return several authors as one value."""
    kept = list(dict.fromkeys(name for raw in names if (name := clean_author(raw))))
    return ", ".join(kept[:5]) or None


def _json(page: Page, found: _Found, now: dt.datetime) -> None:
    described = _without_lists(_without_questions(page.described), page)
    for kinds in (jsonld.ARTICLES, jsonld.PAGES):
        for types, thing in described:
            if kinds.isdisjoint(types):
                continue
            _dates(thing, found, now)
            if kinds is jsonld.ARTICLES:
                found.add("bylines", [joined_authors(jsonld.strings(thing.get("author")))])
            found.add("names", _cleaned(thing.get("headline")) or _cleaned(thing.get("name")))
            found.add("descriptions", _cleaned(thing.get("description")))
            found.add("images", (_address(page, raw) for raw in jsonld.strings(thing.get("image"), "url")))
            found.add("site_names", _cleaned(thing.get("publisher")) + _cleaned(thing.get("isPartOf")))
            found.add("languages", (raw.lower() for raw in jsonld.strings(thing.get("inLanguage"), "alternateName")))
    for types, thing in described:
        if "website" in types or ("organization" in types and "person" not in types):  # a blog is its author's too
            found.add("site_names", _cleaned(thing.get("name")))
        if not jsonld.TRAILS.isdisjoint(types):
            found.add("trails", [trail_text(jsonld.trail(thing), page.url)])
        elif not jsonld.PAGES.isdisjoint(types) and isinstance(inner := thing.get("breadcrumb"), dict):
            found.add("trails", [trail_text(jsonld.trail(inner), page.url)])
    for types, thing in described:
        if not jsonld.ARTICLES.isdisjoint(types):
            found.add("sections", _cleaned(thing.get("articleSection"))[:1])


def _without_questions(described: list[jsonld.Described]) -> list[jsonld.Described]:
    """Return the objects without the questions of a FAQ, whose names are not that of the page."""
    several = sum("question" in types for types, _ in described) > 1 or any(
        "faqpage" in types for types, _ in described
    )
    return [one for one in described if "question" not in one[0]] if several else described


def _without_lists(described: list[jsonld.Described], page: Page) -> list[jsonld.Described]:
    """Return the objects without list entries: of two or more articles, only that with the page's name is kept."""
    articles = [one for one in described if "headline" in one[1] and not jsonld.ARTICLES.isdisjoint(one[0])]
    if len({str(thing["headline"])[:_LENGTH] for _, thing in articles}) < 2:
        return described
    title = (page.title or "").casefold()
    others = [
        thing
        for _, thing in articles
        if not any(clean(raw) and (clean(raw) or "").casefold() in title for raw in jsonld.strings(thing["headline"]))
    ]
    return [one for one in described if not any(one[1] is other for other in others)]


def _dates(thing: jsonld.Thing, found: _Found, now: dt.datetime) -> None:
    for field, name in (("published", "datePublished"), ("published", "uploadDate"), ("modified", "dateModified")):
        found.add(field, (iso_date(raw, now) for raw in jsonld.strings(thing.get(name), "@value")))
    if not thing.get("datePublished"):
        found.add("published", (iso_date(raw, now) for raw in jsonld.strings(thing.get("dateCreated"), "@value")))


def _cleaned(value: Any) -> list[str]:
    return [text for raw in jsonld.strings(value) if (text := clean(raw))]


def trail_text(steps: Iterable[tuple[str, str]], url: str) -> str | None:
    """Return breadcrumbs as a section, without the home page at the beginning and the page itself at the end."""
    kept, links = [], []
    for name, link in steps:
        kept.append(clean(name, 100))
        links.append(link)
    if kept:
        first = _joined_url(url, links[0]) if links[0] else ""
        if (first and _path(first) in _FRONT) or (kept[0] or "").lower() in _HOME:
            kept = kept[1:]
    return " > ".join(name for name in kept[:-1] if name)[:_LENGTH] or None


_FRONT: Final = ("", "/", "/index.html", "/index.htm", "/index.php")
"""The paths of a front page."""
_HOME: Final = frozenset((
    "home", "homepage", "home page", "start", "startseite", "accueil", "inicio", "início", "главная", "首页", "首頁",
    "ホーム", "トップ", "홈", "strona główna", "hem", "forside", "etusivu", "domů",
))  # fmt: skip


def _joined_url(base: str, link: str) -> str:
    """Return an absolute URL; "" if it is unusable."""
    try:
        return urljoin(base, link.strip())
    except ValueError:
        return ""


def _path(url: str) -> str:
    """Return the path of a URL; "" if it is malformed."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def _address(page: Page, raw: str) -> str | None:
    if not raw.strip() or len(raw) > _LENGTH * 2:
        return None
    url = _joined_url(page.base_url, raw)
    return printable(url) if url.startswith(("http://", "https://")) else None


def _metas(page: Page, found: _Found, now: dt.datetime) -> None:
    values: dict[str, list[str]] = {}
    for name, content in page.properties:
        values.setdefault(name, []).append(content)

    def every(names: tuple[str, ...]) -> list[str]:
        return [content for name in names for content in values.get(name, ())[:20]]

    found.add("names", map(clean, every(_TITLES)))
    found.add("site_names", map(clean, every(("og:site_name", "application-name"))))
    found.add("descriptions", map(clean, every(_DESCRIPTIONS)))
    for name in _AUTHORS:
        raw = values.get(name, ())[:20]
        found.add("authors", [joined_authors(map(_first_name_first, raw) if name == "citation_author" else raw)])
    found.add("published", (iso_date(raw, now) for raw in every(_PUBLISHED)))
    found.add("modified", (iso_date(raw, now) for raw in every(_MODIFIED)))
    found.add("images", (_address(page, raw) for raw in every(_IMAGES)))
    found.add("sections", map(clean, every(_SECTIONS)))
    found.add("languages", (_locale(raw, page.language) for raw in every(("og:locale",))))
    found.add("languages", (raw.split(",")[0].lower() for raw in every(("language", "dc.language"))))


def _first_name_first(author: str) -> str:
    """Return "Ann Lee" for "Lee, Ann", the usual form of `citation_author`; other names, and titles, as they are."""
    last, comma, first = author.partition(",")
    if not comma or "," in first or _TITLE.fullmatch(first.strip()) or not first.strip():
        return author
    return f"{first.strip()} {last.strip()}"


def _locale(raw: str, language: str | None) -> str:
    """Return the language of an `og:locale`, without the region if the page declares that language without one."""
    locale = raw.partition(",")[0].strip().lower().replace("_", "-")
    return language if language is not None and language == locale.partition("-")[0] else locale


def _items(page: Page, found: _Found, now: dt.datetime) -> None:
    """Add the microdata to the candidates, except that of inner items such as comments and persons."""
    for element in page.microdata:
        names = (element.get("itemprop") or "").lower().split()
        if _ITEM_NAMES.isdisjoint(names):
            continue
        above = islice(element.iterancestors(), MAX_NEAR)
        item = next((one for one in above if one.get("itemscope") is not None), None)
        if item is not None and _FOREIGN.search((item.get("itemtype") or "").rpartition("/")[2]):
            continue
        raw = element.get("content") or element.get("datetime") or _text(element)
        if "headline" in names:
            found.add("names", [clean(raw)])
        elif "author" in names:
            found.add("item_authors", [clean_author(_name(element) or raw)])
        elif "articlesection" in names:
            found.add("sections", [clean(raw)])
        else:
            found.add("item_modified" if "datemodified" in names else "item_published", [iso_date(raw, now)])


def _name(element: _Element) -> str | None:
    for inner in islice(element.iter(), MAX_NEAR):
        if inner is not element and "name" in (inner.get("itemprop") or "").split():
            return inner.get("content") or _text(inner)
    return None


def _text(element: _Element) -> str:
    return " ".join(map(str, islice(element.itertext(), MAX_NEAR)))[: 4 * _LENGTH]
