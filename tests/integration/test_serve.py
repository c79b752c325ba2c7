"""`sitecrawl serve` as a process, asked for pages of a real website on loopback."""

import signal
import subprocess
from http.client import HTTPConnection
from urllib.parse import quote

import pytest

from tests import fork
from tests.integration.server import SiteServer, small_site
from tests.integration.test_bad_input import free_port


@pytest.fixture
def site():
    with SiteServer(small_site(3)) as server:
        yield server


def answer(port, path):
    """Return status, headers and text of an answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        given = connection.getresponse()
        return given.status, given.headers, given.read().decode()
    finally:
        connection.close()


def test_pages_are_cleaned_until_it_is_stopped(site, tmp_path):
    port, theirs = free_port(), site.server.server_address[1]
    line = ["sitecrawl", "serve", "--port", str(port), "-s", f"SITECRAWL_ALLOWED_ADDRESSES=127.0.0.0/8:{theirs}"]
    with fork.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdout.readline() == f"http://127.0.0.1:{port}/\n"
        url = quote(site.url("/reports/1.html"), safe="")
        for form, kind in (("text", "text/plain"), ("md", "text/markdown"), ("html", "text/html")):
            status, headers, text = answer(port, f"/clean?url={url}&method=crunch&format={form}")
            assert (status, headers.get_content_type()) == (200, kind)
            assert "Report 1 paragraph 5 tells of the" in text
        assert text.startswith("<!DOCTYPE html>") and '<div class="main">' in text
        status, headers, text = answer(port, f"/clean?url={quote('http://127.0.0.1:9/')}")
        assert status == 403 and text.startswith("sitecrawl: refused: ") and headers["Cache-Control"] == "no-store"
        assert answer(port, "/")[0] == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == ""
    assert site.log == ["/reports/1.html"] * 3  # nothing was kept, and robots.txt was not asked for
    assert list(tmp_path.iterdir()) == []  # no database was made
