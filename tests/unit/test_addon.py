"""Tests of the settings that the add-on makes in a project without settings of sitecrawl."""

import pytest
from scrapy import Spider
from scrapy.settings import Settings

from sitecrawl.addon import SitecrawlAddon
from sitecrawl.errors import ConfigError
from sitecrawl.item_fields.middleware import ItemFieldsMiddleware
from sitecrawl.item_fields.pipeline import ItemFieldsPipeline

FIFO = "scrapy.squeues.FifoMemoryQueue"


def test_requests_of_equal_priority_keep_their_order_in_any_project():
    settings = Settings()
    SitecrawlAddon().update_settings(settings)
    assert settings["SCHEDULER_MEMORY_QUEUE"] == FIFO


def test_a_projects_own_queue_stays():
    settings = Settings()
    settings.set("SCHEDULER_MEMORY_QUEUE", "scrapy.squeues.LifoMemoryQueue", priority="project")
    SitecrawlAddon().update_settings(settings)
    assert settings["SCHEDULER_MEMORY_QUEUE"] == "scrapy.squeues.LifoMemoryQueue"


@pytest.mark.parametrize("priority", ["default", "project", "cmdline"])
def test_parts_of_scrapy_are_replaced_where_the_project_has_others_of_its_own(priority):
    """Else rows that cannot be written would be lost, and robots.txt be read twice."""
    own = {
        "EXTENSIONS": "scrapy.extensions.logstats.LogStats",
        "DOWNLOADER_MIDDLEWARES": "scrapy.downloadermiddlewares.stats.DownloaderStats",
        "FEED_STORAGES": "s3",
        "FEED_EXPORTERS": "xml",
    }
    settings = Settings()
    for name, one in own.items():
        settings.set(name, {one: None}, priority=priority)
    SitecrawlAddon().update_settings(settings)
    found = {name: settings.getdict(name) for name in own}
    assert all(found[name][one] is None for name, one in own.items())
    assert found["EXTENSIONS"]["scrapy.extensions.feedexport.FeedExporter"] is None
    assert found["EXTENSIONS"]["sitecrawl.shell.feed_export.StoppingFeedExporter"] == 0
    for one in ("robotstxt.RobotsTxtMiddleware", "httpcompression.HttpCompressionMiddleware"):
        assert found["DOWNLOADER_MIDDLEWARES"][f"scrapy.downloadermiddlewares.{one}"] is None
    assert found["FEED_STORAGES"]["file"] == "sitecrawl.shell.feed_export.WholeRowsStorage"
    assert found["FEED_EXPORTERS"]["csv"] == "sitecrawl.shell.csv_export.SafeCsvItemExporter"


def changed(**given):
    """Return the settings that the add-on changes for a project's own spider."""
    settings = Settings(given)
    before = settings.copy_to_dict()
    SitecrawlAddon(Spider).update_settings(settings)
    return {name: value for name, value in settings.copy_to_dict().items() if before.get(name) != value}


def test_fields_of_items_add_one_component_and_nothing_else():
    fields = {"body": "text"}
    assert changed(SITECRAWL_ITEM_FIELDS=fields) == {"SPIDER_MIDDLEWARES": {str(ItemFieldsMiddleware): 100}}
    assert changed(SITECRAWL_ITEM_FIELDS=fields, SITECRAWL_ITEM_HTML="page") == {
        "ITEM_PIPELINES": {str(ItemFieldsPipeline): 50}
    }
    assert changed() == changed(SITECRAWL_ITEM_FIELDS={}) == changed(SITECRAWL_ITEM_FIELDS="{}") == {}


def test_a_component_stays_where_the_project_placed_it():
    placed = {"ITEM_PIPELINES": {"sitecrawl.item_fields.pipeline.ItemFieldsPipeline": 350}}
    assert changed(SITECRAWL_ITEM_FIELDS={"body": "text"}, SITECRAWL_ITEM_HTML="page", **placed) == {}


def test_the_site_spider_has_fields_of_its_own():
    settings = Settings({"SITECRAWL_ITEM_FIELDS": {"body": "text"}})
    SitecrawlAddon().update_settings(settings)
    assert ItemFieldsMiddleware not in settings["SPIDER_MIDDLEWARES"]


def test_fields_that_cannot_be_added_are_refused():
    with pytest.raises(ConfigError, match="'txt' is not a value of a page"):
        changed(SITECRAWL_ITEM_FIELDS={"body": "txt"})
