"""What crawls of the cases find imported."""

from sitecrawl.fleet.forkserver import preload
from sitecrawl.fleet.preload import PRELOADED

preload(PRELOADED)
