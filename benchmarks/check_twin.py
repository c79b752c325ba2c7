"""Compares the compiled twins that read the tree of a page with their references.

    python benchmarks/check_twin.py compare PAGES...            every page of the files, once
    python benchmarks/check_twin.py fuzz --seconds 60 PAGES...  pages made from them, broken in many ways

PAGES are HTML files, or `.jsonl.gz` with a field `html`; without PAGES, fuzzing begins with the golden pages. Run it
also with the twin built under AddressSanitizer (docs/performance.md). The exit status is 1 on any difference.
"""

import argparse
import gzip
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from lxml import etree
from lxml.etree import _Element

from sitecrawl.dom.atomic import atomic_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.flattening import flatten
from sitecrawl.dom.page import parse_html
from sitecrawl.dom.telling_elements import telling_elements
from sitecrawl.twins import Twin

COLUMNS = [field.name for field in fields(FlatDom)]
GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
LONGEST = 40_000
"""Maximum characters of a broken page: many small pages reveal more than a few large ones."""

SNIPPETS = (
    *("<", ">", "</", "/>", "<!--", "-->", "<!", "<?", "?>", "<![CDATA[", "]]>", "<!DOCTYPE html>", "&", "&#", ";"),
    *("&nbsp;", "&#xD800;", "&#0;", "&#x110000;", "&amp", "\x00", "\ufffe", "\U0001f600", "\u3000", "\x85", "\x1c"),
    *("<p>", "</p>", "<a href=", "<a href='/x' rel=nofollow>", "<b><i></b></i>", "<table><p>", "<svg><p>", "<pre>"),
    *("<script>", "</script>", "<style>", "<textarea>", "<template>", "<plaintext>", "<head>", "<body class=x>"),
    *(' class="a b a active"', " class", ' class="\xa0x\u2003 y"', ' id="1 2"', " hidden", ' aria-hidden="true"'),
    *(' style="Display:none"', " class='" + "t " * 40 + "'", " class='" + "9z" * 200 + "'", "<x:y z:class='q'>"),
    *("<div>" * 300, "<frameset>", "<html lang=x>", "<select><option>", "<math><mi>", "<\u0100>", "<a\x0cb>", "<1>"),
)
"""Fragments that break pages."""


def pages(paths: list[Path]) -> Iterator[str]:
    """Yield the HTML of all pages."""
    for path in paths:
        if path.name.endswith(".jsonl.gz"):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                yield from (json.loads(line)["html"] for line in lines)
        else:
            yield path.read_bytes().decode("utf-8", "replace")


def version(twin: Twin[..., Any], *, compiled: bool) -> Callable[..., Any]:
    """Return the compiled version of a twin, or its reference. Raises SystemExit if it is not built."""
    if not compiled:
        return twin.reference
    if twin.compiled is None:
        raise SystemExit(f"{twin.name} has no compiled twin: {twin.problem}")
    return twin.compiled


def outcome(root: _Element, *, compiled: bool) -> dict[str, Any] | type[Exception]:
    """Return all columns of a tree by name, or the class of the error."""
    try:
        flat = version(flatten, compiled=compiled)(root)
    except Exception as error:  # noqa: BLE001 - both must fail in the same way
        return type(error)
    return columns(flat, compiled=compiled)


def columns(flat: FlatDom, *, compiled: bool) -> dict[str, Any]:
    """Return all columns of a page and of its atomic blocks by name."""
    blocks = version(atomic_blocks, compiled=compiled)(flat)
    found = {name: getattr(flat, name) for name in COLUMNS}
    return found | {f"blocks.{field.name}": getattr(blocks, field.name) for field in fields(blocks)}


def compare(paths: list[Path]) -> int:
    """Compare on every unchanged page; return the exit status."""
    count = nodes = bad = 0
    for html in pages(paths):
        root = parse_html(html)
        if root is None:
            continue
        expected, found = outcome(root, compiled=False), outcome(root, compiled=True)
        count += 1
        nodes += len(expected["tag"])
        bad += expected != found or telling_elements.reference(root) != telling_elements.compiled(root)
    print(f"{count} pages, {nodes} nodes, {bad} pages differ")
    return min(bad, 1)


def broken(chance: random.Random, html: str, other: str) -> str:
    """Return a part of a page, broken in up to thirty places with fragments, some from another page."""
    start = chance.randrange(max(len(html) - LONGEST, 1))
    html = html[start : start + chance.randrange(10, LONGEST)]
    for _ in range(chance.choice((0, 1, 3, 10, 30))):
        at = chance.randrange(len(html) + 1)
        length = chance.choice((0, 1, 1, 3, 20, 200))
        kind = chance.randrange(6)
        if kind == 0:
            html = html[:at] + html[at + length :]
        elif kind <= 2:
            html = html[:at] + chance.choice(SNIPPETS) + html[at:]
        elif kind == 3:
            html = html[:at] + html[at : at + length] * chance.choice((2, 3, 50)) + html[at:]
        elif kind == 4:
            start = chance.randrange(len(other) + 1)
            html = html[:at] + other[start : start + length * 5] + html[at:]
        else:
            odd = (chance.choice((chance.randrange(256), 0x2028, 0x1680, 0x4E2D)) for _ in range(5))
            html = html[:at] + "".join(map(chr, odd)) + html[at:]
    return html


def parsed(chance: random.Random, html: str) -> _Element | None:
    """Return the tree of a page, parsed in one of several ways; None if it cannot be parsed."""
    body = html.encode("utf-8", "replace")
    way = chance.randrange(8)
    try:
        if way <= 3:
            return parse_html(html)
        if way == 4:  # bytes as they are, broken where they are not in the encoding
            raw = bytearray(body)
            for _ in range(20):
                if raw:
                    raw[chance.randrange(len(raw))] = chance.randrange(256)
            encoding = chance.choice(("utf8", "iso-8859-1", "gb18030", None))
            return etree.fromstring(bytes(raw), etree.HTMLParser(recover=True, encoding=encoding, huge_tree=True))
        if way == 5:
            return etree.fromstring(body, etree.XMLParser(recover=True, huge_tree=True, strip_cdata=False))
        if way == 6:
            declared = b'<!DOCTYPE html [<!ENTITY e "x"><!ATTLIST p class CDATA "given" rel CDATA "r">]>'
            return etree.fromstring(
                declared + b"<html>&e;" + body + b"</html>", etree.XMLParser(recover=True, resolve_entities=False)
            )
        return etree.fromstring(body, etree.HTMLParser(recover=True, remove_blank_text=True, encoding="utf8"))
    except (etree.LxmlError, ValueError):
        return None


def changed(chance: random.Random, root: _Element) -> None:
    """Change a tree as a program may: move and cut nodes, and add nodes that no parser makes."""
    found = list(root.iter())
    for _ in range(chance.choice((0, 0, 3, 30))):
        element = chance.choice(found)
        kind = chance.randrange(7)
        try:
            if kind == 0:
                element.addprevious(chance.choice((etree.Comment("c"), etree.PI("x", "y"), etree.Entity("e"))))
            elif kind == 1:
                element.text = chance.choice(("", " \u2003", "text", None))
            elif kind == 2:
                element.tail = chance.choice(("", "\n", "after", None))
            elif kind == 3:
                element.set(chance.choice(("class", "id", "hidden", "{urn:x}class")), chance.choice(("", " a ", "b c")))
            elif kind == 4:
                element.append(etree.SubElement(chance.choice(found), "{urn:x}p"))
            elif kind == 5:
                element.append(chance.choice(found))
            else:
                element.getparent().remove(element)
        except (TypeError, ValueError, AttributeError, AssertionError):  # lxml refuses this change
            continue


def fuzz(paths: list[Path], seconds: float, seed: int) -> int:
    """Compare on broken pages for a number of seconds; return the exit status."""
    chance = random.Random(seed)
    seeds = [html[:500_000] for html in pages(paths)]
    started, count, nodes, errors = time.monotonic(), 0, 0, 0
    while time.monotonic() - started < seconds:
        html = broken(chance, chance.choice(seeds), chance.choice(seeds))
        root = parsed(chance, html)
        if root is None:
            continue
        changed(chance, root)
        top = root if chance.random() < 0.8 else chance.choice(list(root.iter()))
        expected = outcome(top, compiled=False)
        if isinstance(top.tag, str) and telling_elements.reference(top) != telling_elements.compiled(top):
            print(f"seed {seed}, page {count}: differing elements: {html[:2000]!r}")
            return 1
        try:
            found = flatten.compiled(top)
        except Exception as error:  # noqa: BLE001
            found = type(error)
        # columns must not need the tree: it is changed, and mostly gone, before they are read
        changed(chance, root)
        if chance.random() < 0.8:
            root = top = None
        if not isinstance(found, type):
            found = columns(found, compiled=True)
        count += 1
        errors += isinstance(expected, type)
        nodes += 0 if isinstance(expected, type) else len(expected["tag"])
        if found != expected:
            if isinstance(found, dict) and isinstance(expected, dict):
                found = [name for name in found if found[name] != expected[name]]
                expected = ""
            print(f"seed {seed}, page {count}: {expected} {found}: {html[:2000]!r}")
            return 1
    print(f"{count} broken pages, {nodes} nodes, {errors} refused by both, in {seconds:g} s, seed {seed}: all agree")
    return 0


def main() -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("compare", "fuzz"))
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_intermixed_args()
    paths = options.pages or sorted(GOLDEN.glob("*/*.html"))
    return compare(paths) if options.what == "compare" else fuzz(paths, options.seconds, options.seed)


if __name__ == "__main__":
    sys.exit(main())
