"""The `sitecrawl` command before Scrapy is there."""

import signal
import subprocess
import sys

import pytest

BEGUN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is born without
import sitecrawl.cli
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "scrapy":
            signal.raise_signal(int(sys.argv.pop()))
            raise SystemExit(7)
sys.meta_path.insert(0, Slow())
sitecrawl.cli.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("command", "status"), [("crawl", 0), ("recrawl", 0), ("search", None)])
def test_a_signal_before_a_crawl_began_is_no_failure(command, status, number):
    line = [sys.executable, "-c", BEGUN, command, str(int(number))]
    ended = subprocess.run(line, capture_output=True, text=True, timeout=60)
    if status is None:  # not caught, as any program
        assert ended.returncode in (-number, 1, 130), ended.stderr
    else:
        assert (ended.returncode, ended.stderr) == (0, "sitecrawl: stopped by a signal before the crawl began\n")
