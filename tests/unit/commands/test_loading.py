"""Tests of how the commands are loaded."""

import subprocess
import sys

LOADED = """
import gc
from scrapy.utils.misc import walk_modules
looked = []
import sitecrawl.commands
gc.callbacks.append(lambda phase, about: looked.append(phase))
walk_modules("sitecrawl.commands")
print(looked, gc.get_threshold()[0])
"""


def test_no_garbage_is_looked_for_while_commands_are_loaded():
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[] 200000\n", done.stderr


COMMAND = """
import gc, sys
looked = []
gc.collect()
gc.callbacks.append(lambda phase, about: looked.append(phase == "start"))
from sitecrawl.cli import main
sys.argv[1:] = ["crawl"]
try:
    main()
except SystemExit:
    print(sum(looked) < 20, gc.isenabled(), gc.get_freeze_count() > 100_000)
"""


def test_hardly_any_garbage_is_looked_for_until_a_command_runs():
    done = subprocess.run([sys.executable, "-c", COMMAND], capture_output=True, text=True, timeout=60)
    assert done.stdout == "True True True\n", done.stderr
