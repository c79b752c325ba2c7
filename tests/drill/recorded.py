"""Recorded websites, each at a loopback address of its own and as large as a case wants, in a process of their own.

    python -m tests.drill.recorded FOLDER SITES PAGES LOG

FOLDER has recorded sites, NAME.jsonl.gz with `url` and `html`. Where there are fewer than SITES, they begin anew at
further addresses; where a site has fewer than PAGES pages, it has copies of itself below /copy-1/, /copy-2/ and so on.
What only one page of a site says has other words of that site in each copy. What pages share stays, as do all tags, so
that a copy is another page of the same layout. One start URL a line is printed, then an empty line. Each request is
a line of LOG: seconds of the monotonic clock, host and port, path.
"""

import asyncio
import contextlib
import itertools
import random
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import quote

from benchmarks.recorded_site import address, recorded
from tests.drill.cases import ROOT, NotPossible, check

PORT = 8000
TEXT = re.compile(r"(<(?:script|style)\b.*?</(?:script|style)\s*>|<!--.*?-->|<[^>]*>)", re.I | re.S)
WORD = re.compile(r"\w+")
LINK = re.compile(r"""(\s(?:href|src)\s*=\s*["']?)/(?!/)""", re.I)
COPY = re.compile(r"/copy-(\d+)(/.*)", re.S)


class RecordedSite:
    """The pages of one recorded site and its copies, `pages` or a few more of them."""

    def __init__(self, file, origin, pages):
        self.origin = origin
        self.start, self.pages = recorded(file, origin)
        self.copies = -(-pages // len(self.pages))
        texts = Counter()
        for body in self.pages.values():
            texts.update(set(map(str.strip, TEXT.split(body.decode())[::2])))
        self.shared = {text for text, number in texts.items() if number > 1}
        own = (WORD.findall(text) for text in texts if text not in self.shared)
        self.words = list(map(sys.intern, itertools.chain.from_iterable(own))) or ["word"]

    def answer(self, path):
        """The body of a path; None where the site has no such page."""
        if path == "/robots.txt":
            return f"User-agent: *\nSitemap: {self.origin}/sitemap.xml\n".encode()
        if path == "/sitemap.xml":
            return self.sitemap()
        found = COPY.fullmatch(path)
        if found is None:
            return self.pages.get(address(path))
        body = self.pages.get(address(found[2]))
        return self.copy(body.decode(), int(found[1]), found[2]) if body and int(found[1]) < self.copies else None

    def copy(self, html, number, path):
        """Return a page of a copy; the words of its own texts are drawn from the words of all own texts of the site."""
        luck = random.Random(f"{number} {path}")
        parts = TEXT.split(html)
        for place in range(0, len(parts), 2):
            if parts[place].strip() not in self.shared:
                parts[place] = WORD.sub(lambda _: luck.choice(self.words), parts[place])
        below = rf"\g<1>/copy-{number}/"
        return LINK.sub(below, "".join(parts).replace(f"{self.origin}/", f"{self.origin}/copy-{number}/")).encode()

    def sitemap(self):
        """All pages of all copies."""
        paths = [quote(path, safe="/?&=%:;,+@!$'()*~") for path in self.pages]
        copies = ["", *(f"/copy-{number}" for number in range(1, self.copies))]
        urls = (
            f"<url><loc>{self.origin}{copy}{path}</loc></url>".replace("&", "&amp;")
            for copy in copies
            for path in paths
        )
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(urls)}</urlset>'.encode()


class RecordedSites:
    """So many recorded sites in a process of their own, and the requests to each."""

    def __init__(self, folder, sites, pages, log):
        if folder is None:
            raise NotPossible("no recorded sites: python -m tests.drill --recorded FOLDER")
        self.log, self.since = log, 0.0
        self.command = [sys.executable, "-m", "tests.drill.recorded", str(folder), str(sites), str(pages), str(log)]

    @contextlib.contextmanager
    def serve(self):
        """The start URLs, while the sites are served."""
        with subprocess.Popen(self.command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            try:
                urls = list(itertools.takewhile(bool, map(str.strip, process.stdout)))
                check(process.poll() is None and urls, "the server of the recorded sites ended")
                yield urls
            finally:
                process.kill()

    def forget(self):
        """Forget the requests so far."""
        self.since = time.monotonic()

    @property
    def of(self):
        """Return the requests to each site so far: (seconds, path)."""
        asked = defaultdict(list)
        for line in self.log.read_text().splitlines(keepends=True):
            if line.endswith("\n"):  # the last one may be half written
                at, host, path = line.rstrip("\n").split(" ", 2)
                if float(at) >= self.since:
                    asked[host].append((float(at), path))
        return asked


async def serve(site, host, log):
    """Serve a site at port 8000 of an address."""

    async def handle(reader, writer):
        try:
            while line := await reader.readline():
                path = line.split(b" ")[1].decode("latin-1")
                while (await reader.readline()).strip():
                    pass
                log.write(f"{time.monotonic()} {host}:{PORT} {path}\n")
                body = site.answer(path)
                kind = "application/xml" if path == "/sitemap.xml" else "text/html; charset=utf-8"
                head = f"HTTP/1.1 {404 if body is None else 200} Answer\r\nContent-Type: {kind}\r\n"
                writer.write(f"{head}Content-Length: {len(body or b'')}\r\n\r\n".encode() + (body or b""))
                await writer.drain()
        except (ConnectionError, IndexError):
            pass
        finally:
            writer.close()

    return await asyncio.start_server(handle, host, PORT, backlog=128)


async def serve_all(sites, log):
    """Serve sites, given by host, until killed. An empty line is printed when all can be asked."""
    servers = [await serve(site, host, log) for host, site in sites.items()]
    print(flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


def main(folder, sites, pages, log):
    """Read the sites, print their start URLs, serve them."""
    files, found = sorted(Path(folder).glob("*.jsonl.gz")), {}
    for number, file in zip(range(int(sites)), itertools.cycle(files), strict=False):
        host = f"127.8.{number // 250}.{number % 250 + 1}"
        found[host] = RecordedSite(file, f"http://{host}:{PORT}", int(pages))
        print(found[host].origin + found[host].start, flush=True)
    with Path(log).open("w", buffering=1) as lines:
        asyncio.run(serve_all(found, lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
