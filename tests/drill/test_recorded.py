"""Recorded sites as the drill serves them, and the network namespace it moves to."""

import gzip
import json
import os
import re
import socket

import pytest

from tests.drill.cases import NotPossible
from tests.drill.own_network import own_network
from tests.drill.recorded import RecordedSite, RecordedSites

ORIGIN = "http://127.8.0.1:8000"


def page(number, *links):
    anchors = "".join(f'<a href="{link}">Further</a>' for link in links)
    own = "".join(f"<p>Word{number}x{i} tells of thing{number}x{i}.</p>" for i in range(20))
    return f"<title>Site</title><script>var own{number}=1</script><nav>The menu</nav>{own}{anchors}"


@pytest.fixture
def folder(tmp_path):
    rows = [
        {"url": "http://site.org/", "html": page(1, "http://site.org/a/x?q=1", "/b")},
        {"url": "http://site.org/a/x?q=1", "html": page(2, "/", "http://other.org/")},
        {"url": "http://site.org/b", "html": page(3, "/")},
    ]
    with gzip.open(tmp_path / "site.jsonl.gz", "wt") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    return tmp_path


def texts(html):
    return re.findall(r"(?<=>)[^<>]+(?=<)", html)


def test_a_copy_has_the_layout_of_the_site_and_words_of_its_own(folder):
    site = RecordedSite(folder / "site.jsonl.gz", ORIGIN, 8)
    first, copy, other = (site.answer(path).decode() for path in ("/", "/copy-1/", "/copy-2/"))
    assert site.copies == 3
    assert re.findall(r"<\w+", copy) == re.findall(r"<\w+", first)
    assert "<nav>The menu</nav>" in copy
    assert "<title>Site</title>" in copy
    assert "var own1=1" in copy
    own = [text for text in texts(first) if "tells" in text]
    assert len(own) == 20
    assert not set(own) & set(texts(copy))
    assert copy.partition("<a ")[0] != other.partition("<a ")[0]
    assert site.answer("/copy-1/").decode() == copy


def test_links_of_a_copy_lead_to_the_copy_and_to_other_hosts(folder):
    site = RecordedSite(folder / "site.jsonl.gz", ORIGIN, 8)
    links = [re.findall('href="([^"]*)"', site.answer(path).decode()) for path in ("/copy-1/", "/copy-1/a/x?q=1")]
    assert links == [[f"{ORIGIN}/copy-1/a/x?q=1", "/copy-1/b"], ["/copy-1/", "http://other.org/"]]


def test_the_sitemap_has_all_pages_of_all_copies_and_no_other_is_served(folder):
    site = RecordedSite(folder / "site.jsonl.gz", ORIGIN, 8)
    urls = re.findall("<loc>(.*?)</loc>", site.answer("/sitemap.xml").decode())
    assert len(set(urls)) == 9
    assert all(site.answer(url.removeprefix(ORIGIN)) for url in urls)
    assert f"{ORIGIN}/sitemap.xml" in site.answer("/robots.txt").decode()
    assert site.answer("/copy-3/") is None
    assert site.answer("/copy-1/c") is None


def test_sites_begin_anew_at_further_addresses_and_requests_are_noted(folder, tmp_path):
    asked = RecordedSites(folder, 3, 3, tmp_path / "asked.log")
    with asked.serve() as urls:
        assert urls == [f"http://127.8.0.{number}:8000/" for number in (1, 2, 3)]
        with socket.create_connection(("127.8.0.2", 8000), timeout=30) as connection:
            connection.sendall(b"GET /b HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.1\r\n\r\n")
            answers = connection.makefile("rb")
            assert answers.readline() == b"HTTP/1.1 200 Answer\r\n"
            while b"HTTP/1.1 404" not in answers.readline():  # the body before it ends without a line
                pass
    assert [path for _, path in asked.of["127.8.0.2:8000"]] == ["/b", "/none"]
    assert list(asked.of) == ["127.8.0.2:8000"]
    asked.forget()
    assert not asked.of


def test_without_a_folder_of_recorded_sites_the_case_cannot_be_played(tmp_path):
    with pytest.raises(NotPossible, match="--recorded FOLDER"):
        RecordedSites(None, 3, 3, tmp_path / "asked.log")


def test_a_network_namespace_has_no_address_of_the_machine():
    if os.geteuid() != 0:
        with pytest.raises(NotPossible, match="need root"), own_network():
            pass
        return
    with socket.create_server(("127.0.0.1", 0)) as outside:
        with own_network():  # where none can be made this fails, for then nobody knows
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(outside.getsockname()).close()
            with socket.create_server(("127.8.0.1", 0)) as inside:
                socket.create_connection(inside.getsockname()).close()
        socket.create_connection(outside.getsockname()).close()
