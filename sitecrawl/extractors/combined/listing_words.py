"""Words of listings in URLs, titles and headings, in some twenty languages.

A word counts only where it refers to the page itself: as the last segment of a path (`/blog/`), as a segment above it
(`/tag/boats`), as a whole part of a title (`Blog | A site`), at its beginning (`Category: Boats`) or at its end (`May
2008 Archives`). Elsewhere the same words belong to the name of a site, or to a sentence. Content management systems use
English words in URLs on sites of every language, with few exceptions.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

MAX_TITLE: Final = 300
"""Maximum characters of a title that are read."""
MAX_PARTS: Final = 8
SLUG_WORDS: Final = 3
"""Minimum number of words of a title in its URL for the last segment to be a slug. Own choice."""
SLUG_SHARE: Final = 0.75
"""Minimum share of the title's words in its URL. Own choice: systems omit articles and long words."""

_INDEX_FILE: Final = re.compile(r"/(?:index|default)(?:-\d+)?\.\w{3,5}$")
_EXTENSION: Final = re.compile(r"\.(?:html?|php|aspx?|jsp|cgi|shtml)$", re.IGNORECASE)
_LAST: Final = re.compile(
    r"archives?|blogs?|news|posts|articles|all|list(?:ing)?s?|sitemap|site-map|(?:table-?of-?)?contents?|toc"
    r"|categor(?:y|ies)|tags?|topics?|forums?|viewforum|members?|memberlist|users|search|shop|store|products"
    r"|catalog(?:ue)?|collections?|sessions|speakers|schedule|events|calendar|authors?|genindex|recent|latest"
    r"|recentchanges|allpages|directory|gallery|videos|projects|publications|stories|reviews|press|newsroom|diary"
    r"|noticias|actualit[eé]s|nouvelles|notizie|nachrichten|aktuelles?|archiv|archivio|archivo|kategorien?"
    r"|categor[ií]as?|cat[eé]gories|categorie|etiquetas|schlagwort|inhalt|[ií]ndice|sommaire|tin-tuc|produkte"
    r"|produits|productos|prodotti|termine|veranstaltungen|.*[_-](?:index|archives?)|timeline|milestones"
    r"|kategori(?:ler|er|e|as|a)?|etiket(?:ler|ter|t)?|etykiet[ay]|tagi|arsip|arquivos?|archivos|arkiv|marcadores",
    re.IGNORECASE,
)
"""Matches the last path segment of a listing."""
_ABOVE: Final = re.compile(
    r"tags?|tagged|categor(?:y|ies)|cat|authors?|labels?|terms?|search|colou?rs?|sizes?|brands?"
    r"|rubriques?|kategorien?|categor[ií]as?|cat[eé]gories?|categorie|etiquetas?|[eé]tiquettes?|schlagwort|schlagworte"
    r"|mot-cle|motcle|genres?|series|product-(?:category|tag)|chuyen-muc|danh-muc|rubriky|kategori[aj]?a?"
    r"|kategori(?:ler|er|e|as)|etiket(?:ler|ter|t)?|etykiet[ay]|tagi|[sš]t[ií]t(?:ek|ky)|c[ií]mkek?|trefwoord(?:en)?"
    r"|avainsana|rubrika|metka|razdel|marcador(?:es)?|milestones?",
    re.IGNORECASE,
)
"""Matches a path segment for the kind of selection above the selected value (`/tag/boats`)."""
_SHOP: Final = re.compile(r"/(?:[a-z]{2}(?:-[a-z]{2})?/)?collections/.", re.IGNORECASE)
"""Matches the path of a collection in a shop, perhaps below a language; elsewhere `collections` is a package of an
API."""
_MAIL_INDEX: Final = re.compile("date|subject|thread|author")
"""Matches the index pages of a month in mailing list archives."""
_YEAR: Final = re.compile("(?:19|20)[0-9]{2}")
_NAMED: Final = re.compile(
    r"(?:^|[/?&=])(?:(?:Special|Spezial|Especial|Sp[eé]cial)[:_](?=\w)|(?:[Cc]ategory|[Cc]ategor[ií]a|[Cc]at[eé]gorie"
    r"|[Kk]ategorie|[Cc]ategorie|[Tt]ag|cat|[Kk]ategoria)[:_](?=\w))"
    r"|[?&](?:tag|cat|category|categoryid|cat_id|author|label|q|s|search|forum|forumid|sort|order|orderby)="
    r"|viewforum|forumdisplay|/search(?=[/?]|$)|/c/(?:[\w%-]+/)+[0-9]+(?:\.html)?(?=[?]|$)"
)
"""Matches wiki namespaces, parameters of searches and of sorted tables, and the categories of a forum."""
_THREAD: Final = re.compile("viewtopic|showthread|thread|topic", re.IGNORECASE)
_PAGE: Final = re.compile(
    r"/page/?[0-9]+|/index[_-]?[0-9]+\.[a-z]{3,5}$"
    r"|[?&](?:(?:page|paged|start|offset|pg)=[0-9]+(?![0-9a-z_-])|(?:pagefrom|from|until)=[0-9a-z])",
    re.IGNORECASE,
)
_MONTH: Final = re.compile(
    r"(?:^|/)(?:19|20)\d\d(?:[/_-]?(?:0?[1-9]|1[0-2])|[/_-](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)"
    r"(?:\.\w+)?/?$",
    re.IGNORECASE,
)
_WHOLE_YEAR: Final = re.compile(
    r"(?:/[a-z]{2})?(?:/(?:blog|archives?|news|posts|articles))?/(?:19|20)\d\d(?:\.\w+)?/?", re.IGNORECASE
)

_ARCHIVE: Final = re.compile(r"archives?|archiv|archivio|archivos?|arquivos?|arkiv|arsip|arşiv", re.IGNORECASE)
"""Matches the part of a path that names an archive."""
_CATEGORY_FILE: Final = re.compile(r"cat_\w+", re.IGNORECASE)
"""Matches the file name of a category in Movable Type."""

_PARTS: Final = re.compile(r"\s+[|–—·•»«:/-]+\s+|[|»«·]|:\s+|\s-\s|\s*[(（\[].*?[)）\]]\s*$")
_AROUND: Final = " .-\"“”'"
_BEGINS: Final = (
    "archives?|categor(?:y|ies)|tags?|tagged|table of contents|list of|search results?|posts (?:by|in|tagged)"
    "|articles by|schlagw[oö]rt(?:er)?|kategorien?|archiv|inhaltsverzeichnis|archivos?|categor[ií]as?|etiquetas?"
    "|archivio|categorie|cat[ée]gories?|[ée]tiquettes?|sommaire|table des matières|arquivos?|архивы?|категори[яи]"
    "|рубрик[аи]|метк[аи]|архів|lưu trữ|chuyên mục|danh mục|archiwum|kategori[aei]|spis treści|arkiv|arsip"
    "|カテゴリー?|タグ|アーカイブ|归档|分类|标签|彙整|分類|標籤|카테고리|태그|글 목록"
)
_ENDS: Final = (
    "archives?|index|table of contents|sitemap|site map|categor(?:y|ies)|archiv|archivio|archivos?"
    "|inhaltsverzeichnis|архив|アーカイブ|目次|索引|归档|目录|列表|カテゴリー?"
)
_WHOLE: Final = (
    "contents|news|recent news|blog|articles|posts|forums?|sessions|speakers|schedule|home|videos|projects|reviews"
    "|press|newsroom|shop|store|products|diary|recent (?:posts|changes)|special pages|nachrichten|aktuelles"
    "|neuigkeiten|noticias|actualit[ée]s|nouvelles|notizie|новости|содержание|оглавление|tin tức|aktualności|nyheter"
    "|inhalt|[ií]ndice|目录|目錄|最新|文章|新闻|ニュース|お知らせ|記事|뉴스|produkte"
)
_LIST_WORDS: Final = re.compile(
    rf"^(?:{_BEGINS})(?!\w|-)|(?<!\w)(?:{_ENDS})$|(?<!\w)archives? (?:by|for|of)\b|一覧$"
    r"|(?<!\w)(?:page|seite|p[áa]gina|pagina|страница|strona|trang)\s*\d+$|第\s*\d+\s*[頁页ペ]",
    re.IGNORECASE,
)
_LIST_OR_SITE_NAME: Final = re.compile(_WHOLE, re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+")


class UrlWords(NamedTuple):
    """The signs of a listing in a URL."""

    named: bool
    """Whether it has a word for a kind of listing, or for a selection."""
    numbered: bool
    """Whether it contains the page number of a listing."""
    period: float
    """1 if it ends with a month, 0.5 with a year, else 0."""
    archived: bool
    """Whether it ends with a month or a category below an archive: always a listing (docs/combined-rules.md)."""


def url_words(url: str) -> UrlWords:
    """Return the signs of a listing in a URL; none for the pages of a forum thread."""
    parts = urlsplit(url)
    path = unquote(parts.path)
    whole = f"{path}?{unquote(parts.query)}" if parts.query else path
    own = _INDEX_FILE.sub("/", path.partition("?")[0])  # mirrors store the query of a page in its path
    segments = [_EXTENSION.sub("", segment) for segment in own.split("/") if segment]
    last, above = (segments[-1], segments[:-1]) if segments else ("", [])
    thread = _THREAD.search(whole) is not None
    listed = _LAST.fullmatch(last) or (above and _MAIL_INDEX.fullmatch(last) and _YEAR.search(above[-1]))
    chosen = not thread and (any(map(_ABOVE.fullmatch, above)) or _SHOP.match(path) or _NAMED.search(whole))
    period = 1.0 if _MONTH.search(own) else 0.5 if _WHOLE_YEAR.fullmatch(own) else 0.0
    chosen_archive = period == 1 or _CATEGORY_FILE.fullmatch(last) is not None
    archived = chosen_archive and not thread and any(map(_ARCHIVE.fullmatch, above))
    return UrlWords(bool(listed or chosen), not thread and _PAGE.search(whole) is not None, period, archived)


def title_parts(title: str) -> list[str]:
    """Return the parts of a title: most sites add their name, separated by a mark."""
    parts = (part.strip(_AROUND) for part in _PARTS.split(title[:MAX_TITLE]) if part)
    return [part for part in parts if part][:MAX_PARTS]


def is_slug_of(url: str, title: str) -> bool:
    """Return whether the last path segment is a slug: made of the words of the title by a content management system.

    "Archive and compression tools" at `/archive-and-compression-tools-7/` is an article. The last segment of a listing
    has one or two words, or the words of its selection (`/category/boats-and-ships`).
    """
    words = set(_WORD.findall(title[:MAX_TITLE].casefold()))
    if len(words) < SLUG_WORDS:
        return False
    path = unquote(urlsplit(url).path).rstrip("/").casefold()
    return len(words.intersection(_WORD.findall(path.rpartition("/")[2]))) >= max(SLUG_WORDS, SLUG_SHARE * len(words))


def is_list_heading(text: str) -> bool:
    """Return whether a heading, or the first part of a title, is that of a listing."""
    return _has_list_words(text) or _LIST_OR_SITE_NAME.fullmatch(text) is not None


def is_list_title(parts: list[str]) -> bool:
    """Return whether a title is that of a listing; words that are also site names count only in its first part."""
    return bool(parts) and (
        _LIST_OR_SITE_NAME.fullmatch(parts[0]) is not None
        or any(_has_list_words(part) and not _LIST_OR_SITE_NAME.fullmatch(part) for part in parts[1:])
        or _has_list_words(parts[0])
    )


@lru_cache(1_024)
def _has_list_words(text: str) -> bool:
    """Return whether a text has words of a listing that are no usual parts of site names."""
    return _LIST_WORDS.search(text) is not None
