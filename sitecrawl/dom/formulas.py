r"""Reads each formula of a page once, as TeX where the page has it.

KaTeX and MathJax write a formula two or three times: as MathML for screen readers, with the TeX source in an
`annotation`, and as positioned boxes. Wikis hide the MathML and show a picture. The text of all of them would be
"x2x^2x2". People search for the TeX, and language models read it.
"""

import re
from typing import Final

from lxml.etree import _Element

LEVELS: Final = 2
"""Maximum elements between a formula and the boxes beside it."""
STYLES: Final = 3
"""Maximum styles around the source of a formula."""
BESIDE: Final = 3
"""Maximum boxes beside a formula that show it again."""
_TEX: Final = ("application/x-tex", "text/x-tex", "tex", "latex")
_STYLE: Final = re.compile(r"\{\\(?:displaystyle|textstyle)\s?(.*)\}", re.DOTALL)
"""Matches what wikis put around the source of a formula."""


def read_formulas(root: _Element) -> None:
    """Replace the contents of each `math` by its TeX source, if it has one, and remove the copies beside it."""
    inner = set[_Element]()
    for formula in list(root.iter("math")):
        if formula in inner:
            continue
        inner.update(formula.iter("math"))
        source = _source(formula)
        _take_twins(formula, source)
        if source:
            tail = formula.tail
            formula.clear()
            formula.text, formula.tail = source, tail


def _source(formula: _Element) -> str:
    """Return the TeX source of a formula; "" for none."""
    noted = (one for one in formula.iter("annotation") if (one.get("encoding") or "").lower() in _TEX)
    text = next(("".join(map(str, one.itertext())) for one in noted), "") or formula.get("alttext") or ""
    text = " ".join(text.split())
    for _ in range(STYLES):
        match = _STYLE.fullmatch(text)
        text = match[1].strip() if match is not None else text
    return text


def _take_twins(formula: _Element, source: str) -> None:
    """Remove the copies of a formula: boxes hidden from screen readers, and its picture. Show hidden MathML."""
    box = formula
    for _ in range(LEVELS):
        above = box.getparent()
        if above is None or above.tag == "body" or len(above) > 1 + BESIDE:
            return
        if any((text or "").strip() for text in _own_texts(above)):
            return
        twins = [one for one in above if one is not box and _is_twin(one, source)]
        if len(twins) != len(above) - 1:
            return
        for one in twins:
            above.remove(one)
        if source and "display" in (above.get("style") or ""):
            del above.attrib["style"]
        box = above


def _own_texts(element: _Element) -> list[str | None]:
    """Return the texts of an element outside the elements in it."""
    return [element.text, *(one.tail for one in element)]


def _is_twin(element: _Element, source: str) -> bool:
    """Return whether an element beside a formula shows it again."""
    if not isinstance(element.tag, str) or element.get("aria-hidden") == "true":
        return True
    return bool(source) and element.tag == "img" and source in " ".join((element.get("alt") or "").split())
