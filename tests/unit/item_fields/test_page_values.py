"""The values of a page are those of the public API: with the template of its site, else from the page alone."""

import pytest

import sitecrawl
from sitecrawl.errors import EmptyPageError, InputError, NotHtmlError
from sitecrawl.item_fields.page_values import PageReader
from tests.unit.api.pages import URL, html
from tests.unit.item_fields.sites import store

NAMES = ("text", "title", "published", "markdown", "template_version")
PAGE = URL.format(40)


@pytest.fixture
def database(tmp_path):
    return store(tmp_path / "sites.db", "journal.example")


def test_a_page_of_a_learned_site_is_read_with_its_template(database):
    settings = {"SITECRAWL_DATABASE_URL": database}
    found = PageReader(settings, NAMES).read(html(40), PAGE)
    with sitecrawl.open(database) as opened:
        page = opened.site("journal.example").extract(html(40), PAGE)
    assert found.values == {name: getattr(page, name) for name in NAMES}
    assert found.values["template_version"] == 1
    assert found.with_template


def test_a_page_of_another_site_is_read_alone(database):
    url = "https://other.example/40"
    found = PageReader({"SITECRAWL_DATABASE_URL": database}, NAMES).read(html(40), url)
    assert found.values == {name: getattr(sitecrawl.extract(html(40), url), name) for name in NAMES}
    assert not found.with_template


def test_a_database_that_does_not_exist_is_not_created(tmp_path):
    reader = PageReader({"SITECRAWL_DATABASE_URL": f"sqlite:///{tmp_path}/none.db"}, NAMES)
    assert not reader.read(html(1), PAGE).with_template
    assert reader.read(html(1), None).values["title"] == "Note 1"
    assert list(tmp_path.iterdir()) == []


def test_a_domain_that_was_crawled_as_a_whole_is_found_by_its_hosts(tmp_path):
    settings = {"SITECRAWL_SITE_SCOPE": "domain"}
    made = sitecrawl.learn(((f"https://www.journal.org/{n}", html(n)) for n in range(8)), settings=settings)
    made.save(tmp_path / "sites.db")
    reader = PageReader({"SITECRAWL_DATABASE_URL": f"sqlite:///{tmp_path}/sites.db"}, NAMES)
    assert reader.read(html(40), "https://news.journal.org/40").with_template


def test_an_override_corrects_a_page_of_any_site(tmp_path):
    (tmp_path / "other.example.yaml").write_text("content: footer\n")
    settings = {"SITECRAWL_OVERRIDES": str(tmp_path), "SITECRAWL_DATABASE_URL": f"sqlite:///{tmp_path}/none.db"}
    found = PageReader(settings, NAMES).read(html(1), "https://other.example/1")
    assert found.values["text"].startswith("The Journal is written by the harbour master")


@pytest.mark.parametrize(
    ("given", "url", "error"),
    [
        ("", PAGE, EmptyPageError),
        (b"%PDF-1.7", PAGE, NotHtmlError),
        ("<p>" + "a" * 11 * 2**20, PAGE, NotHtmlError),
        (17, PAGE, InputError),
        ("<p>A page", "no url", InputError),
        ("<p>A page", 17, InputError),
    ],
)
def test_what_is_no_page_is_an_error_of_ours(database, given, url, error):
    with pytest.raises(error):
        PageReader({"SITECRAWL_DATABASE_URL": database}, NAMES).read(given, url)
