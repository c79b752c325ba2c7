"""A real browser before a real server of the UI, and the log of all that the browser asks for."""

import threading

import pytest
import uvicorn
from playwright.sync_api import sync_playwright

from sitecrawl.config import Config
from sitecrawl.ui.access import new_access
from sitecrawl.ui.app import application
from sitecrawl.ui.server import listening, new_ui
from tests.browser.chromium import EXECUTABLE, OPTIONS
from tests.unit.ui.conftest import crawled_file as crawled_file
from tests.unit.ui.conftest import overrides as overrides
from tests.unit.ui.conftest import url as url


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser" in str(item.path):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def chromium():
    """A browser; of a module, since no other test can run an event loop meanwhile."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=OPTIONS)
        yield browser
        browser.close()


class Served:
    """A running UI."""

    def __init__(self, url, overrides, password=None):
        listener = listening("127.0.0.1", 0)
        port = listener.getsockname()[1]
        config = Config(database_url=url, overrides=(str(overrides),))
        self.ui = new_ui(config, new_access("127.0.0.1", port, password))
        self.address = f"http://127.0.0.1:{port}"
        settings = uvicorn.Config(application(self.ui), log_level="warning", lifespan="off")
        self.server = uvicorn.Server(settings)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]})
        self.thread.start()

    def stop(self):
        self.server.should_exit = True
        self.thread.join(60)
        self.ui.engine.dispose()


@pytest.fixture
def served(url, overrides):
    made = Served(url, overrides)
    yield made
    made.stop()


class Visitor:
    """A user with a browser; records requests, console messages and clicks."""

    def __init__(self, chromium, served, **options):
        self.served = served
        self.context = chromium.new_context(reduced_motion="reduce", **options)
        self.requests, self.said, self.dialogs, self.clicks = [], [], [], 0
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.context.on("console", lambda message: self.said.append((message.type, message.text)))
        self.page = self.context.new_page()
        self.page.on("dialog", self._dialog)
        self.page.goto(f"{served.address}/?token={served.ui.access.token}")

    def _dialog(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def go(self, path):
        return self.page.goto(self.served.address + path)

    def click(self, found):
        self.clicks += 1
        found.click()

    @property
    def outside(self):
        """Requests to other hosts."""
        return [url for url in self.requests if not url.startswith(self.served.address)]

    @property
    def errors(self):
        return [text for kind, text in self.said if kind in ("error", "warning")]


@pytest.fixture
def visitor(chromium, served):
    made = Visitor(chromium, served)
    yield made
    made.context.close()
