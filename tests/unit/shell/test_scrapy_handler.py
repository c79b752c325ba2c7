import inspect
import subprocess
import sys

from sitecrawl.shell.scrapy_handler import load_handler

LOADED = """
import inspect, linecache
import sitecrawl.commands
from scrapy.core.downloader import contextfactory, tls
print(contextfactory.ScrapyClientContextFactory.__module__, tls.ScrapyClientTLSOptions.__module__)
print([name for name in linecache.cache if name.endswith(".py")], inspect.modulesbyfile)
"""


def test_the_stack_is_whole_again():
    load_handler()
    assert inspect.stack()[0].function == "test_the_stack_is_whole_again"


def test_deprecated_classes_have_their_module_and_no_source_is_read():
    done = subprocess.run([sys.executable, "-W", "error", "-c", LOADED], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["scrapy.core.downloader.contextfactory scrapy.core.downloader.tls", "[] {}"], (
        done
    )
