import asyncio
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from sitecrawl.config import Config
from sitecrawl.storage.pages import PageStatus
from sitecrawl.storage.site_report import PageFilter, SiteReportRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.ui.access import new_access
from sitecrawl.ui.report import report
from sitecrawl.ui.server import new_ui
from sitecrawl.ui.site import override_files
from sitecrawl.ui.sites import sites_view
from tests.unit.ui.conftest import client_of, crawl


def run(ui, sql, **values):
    with ui.writing() as session:
        session.execute(text(sql), values)


def test_the_list_of_sites(client):
    page = client.get("/").text
    assert '<a href="/sites/example.org">example.org</a>' in page
    assert "in order" in page
    assert "No site has this name" in client.get("/?q=nowhere").text


def test_a_site_in_trouble_comes_first(ui, client):
    with ui.writing() as session:
        for host in ("aaa.example", "zzz.example"):
            SiteRepository(session).get_or_add(host, f"https://{host}/", ui_time())
    run(ui, "UPDATE page SET deletion = 1 WHERE url LIKE '%/3'")
    view = sites_view(ui, "", None)
    assert [line.site.host for line in view.lines] == ["example.org", "aaa.example", "zzz.example"]
    assert [one.text for one in view.lines[0].troubles] == ["1 deletion held as too many: release or keep them"]
    assert "1 deletion held" in client.get("/").text


def ui_time():
    from sitecrawl.clock import now

    return now()


def test_an_empty_database_says_how_to_begin(tmp_path):
    made = new_ui(Config(database_url=f"sqlite:///{tmp_path}/new.db"), new_access("127.0.0.1", 8765, None))
    client = client_of(made)
    client.get(f"/?token={made.access.token}")
    assert "sitecrawl crawl site -a url=" in client.get("/").text
    made.engine.dispose()


def test_the_overview_of_a_site(client):
    page = client.get("/sites/example.org").text
    for words in ("Layout 1", "fetched", "mean confidence", "Story 3", "Nobody has corrected this site"):
        assert words in page


def test_the_pages_of_a_site_can_be_restricted(ui, client):
    run(ui, "UPDATE page SET status = 4, reason = 'HTTP 500 <b>' WHERE url LIKE '%/3'")
    assert "https://example.org/12" in client.get("/sites/example.org/pages").text
    errors = client.get("/sites/example.org/pages?status=error").text
    assert "HTTP 500 &lt;b&gt;" in errors and "https://example.org/12" not in errors
    found = client.get("/sites/example.org/pages?q=/12").text
    assert "https://example.org/12" in found and "https://example.org/3" not in found
    assert "No page matches" in client.get("/sites/example.org/pages?q=%25%25").text
    assert client.get("/sites/example.org/pages?status=x&layout=y&page=z").status_code == 200


@pytest.mark.parametrize("typed", ["中文", "b c", "<b>", "%E4%B8%AD", "%e4%b8%ad", "org/中", "https://example.org/中"])
def test_a_part_of_a_url_is_found_as_a_browser_shows_it(ui, client, typed):
    run(ui, "UPDATE page SET url = 'https://example.org/%E4%B8%AD%E6%96%87/b%20c%3Cb%3E' WHERE url LIKE '%/3'")
    found = client.get("/sites/example.org/pages", params={"q": typed}).text
    assert "Story 3" in found and "Story 4" not in found


def test_reasons_are_shown_to_their_end(ui, client):
    why = f"robots.txt cannot be read ({'DNS lookup failed ' * 16}, the end)"
    run(ui, "UPDATE crawl SET reason = :why, finished_at = NULL", why=why)
    run(ui, "UPDATE page SET status = 4, reason = :why WHERE url LIKE '%/3'", why=why)
    for path, times in (("/", 1), ("/sites/example.org", 3), ("/sites/example.org/pages?status=error", 1)):
        assert client.get(path).text.count(", the end)") >= times, path
    assert report(ui, "example.org").count(", the end)") >= 3


def test_a_site_is_found_by_its_name_in_letters(ui, client):
    with ui.writing() as session:
        SiteRepository(session).get_or_add("xn--wgv71a119e.jp", "https://xn--wgv71a119e.jp/", ui_time())
    for typed in ("日本", "日本語.JP", "xn--wgv"):
        found = client.get("/", params={"q": typed}).text
        assert 'href="/sites/xn--wgv71a119e.jp"' in found and 'href="/sites/example.org"' not in found
        assert 'href="/sites/xn--wgv71a119e.jp"' in client.get("/search", params={"q": typed}).text


def test_the_template_as_a_tree(client):
    assert "div.menu" in client.get("/sites/example.org/template").text
    assert "div.menu" in client.get("/sites/example.org/template?view=sst").text
    assert client.get("/sites/example.org/template?view=fastce").status_code == 200
    missing = client.get("/sites/example.org/template?layout=9")
    assert missing.status_code == 404
    assert "No template is learned yet" in missing.text  # the site is there, and no other error says so
    assert "There is no such site" in client.get("/sites/nowhere.example/template").text


def test_the_template_lists_the_corrections_of_its_layout(client, overrides):
    assert 'id="corrections"' not in client.get("/sites/example.org/template").text
    file = overrides / "example.org.yaml"
    file.write_text(
        "exclude: div.side\nlayouts:\n- name: rounds\n  url: /1*\n  content: div.body > p\n- url: /none*\n  title: h1\n"
    )
    page = client.get("/sites/example.org/template").text
    assert "Rule rounds, on 4 of 12 pages" in page and "The rule at the top of the file, on 8 of 12 pages" in page
    assert "content <code>div.body &gt; p</code>" in page and "exclude <code>div.side</code>" in page
    assert "title <code>" not in page  # no page has that URL
    assert 'href="/sites/example.org/rules"' in page
    file.write_text("content: [")
    assert 'class="alert"' in client.get("/sites/example.org/template").text


@pytest.mark.parametrize("path", ["", "/pages", "/template"])
def test_an_unknown_host_has_a_page_with_the_way_back(client, path):
    answer = client.get(f"/sites/no<b>where.example{path}")
    assert answer.status_code == 404
    assert "There is no such site or page" in answer.text
    assert "no&lt;b&gt;where.example" in answer.text
    assert 'class="button main" href="/">Back to all sites' in answer.text


def test_a_page_that_is_gone_leads_back_to_its_site(client):
    answer = client.get("/sites/example.org/page/1/correct")
    assert (answer.status_code, "may have been deleted" in answer.text) == (404, True)
    assert 'href="/sites/example.org">Back to example.org</a>' in answer.text


def test_an_address_that_leads_nowhere(client):
    answer = client.get("/nowhere/at/all")
    assert (answer.status_code, "There is nothing here" in answer.text) == (404, True)
    wrong = client.post("/")
    assert (wrong.status_code, set(wrong.headers["allow"].split(", "))) == (405, {"GET", "HEAD"})


def test_what_was_crawled_is_escaped(tmp_path):
    bad = "<html><head><title>&lt;script&gt;alert(1)&lt;/script&gt;</title></head><body><p>" + "word " * 60
    url = f"sqlite:///{tmp_path}/bad.db"
    asyncio.run(crawl(url, p2=bad))
    made = new_ui(Config(database_url=url), new_access("127.0.0.1", 8765, None))
    client = client_of(made)
    client.get(f"/?token={made.access.token}")
    for path in ("/sites/example.org", "/sites/example.org/pages"):
        page = client.get(path).text
        assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in client.get("/sites/example.org/pages").text
    made.engine.dispose()


def test_both_databases_answer_the_same(database_url):
    asyncio.run(crawl(database_url))
    made = new_ui(Config(database_url=database_url), new_access("127.0.0.1", 8765, None))
    client = client_of(made)
    client.get(f"/?token={made.access.token}")
    for path in ("/", "/sites/example.org", "/sites/example.org/pages?q=1", "/sites/example.org/template"):
        assert client.get(path).status_code == 200
    with made.reading() as session:
        site = SiteRepository(session).get("example.org")
        report = SiteReportRepository(session)
        counts = report.counts(site.id)
        assert counts.statuses[PageStatus.FETCHED] == 12
        assert sum(counts.layouts.values()) == 12
        rows = report.pages(site.id, PageFilter((PageStatus.FETCHED,)), offset=10, limit=5)
        assert [row.url for row in rows] == ["https://example.org/8", "https://example.org/9"]
        sample = report.sample(site.id)
        assert (sample.pages, sample.empty) == (12, 0)
        assert report.known([site.id])[site.id] == sum(counts.statuses.values())
        (state,) = report.states()
        assert (state.host, state.ended, state.layouts, state.held) == ("example.org", "finished", 1, 0)
        assert report.state(site.id) == state
    made.engine.dispose()


def test_a_sample_that_was_read_during_a_crawl_is_read_again_after_it(ui):
    with ui.reading() as session:
        site = SiteReportRepository(session).states()[0]
        running = site._replace(finished_at=None)
        assert ui.sampled(session, running) is ui.sampled(session, running)
        during = ui.sampled(session, running)
        assert ui.sample_some(session, [running]) == 0
        assert ui.sampled(session, site) is not during


def test_the_files_of_a_site_are_those_of_its_host_and_of_the_domains_above(tmp_path):
    for name in ("example.org", "news.example.org", "shop.example.org", "other.org"):
        (tmp_path / f"{name}.yaml").write_text("content: main\n")
    ui = SimpleNamespace(config=Config(overrides=(str(tmp_path),)))
    assert [path.stem for path, _ in override_files(ui, "news.example.org:8080")] == ["example.org", "news.example.org"]
    assert [path.stem for path, _ in override_files(ui, "example.org")] == ["example.org"]
