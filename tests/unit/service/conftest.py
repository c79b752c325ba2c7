from contextlib import contextmanager

import pytest
from scrapy.settings import Settings
from starlette.testclient import TestClient

from sitecrawl.service.app import application
from sitecrawl.service.server import new_service
from sitecrawl.ui.access import new_access
from tests.integration.server import SiteServer

ARTICLE = "".join(
    f"<p>Paragraph {number} of the story tells at some length what happened on that day in the old harbour.</p>"
    for number in range(6)
)
PAGE = (
    "<html lang=en><head><title>A story</title><link rel=stylesheet href=/style.css><script>run()</script></head>"
    "<body><table><tr><td><ul><li><a href=/one>One</a></li><li><a href=/two>Two</a></li></ul></td>"
    f"<td width=500><h1>A story</h1><img src=/harbour.png>{ARTICLE}"
    "<p>See <a href='https://ad.doubleclick.net/x'><img src=/banner.png></a> here.</p></td></tr></table>"
    "<form action=/find><input name=q><button>Find</button></form></body></html>"
)
ADDRESS = "http://127.0.0.1:8080"


@pytest.fixture(scope="session")
def site():
    """A website on loopback, and its requests."""
    pages = {"/story": PAGE}
    with SiteServer(pages) as server:
        yield server


def served(site, folder, *, password=None, sites=None, **settings):
    """The application of a service."""
    port = site.server.server_address[1]
    values = {
        "SITECRAWL_DATABASE_URL": f"sqlite:///{folder}/none.db",
        "SITECRAWL_ALLOWED_ADDRESSES": f"127.0.0.0/8:{port}",
        **settings,
    }
    settings = Settings(values)
    settings.setmodule("sitecrawl.settings", priority="default")
    return application(new_service(settings, new_access("127.0.0.1", 8080, password), sites))


@contextmanager
def opened(site, folder, **settings):
    """A client of a service; the settings are those of `served`."""
    with TestClient(served(site, folder, **settings), base_url=ADDRESS, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def client(site, tmp_path):
    with opened(site, tmp_path) as made:
        yield made


@pytest.fixture
def ask(client, site):
    """Ask for a page of the site by its path."""

    def asked(path="/story", headers=None, **query):
        return client.get("/clean", params={"url": site.url(path), **query}, headers=headers)

    return asked
