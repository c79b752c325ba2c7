"""Selectors of overrides: CSS or XPath, checked and compiled once.

A selector that begins with `/`, `./`, `../` or `(`, or with the mark `xpath:`, is XPath; all others, and those marked
`css:`, are CSS. Only XPath 1.0 with its core functions is accepted, so that it can be evaluated on any page.
"""

import re
from dataclasses import dataclass
from typing import Final

from cssselect import SelectorError
from lxml import etree
from lxml.etree import _Element
from parsel.csstranslator import HTMLTranslator

from sitecrawl.dom.text import printable

BEGINS_XPATH: Final = re.compile(r"\.{0,2}/|\(|xpath:")
_LITERAL: Final = re.compile(r"""'[^']*'|"[^"]*\"""")
_CALL: Final = re.compile(r"(?<![$\w.:-])([A-Za-z_][\w.:-]*)\s*\(")
_PREFIX: Final = re.compile(r"(?<![\w.-])([A-Za-z_][\w.-]*):(?!:)")
_NO_ELEMENT: Final = re.compile(
    r"(?:/|::|^)\s*(?:text\(\)|comment\(\)|@[^\]/|]+|attribute::[^\]/|]+)\s*(?:\[[^\]]*\]\s*)*$"
)
"""Matches the end of a location path that selects texts, comments or an attribute."""
TEXTS: Final = frozenset(("title", "published"))
"""Keys of overrides whose selectors may select texts and attributes."""
_TITLE_LENGTH: Final = 1000
# fmt: off
_FUNCTIONS: Final = frozenset((
    "last", "position", "count", "id", "local-name", "namespace-uri", "name", "string", "concat", "starts-with",
    "contains", "substring-before", "substring-after", "substring", "string-length", "normalize-space", "translate",
    "boolean", "not", "true", "false", "lang", "number", "sum", "floor", "ceiling", "round",
    "text", "comment", "node", "processing-instruction", "and", "or", "div", "mod",
))
# fmt: on
"""Functions of XPath 1.0, and other words that may precede a parenthesis."""
_TAGS: Final = (
    *("main", "article", "section", "header", "footer", "nav", "aside", "div", "p", "ul", "ol", "li", "a", "b", "i"),
    *("em", "strong", "span", "h1", "h2", "h3", "h4", "h5", "h6", "table", "tr", "td", "th", "form", "input", "img"),
    *(
        "figure",
        "figcaption",
        "blockquote",
        "pre",
        "code",
        "dl",
        "dt",
        "dd",
        "time",
        "meta",
        "title",
        "script",
        "style",
    ),
)


def _trial() -> _Element:
    """Return a small page with common elements, on which selectors are tried when they are compiled."""
    root = etree.Element("html")
    body = etree.SubElement(root, "body")
    for tag in _TAGS:
        element = etree.SubElement(body, tag, {"class": "a", "id": tag, "href": "/", "src": "/", "name": "a"})
        element.text = "1"
    return root


_TRIAL: Final = _trial()


@dataclass(frozen=True, slots=True, eq=False)
class Selector:
    """One compiled selector."""

    text: str
    """The selector as written by the user."""
    xpath: etree.XPath

    def elements(self, root: _Element) -> list[_Element]:
        """Return the elements of a page that it selects, in document order."""
        found = self.xpath(root)
        return [one for one in found if isinstance(one, _Element)] if isinstance(found, list) else []

    def count(self, root: _Element) -> int:
        """Return how many elements, attributes and texts of a page the selector selects."""
        return len(self._found(root))

    def first_text(self, root: _Element) -> str | None:
        """Return the first selected text that is not blank, on one line and printable."""
        return next((text for one in self._found(root) if (text := _line(_text(one)))), None)

    def first_date(self, root: _Element) -> str | None:
        """Return the first selected text that may be a date, unparsed.

        The text of an element is its `datetime` or `content` attribute if present.
        """
        for one in self._found(root):
            declared = (one.get("datetime") or one.get("content")) if isinstance(one, _Element) else None
            text = _line(declared or _text(one))
            if text:
                return text
        return None

    def _found(self, root: _Element) -> list[object]:
        found = self.xpath(root)
        return list(found) if isinstance(found, list) else [found]


def _text(found: object) -> str:
    return "".join(map(str, found.itertext())) if isinstance(found, _Element) else str(found)


def _line(text: str) -> str:
    """Return a text as one printable line, truncated to the maximum length of a title."""
    return printable(" ".join(text.split()))[:_TITLE_LENGTH].rstrip()


def compile_selector(text: str, *, elements: bool = True) -> Selector:
    """Return a checked and compiled selector. With `elements` it must select elements, else it may select texts too.

    Raises ValueError with the problem and the remedy.
    """
    written = text.strip()
    if BEGINS_XPATH.match(written):
        language, expression = "XPath", written.removeprefix("xpath:").strip()
    else:
        language, expression = "CSS", _from_css(written)
    if not expression:
        raise ValueError("it is empty; write a selector such as main or //main")
    wrong = _unknown(expression)
    if wrong:
        raise ValueError(f"{text!r}: {wrong}")
    try:
        xpath = etree.XPath(expression, smart_strings=False, regexp=False)
        found = xpath(_TRIAL)
    except etree.XPathError as error:
        raise ValueError(f"{text!r} is not a valid {language} selector: {error}; correct it") from error
    if elements and (not isinstance(found, list) or _NO_ELEMENT.search(_LITERAL.sub("''", expression))):
        raise ValueError(f"{text!r} selects no elements; select the element around them")
    if not isinstance(found, list | str):
        raise ValueError(f"{text!r} selects a number or a truth value; select an element or a text")  # noqa: TRY004
    return Selector(written, xpath)


def selector_of_key(key: str, text: str) -> Selector:
    """Return the compiled selector for a key of an override; that of a title or a date may select texts.

    Raises ValueError as `compile_selector` does.
    """
    return compile_selector(text, elements=key not in TEXTS)


def _from_css(written: str) -> str:
    css = written.removeprefix("css:").strip()
    if not css:
        return ""
    try:
        return HTMLTranslator().css_to_xpath(css)
    except (SelectorError, RecursionError) as error:
        raise ValueError(f"{written!r} is not a valid CSS selector: {error}; correct it, or mark it xpath:") from error


def _unknown(expression: str) -> str | None:
    """Return, in words, the unknown function, namespace prefix or variable of an expression; None if there is none."""
    bare = _LITERAL.sub("''", expression)
    for match in _CALL.finditer(bare):
        name = match[1].rpartition("::")[2]
        if name not in _FUNCTIONS:
            return f"XPath 1.0 has no function {name}(); leave it out"
    prefix = _PREFIX.search(bare)
    if prefix:
        return f"the namespace prefix {prefix[1]}: is not known; select by *[local-name()='...']"
    if "$" in bare:
        return "there are no variables; write the value itself"
    return None
