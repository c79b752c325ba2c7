import asyncio
import gzip
import json
import threading
from contextlib import contextmanager
from urllib.parse import urlencode

import pytest

from sitecrawl.service import fetching
from sitecrawl.service.app import PAGE_CSP, STYLE
from sitecrawl.service.places import FETCHES, OF_HOST, Places
from tests.integration.server import SiteServer
from tests.unit.service.conftest import ARTICLE, PAGE, opened, served

LONG = "Paragraph 5 of the story tells at some length"


def refused(answer, status, *words):
    """The response is one line with the reason, and is not cached."""
    assert answer.status_code == status, answer.text
    assert answer.text.startswith("sitecrawl: ") and answer.text.count("\n") == 1
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert [word for word in words if word not in answer.text] == []


def test_crunch_edits_the_page_and_keeps_its_look(ask):
    answer = ask(method="crunch")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert '<link rel="stylesheet" href="/style.css">' in answer.text
    assert '<td width="500">' in answer.text and LONG in answer.text
    assert not [gone for gone in ("<script", "<form", "<input", "doubleclick", "banner.png") if gone in answer.text]
    assert answer.headers["content-security-policy"] == PAGE_CSP
    assert answer.headers["sitecrawl-method"] == "crunch"
    assert answer.headers["sitecrawl-template"] == "none"


def test_crunch_gives_text_with_the_removed_links(ask, site):
    text = ask(method="crunch", format="text").text
    assert LONG in text and "<p>" not in text
    assert text.endswith(f"One <{site.url('/one')}>\nTwo <{site.url('/two')}>")


def test_options_change_the_method(ask):
    assert "doubleclick" in ask(method="crunch", o="advertisements=False").text
    answer = ask(method="crunch", o=['ignored_attributes=["td.width"]', "link_lists=False"])
    assert "<td width" not in answer.text and ">One</a>" in answer.text


def test_another_method_gives_its_main_content(ask, site):
    answer = ask()
    assert answer.headers["sitecrawl-method"] == "combined"
    assert f'<base href="{site.url("/story")}">' in answer.text and "<title>A story</title>" in answer.text
    assert LONG in answer.text and ">One<" not in answer.text
    assert ask(format="text").text.startswith("A story\nParagraph 0") or LONG in ask(format="text").text
    assert ask(format="md").headers["content-type"] == "text/markdown; charset=utf-8"


def test_json_has_the_fields_of_the_feed(ask, site):
    row = json.loads(ask(format="json", method="cnr").text)
    assert (row["url"], row["kind"], row["method"], row["title"]) == (site.url("/story"), "content", "cnr", "A story")
    assert LONG in row["text"] and row["evidence"] and row["why"] == ""


def test_a_method_that_needs_a_template_says_so(ask):
    refused(ask(method="sst"), 400, "needs template", "crawl the site with -s SITECRAWL_EXTRACTOR=sst")


def test_redirects_are_followed_to_what_may_be_fetched(ask, site):
    site.pages["/moved"] = (302, {"Location": "/story"}, "")
    site.pages["/inward"] = (302, {"Location": "http://169.254.169.254/latest"}, "")
    site.pages["/round"] = (302, {"Location": "/round"}, "")
    assert LONG in ask("/moved").text
    refused(ask("/inward"), 403, "refused: http://169.254.169.254/latest: not a public address")
    refused(ask("/round"), 502, "over 10 redirects")


@pytest.mark.parametrize(
    ("url", "status", "words"),
    [
        ("http://127.0.0.1:1/", 403, "SITECRAWL_ALLOWED_ADDRESSES"),
        ("http://localhost/", 403, "not a public address"),
        ("http://[::1]/", 403, "not a public address"),
        ("http://0x7f.1:8080/", 403, "not a public address"),
        ("http://93.184.216.34:22/", 403, "not a port of the web"),
        ("file:///etc/passwd", 400, "'file:///etc/passwd': not an absolute http or https URL; give the"),
        ("nonsense", 400, "'nonsense': not an absolute http or https URL; give the"),
        ("http://user:word@example.org/", 400, "'http://...@example.org/': user name or password in the URL; give the"),
        ("http://example.org/" + 9000 * "a", 400, "aaa': longer than 2083 characters; give the"),
    ],
)
def test_addresses_that_are_refused(client, url, status, words):
    refused(client.get("/clean", params={"url": url}), status, words)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", "url: is missing"),
        ("url=http://h.example/&format=pdf", "one of html, text, md, json"),
        ("url=http://h.example/&method=nonsense", "unknown extraction method 'nonsense'"),
        ("url=http://h.example/&methot=cnr", "'methot': unknown"),
        ("url=http://h.example/&url=http://i.example/", "url: is given twice"),
        ("url=http://h.example/&method=crunch&o=nonsense=1", "no setting 'nonsense'"),
        ("url=http://h.example/&method=crunch&o=link_ratio", "give OPTION=VALUE"),
        ("url=http://h.example/&method=crunch&o=word_length=0", "word_length is 0"),
        ("url=http://h.example/&method=cnr&o=nonsense=1", "has no option nonsense"),
        ("url=http://h.example/&method=cnr&o=share=much", "cnr: share is 'much'; give a number"),
        ("url=http://h.example/&method=crunch&o=settings=/etc/passwd", "names a file of the server"),
    ],
)
def test_requests_that_cannot_be_used(client, query, words):
    refused(client.get(f"/clean?{query}"), 400, words)


def test_what_a_site_may_answer_wrongly(ask, site):
    site.pages |= {
        "/picture": (200, {"Content-Type": "image/png"}, b"\x89PNG"),
        "/labelled": (200, {}, b"\x89PNG"),
        "/empty": (200, {}, "  "),
        "/bomb": (200, {"Content-Encoding": "gzip"}, gzip.compress(bytes(2**25))),
        "/cut": (200, {"Content-Encoding": "gzip"}, gzip.compress(ARTICLE.encode())[:50]),
        "/many": "<p>" + "<b>x</b>" * 120_000,
        "/links": "<p>" + "".join(f"<a href=/{n}>Number {n}</a> " for n in range(50)),
    }
    refused(ask("/nowhere"), 502, "the site answered with status 404")
    refused(ask("/picture"), 415, "not HTML (image/png)")
    refused(ask("/labelled"), 415, "not HTML")
    refused(ask("/empty"), 422, "the page is empty")
    refused(ask("/bomb"), 422, "over 10485760 bytes")
    refused(ask("/cut"), 502, "the body is damaged")
    refused(ask("/many"), 422, "SITECRAWL_MAX_NODES")
    refused(ask("/nowhere", method="cnr"), 502)
    assert "Number 49" in ask("/links", method="crunch").text  # a link portal stays as it is


def test_a_page_without_main_content(ask, site):
    site.pages["/bare"] = "<html><body><div></div></body></html>"
    refused(ask("/bare", format="text"), 422, "found no main content")
    assert json.loads(ask("/bare", format="json").text)["kind"] == "none"


def test_a_site_that_does_not_end_its_answer(site, tmp_path):
    site.pages["/slow"] = "x"
    site.hold(0)
    try:
        with opened(site, tmp_path, DOWNLOAD_TIMEOUT=0.2) as client:
            refused(client.get("/clean", params={"url": site.url("/slow")}), 502, "no complete page within 0.2 s")
    finally:
        site.hold(None)


async def asked(app, url, left):
    """The status of the response for a client that leaves at an event."""
    statuses = []

    async def receive():
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        statuses.extend([message["status"]] if "status" in message else [])

    query = urlencode({"url": url}).encode()
    headers = [(b"host", b"127.0.0.1:8080")]
    request = {"type": "http", "method": "GET", "path": "/clean", "query_string": query, "headers": headers}
    await app(request, receive, send)
    return statuses[0]


@contextmanager
def stuck_page(site):
    """The page `/stuck` answers when the block ends; yields a semaphore that each request for it releases."""
    over, reached = threading.Event(), threading.Semaphore(0)

    def stuck():
        reached.release()
        over.wait(600)
        return PAGE

    site.pages["/stuck"] = stuck
    try:
        yield reached
    finally:
        over.set()


def test_a_client_that_leaves_keeps_no_place_from_others(site, tmp_path):
    app = served(site, tmp_path, DOWNLOAD_TIMEOUT=600)

    async def play(reached):
        async with asyncio.timeout(120):
            left = asyncio.Event()
            waiting = [asyncio.create_task(asked(app, site.url("/stuck"), left)) for _ in range(OF_HOST + 2)]
            for _ in range(OF_HOST):
                await asyncio.to_thread(reached.acquire)
            left.set()
            answer = await asked(app, site.url("/story"), asyncio.Event())
            return answer, await asyncio.gather(*waiting)

    with stuck_page(site) as reached:
        assert asyncio.run(play(reached)) == (200, [503] * (OF_HOST + 2))


def test_pages_of_a_slow_host_keep_no_place_from_others(site, tmp_path):
    with SiteServer({"/story": PAGE}) as other, stuck_page(site) as reached:
        ports = [one.server.server_address[1] for one in (site, other)]
        allowed = ",".join(f"127.0.0.0/8:{port}" for port in ports)
        app = served(site, tmp_path, DOWNLOAD_TIMEOUT=600, SITECRAWL_ALLOWED_ADDRESSES=allowed)
        app.state.service.places = Places(patience=0.01)

        async def play():
            async with asyncio.timeout(120):
                left = asyncio.Event()
                waiting = [asyncio.create_task(asked(app, site.url("/stuck"), left)) for _ in range(OF_HOST)]
                for _ in range(OF_HOST):
                    await asyncio.to_thread(reached.acquire)
                answers = [await asked(app, one.url("/story"), asyncio.Event()) for one in (site, other)]
                left.set()
                await asyncio.gather(*waiting)
                return answers

        assert asyncio.run(play()) == [503, 200]


def test_slow_names_keep_no_thread_from_the_pages_that_are_cleaned(site, tmp_path, monkeypatch):
    over, reached = threading.Event(), threading.Semaphore(0)

    def slow(name):
        reached.release()
        over.wait(600)
        return []

    monkeypatch.setattr(fetching, "addresses_of", slow)
    app = served(site, tmp_path, DOWNLOAD_TIMEOUT=600)
    app.state.service.places = Places(2 * FETCHES)

    async def play():
        async with asyncio.timeout(20):
            left = asyncio.Event()
            names = [f"http://s{number}.example/" for number in range(FETCHES)]
            waiting = [asyncio.create_task(asked(app, name, left)) for name in names]
            for _ in range(FETCHES):
                await asyncio.to_thread(reached.acquire)
            answer = await asked(app, site.url("/story"), asyncio.Event())
            over.set()
            left.set()
            await asyncio.gather(*waiting)
            return answer

    try:
        assert asyncio.run(play()) == 200
    finally:
        over.set()


def test_a_service_that_is_too_busy_says_when_to_ask_again(site, tmp_path):
    with opened(site, tmp_path) as client:
        client.app.state.service.places = Places(0, 0, 0.01)
        answer = client.get("/clean", params={"url": site.url("/story")})
    refused(answer, 503, "ask again in a while")
    assert answer.headers["retry-after"] == "30"


def test_each_host_has_settings_of_its_own(site, tmp_path):
    file = tmp_path / "sites.toml"
    file.write_text('method = "cnr"\n["127.0.0.1"]\nmethod = "crunch"\n["127.0.0.1".options]\nadvertisements = false\n')
    with opened(site, tmp_path, sites=str(file)) as client:
        assert " selected>cnr</option>" in client.get("/").text
        plain = client.get("/clean", params={"url": site.url("/story")})
        assert plain.headers["sitecrawl-method"] == "crunch" and "doubleclick" in plain.text
        both = client.get("/clean", params={"url": site.url("/story"), "o": "link_lists=False"})
        assert "doubleclick" in both.text and ">One</a>" in both.text
        other = client.get("/clean", params={"url": site.url("/story"), "method": "density"})
        assert other.headers["sitecrawl-method"] == "density"


def test_overrides_are_obeyed(site, tmp_path):
    folder = tmp_path / "overrides"
    folder.mkdir()
    (folder / "127.0.0.1.yaml").write_text("content: h1\n")
    with opened(site, tmp_path, SITECRAWL_OVERRIDES=str(folder)) as client:
        assert client.get("/clean", params={"url": site.url("/story"), "format": "text"}).text == "A story"


def test_the_start_page_is_a_form_with_the_methods(client):
    answer = client.get("/")
    assert (
        answer.status_code == 200
        and 'name="url"' in answer.text
        and "<option selected>combined</option>" in answer.text
    )
    assert STYLE in answer.text and "script-src" not in answer.headers["content-security-policy"]


def test_other_paths_and_verbs(client):
    refused(client.get("/other"), 404, "the paths are / and /clean")
    refused(client.post("/clean"), 405, "with the method GET")
    assert client.post("/clean").headers["allow"] == "GET, HEAD"
