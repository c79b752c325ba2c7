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
    assert done.stdout == "[] 150000\n", done.stderr
