"""The add-on in a project whose spiders take page objects from scrapy-poet."""

import pytest

from tests.integration.poet import MISSING, PYTHON
from tests.integration.test_item_fields import COUNT, FIELDS, FILES, crawl, make_project, notes_site, text

SETTINGS = FILES["settings"].replace("ADDONS = {", 'ADDONS = {"scrapy_poet.Addon": 300, ')
SPIDER = """
import attrs
import scrapy
from scrapy_poet import DummyResponse
from web_poet import WebPage, field


@attrs.define
class Note:
    url: str
    heading: str
    section: str = ""
    length: int = 0
    title: str | None = None
    main_content: str | None = None


class NotePage(WebPage[Note]):
    @field
    def url(self):
        return str(self.response.url)

    @field
    def heading(self):
        return self.css("h1::text").get()


class PoetSpider(scrapy.Spider):
    name = "poet"

    async def start(self):
        yield scrapy.Request(self.url)

    def parse(self, response):
        for href in response.css("nav a::attr(href)").getall():
            yield response.follow(href, self.note)
        yield response.follow("/notes/1.html?again", self.unread)

    async def note(self, response, page: NotePage):
        yield await page.to_item()

    def unread(self, response: DummyResponse):
        yield {"url": response.url, "heading": "none"}
"""


@pytest.fixture
def project(tmp_path):
    if MISSING:  # pytest collects a file that is named in its command, though it is left out of the suite
        pytest.fail(MISSING, pytrace=False)
    return make_project(tmp_path, {**FILES, "settings": SETTINGS, "spiders/poet": SPIDER})


def test_items_of_page_objects_keep_their_fields_and_get_the_content(project):
    with notes_site() as site:
        rows, stats, errors = crawl(project, "poet", site.url(), python=PYTHON, SITECRAWL_ITEM_FIELDS=FIELDS)
        assert errors == ""
        unread = {"url": site.url("/notes/1.html?again"), "heading": "none", "section": "notes", "length": 0}
        assert [row for row in rows if "?" in row["url"]] == [unread]  # nothing was fetched for it
        assert stats == {"extended": COUNT, "unreadable": 1}
        notes = [row for row in rows if "?" not in row["url"]]
        assert notes == [
            {
                "url": site.url(f"/notes/{number}.html"),
                "heading": f"Note {number}",
                "section": "notes",
                "length": len(text(number)),
                "title": f"Note {number}",
                "main_content": text(number),
            }
            for number in range(1, COUNT + 1)
        ]
