import pytest

from sitecrawl.crawl.life import Answer
from sitecrawl.crawl.pretence import pretended
from sitecrawl.dom.page import Page
from tests.integration.server import article, frame


def judged(html):
    return pretended(Page.from_html(html, "https://example.org/x"))


@pytest.mark.parametrize(
    "title",
    [
        "404",
        "404 Not Found",
        "Page not found - Harbour News",
        "Harbour News | Page Not Found",
        "Error 404",
        "Seite nicht gefunden – Hafen",
        "Página no encontrada",
        "The requested page could not be found.",
    ],
)
def test_an_error_page_is_known_by_its_title(title):
    found = judged(frame(title, "<p>Sorry about that.</p>"))
    assert found is not None
    assert found.answer is Answer.UNUSABLE  # never replaces a good text, never deletes
    assert found.why.startswith("soft 404: it says")


def test_an_error_page_is_known_by_what_it_says():
    found = judged(frame("Harbour News", "<h2>Oh</h2><div>The page you asked for no longer exists.</div>"))
    assert found is not None
    assert found.answer is Answer.UNUSABLE


@pytest.mark.parametrize(
    "title", ["Just a moment...", "Attention Required! | Cloudflare", "Access denied", "Are you a robot?"]
)
def test_a_wall_against_crawlers_speaks_of_the_server(title):
    found = judged(f"<title>{title}</title><p>Please wait.</p>")
    assert found is not None
    assert found.answer is Answer.FAILED


@pytest.mark.parametrize(
    "html",
    [
        article(3),
        article(3).replace("<h1>Report 3</h1>", "<h1>404</h1>"),
        frame("Room 404", "<p>A room above the old harbour, with two windows.</p>"),
        frame("The page that was not found in the archive", "<p>A story in two parts.</p>"),
        frame("Lost property", "<p>We moved. Items that were not found by their owners are sold.</p>"),
        frame("Reports", "<ul>" + "<li><a href=x>Page not found: how to write error pages</a></li>" * 3 + "</ul>"),
    ],
)
def test_pages_about_such_things_are_pages(html):
    assert judged(html) is None
