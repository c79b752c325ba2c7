"""Opens recorded pages in chromium as they are, and cleaned by `crunch`: through `serve`, and through the proxy.

    python -m tests.browser.crunch_pages SITES [--pages 40] [--sites a,b] [--wrapped] [--mitmdump FILE] [--screenshots FOLDER]

SITES is a folder of recorded sites; of each that is taken, at even distances by name, one content page is served on
loopback, with a style sheet of our own, since recordings have none. Printed are a line for each page and the totals:
texts that the method removes and that are still there, texts that it keeps and that are missing, and texts that stay
but look otherwise: another font size, weight or colour, or another place in the reading order. FILE is the program of
mitmproxy 12 in an environment that has what sitecrawl needs; without it the proxy is left out. The exit status is 1
for a text that should not be there, or is missing. Scripts are off and nothing is fetched from elsewhere.
"""

import argparse
import contextlib
import re
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Route, sync_playwright
from playwright.sync_api import Page as Tab

from sitecrawl.dom.page import Page
from sitecrawl.evaluation.gold import RECORDING, GoldPage, gold_sites
from sitecrawl.evaluation.metrics import word_prf

from ..integration.server import SiteServer
from ..papers.compare import spread
from .chromium import EXECUTABLE, OPTIONS
from .cleaned_texts import Result, Text, judged, left_in_text
from .cleaners import proxy, service

SHEET = (
    "<style>body{font-size:15px;color:rgb(10,20,30)} h1{font-size:31px;color:rgb(120,0,0)}"
    " p{font-size:17px;color:rgb(0,60,0)} nav{font-size:11px;background:rgb(240,240,200)}"
    " table{font-size:13px;border:1px solid rgb(9,9,9);color:rgb(0,0,90)}</style>"
)
"""The style sheet that each page is given."""
READ = """() => {
  const found = [], range = document.createRange();
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, above = node.parentElement, words = node.data.split(/\\s+/).filter(Boolean);
    if (!words.length || above.closest('head,script,style,template,noscript,iframe,object,svg,canvas')) continue;
    range.selectNodeContents(node);
    const box = range.getClientRects()[0], style = getComputedStyle(above);
    found.push([words.join(' '), box ? [box.left, box.top, box.height] : null,
                [style.fontSize, style.fontWeight, style.fontStyle, style.color, style.display].join(' ')]);
  }
  return found;
}"""
"""Returns the texts of a page: words, first box, style of the element around them."""


def open_tab(browser: Browser, width: int = 1280) -> Tab:
    """Return a tab without scripts that sends no request outside this machine."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 900})

    def passed(route: Route) -> None:
        mine = route.request.url.startswith("http://127.0.0.1:") and route.request.resource_type in (
            "document",
            "frame",
        )
        route.continue_() if mine else route.abort()

    context.route("**/*", passed)
    return context.new_page()


TAGS = ("script", "form", "input", "select", "textarea", "button", "img", "iframe", "style", "link[rel=stylesheet]")


def read(tab: Tab, url: str) -> tuple[list[Text], str, Counter[str]]:
    """Return the texts of a page in the browser, its HTML as it came, and the number of elements by tag."""
    answer = tab.goto(url, wait_until="load", timeout=60_000)
    if answer is None or answer.status != 200:
        raise SystemExit(f"{url}: {answer.status if answer else 'no answer'} {answer.text()[:200] if answer else ''}")
    counts = Counter({tag: tab.locator(tag).count() for tag in TAGS})
    return [Text(*one) for one in tab.evaluate(READ)], answer.text(), counts


def chosen(gold: Path, pages: int, names: Sequence[str], *, wrapped: bool = False) -> dict[str, GoldPage]:
    """Return one content page of each of some sites, by its name; with `wrapped`, pages that a form wraps.

    These are looked for in all pages of `gold`, which may be a page set then.
    """
    if wrapped:
        every = (page for site in gold_sites(gold) for page in site.pages if page.text)
        asked = (page for page in every if "<form" in text_of(page.html).lower())
        found = (page for page in asked if wrapping(Page.from_html(page.html, page.url)))
        return {f"{number}": page for number, page in enumerate(islice(found, pages))}
    files = [file for file in sorted(gold.glob(f"*{RECORDING}")) if not names or site_name(file) in names]
    recorded = {site.name: site.pages for at in spread(len(files), pages) for site in gold_sites(files[at])}
    content = {name: [page for page in of if page.text and page.kind == "content"] for name, of in recorded.items()}
    return {name: of[len(of) // 2] for name, of in content.items() if of}


def site_name(file: Path) -> str:
    """Return the name of a recorded site."""
    return file.name.removesuffix(RECORDING)


def text_of(html: bytes | str) -> str:
    """Return the HTML of a page as text."""
    return html if isinstance(html, str) else html.decode("utf-8", "replace")


def wrapping(page: Page) -> bool:
    """Return whether a form contains most of the text of a page."""
    flat = page.flat
    return any(tag == "form" and 2 * flat.chars[row] > flat.chars[0] for row, tag in enumerate(flat.tag))


def main(arguments: Sequence[str]) -> int:
    """Open all pages, print the figures, and return 1 if a text is there that should not be, or is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path, metavar="SITES")
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--sites", default="")
    parser.add_argument("--wrapped", action="store_true", help="pages of which a form holds most of the text")
    parser.add_argument("--mitmdump", default="")
    parser.add_argument("--screenshots", type=Path)
    opts = parser.parse_args(arguments)
    found = chosen(opts.gold, opts.pages, opts.sites.split(",") if opts.sites else [], wrapped=opts.wrapped)
    html = {
        name: re.sub("(?i)</head>|<body", lambda at: SHEET + at[0], text_of(page.html), count=1)
        for name, page in found.items()
    }
    total: dict[str, Result] = {}
    recalls: list[tuple[float, ...]] = []
    with (
        SiteServer({f"/{name}/page.html": one for name, one in html.items()}) as server,
        contextlib.ExitStack() as stack,
    ):
        port = server.server.server_address[1]
        ways = {"serve": f"{stack.enter_context(service(port))}/clean?method=crunch&format=html&url="}
        browser = stack.enter_context(sync_playwright()).chromium.launch(executable_path=EXECUTABLE, args=OPTIONS)
        tabs = {"": open_tab(browser), "serve": open_tab(browser)}
        if opts.mitmdump:
            through = stack.enter_context(proxy(opts.mitmdump, port))
            behind = browser.browser_type.launch(
                executable_path=EXECUTABLE, args=OPTIONS, proxy={"server": through, "bypass": "<-loopback>"}
            )
            ways["proxy"], tabs["proxy"] = "", open_tab(behind)
        for name, gold in found.items():
            url = server.url(f"/{name}/page.html")
            page = Page.from_html(html[name], url)
            before, _, tags = read(tabs[""], url)
            texts = {}
            for way, prefix in ways.items():
                after, source, kept = read(tabs[way], prefix + quote(url, safe="") if prefix else url)
                result = judged(page, before, after, source)
                if way == "serve":
                    text = (
                        tabs[way].context.request.get((prefix + quote(url, safe="")).replace("=html", "=text")).text()
                    )
                    result.left += [f"in the text: {one[:80]}" for one in left_in_text(page, text)]
                result.tags = tags + Counter({f"{tag} kept": number for tag, number in kept.items()})
                total.setdefault(way, Result()).add(result)
                texts[way] = [one.words for one in after]
                print(f"{name}, {way}{', in a form' if wrapping(page) else ''}: {result.line()}", flush=True)
                for kind in ("left", "missing", "restyled", "reordered"):
                    for one in getattr(result, kind)[:4]:
                        print(f"    {kind}: {one}")
                if way == "serve":
                    shown = ("\n".join(one.words for one in there) for there in (before, after))
                    recalls.append(
                        (*(word_prf(one, gold.text).recall for one in shown), word_prf(text, gold.text).recall)
                    )
                    print(
                        f"    words of the main content, before, cleaned, as text: {' '.join(f'{one:.3f}' for one in recalls[-1])}"
                    )
            if len(set(map(tuple, texts.values()))) > 1:
                print("    service and proxy differ")
            if opts.screenshots:
                opts.screenshots.mkdir(parents=True, exist_ok=True)
                for way in ("", *ways):
                    tabs[way].screenshot(path=opts.screenshots / f"{name}-{way or 'before'}.png")
        browser.close()
    for way, result in total.items():
        print(f"{way}: {result.pages} pages: {result.line()}")
        print("   ", ", ".join(f"{tag} {result.tags[tag]} -> {result.tags[f'{tag} kept']}" for tag in TAGS))
    means = [sum(one) / len(recalls) for one in zip(*recalls, strict=True)]
    print(f"words of the main content: {means[0]:.4f} before, {means[1]:.4f} cleaned, {means[2]:.4f} as text")
    return int(any(result.left or result.missing for result in total.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
