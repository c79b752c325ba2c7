"""Makes recorded sites, with their main content, from the manuals in Debian packages.

    python training/manuals.py SITES_DIR [NAME...]

`manuals.toml` beside this file lists the packages, with selectors of the main content of their pages. The packages are
downloaded with `apt-get download` and unpacked with `dpkg-deb`; one that is not available is reported and left out. For
each manual, NAME.jsonl.gz is written to SITES_DIR, and an entry to its `sites.json`, in the form that `train.py` reads.
The folder may also contain recorded sites. A manual is crawled from its first page, and up to `PAGES` pages are drawn
from the files that known pages link to.
"""

import argparse
import gzip
import json
import random
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Set
from pathlib import Path
from typing import Any, Final, TypedDict, cast
from urllib.parse import unquote, urljoin, urlsplit

from lxml import html
from lxml.html import HtmlElement

from sitecrawl.dom.labels import BLOCK

TABLE: Final = Path(__file__).with_suffix(".toml")
PAGES: Final = 70
"""Maximum pages of a manual."""
MAX_FILES: Final = 600
"""Maximum files of a manual that are read."""
WAITING: Final = 400
"""Number of linked files, those found first, from which the next one is drawn."""
MAX_BYTES: Final = 600_000
"""Maximum bytes of a page that is read."""
MIN_PAGES: Final = 8
"""Minimum content pages of a manual; manuals with fewer are left out."""
MIN_WORDS: Final = 40
"""Minimum words of the gold of a content page."""
LINKED_SHARE: Final = 0.6
"""Share of words in links from which a page is a list of other pages and no content page."""
WEIGHT: Final = 0.5
"""Weight of a manual in the training; a recorded site has 1. Manuals are rarer on the web than in the training."""
NO_PAGES: Final = ("_sources/", "genindex.html", "search.html")
"""Parts of paths whose files are no pages of a manual."""
SILENT: Final = frozenset(("script", "style", "noscript", "template"))
"""Tags of elements without shown text."""
PROLOGUE: Final = re.compile(r"^\s*<\?xml[^>]*\?>")
CHARSET: Final = re.compile(rb"charset=[\"']?([\w-]+)")
CHARSET_BYTES: Final = 3000
"""Number of bytes at the beginning of a file that are searched for its charset."""


class Manual(TypedDict, total=False):
    """The entry of a manual in `manuals.toml`."""

    package: str
    folder: str
    """The folder with its files, from /usr/share."""
    start: str
    """The path of its first page; `index.html` if missing."""
    generator: str
    gold: list[str]
    """Selectors of the elements with main content."""
    exclude: list[str]
    """Selectors of elements inside those of `gold` that are not main content."""


class Entry(TypedDict):
    """The entry of a site in `sites.json`."""

    name: str
    kind: str
    generator: str
    weight: float
    pages: int
    content_pages: int


def unpack(package: str, folder: Path) -> Path:
    """Download a Debian package into a folder, and return the path of its /usr/share.

    Raises CalledProcessError if it is not available, and ValueError if there is more than one archive.
    """
    subprocess.run(["apt-get", "download", "-q", package], cwd=folder, check=True, capture_output=True)
    (archive,) = folder.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", archive.name, "files"], cwd=folder, check=True, capture_output=True)
    return folder / "files" / "usr" / "share"


def decode(source: bytes) -> str:
    """Return the text of a page in its declared charset, else UTF-8, without its XML declaration."""
    declared = CHARSET.search(source[:CHARSET_BYTES])
    try:
        text = source.decode(declared[1].decode() if declared else "utf-8", "replace")
    except LookupError:
        text = source.decode("utf-8", "replace")
    return PROLOGUE.sub("", text)


def links(root: HtmlElement, url: str) -> list[str]:
    """Return the paths of the HTML files that a page links to, within its manual."""
    paths = []
    for element in root.iter("a", "frame"):
        try:
            target = urlsplit(urljoin(url, (element.get("href") or element.get("src") or "").strip()))
        except ValueError:
            continue
        path = unquote(target.path.lstrip("/"))
        if target.netloc == urlsplit(url).netloc and path.endswith((".html", ".htm")):
            paths.append(path)
    return paths


def text_of(root: HtmlElement, excluded: Set[HtmlElement]) -> str:
    """Return the text of an element, a line for each block, without the excluded elements."""
    parts: list[str] = []
    waiting: list[tuple[HtmlElement, bool]] = [(root, False)]  # an element, and whether its children are done
    while waiting:
        element, is_done = waiting.pop()
        is_shown = isinstance(element.tag, str) and element not in excluded and element.tag not in SILENT
        if is_done or not is_shown:
            if is_done and element.tag in BLOCK:
                parts.append("\n")
            if element is not root:
                parts.append(element.tail or "")
            continue
        if element.tag in BLOCK or element.tag == "br":
            parts.append("\n")
        parts.append(element.text or "")
        waiting.append((element, True))
        waiting += [(child, False) for child in reversed(element)]
    return re.sub(r"[ \t\r\f]+", " ", re.sub(r"\s*\n\s*", "\n", "".join(parts))).strip()


def select(root: HtmlElement, selectors: Iterable[str]) -> list[HtmlElement]:
    """Return the elements that match selectors: XPath if they begin with a slash, else CSS."""
    found: list[HtmlElement] = []
    for selector in selectors:
        elements = root.xpath(selector) if selector.startswith("/") else root.cssselect(selector)
        found.extend(cast("list[HtmlElement]", elements))
    return found


def outermost(elements: Iterable[HtmlElement]) -> list[HtmlElement]:
    """Return the elements without repetitions, and without those inside another one of them."""
    kept: list[HtmlElement] = []
    for element in elements:
        if element not in kept and not any(above in kept for above in element.iterancestors()):
            kept.append(element)
    return kept


def count_words(text: str) -> int:
    """Return the number of words of a text."""
    return len(re.findall(r"\w+", text))


def row_of(text: str, root: HtmlElement, url: str, manual: Manual) -> dict[str, Any]:
    """Return the row of a page, with its gold."""
    excluded = set(select(root, manual.get("exclude", ())))
    nodes = outermost(select(root, manual["gold"]))
    gold = "\n".join(filter(None, (text_of(node, excluded) for node in nodes)))
    words = count_words(gold)
    linked = sum(count_words(text_of(link, excluded)) for node in nodes for link in node.iter("a"))
    is_content = words >= MIN_WORDS and linked < LINKED_SHARE * words
    path = root.getroottree().getpath
    return {
        "url": url,
        "kind": "content" if is_content else "other",
        "html": text,
        "gold_text": gold if is_content else "",
        "gold_xpaths": [path(node) for node in nodes] if is_content else [],
        "exclude_xpaths": [path(element) for element in excluded] if is_content else [],
    }


def pages(name: str, folder: Path, manual: Manual) -> list[dict[str, Any]]:
    """Return the rows of a manual: its first page, and pages drawn from the files that known pages link to."""
    draws, start, host = random.Random(name), manual.get("start", "index.html"), f"http://{name}.invalid/"
    seen, waiting = {start}, [start]
    rows: list[dict[str, Any]] = []
    for _ in range(MAX_FILES):
        if not waiting or len(rows) >= PAGES:
            break
        path = waiting.pop(draws.randrange(min(len(waiting), WAITING)) if rows else 0)
        file = folder / path
        if not file.is_file() or file.stat().st_size > MAX_BYTES:
            continue
        text = decode(file.read_bytes())
        try:
            root = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
        except ValueError:
            continue
        for link in links(root, host + path):
            if link not in seen:
                seen.add(link)
                waiting.append(link)
        if not any(part in path for part in NO_PAGES):
            rows.append(row_of(text, root, host + path, manual))
    return rows


def write_manual(name: str, manual: Manual, target: Path) -> Entry | None:
    """Write a manual, and return its entry of `sites.json`; None if it is not available or has too few pages."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            share = unpack(manual["package"], Path(scratch))
        except (subprocess.CalledProcessError, ValueError) as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
            return None
        rows = pages(name, (share / manual["folder"]).resolve(), manual)
    content = sum(row["kind"] == "content" for row in rows)
    print(f"{name}: {len(rows)} pages, {content} with main content", flush=True)
    if content < MIN_PAGES:
        return None
    with gzip.open(target / f"{name}.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    return {
        "name": name,
        "kind": "docs",
        "generator": manual["generator"],
        "weight": WEIGHT,
        "pages": len(rows),
        "content_pages": content,
    }


def with_entries(entries: list[dict[str, Any]], new: list[Entry]) -> list[Any]:
    """Return the entries of `sites.json` with new ones, which replace entries of the same name."""
    names = {entry["name"] for entry in new}
    return [entry for entry in entries if entry["name"] not in names] + new


def main() -> None:
    """Make all manuals, or those that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sites", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    unknown = [name for name in options.names if name not in table]
    if unknown:
        parser.error(f"{TABLE.name} has no manual {', '.join(unknown)}")
    options.sites.mkdir(parents=True, exist_ok=True)
    written = [write_manual(name, table[name], options.sites) for name in options.names or table]
    file = options.sites / "sites.json"
    entries = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    new = [entry for entry in written if entry is not None]
    file.write_text(json.dumps(with_entries(entries, new), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
