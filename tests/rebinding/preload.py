"""The modules that crawls of the cases find imported."""

from sitecrawl.fleet.forkserver import preload
from sitecrawl.fleet.preload import PRELOADED
from tests.compiled import crawl_once

preload(PRELOADED)
crawl_once()
