"""The add-on in another project: its spiders' items get the main content, and nothing else changes."""

import json
import os
import subprocess
import sys

import pytest

import sitecrawl
from sitecrawl.storage.db.engine import open_database, session_scope
from tests import fork
from tests.integration.server import SiteServer
from tests.unit.api.pages import html

SETTINGS = """
BOT_NAME = "journal"
SPIDER_MODULES = ["journal.spiders"]
ADDONS = {"sitecrawl.addon.SitecrawlAddon": 500}
ITEM_PIPELINES = {"journal.pipelines.Lengths": 300}
SPIDER_MIDDLEWARES = {"journal.middlewares.Sections": 543}
LOG_LEVEL = "WARNING"
STATS_CLASS = "journal.stats.FileStats"
"""
PIPELINES = """
from itemadapter import ItemAdapter


class Lengths:
    def process_item(self, item):
        adapter = ItemAdapter(item)
        adapter["length"] = len(adapter.get("main_content") or "")
        return item
"""
MIDDLEWARES = """
from itemadapter import ItemAdapter


class Sections:
    async def process_spider_output(self, response, result):
        async for output in result:
            if ItemAdapter.is_item(output):
                ItemAdapter(output)["section"] = response.url.split("/")[3]
            yield output
"""
STATS = """
import json

from scrapy.statscollectors import StatsCollector


class FileStats(StatsCollector):
    def _persist_stats(self, stats):
        with open("stats.json", "w") as file:
            json.dump(stats, file, default=str)
"""
PLAIN = """
import scrapy


class NotesSpider(scrapy.Spider):
    name = "notes"

    async def start(self):
        yield scrapy.Request(self.url)

    def parse(self, response):
        for href in response.css("nav a::attr(href)").getall():
            yield response.follow(href, self.note)

    def note(self, response):
        yield {"url": response.url, "heading": response.css("h1::text").get(), "links": len(response.css("a")), "price": None}
"""
CRAWL = """
import dataclasses

from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


@dataclasses.dataclass
class Note:
    url: str
    heading: str
    main_content: str = ""
    title: str | None = None
    section: str = ""
    length: int = 0


class RulesSpider(CrawlSpider):
    name = "rules"
    rules = [Rule(LinkExtractor(allow="/notes/"), callback="note", follow=True)]

    def __init__(self, url, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [url]

    def note(self, response):
        return Note(response.url, response.css("h1::text").get(), title="The spider's title")
"""
COUNT = 6
FIELDS = '{"main_content": "text", "title": "title"}'
FILES = {
    "__init__": "",
    "settings": SETTINGS,
    "pipelines": PIPELINES,
    "middlewares": MIDDLEWARES,
    "stats": STATS,
    "spiders/__init__": "",
    "spiders/plain": PLAIN,
    "spiders/rules": CRAWL,
}


def make_project(folder, files):
    """Write a Scrapy project; return its folder."""
    (folder / "journal" / "spiders").mkdir(parents=True)
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = journal.settings\n")
    for name, source in files.items():
        (folder / "journal" / f"{name}.py").write_text(source)
    return folder


def notes_site():
    """Return a server of notes, and a page that leads to them."""
    links = "".join(f"<a href=/notes/{number}.html>Note {number}</a> " for number in range(1, COUNT + 1))
    pages = {f"/notes/{number}.html": html(number) for number in range(1, COUNT + 1)}
    return SiteServer({"/robots.txt": (404, {}, ""), "/": f"<nav>{links}</nav>", **pages})


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path, FILES)


@pytest.fixture
def site():
    with notes_site() as server:
        yield server


def run(project, spider, url, settings, python=sys.executable):
    """Crawl; return the finished process."""
    program = [
        str(python),
        "-c",
        "from scrapy.cmdline import execute; execute()",
        "crawl",
        spider,
        "-a",
        f"url={url}",
    ]
    options = [option for name, value in settings.items() for option in ("-s", f"{name}={value}")]
    environment = {name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"}
    start = fork.run if python == sys.executable else subprocess.run
    return start(
        [*program, "-O", "rows.jsonl", *options],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=project,
        env=environment,
    )


def crawl(project, spider, url, python=sys.executable, **settings):
    """Crawl; return the rows by URL, the stats of the add-on, and standard error."""
    done = run(project, spider, url, settings, python)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (project / "rows.jsonl").read_text().splitlines()]
    stats = json.loads((project / "stats.json").read_text())
    ours = {name.removeprefix("sitecrawl/items/"): n for name, n in stats.items() if name.startswith("sitecrawl/")}
    ours.pop("sitecrawl/seconds/items", None)
    return sorted(rows, key=lambda row: row["url"]), ours, done.stderr


def text(number):
    lines = (f"{number * 7 + i} boats that came in, and of what they carried." for i in range(4))
    sentences = (f"Note {number} tells in sentence {i} of the {line}" for i, line in enumerate(lines))
    return "\n".join([f"Note {number}", *sentences])


def test_a_plain_spider_without_the_setting_is_as_without_the_add_on(project, site):
    alone = crawl(project, "notes", site.url(), ADDONS="{}")
    assert crawl(project, "notes", site.url()) == alone
    rows, stats, errors = alone
    assert (len(rows), stats, errors) == (COUNT, {}, "")


@pytest.mark.parametrize(
    ("spider", "own", "title"),
    [
        ("notes", ["url", "heading", "links", "price", "section"], None),
        ("rules", ["url", "heading", "section", "title"], "The spider's title"),
    ],
)
def test_every_item_keeps_its_fields_and_gets_the_content(project, site, spider, own, title):
    before, _, _ = crawl(project, spider, site.url())
    rows, stats, errors = crawl(project, spider, site.url(), SITECRAWL_ITEM_FIELDS=FIELDS)
    assert errors == ""
    assert stats == {"extended": COUNT} | ({"own_values": COUNT} if title else {})
    assert [{name: row[name] for name in own} for row in rows] == [{name: row[name] for name in own} for row in before]
    for number, row in enumerate(rows, 1):
        assert row["main_content"] == text(number)
        assert row["title"] == title or f"Note {number}"
        assert row["length"] == len(text(number))  # the project's own pipeline sees the content
        assert set(row) == set(before[number - 1]) | {"main_content", "title"}
    assert not (project / "sitecrawl.db").exists()


def test_the_stored_template_of_the_host_is_used(project, site):
    url = site.url("/notes/{}.html")
    learned = sitecrawl.learn((url.format(number), html(number)) for number in range(10, 20))
    engine = open_database(f"sqlite:///{project}/sitecrawl.db")
    with session_scope(engine) as session:
        learned._store(session)
    engine.dispose()
    rows, stats, _ = crawl(project, "notes", site.url(), SITECRAWL_ITEM_FIELDS='{"version": "template_version"}')
    assert [row["version"] for row in rows] == [1] * COUNT
    assert stats == {"extended": COUNT, "with_template": COUNT}


def test_the_html_may_be_in_a_field_and_a_class_without_the_fields_is_one_line(project, site):
    spider = project / "journal" / "spiders" / "plain.py"
    spider.write_text(spider.read_text().replace('"price": None', '"page": response.text'))
    settings = {"SITECRAWL_ITEM_FIELDS": FIELDS, "SITECRAWL_ITEM_HTML": "page"}
    rows, stats, errors = crawl(project, "notes", site.url(), **settings)
    assert [row["main_content"] for row in rows] == [text(number) for number in range(1, COUNT + 1)]
    assert [row["page"] for row in rows] == [html(number) for number in range(1, COUNT + 1)]
    assert (stats, errors) == ({"extended": COUNT}, "")

    rows, stats, errors = crawl(project, "rules", site.url(), SITECRAWL_ITEM_FIELDS='{"body": "text"}')
    assert len(rows) == COUNT
    assert stats == {"refused": COUNT}
    (line,) = errors.splitlines()
    assert "ERROR: Note has no field 'body'; add it to the class, or correct SITECRAWL_ITEM_FIELDS" in line


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"SITECRAWL_ITEM_FIELDS": '{"body": "txt"}'}, "SITECRAWL_ITEM_FIELDS: 'body': 'txt' is not a value of a page"),
        ({"SITECRAWL_ITEM_FIELDS": FIELDS, "SITECRAWL_DATABASE_URL": "nonsense"}, "is not a database URL"),
        ({"SITECRAWL_ITEM_FIELDS": FIELDS, "SITECRAWL_ITEM_HTLM": "page"}, "SITECRAWL_ITEM_HTLM: unknown setting"),
    ],
)
def test_a_setting_that_cannot_be_used_is_one_line_before_anything_is_fetched(project, site, settings, words):
    done = run(project, "notes", site.url(), settings)
    (line,) = done.stderr.splitlines()
    assert words in line
    assert (done.returncode, site.log) == (1, [])
