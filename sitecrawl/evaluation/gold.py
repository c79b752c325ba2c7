"""Reads gold data: pages whose main content is known, in one of three forms.

- Recorded sites: `SITE.jsonl.gz`, one JSON object per page with `url`, `kind`, `html`, `gold_text`, and where known
  `gold_xpaths` and `exclude_xpaths`. Pages have neither `id` nor `site`. A folder of such files is one collection.
- Page sets: `NAME.jsonl.gz`, one JSON object per page with `id`, `html`, `gold_text`, and where known `site`, `url` and
  `page_type`. Pages with the same `site` are learned as one site.
- Golden folders: `SITE/site.toml` (name, kind), and for each page `NAME.html`, `NAME.txt` (its main content, empty if
  it has none) and `NAME.toml` (url, kind).

Unusable files and pages are skipped and reported in `problems`.
"""

import gzip
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from lxml import etree

from sitecrawl.errors import EvaluationError
from sitecrawl.links.urls import split_url
from sitecrawl.page_kind import Kind

KINDS: Final = tuple(map(str, Kind))
UNKNOWN: Final = ""
"""Kind of a page whose main content is unknown: it is used for learning and links, but not scored."""
RECORDING: Final = ".jsonl.gz"


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page and its gold data."""

    name: str
    url: str
    html: bytes | str
    text: str
    """The main content; "" if the page has none."""
    kind: str = str(Kind.CONTENT)
    nodes: tuple[str, ...] = ()
    """XPaths of the nodes of the main content; () if they are unknown."""
    without: tuple[str, ...] = ()
    """XPaths of nodes inside them that are not content."""
    label: str = ""
    """The kind of site or page that the gold data states."""


@dataclass(frozen=True, slots=True)
class GoldSite:
    """Pages of one site, in the order of the gold data."""

    collection: str
    name: str
    pages: tuple[GoldPage, ...]
    problems: tuple[str, ...] = ()


@dataclass(slots=True)
class _Rows:
    """The JSON objects of a file, and the problems with its other lines."""

    path: Path
    problems: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        number = 0
        try:
            with gzip.open(self.path, "rb") as lines:
                for number, line in enumerate(lines, 1):
                    row = _parsed(line)
                    if row is None:
                        self.problems.append(f"{self.path.name}, line {number}: left out, not a JSON object in UTF-8.")
                    else:
                        yield number, row
        except (OSError, EOFError) as error:
            self.problems.append(f"{self.path.name}: cannot be read after line {number}: {error}.")


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def gold_sites(path: Path) -> Iterator[GoldSite]:
    """Yield the sites of a file or folder by name; a page set is read as a whole, recorded sites one by one.

    Raises EvaluationError if the path contains no gold data.
    """
    if path.is_file() and path.name.endswith(RECORDING):
        yield from _recording(path, path.name.removesuffix(RECORDING))
        return
    if path.is_dir():
        recordings = sorted(path.glob(f"*{RECORDING}"))
        folders = [path] if (path / "site.toml").is_file() else sorted(p.parent for p in path.glob("*/site.toml"))
        if recordings or folders:
            for recording in recordings:
                yield from _recording(recording, path.name)
            collection = path.resolve().parent.name if folders == [path] else path.resolve().name
            for folder in folders:
                yield _golden(folder, collection)
            return
    what = "is neither a file nor a folder" if not path.exists() else "holds no gold data"
    raise EvaluationError(
        f"{path}: {what}; give recorded sites or page sets (*{RECORDING}) or a folder of sites with site.toml"
    )


def _recording(path: Path, collection: str) -> Iterator[GoldSite]:
    rows = _Rows(path)
    sites: dict[str, list[GoldPage]] = {}
    recorded = False
    for number, row in rows:
        recorded = recorded or "gold_xpaths" in row or (not sites and row.keys().isdisjoint(("id", "site")))
        place = f"{path.name}, line {number}"
        page = _row_page(row, place, rows.problems)
        if page is None:
            missing = ", ".join(key for key in ("html", "gold_text") if not isinstance(row.get(key), str))
            rows.problems.append(f"{place}: left out, no {missing or 'url or id'}.")
            continue
        own = path.name.removesuffix(RECORDING) if recorded else str(row.get("site") or page.name)
        sites.setdefault(own, []).append(page)
    collection = collection if recorded else path.name.removesuffix(RECORDING)
    for first, name in enumerate(sorted(sites)):
        yield GoldSite(collection, name, tuple(sites[name]), tuple(rows.problems) if not first else ())
    if not sites:
        yield GoldSite(collection, path.name.removesuffix(RECORDING), (), tuple(rows.problems) or (f"{path}: empty.",))


def _row_page(row: dict[str, Any], place: str, problems: list[str]) -> GoldPage | None:
    html, text = row.get("html"), row.get("gold_text")
    name = row.get("url") or row.get("id")
    if not isinstance(html, str) or not isinstance(text, str) or not isinstance(name, str):
        return None
    kind = row.get("kind")
    nodes, without = (_xpaths(row, key, place, problems) for key in ("gold_xpaths", "exclude_xpaths"))
    return GoldPage(
        name=str(row.get("id") or name),
        url=_usable(row.get("url")),
        html=html,
        text=text,
        kind=kind if kind in KINDS else str(Kind.CONTENT) if kind is None or text.strip() else UNKNOWN,
        nodes=nodes if nodes and without is not None else (),
        without=without or (),
        label=str(row.get("page_type") or ""),
    )


def _xpaths(row: dict[str, Any], key: str, place: str, problems: list[str]) -> tuple[str, ...] | None:
    """Return the XPaths of a row; if one is invalid, add a problem and return None."""
    paths = row.get(key) or ()
    try:
        if not isinstance(paths, list | tuple):
            raise TypeError(f"{paths!r} is not a list")
        for path in paths:
            etree.XPath(path)(_NOTHING)
    except (TypeError, ValueError, etree.XPathError) as error:
        problems.append(f"{place}: scored without nodes, {key} cannot be used: {error}.")
        return None
    return tuple(paths)


_NOTHING: Final = etree.Element("html")


def _usable(url: object) -> str:
    """Return the URL of a page, or a placeholder, since some page sets have no URLs or URLs without a scheme."""
    return url if isinstance(url, str) and split_url(url) is not None else "https://page.invalid/"


def _golden(folder: Path, collection: str) -> GoldSite:
    problems: list[str] = []
    about = _toml(folder / "site.toml", problems)
    pages = []
    for path in sorted(folder.glob("*.html")):
        gold = path.with_suffix(".txt")
        if not gold.is_file():
            problems.append(f"{folder.name}/{path.name}: left out, its gold text {gold.name} is missing.")
            continue
        try:
            text = gold.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            problems.append(f"{folder.name}/{gold.name}: left out, not in UTF-8.")
            continue
        own = path.with_suffix(".toml")
        facts = _toml(own, problems) if own.is_file() else {}
        kind = facts.get("kind") or str(Kind.CONTENT if text.strip() else Kind.NONE)
        if kind not in KINDS:
            problems.append(f"{folder.name}/{own.name}: kind {kind!r} is none of {', '.join(KINDS)}; content is taken.")
            kind = str(Kind.CONTENT)
        url = _usable(facts.get("url") or f"https://{folder.name}.example/{path.name}")
        pages.append(GoldPage(path.stem, url, path.read_bytes(), text, kind, label=str(about.get("kind") or "")))
    lonely = (path for path in sorted(folder.glob("*.txt")) if not path.with_suffix(".html").is_file())
    problems.extend(f"{folder.name}/{path.name}: left out, its page {path.stem}.html is missing." for path in lonely)
    return GoldSite(collection, folder.name, tuple(pages), tuple(problems))


def _toml(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problems.append(f"{path.parent.name}/{path.name}: cannot be read: {error}.")
        return {}
