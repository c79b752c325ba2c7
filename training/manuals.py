"""Makes recorded sites, with their main content, of the manuals in Debian packages.

    python training/manuals.py SITES_DIR [NAME...]

`manuals.toml` beside this file names the packages, and says by selectors what on their pages is main content. The
packages are downloaded with `apt-get download` and unpacked with `dpkg-deb`; a package that cannot be had is named and
left out. SITES_DIR gets one NAME.jsonl.gz a manual, and an entry in `sites.json`, in the form that `train.py` reads;
recorded sites may be in the same folder. A manual is crawled from its first page, and up to `PAGES` pages are drawn
from what links lead to.
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
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from lxml import html

from sitecrawl.dom.labels import BLOCK

TABLE = Path(__file__).with_suffix(".toml")
PAGES = 70
TRIED = 600
"""Files of a manual that are read at most."""
WAITING = 400
"""Known pages of which the next one is drawn."""
LARGEST = 600_000
"""Bytes of a page that is read."""
LEAST = 8
"""Content pages without which a manual is left out."""
WORDS, LINKED = 40, 0.6
"""A page is content if its gold has so many words, and a smaller share of them is linked; else it lists pages."""
WEIGHT = 0.5
"""Weight of a manual in the training; a recorded site has 1. On the web manuals are rarer than here."""
NO_PAGES = ("_sources/", "genindex.html", "search.html")
SILENT = frozenset(("script", "style", "noscript", "template"))
PROLOGUE = re.compile(r"^\s*<\?xml[^>]*\?>")
CHARSET = re.compile(rb"charset=[\"']?([\w-]+)")


def unpacked(package, folder):
    """Return the folder /usr/share of a Debian package."""
    subprocess.run(["apt-get", "download", "-q", package], cwd=folder, check=True, capture_output=True)
    (archive,) = folder.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", archive.name, "files"], cwd=folder, check=True, capture_output=True)
    return folder / "files" / "usr" / "share"


def decoded(raw):
    """Return the text of a page."""
    told = CHARSET.search(raw[:3000])
    try:
        text = raw.decode(told[1].decode() if told else "utf-8", "replace")
    except LookupError:
        text = raw.decode("utf-8", "replace")
    return PROLOGUE.sub("", text)


def links(root, url):
    """Return the paths of the HTML files that a page links to, within its manual."""
    found = []
    for element in root.iter("a", "frame"):
        try:
            target = urlsplit(urljoin(url, (element.get("href") or element.get("src") or "").strip()))
        except ValueError:
            continue
        path = unquote(target.path.lstrip("/"))
        if target.netloc == urlsplit(url).netloc and path.endswith((".html", ".htm")):
            found.append(path)
    return found


def text_of(root, left_out):
    """Return the text below an element, a line for each block, without some elements."""
    found, waiting = [], [(root, False)]
    while waiting:
        element, ends = waiting.pop()
        own = isinstance(element.tag, str) and element not in left_out and element.tag not in SILENT
        if ends or not own:
            if ends and element.tag in BLOCK:
                found.append("\n")
            if element is not root:
                found.append(element.tail or "")
            continue
        if element.tag in BLOCK or element.tag == "br":
            found.append("\n")
        found.append(element.text or "")
        waiting.append((element, True))
        waiting += [(child, False) for child in reversed(element)]
    return re.sub(r"[ \t\r\f]+", " ", re.sub(r"\s*\n\s*", "\n", "".join(found))).strip()


def selected(root, selector):
    """Return the elements that a CSS selector finds, or an XPath if it begins with a slash."""
    return root.xpath(selector) if selector.startswith("/") else root.cssselect(selector)


def row_of(text, root, url, manual):
    """Return the row of a page, with its gold."""
    left_out = {element for one in manual.get("exclude", ()) for element in selected(root, one)}
    nodes = []
    for one in manual["gold"]:
        for element in selected(root, one):
            if element not in nodes and not any(above in nodes for above in element.iterancestors()):
                nodes.append(element)
    gold = "\n".join(filter(None, (text_of(node, left_out) for node in nodes)))
    words = len(re.findall(r"\w+", gold))
    linked = sum(len(re.findall(r"\w+", text_of(a, left_out))) for node in nodes for a in node.iter("a"))
    content = words >= WORDS and linked < LINKED * words
    path = root.getroottree().getpath
    return {
        "url": url,
        "kind": "content" if content else "other",
        "html": text,
        "gold_text": gold if content else "",
        "gold_xpaths": [path(node) for node in nodes] if content else [],
        "exclude_xpaths": [path(element) for element in left_out] if content else [],
    }


def pages(name, folder, manual):
    """Return the rows of a manual: its first page, and pages drawn from those that the known ones link to."""
    chance, start, host = random.Random(name), manual.get("start", "index.html"), f"http://{name}.invalid/"
    seen, waiting, rows = {start}, [start], []
    for _ in range(TRIED):
        if not waiting or len(rows) >= PAGES:
            break
        path = waiting.pop(chance.randrange(min(len(waiting), WAITING)) if rows else 0)
        file = folder / path
        if not file.is_file() or file.stat().st_size > LARGEST:
            continue
        text = decoded(file.read_bytes())
        try:
            root = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
        except ValueError:
            continue
        for link in links(root, host + path):
            if link not in seen:
                seen.add(link)
                waiting.append(link)
        if not any(one in path for one in NO_PAGES):
            rows.append(row_of(text, root, host + path, manual))
    return rows


def made(name, manual, target):
    """Write a manual, and return its entry of `sites.json`; None if it cannot be had, or has too few pages."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            share = unpacked(manual["package"], Path(scratch))
        except (subprocess.CalledProcessError, ValueError) as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
            return None
        rows = pages(name, (share / manual["folder"]).resolve(), manual)
    content = sum(row["kind"] == "content" for row in rows)
    print(f"{name}: {len(rows)} pages, {content} with main content", flush=True)
    if content < LEAST:
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


def joined(entries, made):
    """Return the entries of `sites.json` with those of the manuals made, which replace entries of the same name."""
    names = {one["name"] for one in made}
    return [one for one in entries if one["name"] not in names] + made


def main():
    """Make all manuals, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sites", type=Path)
    parser.add_argument("names", nargs="*")
    chosen = parser.parse_args()
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    chosen.sites.mkdir(parents=True, exist_ok=True)
    found = [made(name, table[name], chosen.sites) for name in chosen.names or table]
    file = chosen.sites / "sites.json"
    entries = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    file.write_text(json.dumps(joined(entries, [one for one in found if one]), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
