"""Draws a stored page with its original look, for a sandboxed frame, with each block shaded by its verdict.

The markup is rebuilt from the columns of the page. Only listed elements and attributes are written, and every value is
escaped. URLs are left out unless the user requests the pictures. So nothing in the page can run or be fetched, which
the frame's content security policy and its sandbox forbid as well.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final
from urllib.parse import urljoin

from lxml.etree import _Element

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.flat import elements
from sitecrawl.dom.labels import BLOCK, TEXT
from sitecrawl.dom.page import Page
from sitecrawl.extractors.explanation import BlockVerdict
from sitecrawl.ui.responses import static_file
from sitecrawl.ui.shading import shade, why
from sitecrawl.ui.style_rules import without_addresses

KEPT_TAGS: Final = frozenset(
    (
        *("address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "caption", "center", "cite"),
        *("code", "colgroup", "dd", "del", "details", "dfn", "dir", "div", "dl", "dt", "em", "fieldset"),
        *("figcaption", "figure", "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup"),
        *("i", "ins", "kbd", "label", "legend", "li", "main", "mark", "menu", "nav", "ol", "p", "pre", "q"),
        *("rp", "rt", "ruby", "s", "samp", "search", "section", "small", "span", "strike", "strong", "sub"),
        *("summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul"),
        "var",
    )
)
"""Elements that are written with their own tag; others become `div` or `span`."""
VOID: Final = frozenset(("br", "col", "hr", "wbr"))
LEFT_OUT: Final = frozenset(("area", "base", "input", "link", "meta", "param", "source", "track"))
ATTRIBUTES: Final = frozenset(
    (
        *("align", "bgcolor", "border", "cellpadding", "cellspacing", "class", "color", "colspan", "dir"),
        *("face", "height", "id", "lang", "open", "rowspan", "size", "start", "style", "valign", "width"),
    )
)
LONGEST: Final = 2_000
"""Maximum characters of an attribute."""
MOST_STYLES: Final = 300_000
"""Maximum characters of the style sheets inside a page."""
MOST_TEXT: Final = 500_000
"""Maximum characters of text that are drawn: a browser takes seconds for a megabyte."""
POLICY: Final = (
    "sandbox{sandbox}; default-src 'none'; style-src 'unsafe-inline'{more}; img-src data:{more}; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'self'"
)
TOP: Final = "allow-top-navigation-by-user-activation"
"""The only permission of the frame for corrections: a click on a block may open another page of the UI."""


@dataclass(frozen=True, slots=True)
class Look:
    """The options for drawing a page."""

    resources: bool = False
    """Whether pictures and style sheets are loaded from the URLs in the page."""
    plain: bool = False
    """Whether the page's own styles are left out."""
    link: Callable[[int], str] | None = None
    """Returns the address that a click on an element opens, given its row; None if clicks have no effect."""
    picked: int | None = None
    """Row of the clicked element; None if there is none."""
    met: frozenset[int] = frozenset()
    """Rows of the elements that the selector of a correction selects."""


def policy(look: Look) -> str:
    """Return the content security policy of a drawn page."""
    sandbox = f" {TOP}" if look.link is not None else ""
    return POLICY.format(sandbox=sandbox, more=" http: https:" if look.resources else "")


def drawn(page: Page, verdicts: Sequence[BlockVerdict], look: Look) -> str:
    """Return a drawn page as a complete HTML document."""
    head = "".join(_styles(page, look)) + f"<style>{static_file('frame.css').decode()}</style>"
    body = _Drawing(page, verdicts, look).body()
    return (
        f'<!doctype html><html lang="{escape(page.language or "")}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(page.title or page.url)}</title>{head}</head>{body}</html>"
    )


def _styles(page: Page, look: Look) -> Iterator[str]:
    """Yield the markup of a page's style sheets: embedded ones, and links to others if they may be loaded."""
    if look.plain:
        return
    left = MOST_STYLES
    if look.resources:
        for link in page.links:
            if "stylesheet" in link.rels and link.url:
                yield f'<link rel="stylesheet" referrerpolicy="no-referrer" href="{escape(link.url)}">'
    for element in page.root.iter("style"):
        text = "".join(map(str, element.itertext()))
        if len(text) <= left:
            left -= len(text)
            text = text.replace("</", "<\\/").replace("<!--", "").replace("-->", "")
            yield f"<style>{text if look.resources else without_addresses(text)}</style>"


class _Drawing:
    """Writes the rows of a page as markup, in document order."""

    def __init__(self, page: Page, verdicts: Sequence[BlockVerdict], look: Look) -> None:
        self.page, self.look, self.flat = page, look, page.flat
        self.out: list[str] = []
        self.room = MOST_TEXT
        self.shades: dict[int, str] = {}
        """Attributes of the shaded elements and texts, by row."""
        self.clicks: dict[int, int] = {}
        """Row of the element that a click on a text selects, by row of the text."""
        self._shade(verdicts)

    def _shade(self, verdicts: Sequence[BlockVerdict]) -> None:
        """Decide where each verdict is shown: on the container of the block if that contains nothing else."""
        flat, blocks = self.flat, text_blocks(self.flat)
        first = blocks.first
        for number, verdict in enumerate(verdicts):
            rows = [row for row in range(first[number], blocks.stop[number]) if flat.tag[row] == TEXT]
            container = blocks.container[number]
            attributes = f'data-why="{escape(why(verdict))}"'
            focus = "" if self.look.link is not None else ' tabindex="0"'
            kind = shade(verdict)
            later = first[number + 1] if number + 1 < len(first) else len(flat)
            earlier = first[number - 1] if number else -1
            alone = earlier < container and later >= flat.end[container] and flat.tag[container] not in ("html", "body")
            if alone:
                self.shades[container] = f"{kind}\n{attributes}{focus}"
            for place, row in enumerate(rows):
                self.clicks[row] = container
                if not alone:
                    self.shades[row] = f'<span class="{kind}" {attributes}{focus if not place else ""}>'

    def body(self) -> str:
        """Return the markup of the body."""
        flat, out = self.flat, self.out
        open_ends: list[tuple[int, str]] = []
        sources = elements(self.page.root)
        for row, tag in enumerate(flat.tag):
            while open_ends and open_ends[-1][0] <= row:
                out.append(open_ends.pop()[1])
            if tag == TEXT:
                self._text(row)
                continue
            closing = self._open(row, next(sources))
            if closing:
                open_ends.append((flat.end[row], closing))
        while open_ends:
            out.append(open_ends.pop()[1])
        text = "".join(out)
        return text if "<body" in text else f"<body>{text}</body>"

    def _text(self, row: int) -> None:
        if self.room <= 0:
            return
        text = self.flat.text[row].replace("\x00", "")
        self.room -= len(text)
        text = escape(
            text if self.room >= 0 else f"{text[: self.room]} … (the rest of this page is too long to be drawn)"
        )
        opening = self.shades.get(row, "")
        if self.look.link is not None and row in self.clicks:
            text = f'<a class="sc-a" target="_top" href="{escape(self.look.link(self.clicks[row]))}">{text}</a>'
        self.out.append(f"{opening}{text}</span>" if opening else text)

    def _open(self, row: int, element: _Element) -> str:
        """Write the start tag of an element; return its end tag, "" if it has none."""
        tag = self.flat.tag[row]
        if tag == "html" or tag in LEFT_OUT:
            return ""
        if tag == "img":
            self._picture(row, element)
            return ""
        name = tag if tag == "body" or tag in KEPT_TAGS or tag in VOID else "div" if tag in BLOCK else "span"
        if name == "body" and "<body" in self.out:
            return ""
        self.out += [f"<{name}", self._attributes(row, element), ">"]
        return "" if tag in VOID else f"</{name}>"

    def _attributes(self, row: int, element: _Element) -> str:
        kind, _, attributes = self.shades.get(row, "").partition("\n")
        if self.look.picked == row:
            kind = f"{kind} sc-picked"
        elif row in self.look.met:
            kind = f"{kind} sc-met"
        names = []
        classes = kind
        for key, value in element.items():
            name = str(key)
            if name not in ATTRIBUTES or (self.look.plain and name in ("style", "class")):
                continue
            text = str(value)[:LONGEST]
            if name == "style" and not self.look.resources:
                text = without_addresses(text)
            if name == "class":
                classes = f"{text} {kind}"
            elif not (name == "id" and self.look.picked == row):
                names.append(f' {name}="{escape(text)}"')
        if self.look.picked == row:
            names.append(' id="sc-picked"')
        if classes.strip():
            names.append(f' class="{escape(classes.strip())}"')
        return "".join(names) + (f" {attributes}" if attributes else "")

    def _picture(self, row: int, element: _Element) -> None:
        alt = escape((element.get("alt") or "picture")[:LONGEST])
        source = self._address(element) if self.look.resources else ""
        if source:
            size = "".join(
                f' {name}="{escape(element.get(name, ""))}"' for name in ("width", "height") if element.get(name)
            )
            drawn = f'<img alt="{alt}" src="{escape(source)}" referrerpolicy="no-referrer" loading="lazy"{size}>'
        else:
            drawn = f'<span class="sc-pic">{alt}</span>'
        if self.look.link is not None:
            href = escape(self.look.link(max(self.flat.parent[row], 0)))
            drawn = f'<a class="sc-a" target="_top" href="{href}">{drawn}</a>'
        self.out.append(drawn)

    def _address(self, element: _Element) -> str:
        """Return the absolute URL of a picture; "" if it has none."""
        for name in ("src", "data-src", "data-lazy-src"):
            given = (element.get(name) or "").strip()
            if given and not given.startswith("data:"):
                try:
                    address = urljoin(self.page.base_url, given)
                except ValueError:
                    continue
                if address.startswith(("http://", "https://")):
                    return address[:LONGEST]
        return ""
