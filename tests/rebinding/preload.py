"""What crawls of the cases find imported."""

from sitecrawl.crawl.preloaded import PRELOADED
from sitecrawl.crawl.starter import preload

preload(PRELOADED)
