"""Compares the chunks that are sent again with those that changed, over versions of recorded sites, with kills.

python -m benchmarks.chunk_versions SITE.jsonl.gz ... [--versions 3] [--kills 3] [--seed 1]

Each site is served and crawled in three versions. Before each further crawl one page of ten is edited (paragraphs of
its gold text are reworded, inserted and removed), two pages are removed, and one that was removed comes back. Each such
crawl is killed once, and so are the processes that feed a sink. A difference is printed and ends the run of the site.
"""

import argparse
import gzip
import json
import random
import re
import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from tests.integration.chunk_versions import Outcome, Site, versions
from tests.integration.server import SiteServer


def served(file: Path, server: SiteServer) -> Site:
    """Put the pages of a recorded site on a server, its origin replaced by the server's."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    host = Counter(urlsplit(row["url"]).netloc for row in rows).most_common(1)[0][0]
    recorded = re.compile(rf"(?:https?:)?//(?:www\.)?{re.escape(host.removeprefix('www.'))}(?![\w.-])", re.I)
    rows = [row for row in rows if urlsplit(row["url"]).netloc == host]
    origin, gold = server.url("").rstrip("/"), {}
    for row in rows:
        path = path_of(row["url"])
        server.pages[path] = recorded.sub(origin, row["html"]).encode("utf-8", "replace").decode()
        gold[path] = row["gold_text"] or ""
    urls = "".join(f"<url><loc>{origin}{path.replace('&', '&amp;')}</loc></url>" for path in list(server.pages))
    server.pages["/sitemap.xml"] = (200, {"Content-Type": "application/xml"}, f"<urlset>{urls}</urlset>")
    robots = f"User-agent: *\nSitemap: {origin}/sitemap.xml\n"
    server.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, robots)
    return Site(server, path_of(rows[0]["url"]), gold)


def path_of(url: str) -> str:
    """Return the path and query of a URL."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def main() -> None:
    """Crawl the versions of all sites, and print a table of the chunks that were sent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", nargs="+", type=Path)
    parser.add_argument("--versions", type=int, default=3)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"| site | version | {' | '.join(Outcome._fields)} |\n|---|---|{'---|' * len(Outcome._fields)}", flush=True)
    every = []
    for file in options.sites:
        rng, name = random.Random(options.seed), file.name.removesuffix(".jsonl.gz")
        with tempfile.TemporaryDirectory() as folder, SiteServer({}) as server:
            site, database = served(file, server), f"sqlite:///{folder}/site.db"
            found = versions(site, Path(folder), database, rng, options.versions, options.kills)
            try:
                for number, one in enumerate(found, 2):
                    every.append(one)
                    print(f"| {name} | {number} | {' | '.join(map(str, one))} |", flush=True)
            except AssertionError as error:
                print(f"| {name} | DIFFERS: {str(error)[:1500]} |", flush=True)
    print(f"| all | {len(every)} | {' | '.join(str(sum(column)) for column in zip(*every, strict=True))} |")


if __name__ == "__main__":
    main()
