import asyncio
import subprocess
import threading

import pytest

from sitecrawl.config import Config
from sitecrawl.dom.charset import decoded
from sitecrawl.errors import PageTooLargeError
from sitecrawl.service.cleaning import Cleaner
from sitecrawl.service.site_settings import Choice
from tests.unit.ui.conftest import article, crawl


def test_the_stored_template_is_used(sqlite_url):
    asyncio.run(crawl(sqlite_url))
    cleaner = Cleaner(Config(database_url=sqlite_url))
    html = article(99)
    made = asyncio.run(cleaner.clean(html, "https://example.org/99", Choice("sst"), "text"))
    assert made.template is not None and made.method == "sst"
    assert "Paragraph 5 of story 99" in made.text and "imprint" not in made.text
    other = asyncio.run(cleaner.clean(html, "https://example.com/99", Choice("combined"), "text"))
    assert other.template is None and "Paragraph 5 of story 99" in other.text


def test_a_heavy_page_is_tried_apart_first(sqlite_url):
    cleaner = Cleaner(Config(database_url=sqlite_url))
    attributes = " ".join(f"data-a{number}=1" for number in range(60_000))
    with pytest.raises(PageTooLargeError, match="a tag with over 2000 attributes"):
        asyncio.run(cleaner.clean(f"<p {attributes}>Text.", "https://example.org/", Choice("cnr"), "text"))
    long = "<p>" + "A sentence of a long page that people read. " * 23_000
    assert len(asyncio.run(cleaner.clean(long, "https://example.org/", Choice("cnr"), "text")).text) > 1_000_000


def test_a_cancelled_trial_leaves_no_process(sqlite_url, monkeypatch):
    cleaner, started, begun = Cleaner(Config(database_url=sqlite_url)), [], threading.Event()
    popen = subprocess.Popen

    def noted(*arguments, **options):
        process = popen(*arguments, **options)
        started.append(process)
        begun.set()
        return process

    monkeypatch.setattr(subprocess, "Popen", noted)
    heavy = f"<p {' '.join(f'data-a{number}=1' for number in range(60_000))}>Text."

    async def play():
        work = asyncio.create_task(cleaner.clean(heavy, "https://example.org/", Choice("cnr"), "text"))
        await asyncio.to_thread(begun.wait)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(play())
    assert [process.returncode is not None for process in started] == [True]


@pytest.mark.parametrize(
    ("body", "charset"),
    [("né".encode(), None), ("né".encode("latin-1"), "latin-1"), (b"\xef\xbb\xbfn\xc3\xa9", "latin-1")],
)
def test_bodies_are_decoded_by_their_charset(body, charset):
    assert decoded(body, charset) == "né"
