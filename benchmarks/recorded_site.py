"""Reads a recorded website to serve it: its pages by path, with links that lead to the server."""

import gzip
import json
import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

ELSEWHERE = "http://elsewhere.invalid/"
HREF = re.compile(r"""(<a\b[^>]*?\shref\s*=\s*)(["'])(.*?)\2""", re.I | re.S)


def recorded(path: Path, origin: str) -> tuple[str, dict[str, bytes]]:
    """Return the path of the first page of a recorded site, and its pages by path and query."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    host = Counter(urlsplit(row["url"]).netloc for row in rows).most_common(1)[0][0]
    rows = [row for row in rows if urlsplit(row["url"]).netloc == host]
    own = re.compile(rf"(?:https?:)?//(?:www\.)?{re.escape(host.removeprefix('www.'))}(?![\w.-])", re.I)
    known = {address(row["url"]) for row in rows}
    pages = {}
    for row in rows:
        base = origin + address(row["url"])

        def live(found: re.Match[str], base: str = base) -> str:
            try:
                url = urldefrag(urljoin(base, found[3].strip().replace("&amp;", "&")))[0]
            except ValueError:
                return found[0]
            if not url.startswith(origin) or address(url) in known:
                return found[0]
            return f"{found[1]}{found[2]}{ELSEWHERE}{url[len(origin) + 1 :].replace(found[2], '')}{found[2]}"

        pages[address(row["url"])] = HREF.sub(live, own.sub(origin, row["html"])).encode("utf-8", "surrogatepass")
    return address(rows[0]["url"]), pages


def address(url: str) -> str:
    """Return the path and query of a URL, without percent signs."""
    parts = urlsplit(url)
    return unquote(parts.path or "/") + (f"?{parts.query}" if parts.query else "")
