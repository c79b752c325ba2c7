"""Other libraries that extract main content, for comparison: the extra `peers`.

A peer takes the page's HTML as text and its URL, and returns plain text. It parses the page itself, so its time
includes parsing. Each peer runs with its own defaults, which its authors tuned, with two exceptions: it never uses the
network, and reader comments, alternative texts of images and metadata are disabled where the library has an option for
that, since they are not main content here. Each function's docstring states the options used.
JavaScript libraries run in Node (`evaluation.node_peers`).
"""

import logging
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Final

from sitecrawl.dom.page import Page
from sitecrawl.errors import EmptyPageError, ExtractorError, UnknownExtractorError
from sitecrawl.evaluation.node_peers import node_missing, node_process, node_version
from sitecrawl.evaluation.site_justext import Paragraph, Pool

PREFIX: Final = "peer:"
"""Prefix of the names of peers among the methods of a report."""

Peer = Callable[[str, str], str]
"""A function from HTML and URL to text; it passes on exceptions of the library."""
SitePeer = Callable[[Sequence[str]], Peer]
"""A function from the HTML of all pages of a site to a peer for these pages."""


@dataclass(frozen=True, slots=True)
class _Library:
    """The package of a peer."""

    package: str
    """Name of the package to install."""
    modules: tuple[str, ...]
    """Modules that must be importable; none for a JavaScript library."""
    load: Callable[[], Peer]
    load_site: Callable[[], SitePeer] | None = None
    """Loads the peer if it also reads the other pages of the site; None otherwise."""


def available_peers() -> list[str]:
    """Return the names of the peers whose libraries are installed, sorted."""
    return [name for name, library in sorted(_PEERS.items()) if not _missing(library)]


def missing_peers() -> list[str]:
    """Return a sentence for each peer whose library is not installed, saying what to install."""
    return [_advice(name) for name, library in sorted(_PEERS.items()) if _missing(library)]


def peer_versions() -> dict[str, str]:
    """Return the versions of the installed libraries by package."""
    found: dict[str, str] = {}
    for library in _PEERS.values():
        if not library.modules:
            found |= {name: one for name in (library.package, "linkedom") if (one := node_version(name))}
            continue
        try:
            found[library.package] = version(library.package)
        except PackageNotFoundError:
            continue
    return dict(sorted(found.items()))


def get_peer(name: str, pages: Sequence[str] = ()) -> Peer:
    """Import a peer's library and return the peer; `name` may have the prefix `peer:`.

    `pages` is the HTML of the pages of the site, from which some peers learn. Raises UnknownExtractorError, or
    ExtractorError if the library is not installed or cannot be imported.
    """
    library = check_peer(name)
    for module in library.modules:
        logging.getLogger(module).setLevel(logging.CRITICAL)  # they log the errors that they raise
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return library.load_site()(pages) if library.load_site is not None else library.load()
    except ImportError as error:
        raise ExtractorError(f"the peer {name!r} cannot be imported: {error}") from error


def check_peer(name: str) -> _Library:
    """Return the library of a peer. Raises UnknownExtractorError, or ExtractorError if it is not installed."""
    library = _PEERS.get(name.removeprefix(PREFIX))
    if library is None:
        raise UnknownExtractorError(f"unknown peer {name!r}; known: {', '.join(sorted(_PEERS))}")
    if _missing(library):
        raise ExtractorError(f"the peer {name.removeprefix(PREFIX)!r} cannot run: {_missing(library)}")
    return library


def _missing(library: _Library) -> str:
    """Return the missing requirement of a library with its remedy; "" if nothing is missing."""
    if not library.modules:
        return node_missing(library.package)
    if all(find_spec(module) is not None for module in library.modules):
        return ""
    return f"{library.package} is not installed (pip install 'sitecrawl[peers]')"


def _advice(name: str) -> str:
    return f"The peer {name!r} is left out: {_missing(_PEERS[name])}."


# --- the peers ---


def _trafilatura(*, comments: bool = False, fast: bool = False) -> Peer:
    """Return `extract` with its defaults: tables, and unless `fast` with fallbacks; comments only with `comments`.

    article-extraction-benchmark runs trafilatura in the same way.
    """
    library: Any = import_module("trafilatura")

    def extract(html: str, url: str) -> str:
        return library.extract(html, include_comments=comments, fast=fast) or ""

    return extract


def _readability() -> Peer:
    """Return `Document.summary`, with its HTML converted to text by `_text`."""
    library: Any = import_module("readability")

    def extract(html: str, url: str) -> str:
        return _text(library.Document(html, url=url or None).summary(html_partial=True), url)

    return extract


def _text(html: str, url: str) -> str:
    """Return the text of a library's HTML, converted by the same rules as sitecrawl's own main content."""
    try:
        return Page.from_html(html, url).text((0,))
    except EmptyPageError:
        return ""


def _resiliparse() -> Peer:
    """Return `extract_plain_text` with `main_content`, without alternative texts and reader comments."""
    library: Any = import_module("resiliparse.extract.html2text")

    def extract(html: str, url: str) -> str:
        text: str = library.extract_plain_text(html, main_content=True, alt_texts=False, comments=False)
        return text

    return extract


def _in_node(name: str) -> Peer:
    """Return a JavaScript library with its defaults, on linkedom, with its HTML converted to text by `_text`.

    Readability.js is Firefox's reader view, `Readability.parse`. Defuddle is Obsidian's, `Defuddle.parse`, used without
    its requests to services for content that is missing in the page.
    """
    process = node_process()
    return lambda html, url: _text(process.html(name, html, url), url)


def _boilerpy3() -> Peer:
    """Return `ArticleExtractor`, which the authors recommend for articles."""
    library: Any = import_module("boilerpy3.extractors")
    extractor = library.ArticleExtractor()

    def extract(html: str, url: str) -> str:
        text: str = extractor.get_content(html)
        return text

    return extract


def _newspaper4k() -> Peer:
    """Return `Article.parse`, without fetching images and without its limit of 100,000 characters.

    It reads the page's language from its metadata, with English as the default. Its tokenisers for Hindi, Nepali,
    Bengali, Tamil and Thai need further packages, without which it raises an exception on such pages; those for
    Chinese, Japanese and Korean are in the extra `peers`. The Chinese dictionary is loaded beforehand, so that no
    page's time includes it.

    Among elements with equal scores it takes the first of a set, whose order depends on memory addresses; here such
    sets keep the order of the document, so that two runs agree.
    """
    library: Any = import_module("newspaper")
    body: Any = import_module("newspaper.extractors.articlebody_extractor")
    body.set = dict.fromkeys
    if find_spec("jieba"):
        dictionary: Any = import_module("jieba")
        dictionary.setLogLevel(logging.CRITICAL)
        dictionary.initialize()

    def extract(html: str, url: str) -> str:
        article = library.Article(url or "https://example.org/", fetch_images=False, max_text=len(html))
        article.download(input_html=html)
        article.parse()
        return article.text or ""

    return extract


def _justext() -> Peer:
    """Return `justext` with its default thresholds; its text has the good paragraphs, one per line."""
    paragraphs = _paragraphs()

    def extract(html: str, url: str) -> str:
        return "\n".join(one.text for one in paragraphs(html) if one.good)

    return extract


def _site_justext() -> SitePeer:
    """Return `justext` with its verdicts pooled over the pages of the site (`evaluation.site_justext`)."""
    paragraphs = _paragraphs()

    def learned(pages: Sequence[str]) -> Peer:
        read = {html: paragraphs(html) for html in pages}
        pool = Pool.of(list(read.values()))
        return lambda html, url: "\n".join(pool.kept(read[html] if html in read else paragraphs(html)))

    return learned


def _paragraphs() -> Callable[[str], list[Paragraph]]:
    """Return a function from HTML to jusText's paragraphs, with the stop words of the language that `html` declares.

    If none is declared, or one without a list (Chinese, Japanese, Thai), the language-independent mode is used, with no
    list, and 0 for both limits on stop words. English stop words would find nothing in other languages, and on English
    pages that declare no language both modes have the same scores.
    """
    library: Any = import_module("justext")
    stop_words = lru_cache(maxsize=None)(library.get_stoplist)
    independent = {"stopwords_low": 0.0, "stopwords_high": 0.0}

    def read(html: str) -> list[Paragraph]:
        found = _LANGUAGE.search(html, 0, _HEAD)
        name = _STOP_WORDS.get(found.group(1).lower()) if found else None
        if name is None:
            judged = library.justext(html, frozenset(), **independent)
        else:
            judged = library.justext(html, stop_words(name))
        return [Paragraph(one.text, one.dom_path, not one.is_boilerplate) for one in judged]

    return read


_HEAD: Final = 20_000
"""Characters within which the `html` element must begin."""
_LANGUAGE: Final = re.compile(r"<html\b[^>]*?\s(?:xml:)?lang\s*=\s*[\"']?\s*([a-z]{2,3})(?![a-z])", re.IGNORECASE)
_LISTS: Final = (
    "af:Afrikaans an:Aragonese ar:Arabic az:Azerbaijani be:Belarusian bg:Bulgarian bn:Bengali br:Breton"
    " bs:Bosnian ca:Catalan cs:Czech cy:Welsh da:Danish de:German el:Greek en:English eo:Esperanto es:Spanish"
    " et:Estonian eu:Basque fa:Persian fi:Finnish fr:French fy:West_Frisian ga:Irish gl:Galician gu:Gujarati"
    " he:Hebrew hi:Hindi hr:Croatian hu:Hungarian hy:Armenian id:Indonesian is:Icelandic it:Italian ka:Georgian"
    " kk:Kazakh kn:Kannada ko:Korean ku:Kurdish ky:Kyrgyz la:Latin lb:Luxembourgish lt:Lithuanian lv:Latvian"
    " mk:Macedonian ml:Malayalam mr:Marathi ms:Malay mt:Maltese nb:Norwegian_Bokmal ne:Nepali nl:Dutch"
    " nn:Norwegian_Nynorsk no:Norwegian_Bokmal oc:Occitan pl:Polish pt:Portuguese ro:Romanian ru:Russian"
    " sh:Serbo_Croatian sk:Slovak sl:Slovenian sq:Albanian sr:Serbian sv:Swedish sw:Swahili ta:Tamil te:Telugu"
    " tl:Tagalog tr:Turkish uk:Ukrainian ur:Urdu uz:Uzbek vi:Vietnamese yo:Yoruba"
)
_STOP_WORDS: Final[Mapping[str, str]] = dict(pair.split(":") for pair in _LISTS.split())
"""Names of jusText's lists by language."""

_PEERS: Final[Mapping[str, _Library]] = {
    "boilerpy3": _Library("boilerpy3", ("boilerpy3",), _boilerpy3),
    "defuddle": _Library("defuddle", (), lambda: _in_node("defuddle")),
    "justext": _Library("jusText", ("justext", "lxml_html_clean"), _justext),
    "justext-site": _Library("jusText", ("justext", "lxml_html_clean"), _justext, _site_justext),
    "newspaper4k": _Library("newspaper4k", ("newspaper", "lxml_html_clean"), _newspaper4k),
    "readability-lxml": _Library("readability-lxml", ("readability", "lxml_html_clean"), _readability),
    "readability.js": _Library("@mozilla/readability", (), lambda: _in_node("readability.js")),
    "resiliparse": _Library("resiliparse", ("resiliparse",), _resiliparse),
    "trafilatura": _Library("trafilatura", ("trafilatura",), _trafilatura),
    "trafilatura-comments": _Library("trafilatura", ("trafilatura",), lambda: _trafilatura(comments=True)),
    "trafilatura-fast": _Library("trafilatura", ("trafilatura",), lambda: _trafilatura(fast=True)),
}
