"""Writes the selectors of layouts for other programs: plain CSS, Full-Text RSS site patterns, web-poet page objects.

Sources: "Site Patterns", help.fivefilters.org/full-text-rss/site-patterns.html; "Page Objects",
web-poet.readthedocs.io.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from cssselect import HTMLTranslator

from sitecrawl.dom.text import printable
from sitecrawl.overrides.layout_selectors import LayoutSelectors


@dataclass(frozen=True, slots=True)
class ExportedLayout:
    """One layout of a site, with its selectors."""

    number: int
    about: tuple[str, ...]
    """The decision for the layout in words, one line each."""
    selectors: LayoutSelectors
    examples: tuple[str, ...] = ()
    """URLs of some of its pages."""


def css(host: str, layouts: Sequence[ExportedLayout]) -> str:
    """Return one selector per line: `content` (the first match counts), then `beside`, then `exclude`."""
    lines = []
    for one in layouts:
        lines += _comment(host, one, "/* ", " */")
        lines += [f"content: {selector}" for selector in one.selectors.content]
        lines += [f"beside: {selector}" for selector in one.selectors.beside]
        lines += [f"exclude: {selector}" for selector in one.selectors.exclude]
        lines.append("")
    return "\n".join(lines)


def site_patterns(host: str, layouts: Sequence[ExportedLayout]) -> str:
    """Return a file of site patterns; the layout with the most pages comes first."""
    lines = []
    for one in layouts:
        lines += _comment(host, one, "# ", "")
        lines += [f"title: {_xpath(selector)}" for selector in one.selectors.beside]
        lines += [f"body: {_xpath(selector)}" for selector in one.selectors.content]
        lines += [f"strip: {_xpath(selector)}" for selector in one.selectors.exclude]
        lines += [f"test_url: {url}" for url in one.examples]
        lines.append("")
    return "\n".join(lines)


def web_poet(host: str, layouts: Sequence[ExportedLayout]) -> str:
    """Return a Python module with one page object per layout."""
    parts = [_MODULE.replace("{host}", host)]
    for one in layouts:
        name = "".join(part.capitalize() for part in re.split(r"\W+", host) if part)
        parts.append(
            _CLASS.format(
                name=f"{name}Layout{one.number}" if name[:1].isalpha() else f"Site{name}Layout{one.number}",
                about="; ".join(map(_plain, one.about)),
                content=_tuple(one.selectors.content),
                beside=_tuple(one.selectors.beside),
                exclude=_tuple(one.selectors.exclude),
                only=f"@handle_urls({host!r})\n" if one is layouts[0] else "",
            )
        )
    return "\n\n".join(parts)


FORMATS: Final[dict[str, Callable[[str, Sequence[ExportedLayout]], str]]] = {
    "css": css,
    "ftr": site_patterns,
    "web-poet": web_poet,
}
"""The writers by format name."""

_MODULE: Final = '''"""Page objects of {host}, written by: sitecrawl template export {host} --format web-poet"""

from web_poet import WebPage, field, handle_urls


class _Layout(WebPage):
    """Main content by selectors."""

    CONTENT: tuple[str, ...] = ()
    BESIDE: tuple[str, ...] = ()
    EXCLUDE: tuple[str, ...] = ()

    @field
    def text(self) -> str:
        """The main text."""
        out = {node.root for one in self.EXCLUDE for node in self.css(one)}
        found = [node for one in self.BESIDE for node in self.css(one)]
        found += next((nodes for one in self.CONTENT if (nodes := self.css(one))), [])
        roots = {node.root for node in found}
        parts = []
        for node in found:
            if not roots.isdisjoint(node.root.iterancestors()):
                continue
            for text in node.root.xpath(".//text()[not(ancestor::script or ancestor::style)]"):
                above = text.getparent()
                if text.is_tail:
                    above = above.getparent()
                while above is not None and above not in out:
                    above = above.getparent()
                if above is None and text.strip():
                    parts.append(" ".join(text.split()))
        return "\\n".join(parts)
'''
_CLASS: Final = '''{only}class {name}(_Layout):
    """{about}."""

    CONTENT = {content}
    BESIDE = {beside}
    EXCLUDE = {exclude}
'''


def _comment(host: str, layout: ExportedLayout, before: str, after: str) -> list[str]:
    score = f"{layout.selectors.score:.2f} of the characters in common with the crawl (F1)"
    lines = (f"{host}, layout {layout.number}: {score}", *layout.about)
    return [f"{before}{_plain(line)}{after}" for line in lines]


def _plain(text: str) -> str:
    """Return a line that cannot end a comment or string."""
    return printable(text).replace("*/", "").replace('"', "").replace("\\", "").replace("\n", " ")


def _xpath(selector: str) -> str:
    return HTMLTranslator().css_to_xpath(selector, prefix="//")


def _tuple(selectors: Sequence[str]) -> str:
    inner = "".join(f"\n        {selector!r}," for selector in selectors)
    return f"({inner}\n    )" if inner else "()"
