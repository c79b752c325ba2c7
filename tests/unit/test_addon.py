"""What the add-on sets in a project that has no settings of sitecrawl."""

from scrapy.settings import Settings

from sitecrawl.addon import SitecrawlAddon

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
