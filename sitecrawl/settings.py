"""Scrapy settings of the project: polite and safe by default. `docs/settings.md` explains sitecrawl's own settings."""

from sitecrawl import __version__

BOT_NAME = "sitecrawl"
USER_AGENT = f"sitecrawl/{__version__} (+https://pypi.org/project/sitecrawl/)"
SPIDER_MODULES = ["sitecrawl.spiders"]
NEWSPIDER_MODULE = "sitecrawl.spiders"
COMMANDS_MODULE = "sitecrawl.commands"
ADDONS = {"sitecrawl.addon.SitecrawlAddon": 500}


LOG_LEVEL = "WARNING"

ROBOTSTXT_OBEY = True
TWISTED_DNS_RESOLVER = "sitecrawl.shell.resolver.GuardedResolver"
CONCURRENT_REQUESTS = 1
CONCURRENT_ITEMS = 2  # a callback yields at most one page, and Scrapy starts this number of tasks for each response
CONCURRENT_REQUESTS_PER_DOMAIN = 1
# A page's links and content are processed before the next page is requested, so the same crawl gives the same feed.
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 1
# Requests with equal priority are sent in the order of selection; Scrapy's default is last in, first out.
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"
DOWNLOAD_DELAY = 1.0
DOWNLOAD_DELAY_JITTER = 0.0  # the delay is never below a second; by default Scrapy varies it by half
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0

DOWNLOAD_MAXSIZE = 10 * 2**20
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_TIMEOUT = 30
DNS_TIMEOUT = 10
DOWNLOAD_HANDLERS = {
    "http": "sitecrawl.shell.downloading.StoppableHandler",
    "https": "sitecrawl.shell.downloading.StoppableHandler",
    **dict.fromkeys(("file", "data", "ftp", "s3")),
}
DOWNLOAD_VERIFY_CERTIFICATES = True
REDIRECT_MAX_TIMES = 10
METAREFRESH_ENABLED = False
RETRY_TIMES = 2
URLLENGTH_LIMIT = 2083

TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
COOKIES_ENABLED = False
REFERRER_POLICY = "no-referrer"
