"""A made-up website for `scrapy demo`: a bakery's journal, served on 127.0.0.1."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

LOAVES: Final = (
    ("rye", "dark, sour and dense", "two days", "smoked fish"),
    ("spelt", "nutty and pale", "one night", "soft cheese"),
    ("wheat", "light, with a thin crust", "four hours", "honey"),
    ("barley", "flat and sweet", "an afternoon", "lentil soup"),
    ("oat", "moist and mild", "a morning", "apple butter"),
    ("maize", "yellow and crumbling", "half an hour", "stewed beans"),
    ("millet", "small and round", "an hour", "roast pumpkin"),
    ("buckwheat", "grey and earthy", "three hours", "sour cream"),
    ("potato", "soft, and fresh for a week", "five hours", "dill butter"),
    ("chestnut", "brown and festive", "a day", "game and pears"),
    ("walnut", "heavy and oily", "six hours", "blue cheese"),
    ("olive", "salty, with a chewy crumb", "seven hours", "tomatoes"),
)


def pages() -> dict[str, str]:
    """Return the HTML of each path: a front page, an about page and one page per loaf."""
    links = "".join(f'<li><a href="/journal/{name}">{name.title()} bread</a></li>' for name, *_ in LOAVES)
    site = {
        "/": _frame("Journal", f"<h1>From the oven</h1><ul>{links}</ul>", ""),
        "/about": _frame("About", "<h1>About</h1><p>Two bakers, one oven, and a mill by the river since 1931.</p>", ""),
    }
    for number, (name, look, rest, meal) in enumerate(LOAVES):
        after = LOAVES[(number + 1) % len(LOAVES)][0]
        main = (
            f"<article><h1>{name.title()} bread</h1><p>Our {name} loaf is {look}. The dough rests for {rest}, and then"
            f" it goes into the falling heat of the oven, when the other loaves are out.</p><p>We like it with {meal}."
            f" Whoever buys a {name} loaf on a Friday gets the recipe with it, written by hand.</p></article>"
        )
        related = f'<div class="related">Read next: <a href="/journal/{after}">{after.title()} bread</a></div>'
        site[f"/journal/{name}"] = _frame(f"{name.title()} bread", main, related)
    return site


def _frame(title: str, main: str, related: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><title>{title} | Mill Lane Bakery</title></head><body>'
        '<nav class="menu"><a href="/">Journal</a> <a href="/about">About</a></nav>'
        f"<main>{main}</main>{related}<footer><p>Mill Lane Bakery, open from six. No part of this journal may be eaten."
        "</p></footer></body></html>"
    )


class DemoSite:
    """Serves the pages at `url` within a `with` block."""

    def __init__(self) -> None:
        site = pages()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one packet

            def do_GET(self) -> None:
                body = site.get(self.path, "<h1>Not found</h1>").encode()
                self.send_response(200 if self.path in site else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"

    def __enter__(self) -> "DemoSite":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *args: object) -> None:
        self._server.shutdown()
        self._server.server_close()
