"""Makes the picture of the README: `python -m tests.browser.picture docs/shaded-page.png`.

The demo site is crawled, and a page of it is opened in the user interface in chromium.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from sitecrawl.shell.demo_site import DemoSite
from tests.browser.chromium import EXECUTABLE, OPTIONS
from tests.browser.conftest import Served

SIZE = {"width": 1180, "height": 640}
CHOSEN = 4
"""Number of the page in the list of pages."""


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder, DemoSite() as site:
        database = f"sqlite:///{folder}/demo.db"
        settings = [f"-sSITECRAWL_DATABASE_URL={database}", "-sSITECRAWL_STORE_BODIES=1"]
        crawl = [Path(sys.executable).with_name("sitecrawl"), "crawl", "site", "-a", f"url={site.url}", *settings]
        subprocess.run([*crawl, "-O", "feed.jsonl"], check=True, cwd=folder)
        overrides = Path(folder, "overrides")
        overrides.mkdir()
        served = Served(database, overrides)
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=OPTIONS)
                page = browser.new_page(viewport=SIZE)
                page.goto(f"{served.address}/?token={served.ui.access.token}")
                page.goto(f"{served.address}/sites/{urlsplit(site.url).netloc}/pages")
                page.locator("a[href*='/page/']").nth(CHOSEN).click()
                page.wait_for_load_state("networkidle")
                page.screenshot(path=target)
                browser.close()
        finally:
            served.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
