import random

import pytest

import sitecrawl
from sitecrawl.errors import ConfigError, ExtractorError, InputError, TemplateNotReadyError, UnknownSiteError
from tests.unit.api.pages import URL, html, pages


@pytest.fixture(scope="module")
def site():
    return sitecrawl.learn(pages(40))


def test_a_learned_site_extracts_pages_with_its_template(site):
    page = site.extract(html(77), URL.format(77))
    assert (page.title, page.kind) == ("Note 77", "content")
    assert page.template_version == site.layouts[0].version
    assert "harbour master" not in page.text
    footer = next(block for block in page.blocks if "harbour master" in block.text)
    assert (footer.kept, footer.shared) == (False, 1.0)


def test_extraction_changes_nothing_in_the_site(site):
    texts = {url: site.extract(markup, url).as_dict() for url, markup in pages(40)}
    again = pages(40)
    random.Random(7).shuffle(again)
    assert {url: site.extract(markup, url).as_dict() for url, markup in again} == texts


def test_the_template_is_what_pages_share(site):
    labels = [row.label for row in site.template(min_share=0.9)]
    assert any("footer" in label for label in labels)
    with pytest.raises(UnknownSiteError, match="no layout 9"):
        site.template(9)


def test_wrong_types_are_errors_of_ours(site):
    for call in (lambda: site.save(None), lambda: site.template([]), lambda: site.template(min_share="much")):
        with pytest.raises(InputError, match=r"^(path|layout|min_share) is (NoneType|list|str); give "):
            call()


def test_a_saved_site_gives_the_same(site, tmp_path):
    site.save(tmp_path / "journal.db")
    loaded = sitecrawl.load(tmp_path / "journal.db")
    assert (loaded.host, loaded.layouts) == (site.host, site.layouts)
    for url, markup in [*pages(3), (URL.format(99), html(99))]:
        assert loaded.extract(markup, url) == site.extract(markup, url)
    with pytest.raises(ConfigError, match="exists; name a new file"):
        site.save(tmp_path / "journal.db")


def test_a_counted_page_that_matches_no_layout_any_more_has_its_own(site, tmp_path):
    site.save(tmp_path / "site.db")
    unlike = f"<table>{''.join(f'<tr><td><b>Row {i}</b><td><i>of the</i> table' for i in range(40))}</table>"
    with sitecrawl.open(tmp_path / "site.db") as database:
        stored = database.site(site.host)
        assert stored.extract(unlike, URL.format(1)).template_version == site.layouts[0].version
        assert stored.extract(unlike, URL.format(77)).template_version is None


def test_a_page_that_cannot_be_used_is_noted_and_the_others_are_learned():
    site = sitecrawl.learn([(URL.format(0), ""), *pages(5)])
    assert [(one.url, one.reason) for one in site.skipped] == [(URL.format(0), "the page is empty")]
    assert site.layouts[0].pages == 5


def test_pages_are_of_one_site():
    given = [("https://www.a.example.org/1", html(1)), ("http://a.example.org/2", html(2))]
    other = ("https://b.example.org/3", html(3))
    assert sitecrawl.learn(given).host == "a.example.org"
    with pytest.raises(
        InputError, match=r"^'https://b\.example\.org/3' is no page of a\.example\.org; give pages of one"
    ):
        sitecrawl.learn([*given, other])
    assert sitecrawl.learn([*given, other], settings={"SITECRAWL_SITE_SCOPE": "domain"}).host == "example.org"


def test_pages_are_read_once_and_as_they_come():
    assert sitecrawl.learn(iter(pages(4))).layouts[0].pages == 4


@pytest.mark.parametrize("given", [[], [(URL.format(1), "")]], ids=["none", "empty ones"])
def test_no_page_is_an_error(given):
    with pytest.raises(TemplateNotReadyError, match="give"):
        sitecrawl.learn(given)


def test_pages_that_are_no_pairs_of_url_and_html_are_refused():
    with pytest.raises(InputError):
        sitecrawl.learn([("nonsense", html(1))])
    for given in (dict(pages(3)), [html(1)], [(URL.format(1), html(1), 200)], [None]):
        with pytest.raises(InputError, match=r"is not a pair; give \(url, html\) pairs"):
            sitecrawl.learn(given)
    with pytest.raises(InputError, match=r"^pages is NoneType; give Iterable$"):
        sitecrawl.learn(None)
    with pytest.raises(InputError, match=r"^url is NoneType; give str$"):
        sitecrawl.learn([(None, html(1))])
    for method in ("webconex", "fastce"):
        with pytest.raises(ExtractorError, match="compares a page with others"):
            sitecrawl.learn(pages(3), settings={"SITECRAWL_EXTRACTOR": method})


@pytest.mark.parametrize(("method", "options"), [("fastce", {"preparation": "counted"}), ("sst", {}), ("cnr", {})])
def test_methods_of_papers_work_on_a_learned_site(method, options):
    settings = {"SITECRAWL_EXTRACTOR": method, "SITECRAWL_EXTRACTOR_OPTIONS": options}
    site = sitecrawl.learn(pages(40), settings=settings)
    page = site.extract(html(50), URL.format(50))
    assert (page.method, "Note 50 tells" in page.text) == (method, True)


def with_offer(number, offer, views):
    return html(number).replace(
        "</h1>", f"</h1><div class=by>By the editors, {views} views</div><div class=offer>{offer}</div>"
    )


def test_a_page_that_is_given_twice_counts_once(site):
    assert sitecrawl.learn(pages(40) * 2).layouts == site.layouts
    twice = sitecrawl.learn(pages(40) * 2)
    for url, markup in pages(5):
        assert twice.extract(markup, url) == site.extract(markup, url)


def test_what_differs_on_pages_that_are_given_twice_is_volatile(tmp_path):
    given = [(URL.format(n), with_offer(n, f"Soap {n} is sold at half of its price today.", n)) for n in range(1, 31)]
    again = [(URL.format(n), with_offer(n, f"A boat {n} is for hire by the week or day.", n + 9)) for n in range(1, 4)]
    site = sitecrawl.learn([*given, *again])
    one, other = (
        site.extract(with_offer(77, text, views), URL.format(77)) for text, views in (("Oars!", 5), ("Sails!", 6))
    )
    assert "Oars" not in one.text
    assert one.digest == other.digest
    site.save(tmp_path / "journal.db")
    assert sitecrawl.load(tmp_path / "journal.db").extract(with_offer(77, "Oars!", 5), URL.format(77)) == one
