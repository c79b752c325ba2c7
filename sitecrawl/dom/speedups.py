"""Chooses between the compiled twin of `flatten` and the Python reference.

The twin reads the nodes of libxml2 by the headers of the lxml that it was built with. It is used only with the same
major and minor versions of both, and only if its columns equal the reference's for the pages in `CHECKED`.
"""

import os
from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from types import ModuleType
from typing import Final, TypeAlias

from lxml import etree
from lxml.etree import _Element

from sitecrawl.dom import flat as reference
from sitecrawl.dom.flat import FlatDom

Flatten: TypeAlias = Callable[[_Element], FlatDom]

VARIABLE: Final = "SITECRAWL_EXTENSION"
"""Environment variable; `off` disables the twin in this process and in those that it starts."""

_NAMES: Final = """<body id=top class=page-7><ul class="menu open"><li class="item-1 current">Home<li class=item-22>
 News <b>now</b> </ul><div class="b a a\xa0c active" id=" x ">One <a href=/z rel=nofollow>two<b> three</b></a>
 <a name=n>f&ouml;ur</a><map><area href="?q=1&amp;r=2" alt=x></map></div><div class="  ">\u3000five\u2003s\xefx</div>"""
_MARKS: Final = """<!-- a --><p>one<!-- b -->two<?php three ?>four<![CDATA[five]]>&#0;&#xD800;&#x1F600;&nbsp;&lt;</p>
<script>if (a < b) {}</script>tail<style>p{}</style><svg><g><text>no</text></g></svg><template><p>no</template>after
<pre>\n  code <b> x </b>\n</pre> <i> </i> <textarea> a\n</textarea>\n<p hidden>h<p hidden=until-found>u
<p aria-hidden=true>a<p aria-hidden=false>b<p style="DISPLAY: none">c<p style="color:red">d<a><b><a href>x</a></b>"""
_MANY: Final = f'<p class="{" ".join(f"name{chr(97 + n)}" for n in range(25))}">x<p class="{"y" * 300}" id=1>x'
_DEEP: Final = "<div class=d>t<b></b> " * 400

CHECKED: Final = (_NAMES, _MARKS, _MANY, _DEEP)
"""Small pages with the hard cases: names, white space, comments, entities, hidden and skipped elements, depth."""


def compiled(name: str) -> ModuleType | None:
    """Import a compiled module; None if it is missing or incompatible. Callers have a fallback and check `allowed`."""
    try:
        return import_module(name)
    except (ImportError, TypeError, ValueError):  # not built, or built for another lxml: its sizes or signatures differ
        return None


def _load() -> tuple[Flatten | None, str | None]:
    """Return the twin, or None and the reason why it cannot be used."""
    try:
        from sitecrawl.dom import _flat  # noqa: PLC0415

        here = etree.LXML_VERSION[:2], etree.LIBXML_VERSION[:2]
        if here != _flat.BUILT_FOR:
            return (
                None,
                f"it was built for lxml and libxml2 {_flat.BUILT_FOR}, here are {here}; reinstall sitecrawl",
            )
        for html in CHECKED:
            if different := differences(html, _flat.flatten):
                return None, f"it disagrees with the reference on {', '.join(different)}; please report this"
    except Exception as error:  # noqa: BLE001 - whatever it is, the reference does the same work
        return None, f"it cannot be loaded: {error}"
    return _flat.flatten, None


def differences(html: str, flatten: Flatten) -> list[str]:
    """Return the names of the columns in which `flatten` disagrees with the reference."""
    root = etree.fromstring(html.encode(), etree.HTMLParser(encoding="utf8", huge_tree=True))
    expected, found = reference.flatten(root), flatten(root)
    return [field.name for field in fields(FlatDom) if getattr(expected, field.name) != getattr(found, field.name)]


class _Choice:
    """The function in use; one per process."""

    flatten: Flatten = staticmethod(reference.flatten)
    allowed: bool = True


_twin, PROBLEM = _load()
"""Why there is no twin; None if there is one."""
_module = compiled("sitecrawl.dom._flat")


def choose(extension: str = "auto") -> bool:
    """Use the twin in the whole process from now on if it is available (`auto`), or the reference (`off`).

    Return whether the twin is used; both give the same columns.
    """
    _Choice.allowed = extension != "off" and os.environ.get(VARIABLE, "").lower() != "off"
    used = _twin is not None and _Choice.allowed
    _Choice.flatten = staticmethod(_twin if _twin is not None and used else reference.flatten)
    return used


def allowed() -> bool:
    """Tell whether compiled twins may be used."""
    return _Choice.allowed


def flatten(root: _Element) -> FlatDom:
    """Return the columns of the tree below `root` (row 0). The tree is not changed."""
    return _Choice.flatten(root)


def named(root: _Element, names: tuple[str, ...]) -> list[_Element]:
    """Return the elements of the tree below `root`, `root` included, with one of these names, in document order."""
    if _Choice.flatten is _twin and _module is not None:
        found: list[_Element] = _module.named(root, names)
        return found
    return list(root.iter(*names))


def named_contents(elements: list[_Element], naming: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return (name, content) of those `meta` elements that have content.

    The name is the first non-empty attribute in `naming`, in lower case.
    """
    if _Choice.flatten is _twin and _module is not None:
        contents: tuple[tuple[str, str], ...] = _module.named_contents(elements, naming)
        return contents
    found = []
    for element in elements:
        if element.tag == "meta" and (content := element.get("content")):
            name = next((raw for key in naming if (raw := element.get(key))), "")
            found.append((name.strip().lower(), content))
    return tuple(found)


choose()
