import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from jinja2 import BytecodeCache, Environment
from starlette.testclient import TestClient

from sitecrawl.config import Config
from sitecrawl.ui import responses
from sitecrawl.ui.access import new_access
from sitecrawl.ui.app import application
from sitecrawl.ui.server import new_ui
from tests.unit.crawl.crawling import Crawling

HOST = "example.org"
ADDRESS = "http://127.0.0.1:8765"


def article(number, *, more=""):
    """A page with a menu, an article of its own words, related links and a footer."""
    lines = "".join(
        f"<p>Paragraph {line} of story {number} speaks of matter{number}x{line} and of thing{number}y{line} at length,"
        f" so that it is a text which people read.</p>"
        for line in range(6)
    )
    menu = "".join(f"<li><a href='/{name}'>{name.title()}</a></li>" for name in ("home", "news", "about", "contact"))
    return (
        f"<html><head><title>Story {number} - Journal</title></head><body>"
        f"<div id=top class=menu><ul>{menu}</ul></div>"
        f"<div class=page><div class=main><h1>Story {number}</h1><div class=body>{lines}</div></div>"
        f"<div class=side><h3>Read also</h3><ul><li><a href='/{number + 1}'>Story {number + 1}</a></li></ul></div></div>"
        f"<div class=foot><p>Copyright of the Journal, all rights reserved, imprint</p><i>Put here on 1 May 2024</i></div>"
        f"{more}</body></html>"
    )


async def crawl(url, numbers=range(1, 13), **pages):
    crawling = Crawling(url)
    for number in numbers:
        await crawling.page(f"https://{HOST}/{number}", pages.get(f"p{number}") or article(number))
    await crawling.end()


def crawl_apart(url, *numbers, **pages):
    """Crawl in a thread: where a browser is driven, the main thread has an event loop that runs."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(crawl(url, *numbers, **pages))).result(300)


class Compiled(BytecodeCache):
    """Templates that were compiled once in this process: each test's application compiles them anew otherwise."""

    def __init__(self):
        self.code = {}

    def load_bytecode(self, bucket):
        if bucket.key in self.code:
            bucket.bytecode_from_string(self.code[bucket.key])

    def dump_bytecode(self, bucket):
        self.code[bucket.key] = bucket.bytecode_to_string()


@pytest.fixture(scope="session", autouse=True)
def compiled_templates():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(responses, "Environment", partial(Environment, bytecode_cache=Compiled()))
        yield


def client_of(ui):
    return TestClient(application(ui), base_url=ADDRESS, follow_redirects=False, raise_server_exceptions=False)


@pytest.fixture(scope="session")
def crawled_file(tmp_path_factory):
    """A database that was crawled once; tests take copies."""
    path = tmp_path_factory.mktemp("ui") / "crawled.db"
    crawl_apart(f"sqlite:///{path}")
    return path


@pytest.fixture
def url(crawled_file, tmp_path):
    copy = tmp_path / "sites.db"
    copy.write_bytes(crawled_file.read_bytes())
    return f"sqlite:///{copy}"


@pytest.fixture
def overrides(tmp_path):
    folder = tmp_path / "overrides"
    folder.mkdir()
    return folder


@pytest.fixture
def ui(url, overrides):
    made = new_ui(Config(database_url=url, overrides=(str(overrides),)), new_access("127.0.0.1", 8765, None))
    yield made
    made.engine.dispose()


@pytest.fixture
def client(ui):
    """A browser that has come in."""
    client = client_of(ui)
    assert client.get(f"/?token={ui.access.token}").status_code == 303
    return client
