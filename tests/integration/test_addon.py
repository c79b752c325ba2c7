"""The add-on in another Scrapy project, beside a spider and items of that project's own."""

import csv
import json
import os
import sys

import pytest

from tests import fork
from tests.integration.server import SiteServer, small_site

SETTINGS = """
BOT_NAME = "shop"
SPIDER_MODULES = ["shop.spiders", "sitecrawl.spiders"]
ADDONS = {"sitecrawl.addon.SitecrawlAddon": 500}
LOG_LEVEL = "WARNING"
LOG_FORMATTER = "shop.log.ShopLog"
"""
LOG = """
from scrapy.logformatter import LogFormatter


class ShopLog(LogFormatter):
    def scraped(self, item, response, spider):
        return {"level": 30, "msg": "the shop's own line", "args": ()}
"""
SPIDER = """
import scrapy


class Price(scrapy.Item):
    url = scrapy.Field()
    price = scrapy.Field()


class ShopSpider(scrapy.Spider):
    name = "shop"

    async def start(self):
        yield scrapy.Request(self.url)

    def parse(self, response):
        yield Price(url=response.url, price="=1+1")
"""


@pytest.fixture
def project(tmp_path):
    package = tmp_path / "shop"
    (package / "spiders").mkdir(parents=True)
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")
    for name, text in (("__init__", ""), ("settings", SETTINGS), ("log", LOG)):
        (package / f"{name}.py").write_text(text)
    (package / "spiders" / "__init__.py").write_text("")
    (package / "spiders" / "prices.py").write_text(SPIDER)
    return tmp_path


def scrapy(project, *arguments):
    program = [sys.executable, "-c", "from scrapy.cmdline import execute; execute()"]
    environment = {name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"}
    return fork.run([*program, *arguments], capture_output=True, text=True, timeout=120, cwd=project, env=environment)


def test_the_spiders_of_the_project_are_as_without_it(project):
    with SiteServer({"/robots.txt": (404, {}, ""), "/": "<p>hello</p>"}) as site:
        done = scrapy(project, "crawl", "shop", "-a", f"url={site.url()}", "-O", "prices.csv")
        assert done.returncode == 0, done.stderr
        assert "the shop's own line" in done.stderr
        with (project / "prices.csv").open(newline="") as file:
            assert list(csv.DictReader(file)) == [{"url": site.url(), "price": "=1+1"}]

        guarded = scrapy(
            project, "crawl", "shop", "-a", f"url={site.url()}", "-O", "prices.jsonl", "-s", "SITECRAWL_ADDON=all"
        )
        assert f"refused (address): {site.url()}" in guarded.stderr
        port = site.server.server_address[1]
        allowed = ("-s", "SITECRAWL_ADDON=all", "-s", f"SITECRAWL_ALLOWED_ADDRESSES=127.0.0.0/8:{port}")
        done = scrapy(project, "crawl", "shop", "-a", f"url={site.url()}", "-O", "prices.jsonl", *allowed)
        assert done.returncode == 0, done.stderr
        rows = [json.loads(line) for line in (project / "prices.jsonl").read_text().splitlines()]
        assert rows == [{"url": site.url(), "price": "=1+1"}]


def test_the_site_spider_crawls_in_the_project_as_in_its_own(project):
    with SiteServer(small_site(12)) as site:
        done = scrapy(project, "crawl", "site", "-a", f"url={site.url('/index.html')}", "-O", "site.jsonl")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (project / "site.jsonl").read_text().splitlines()]
    assert len(rows) == 15
    assert list(rows[0])[:4] == ["id", "url", "canonical_url", "site"]
    assert "html" not in rows[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-a", "url=ftp://example.org/"], "'ftp://example.org/': not an absolute http or https URL"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "SITECRAWL_NO_SUCH=1"], "SITECRAWL_NO_SUCH: unknown setting"),
        ([], "which website?"),
    ],
)
def test_a_setting_that_cannot_be_used_is_one_line(project, arguments, words):
    done = scrapy(project, "crawl", "site", *arguments)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    (line,) = done.stderr.splitlines()
    assert words in line
