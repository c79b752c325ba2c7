"""Hostile pages in the page view: nothing of them runs, and nothing is requested."""

import socket
import threading

import pytest
from playwright.sync_api import expect

from sitecrawl.links.urls import url_key
from tests.browser.conftest import Served, Visitor
from tests.unit.ui.conftest import article, crawl_apart

HOSTILE = (
    "<script>alert(1); fetch('{to}/script')</script>",
    "<img src='{to}/img' onerror=alert(1) onload=alert(1) srcset='{to}/srcset 2x' loading=eager>",
    "<img src=x onerror=\"this.src='{to}/onerror'\">",
    "<iframe src='{to}/iframe' srcdoc='<script>alert(1)</script><img src={to}/srcdoc>'></iframe>",
    "<meta http-equiv=refresh content='0;url={to}/refresh'>",
    "<link rel=stylesheet href='{to}/css'><link rel=preconnect href='{to}'><link rel=prefetch href='{to}/prefetch'>",
    "<link rel=dns-prefetch href='{to}'><link rel=preload as=image href='{to}/preload'><link rel=icon href='{to}/icon'>",
    "<style>@import '{to}/import'; body {{ background: url({to}/background) }} @font-face {{ font-family: f; src: url({to}/font) }} * {{ font-family: f }}</style>",
    "<style>a {{ background: u\\72l({to}/escaped) }} @\\69mport '{to}/escaped-import'; body::after {{ content: image-set('{to}/set' 1x) }}</style>",
    "<p style=\"background:url('{to}/inline'); list-style-image: URL({to}/list); cursor: url({to}/cursor), auto\">a paragraph</p>",
    "<form action='{to}/form'><input autofocus onfocus=alert(1)><button formaction='{to}/formaction'>send</button></form>",
    "<object data='{to}/object'></object><embed src='{to}/embed'><applet archive='{to}/applet'></applet>",
    "<video autoplay poster='{to}/poster' src='{to}/video'></video><audio autoplay src='{to}/audio'></audio>",
    "<svg onload=alert(1)><image href='{to}/svg'/><use href='{to}/use#a'/><script>alert(1)</script></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'></table></mtext></math>",
    "<noscript><p title='</noscript><img src={to}/noscript onerror=alert(1)>'>text</p></noscript>",
    "<xmp><p title='</xmp><img src={to}/xmp onerror=alert(1)>'></xmp><plaintext><img src={to}/plaintext>",
    "<textarea><p title='</textarea><img src={to}/textarea onerror=alert(1)>'></textarea>",
    "<title></title><p title='</title><script>alert(1)</script>'>a paragraph</p><!--><img src={to}/comment onerror=alert(1)>-->",
    "<a href='javascript:alert(1)' autofocus onfocus=alert(1) ping='{to}/ping'>a link</a><body onload=alert(1) background='{to}/body'>",
    "<base href='{to}/'><p>a text below a base <img src=relative></p>",
    "<template><img src='{to}/template' onerror=alert(1)></template><portal src='{to}/portal'></portal>",
    "<table background='{to}/table'><tr><td background='{to}/cell'>a cell</td></tr></table><input type=image src='{to}/input'>",
    "<p class='sc-k' data-why='x' style='position:fixed;inset:0;z-index:2147483647'>a text over everything</p>",
    "<p id='&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;' class='\"><script>alert(1)</script>'>names</p>",
    "</body></html><script>alert(1)</script><style></style></style><script>alert(1)</script>",
    "<style></style ><img src='{to}/styleend' onerror=alert(1)></style>",
    "<marquee onstart=alert(1)>m</marquee><details open ontoggle=alert(1)><summary>s</summary>d</details>",
    "<p>\x00\x01\u202eright to left\u202c \ud7ff</p><p>&#x0;&#xD800;&#x110000;</p>",
)


class Canary:
    """Counts whoever connects to it."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.connections = 0
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self):
        while True:
            try:
                self.listener.accept()[0].close()
            except OSError:
                return
            self.connections += 1


@pytest.fixture(scope="module")
def canary():
    made = Canary()
    yield made
    made.listener.close()


@pytest.fixture(scope="module")
def hostile_file(canary, tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "hostile.db"
    pages = {f"p{n}": article(n, more=bad.format(to=canary.address)) for n, bad in enumerate(HOSTILE, 1)}
    crawl_apart(f"sqlite:///{path}", range(1, len(HOSTILE) + 1), **pages)
    return path


@pytest.fixture
def visitor(chromium, hostile_file, tmp_path):
    served = Served(f"sqlite:///{hostile_file}", tmp_path)
    made = Visitor(chromium, served)
    yield made
    made.context.close()
    served.stop()


def test_nothing_runs_and_nothing_is_asked_for(visitor, canary):
    for number in range(1, len(HOSTILE) + 1):
        here = f"/sites/example.org/page/{url_key(f'https://example.org/{number}')}"
        for path in (here, f"{here}/correct"):
            assert visitor.go(path).status == 200
            frame = visitor.page.frame_locator("iframe")
            expect(frame.get_by_text(f"Paragraph 1 of story {number} ")).to_be_visible()
            frame.locator("body").evaluate("body => body.getAnimations()")  # it is laid out
    assert visitor.outside == []
    assert visitor.dialogs == []
    assert canary.connections == 0
    scripts = [text for text in visitor.errors if "script" in text.lower()]
    assert scripts == []  # not even one that was stopped


def test_pictures_come_only_when_they_are_asked_for(visitor, canary):
    here = f"/sites/example.org/page/{url_key('https://example.org/2')}"
    visitor.go(here)
    assert visitor.outside == []
    visitor.page.get_by_role("link", name="Fetch pictures and styles from the site").click()
    visitor.page.frame_locator("iframe").locator("img").first.scroll_into_view_if_needed()
    visitor.page.wait_for_load_state("networkidle")
    assert visitor.outside == [f"{canary.address}/img"]
    assert visitor.dialogs == []
