"""Serves a website on loopback for `crawl.py`, in its own process: recorded or made up, with ETags and 304s.

    python benchmarks/crawl_server.py PORT (--articles PAGES | --generate PAGES | --recorded FILE)
        [--no-validators] [--nonces]

FILE is a recorded site, `.jsonl.gz` with `url` and `html`. Its origin is replaced by this server's, and links to pages
of the site that were not recorded lead to another host, so that every contestant fetches the same pages. `--articles`
makes up pages of real length, `--generate` pages with many links and little text. `--no-validators` sends no ETags, so
that every response is a 200. `--nonces` sends none either, and puts a nonce, a token and a time into every response.
There is no sitemap and no robots.txt: pages are found by links alone. `/__seen__` returns the number of URLs requested
since its last call, by status.
"""

import argparse
import asyncio
import hashlib
import json
import re
import secrets
import time
from collections import Counter
from pathlib import Path

from recorded_site import address, recorded
from synthetic import article, page, vocabulary

NODES = 1_500
"""Nodes of a made-up page, about the mean of 200 real pages."""


def generated(count: int) -> tuple[str, dict[str, bytes]]:
    """Return the path of the first page, and the pages by path: each links to 178 others."""
    sizes = (NODES // 2, NODES, NODES * 2, NODES // 2)

    def target(found: re.Match[str]) -> str:
        folder, number = found[1], int(found[2] or 0)
        place = {"a": 2 * number, "b": 2 * number + 1}.get(folder, number)
        return f'href="/pages/{place % count}.html"'

    links = re.compile(r'href="/(a|b|section-\d+|imprint)(?:/(?:page-)?(\d+))?\.html"')
    made = {f"/pages/{i}.html": links.sub(target, page(sizes[i % 4], i)).encode() for i in range(count)}
    return "/pages/0.html", made


def articles(count: int) -> tuple[str, dict[str, bytes]]:
    """Return the path of the first page, and articles by path."""
    language = vocabulary()
    return "/pages/0.html", {f"/pages/{i}.html": article(i, count, language).encode() for i in range(count)}


class Server:
    """Serves pages from memory."""

    def __init__(self, pages: dict[str, bytes], *, validators: bool = True, nonces: bool = False) -> None:
        self.validators = validators and not nonces
        self.nonces = nonces
        self.pages = {path: (body, f'"{hashlib.sha1(body).hexdigest()[:16]}"') for path, body in pages.items()}
        self.seen: dict[str, int] = {}

    def answer(self, target: str, validator: str) -> tuple[int, bytes, str]:
        """Return status, body and ETag."""
        if target == "/__seen__":
            seen, self.seen = Counter(self.seen.values()), {}
            return 200, json.dumps(seen).encode(), ""
        body, tag = self.pages.get(address(target), (b"", ""))
        status = 404 if not tag else 304 if tag in validator else 200
        if not self.validators:
            status, tag = 404 if not tag else 200, ""
        if self.nonces and status == 200:
            nonce = secrets.token_hex(16).encode()
            script = b'<meta name=csrf-token content=%b><script nonce="%b">var made = %d;</script></head>'
            body = body.replace(b"</head>", script % (nonce, nonce, time.time_ns()), 1) + b"<!-- %b -->" % nonce
        if not target.startswith("/robots.txt"):
            self.seen[target] = status
        return status, body if status == 200 else b"", tag

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection, which is kept alive."""
        try:
            while line := await reader.readline():
                target, validator = line.split(b" ")[1].decode("latin-1"), ""
                while (header := await reader.readline()).strip():
                    name, _, value = header.partition(b":")
                    if name.lower() == b"if-none-match":
                        validator = value.decode("latin-1")
                status, body, tag = self.answer(target, validator)
                head = f"HTTP/1.1 {status} Answer\r\nContent-Length: {len(body)}\r\n"
                head += "Content-Type: text/html; charset=utf-8\r\n" if body else ""
                head += f"ETag: {tag}\r\n" if tag else ""
                writer.write(head.encode() + b"\r\n" + body)
                await writer.drain()
        except (ConnectionError, IndexError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def main() -> None:
    """Serve until killed; the first line printed is the start URL."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    site = parser.add_mutually_exclusive_group(required=True)
    parser.add_argument("--no-validators", action="store_true")
    parser.add_argument("--nonces", action="store_true")
    site.add_argument("--articles", type=int, metavar="PAGES")
    site.add_argument("--generate", type=int, metavar="PAGES")
    site.add_argument("--recorded", type=Path, metavar="FILE")
    args = parser.parse_args()
    origin = f"http://127.0.0.1:{args.port}"
    if args.recorded:
        start, pages = recorded(args.recorded, origin)
    else:
        start, pages = articles(args.articles) if args.articles else generated(args.generate)
    made = Server(pages, validators=not args.no_validators, nonces=args.nonces)
    server = await asyncio.start_server(made.handle, "127.0.0.1", args.port)
    print(origin + start, flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
