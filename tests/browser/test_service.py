"""A page that `serve` has cleaned, in a real browser: its look is unchanged, and none of its scripts run."""

import threading
from urllib.parse import quote

import pytest
import uvicorn
from scrapy.settings import Settings

from sitecrawl.service.app import application
from sitecrawl.service.server import new_service
from sitecrawl.ui.access import new_access
from sitecrawl.ui.server import listening
from tests.integration.server import SiteServer

WORDS = "The ship has come in with coal and tea, and leaves on Monday for the north. " * 8
PAGE = (
    "<html><head><title>Ship</title><link rel=stylesheet href=/style.css></head>"
    "<body onload=\"document.title='run by an attribute'\"><script>document.title='run by an element'</script>"
    "<div id=menu><a href=/one>One</a> <a href=/two>Two</a></div>"
    f"<form action=/whole><input name=state><div id=text><p>{WORDS}</p>"
    "<p><a id=link href=\"javascript:document.title='run by a link'\">More</a> about it all.</p></div></form>"
    "</body></html>"
)


@pytest.fixture
def site():
    style = (200, {"Content-Type": "text/css"}, "#text { color: rgb(1, 2, 3) }")
    with SiteServer({"/ship": PAGE, "/style.css": style}) as server:
        yield server


@pytest.fixture
def address(site, tmp_path):
    listener = listening("127.0.0.1", 0)
    port, theirs = listener.getsockname()[1], site.server.server_address[1]
    values = {
        "SITECRAWL_DATABASE_URL": f"sqlite:///{tmp_path}/none.db",
        "SITECRAWL_ALLOWED_ADDRESSES": f"127.0.0.0/8:{theirs}",
    }
    service = new_service(Settings(values), new_access("127.0.0.1", port, None), None)
    server = uvicorn.Server(uvicorn.Config(application(service), log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def test_a_cleaned_page_keeps_its_look_and_runs_nothing(chromium, address, site):
    context = chromium.new_context()
    page = context.new_page()
    try:
        page.goto(address)
        page.fill("input[name=url]", site.url("/ship"))
        page.select_option("select[name=method]", "crunch")
        page.click("button")
        assert page.url.startswith(f"{address}/clean?url={quote(site.url('/ship'), safe='')}")
        assert "The ship has come in" in page.inner_text("#text")  # the form around the page stays
        assert page.evaluate("getComputedStyle(document.querySelector('#text')).color") == "rgb(1, 2, 3)"
        assert page.locator("#menu, input, script").count() == 0
        page.click("#link")
        assert page.title() == "Ship"
        assert set(site.log) == {"/ship", "/style.css"}
    finally:
        context.close()
